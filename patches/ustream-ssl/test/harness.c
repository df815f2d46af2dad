/* SPDX-License-Identifier: MIT */
/*
 * Drives the ustream-ssl backend as the core of ustream-ssl does, for uhttpd's side and for uclient's.
 *
 *   harness contract CA CRT KEY OTHERKEY      both sides in memory: every promise of the interface
 *   harness leak CA CRT KEY COUNT             COUNT handshakes; the heap must not grow
 *   harness fuzz CA CRT KEY COUNT SEED        handshakes that are changed on their way, TLS 1.3 and 1.2
 *   harness once CA CRT KEY                   one handshake and a little data, or exit status 1 and a reason
 *   harness fetch PORT CA|- NAME [CIPHERS]    one request over a socket; "-": do not verify. Prints the answer
 *   harness serve PORT CRT KEY                one connection: answers a request
 */

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "harness.h"

#define BULK	1000000

static struct ustream ends[2];
static struct end client, server;

static struct ustream_ssl_ctx *server_ctx(const char *crt, const char *key)
{
	struct ustream_ssl_ctx *ctx = __ustream_ssl_context_new(true);

	CHECK(ctx && __ustream_ssl_set_crt_file(ctx, crt) == 0 && __ustream_ssl_set_key_file(ctx, key) == 0);
	return ctx;
}

static struct ustream_ssl_ctx *client_ctx(const char *ca)
{
	struct ustream_ssl_ctx *ctx = __ustream_ssl_context_new(false);

	CHECK(ctx && (!ca || __ustream_ssl_add_ca_crt_file(ctx, ca) == 0));
	return ctx;
}

/* one read that is expected to find nothing more: it also takes in session tickets and sends what waits */
static void settle(struct end *end)
{
	char c;

	CHECK(__ustream_ssl_read(&end->us, &c, 1) == U_SSL_PENDING);
}

static void handshake(struct ustream_ssl_ctx *cctx, struct ustream_ssl_ctx *sctx, const char *name, int width)
{
	pipe_open(ends, width);
	end_open(&client, cctx, false, &ends[0], -1, name);
	end_open(&server, sctx, true, &ends[1], -1, NULL);
	for (int i = 0; i < 100000 && !(client.us.connected && server.us.connected); i++) {
		CHECK(end_connect(&client) != U_SSL_ERROR);
		CHECK(end_connect(&server) != U_SSL_ERROR);
		/* a write that the pipe cut short goes on with the next read */
		if (client.us.connected)
			settle(&client);
	}
	CHECK(client.us.connected && server.us.connected);
	settle(&server);
	settle(&client);
}

static void hang_up(void)
{
	end_close(&client);
	end_close(&server);
}

/* from one end to the other through a narrow pipe; the reader drains until nothing is left */
static void transfer(struct end *from, struct end *to)
{
	static char out[BULK], in[4096];
	int sent = 0, got = 0;

	for (int i = 0; i < BULK; i++)
		out[i] = (char)(i * 7 >> 3);
	for (int i = 0; i < 10000000 && got < BULK; i++) {
		int n;

		if (sent < BULK) {
			n = __ustream_ssl_write(&from->us, out + sent, BULK - sent);
			CHECK(n >= 0);
			sent += n;
		} else {
			settle(from);
		}
		while ((n = __ustream_ssl_read(&to->us, in, sizeof(in))) > 0) {
			CHECK(got + n <= BULK && !memcmp(in, out + got, n));
			got += n;
		}
		CHECK(n == U_SSL_PENDING);
	}
	CHECK(got == BULK);
}

static void contract(const char *ca, const char *crt, const char *key, const char *other)
{
	struct ustream_ssl_ctx *sctx = server_ctx(crt, key), *cctx = client_ctx(ca), *ctx;
	char c;

	/* a good certificate and its name */
	handshake(cctx, sctx, "localhost", PIPE_SIZE);
	CHECK(client.us.valid_cert && client.us.valid_cn && !client.complaints);
	transfer(&client, &server);
	transfer(&server, &client);
	hang_up();

	/* byte by byte almost, both ways */
	handshake(cctx, sctx, "localhost", 100);
	transfer(&server, &client);
	hang_up();

	/* a good certificate, another name; an address that is in it */
	handshake(cctx, sctx, "example.org", PIPE_SIZE);
	CHECK(client.us.valid_cert && !client.us.valid_cn && !client.complaints);
	hang_up();
	handshake(cctx, sctx, "127.0.0.1", PIPE_SIZE);
	CHECK(client.us.valid_cert && client.us.valid_cn);
	hang_up();
	__ustream_ssl_context_free(cctx);

	/* nobody to trust: told before the connection counts, and again when the session is resumed */
	cctx = client_ctx(NULL);
	for (int i = 0; i < 2; i++) {
		handshake(cctx, sctx, "localhost", PIPE_SIZE);
		CHECK(client.complaints == 1 && !client.us.valid_cert && !client.us.valid_cn);
		transfer(&server, &client);
		hang_up();
	}
	printf("verification: %s\n", client.complaint);

	/* asked not to look: nothing is told and nothing is valid */
	__ustream_ssl_context_free(cctx);
	cctx = client_ctx(NULL);
	CHECK(__ustream_ssl_set_require_validation(cctx, false) == 0);
	handshake(cctx, sctx, "localhost", PIPE_SIZE);
	CHECK(!client.complaints && !client.us.valid_cert && !client.us.valid_cn);

	/* close_notify is the end; a connection that just ends is an error for a client, and an end for a server */
	CHECK(rustcrypto_tls_close(server.us.ssl) == RUSTCRYPTO_OK);
	ends[0].eof = true;
	CHECK(__ustream_ssl_read(&client.us, &c, 1) == 0 && !client.us.error);
	ends[1].eof = true;
	CHECK(__ustream_ssl_read(&server.us, &c, 1) == 0 && !server.us.error);
	hang_up();
	handshake(cctx, sctx, "localhost", PIPE_SIZE);
	ends[0].eof = true;
	CHECK(__ustream_ssl_read(&client.us, &c, 1) == U_SSL_ERROR && client.us.error && client.us.error_timer.pending);
	CHECK(strlen(ustream_rustcrypto_error(&client.us)) > 10);
	/* told later than uclient looks at a body that is whole */
	CHECK(client.us.error_timer.msecs > 1);
	printf("truncated: %s\n", ustream_rustcrypto_error(&client.us));
	hang_up();

	/* what is not TLS is an error with a reason */
	pipe_open(ends, PIPE_SIZE);
	end_open(&server, sctx, true, &ends[1], -1, NULL);
	CHECK(ustream_write(&ends[0], "GET / HTTP/1.1\r\n\r\n", 18, false) == 18);
	CHECK(end_connect(&server) == U_SSL_ERROR);
	CHECK(server.us.error_timer.msecs == 0);
	printf("not TLS: %s\n", ustream_rustcrypto_error(&server.us));
	end_close(&server);

	/* a dead connection */
	pipe_open(ends, PIPE_SIZE);
	ends[0].write_error = true;
	end_open(&client, cctx, false, &ends[0], -1, "localhost");
	CHECK(end_connect(&client) == U_SSL_ERROR);
	end_close(&client);
	__ustream_ssl_context_free(cctx);

	/* ciphers in every notation; none known is refused */
	for (int i = 0; i < 4; i++) {
		static const char *const lists[] = { "ECDHE-ECDSA-AES256-GCM-SHA384:NONSENSE", "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
						     "TLS-ECDHE-ECDSA-WITH-AES-256-GCM-SHA384:TLS-RSA-WITH-NULL", "TLS_AES_256_GCM_SHA384" };
		cctx = client_ctx(ca);
		CHECK(__ustream_ssl_set_ciphers(cctx, lists[i]) == 0);
		handshake(cctx, sctx, "localhost", PIPE_SIZE);
		hang_up();
		CHECK(__ustream_ssl_set_ciphers(cctx, "NONSENSE:NOTHING") == -1);
		__ustream_ssl_context_free(cctx);
	}

	/* key before certificate is as good; one that does not fit is not, nor is a file that is not there */
	ctx = __ustream_ssl_context_new(true);
	CHECK(__ustream_ssl_set_key_file(ctx, key) == 0 && __ustream_ssl_set_crt_file(ctx, crt) == 0);
	cctx = client_ctx(ca);
	handshake(cctx, ctx, "localhost", PIPE_SIZE);
	hang_up();
	__ustream_ssl_context_free(cctx);
	__ustream_ssl_context_free(ctx);
	ctx = __ustream_ssl_context_new(true);
	CHECK(__ustream_ssl_set_crt_file(ctx, crt) == 0 && __ustream_ssl_set_key_file(ctx, other) == -1);
	CHECK(__ustream_ssl_set_crt_file(ctx, "/nonexistent") == -1 && __ustream_ssl_add_ca_crt_file(ctx, "/dev/null") == -1);
	__ustream_ssl_context_free(ctx);
	__ustream_ssl_context_free(sctx);
}

static void leak(const char *ca, const char *crt, const char *key, int count)
{
	struct ustream_ssl_ctx *sctx = server_ctx(crt, key), *cctx = client_ctx(ca);
	size_t before = 0;
	long grown;

	for (int i = 0; i < count; i++) {
		/* the first ones fill the caches */
		if (i == count / 10)
			before = mallinfo2().uordblks;
		handshake(cctx, sctx, "localhost", PIPE_SIZE);
		CHECK(client.us.valid_cn);
		hang_up();
	}
	grown = (long)(mallinfo2().uordblks - before);
	printf("%d handshakes, heap %+ld bytes over the last nine tenths\n", count, grown);
	/* the smallest leak is one block of malloc's, 32 bytes, each time; caches of a few sessions may still settle */
	CHECK(grown < 8L * count);
	__ustream_ssl_context_free(cctx);
	__ustream_ssl_context_free(sctx);
}

static int tcp(int port, bool listening)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_STREAM, 0), one = 1, accepted;

	CHECK(fd >= 0);
	if (!listening) {
		CHECK(connect(fd, (struct sockaddr *)&to, sizeof(to)) == 0);
	} else {
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
		CHECK(bind(fd, (struct sockaddr *)&to, sizeof(to)) == 0 && listen(fd, 1) == 0);
		CHECK((accepted = accept(fd, NULL, NULL)) >= 0);
		close(fd);
		fd = accepted;
	}
	CHECK(fcntl(fd, F_SETFL, O_NONBLOCK) == 0);
	return fd;
}

static void wait_for(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	CHECK(poll(&p, 1, 20000) == 1);
}

/* as uclient: with a bare descriptor */
static int talk(struct end *end, const char *say, const char *until)
{
	static char text[1 << 20];
	int n, got = 0, fd = end->us.fd.fd;
	enum ssl_conn_status status;

	while ((status = end_connect(end)) == U_SSL_PENDING)
		wait_for(fd);
	if (status == U_SSL_ERROR) {
		fprintf(stderr, "%s\n", ustream_rustcrypto_error(&end->us));
		return 2;
	}
	if (end->complaints || (end->us.ctx->validate && !end->us.valid_cn)) {
		fprintf(stderr, "%s\n", end->complaints ? end->complaint : "the certificate is not for this name");
		return 5;
	}
	if (!end->us.server)
		CHECK(__ustream_ssl_write(&end->us, say, (int)strlen(say)) == (int)strlen(say));
	for (;;) {
		n = __ustream_ssl_read(&end->us, text + got, (int)sizeof(text) - 1 - got);
		if (n == U_SSL_PENDING) {
			wait_for(fd);
			continue;
		}
		if (n <= 0)
			break;
		got += n;
		text[got] = 0;
		if (until && strstr(text, until))
			break;
	}
	if (end->us.server) {
		CHECK(__ustream_ssl_write(&end->us, say, (int)strlen(say)) == (int)strlen(say));
		CHECK(rustcrypto_tls_close(end->us.ssl) == RUSTCRYPTO_OK);
	}
	fwrite(text, 1, got, stdout);
	return 0;
}

static void debug(void *priv, int level, const char *msg)
{
	(void)priv;
	(void)level;
	fprintf(stderr, "%s\n", msg);
}

int main(int argc, char **argv)
{
	struct ustream_ssl_ctx *ctx;
	int r = 0, fd;

	if (argc == 6 && !strcmp(argv[1], "contract")) {
		contract(argv[2], argv[3], argv[4], argv[5]);
	} else if (argc == 6 && !strcmp(argv[1], "leak")) {
		leak(argv[2], argv[3], argv[4], atoi(argv[5]));
	} else if (argc == 7 && !strcmp(argv[1], "fuzz")) {
		struct ustream_ssl_ctx *sctx = server_ctx(argv[3], argv[4]);

		printf("TLS 1.3: ");
		fuzz(argv[2], NULL, sctx, atoi(argv[5]) / 2, (unsigned int)atoi(argv[6]));
		printf("TLS 1.2: ");
		fuzz(argv[2], "ECDHE-ECDSA-AES128-GCM-SHA256", sctx, atoi(argv[5]) / 2, (unsigned int)atoi(argv[6]));
		__ustream_ssl_context_free(sctx);
	} else if (argc == 5 && !strcmp(argv[1], "once")) {
		struct ustream_ssl_ctx *sctx = server_ctx(argv[3], argv[4]);

		ctx = client_ctx(argv[2]);
		handshake(ctx, sctx, "localhost", PIPE_SIZE);
		CHECK(client.us.valid_cn);
		CHECK(__ustream_ssl_write(&client.us, "hello", 5) == 5);
		CHECK(__ustream_ssl_read(&server.us, (char[8]){ 0 }, 8) == 5);
		hang_up();
		__ustream_ssl_context_free(ctx);
		__ustream_ssl_context_free(sctx);
	} else if (argc >= 5 && !strcmp(argv[1], "fetch")) {
		ctx = client_ctx(strcmp(argv[3], "-") ? argv[3] : NULL);
		__ustream_ssl_set_debug(ctx, 1, debug, NULL);
		if (!strcmp(argv[3], "-"))
			__ustream_ssl_set_require_validation(ctx, false);
		CHECK(argc < 6 || __ustream_ssl_set_ciphers(ctx, argv[5]) == 0);
		fd = tcp(atoi(argv[2]), false);
		end_open(&client, ctx, false, NULL, fd, argv[4]);
		r = talk(&client, "GET / HTTP/1.0\r\n\r\n", NULL);
		end_close(&client);
		close(fd);
		__ustream_ssl_context_free(ctx);
	} else if (argc == 5 && !strcmp(argv[1], "serve")) {
		ctx = server_ctx(argv[3], argv[4]);
		fd = tcp(atoi(argv[2]), true);
		end_open(&server, ctx, true, NULL, fd, NULL);
		r = talk(&server, "HTTP/1.0 200 OK\r\n\r\nhello from the backend\n", "\r\n\r\n");
		end_close(&server);
		close(fd);
		__ustream_ssl_context_free(ctx);
	} else {
		fprintf(stderr, "see the top of harness.c\n");
		r = 1;
	}
	return r;
}
