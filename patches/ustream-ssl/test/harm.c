/* SPDX-License-Identifier: MIT */
/* What must hold under a hostile peer: handshakes whose octets are changed, cut, repeated or added to on their way. */

#include <string.h>

#include "harness.h"

/* where a rule of the pipe's tampering strikes: at the octet number `at` of one direction */
static struct {
	struct ustream *to;
	long at, passed;
	int kind;
	bool done;
} strike;

static unsigned int state;

/* a little generator of our own, so that a seed means the same everywhere */
static unsigned int next(unsigned int below)
{
	state = state * 1103515245 + 12345;
	return (state >> 8) % below;
}

/* changes data[0..len), which has room for TAMPER_ROOM more; returns the new length */
static int tamper(struct ustream *to, char *data, int len)
{
	int at, n;

	if (to != strike.to || strike.done)
		return len;
	at = (int)(strike.at - strike.passed);
	strike.passed += len;
	if (at >= len)
		return len;
	strike.done = true;
	switch (strike.kind) {
	case 0:
		data[at] ^= (char)(1 << next(8));
		return len;
	case 1:
		data[at] = (char)(next(2) ? 0xff : 0);
		return len;
	case 2:
		for (n = 1 + next(16); n && at < len; n--, at++)
			data[at] = (char)next(256);
		return len;
	case 3:
		return at;
	case 4:
		n = 1 + (int)next(TAMPER_ROOM);
		memmove(data + at + n, data + at, len - at);
		for (int i = 0; i < n; i++)
			data[at + i] = (char)next(256);
		return len + n;
	default:
		n = len - at < TAMPER_ROOM ? len - at : TAMPER_ROOM;
		memmove(data + at + n, data + at, len - at);
		return len + n;
	}
}

/* both ends until nothing moves any more */
static void run_dry(struct end *client, struct end *server, struct ustream ends[2])
{
	long before = -1, moved = 0;

	while (moved != before) {
		before = moved;
		end_connect(client);
		end_connect(server);
		moved = ends[0].written + ends[1].written;
	}
}

/* what one end sends arrives as it was, or not at all and with an error */
static void say(struct end *from, struct end *to)
{
	static const char text[] = "what is said arrives as it was said";
	char got[sizeof(text)] = "";
	int n;

	if (__ustream_ssl_write(&from->us, text, sizeof(text)) != sizeof(text))
		return;
	n = __ustream_ssl_read(&to->us, got, sizeof(got));
	CHECK(n < 0 ? n == U_SSL_PENDING || to->us.error : n == sizeof(text) && !memcmp(got, text, sizeof(text)));
}

static struct ustream_ssl_ctx *client_ctx(const char *ca, const char *ciphers)
{
	struct ustream_ssl_ctx *ctx = __ustream_ssl_context_new(false);

	CHECK(ctx && __ustream_ssl_add_ca_crt_file(ctx, ca) == 0);
	CHECK(!ciphers || __ustream_ssl_set_ciphers(ctx, ciphers) == 0);
	return ctx;
}

void fuzz(const char *ca, const char *ciphers, struct ustream_ssl_ctx *sctx, int count, unsigned int seed)
{
	static struct ustream ends[2];
	static struct end client, server;
	struct ustream_ssl_ctx *cctx = client_ctx(ca, ciphers);
	int refused = 0, stalled = 0, unharmed = 0;

	state = seed;
	for (int i = 0; i < count; i++) {
		/* half of them may resume a session of the one before */
		if (i % 2) {
			__ustream_ssl_context_free(cctx);
			cctx = client_ctx(ca, ciphers);
		}
		pipe_open(ends, PIPE_SIZE);
		memset(&strike, 0, sizeof(strike));
		strike.to = &ends[next(2)];
		/* a first flight of the client is about 1,500 octets long (ML-KEM), one of the server 2,000 */
		strike.at = next(next(4) ? 600 : 2600);
		strike.kind = (int)next(6);
		pipe_tamper = tamper;
		end_open(&client, cctx, false, &ends[0], -1, "localhost");
		end_open(&server, sctx, true, &ends[1], -1, NULL);
		run_dry(&client, &server, ends);
		pipe_tamper = NULL;
		if (client.us.connected && server.us.connected) {
			/* a record's version is nobody's business; all else is in the Finished messages */
			say(&client, &server);
			say(&server, &client);
			unharmed++;
		} else if (client.us.error || server.us.error) {
			CHECK(strlen(ustream_rustcrypto_error(client.us.error ? &client.us : &server.us)) > 10);
			refused++;
		} else {
			/* waiting for octets that were dropped: the end of the stream must be an error */
			ends[0].eof = ends[1].eof = true;
			CHECK(client.us.connected || end_connect(&client) == U_SSL_ERROR);
			CHECK(server.us.connected || end_connect(&server) == U_SSL_ERROR);
			stalled++;
		}
		/* a server that was cheated is not to be believed */
		CHECK(!client.us.connected || (client.us.valid_cn && !client.complaints));
		end_close(&client);
		end_close(&server);
	}
	__ustream_ssl_context_free(cctx);
	printf("%d refused, %d stalled and then refused, %d not touched where it matters\n", refused, stalled, unharmed);
	CHECK(refused > count / 2);
}
