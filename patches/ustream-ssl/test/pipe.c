/* SPDX-License-Identifier: MIT */
/* The stand-in for libubox: pipes in memory, and a session set up in the order the core of ustream-ssl does it. */

#include <stdlib.h>
#include <string.h>

#include "harness.h"

int (*pipe_tamper)(struct ustream *to, char *data, int len);

char *ustream_get_read_buf(struct ustream *s, int *len)
{
	*len = s->inbox_len;
	return s->inbox_len ? s->inbox : NULL;
}

void ustream_consume(struct ustream *s, int len)
{
	s->inbox_len -= len;
	memmove(s->inbox, s->inbox + len, s->inbox_len);
}

int ustream_write(struct ustream *s, const char *buf, int len, bool more)
{
	struct ustream *to = s->peer;
	int arrives;

	(void)more;
	if (len > s->width)
		len = s->width;
	if (len > PIPE_SIZE - TAMPER_ROOM - to->inbox_len)
		len = PIPE_SIZE - TAMPER_ROOM - to->inbox_len;
	arrives = len;
	memcpy(to->inbox + to->inbox_len, buf, len);
	if (pipe_tamper)
		arrives = pipe_tamper(to, to->inbox + to->inbox_len, len);
	to->inbox_len += arrives;
	s->written += len;
	return len;
}

bool ustream_write_pending(struct ustream *s)
{
	(void)s;
	return true;
}

int uloop_timeout_set(struct uloop_timeout *t, int msecs)
{
	t->pending = true;
	t->msecs = msecs;
	return 0;
}

static void verify_error(struct ustream_ssl *us, int error, const char *str)
{
	struct end *end = (struct end *)us;

	CHECK(error != 0 && str && *str);
	CHECK(!us->connected);
	end->complaints++;
	snprintf(end->complaint, sizeof(end->complaint), "%s", str);
}

void end_open(struct end *end, struct ustream_ssl_ctx *ctx, bool server, struct ustream *conn, int fd, const char *name)
{
	struct ustream_ssl *us = &end->us;

	memset(end, 0, sizeof(*end));
	us->server = server;
	us->ctx = ctx;
	us->conn = conn;
	us->fd.fd = fd;
	us->notify_verify_error = verify_error;
	us->server_name = name;
	us->ssl = __ustream_ssl_session_new(ctx);
	CHECK(us->ssl);
	ustream_set_io(us);
	if (us->server_name)
		__ustream_ssl_set_server_name(us);
	/* the core tries once before the caller can name the peer; with a near server that may be all it takes */
	end_connect(end);
	if (name) {
		us->peer_cn = strdup(name);
		__ustream_ssl_update_peer_cn(us);
	}
}

enum ssl_conn_status end_connect(struct end *end)
{
	enum ssl_conn_status status = U_SSL_OK;

	if (!end->us.connected && !end->us.error) {
		status = __ustream_ssl_connect(&end->us);
		end->us.connected = status == U_SSL_OK;
	}
	CHECK((end->us.error != 0) == end->us.error_timer.pending);
	return end->us.error ? U_SSL_ERROR : status;
}

void end_close(struct end *end)
{
	long written = end->us.conn ? end->us.conn->written : 0;

	__ustream_ssl_session_free(&end->us);
	CHECK(!end->us.conn || end->us.conn->written == written);
	free(end->us.peer_cn);
}

void pipe_open(struct ustream ends[2], int width)
{
	memset(ends, 0, 2 * sizeof(*ends));
	ends[0].peer = &ends[1];
	ends[1].peer = &ends[0];
	ends[0].width = ends[1].width = width;
}
