/* SPDX-License-Identifier: ISC */
/* ustream-ssl on librustcrypto (TLS 1.2 and 1.3). */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ustream-ssl.h"
#include "ustream-internal.h"

/* the figures of the Mbed TLS backend */
#define SERVER_SESSIONS	5
#define CLIENT_SESSIONS	1

/*
 * ms. uclient looks at headers a millisecond after they came, then at the body, and a millisecond later says that it is
 * done: what has arrived whole is read before it is told that the peer hung up without close_notify, as every uhttpd does.
 * On a busy machine those timers are late, so this is far more than they add up to.
 */
#define TRUNCATED_DELAY	1000

static ptrdiff_t s_ustream_read(void *io, uint8_t *buf, size_t len)
{
	struct ustream *s = io;
	char *data;
	int avail;

	/* what has arrived comes before the end of the stream: it may hold the peer's close_notify */
	data = ustream_get_read_buf(s, &avail);
	if (!data || avail <= 0)
		return s->eof ? 0 : RUSTCRYPTO_WANT_READ;

	if ((size_t)avail > len)
		avail = (int)len;

	memcpy(buf, data, avail);
	ustream_consume(s, avail);

	return avail;
}

static ptrdiff_t s_ustream_write(void *io, const uint8_t *buf, size_t len)
{
	struct ustream *s = io;
	int ret;

	ret = ustream_write(s, (const char *)buf, (int)len, false);
	if (ret < 0 || s->write_error)
		return RUSTCRYPTO_IO;

	return ret ? ret : RUSTCRYPTO_WANT_WRITE;
}

__hidden void ustream_set_io(struct ustream_ssl *us)
{
	if (us->conn)
		rustcrypto_tls_set_io(us->ssl, s_ustream_read, s_ustream_write, us->conn);
	else
		rustcrypto_tls_set_fd(us->ssl, us->fd.fd);
}

__hidden struct ustream_ssl_ctx *__ustream_ssl_context_new(bool server)
{
	struct ustream_ssl_ctx *ctx;

	ctx = calloc(1, sizeof(*ctx));
	if (!ctx)
		return NULL;

	ctx->conf = rustcrypto_tls_config_new(server ? RUSTCRYPTO_SERVER : RUSTCRYPTO_CLIENT);
	if (!ctx->conf) {
		free(ctx);
		return NULL;
	}

	/* a client learns the result of the verification and decides itself; the name is compared in verify_cert() */
	ctx->validate = !server;
	rustcrypto_tls_config_set_verify(ctx->conf, server ? RUSTCRYPTO_VERIFY_NONE : RUSTCRYPTO_VERIFY_OPTIONAL);
	rustcrypto_tls_config_set_verify_name(ctx->conf, false);
	rustcrypto_tls_config_set_session_cache(ctx->conf, server ? SERVER_SESSIONS : CLIENT_SESSIONS);

	return ctx;
}

static void debug(struct ustream_ssl_ctx *ctx, const char *msg)
{
	if (ctx->debug_cb)
		ctx->debug_cb(ctx->debug_cb_priv, 1, msg);
}

static int config_result(struct ustream_ssl_ctx *ctx, int32_t ret)
{
	if (ret == RUSTCRYPTO_OK)
		return 0;

	debug(ctx, rustcrypto_last_error());
	return -1;
}

__hidden int __ustream_ssl_add_ca_crt_file(struct ustream_ssl_ctx *ctx, const char *file)
{
	return config_result(ctx, rustcrypto_tls_config_add_ca_file(ctx->conf, file));
}

__hidden int __ustream_ssl_set_crt_file(struct ustream_ssl_ctx *ctx, const char *file)
{
	return config_result(ctx, rustcrypto_tls_config_set_cert_file(ctx->conf, file));
}

__hidden int __ustream_ssl_set_key_file(struct ustream_ssl_ctx *ctx, const char *file)
{
	return config_result(ctx, rustcrypto_tls_config_set_key_file(ctx->conf, file));
}

__hidden int __ustream_ssl_set_ciphers(struct ustream_ssl_ctx *ctx, const char *ciphers)
{
	return config_result(ctx, rustcrypto_tls_config_set_ciphers(ctx->conf, ciphers));
}

__hidden int __ustream_ssl_set_require_validation(struct ustream_ssl_ctx *ctx, bool require)
{
	ctx->validate = require;
	rustcrypto_tls_config_set_verify(ctx->conf, require ? RUSTCRYPTO_VERIFY_OPTIONAL : RUSTCRYPTO_VERIFY_NONE);

	return 0;
}

__hidden void __ustream_ssl_set_debug(struct ustream_ssl_ctx *ctx, int level, ustream_ssl_debug_cb cb, void *cb_priv)
{
	ctx->debug_cb = level > 0 ? cb : NULL;
	ctx->debug_cb_priv = cb_priv;
}

__hidden void __ustream_ssl_context_free(struct ustream_ssl_ctx *ctx)
{
	rustcrypto_tls_config_free(ctx->conf);
	free(ctx);
}

__hidden void __ustream_ssl_session_free(struct ustream_ssl *us)
{
	rustcrypto_tls_free(us->ssl);
}

__hidden char *ustream_rustcrypto_error(struct ustream_ssl *us)
{
	const char *sentence = us->ssl ? rustcrypto_tls_error(us->ssl) : NULL;

	if (!sentence || !*sentence)
		sentence = rustcrypto_strerror(us->error);

	/* the core's type is char *, yet it only hands the text on as const char * */
	return (char *)sentence;
}

static enum ssl_conn_status check_return(struct ustream_ssl *us, int32_t ret)
{
	switch (ret) {
	case RUSTCRYPTO_WANT_READ:
	case RUSTCRYPTO_WANT_WRITE:
		return U_SSL_PENDING;
	case RUSTCRYPTO_TRUNCATED:
		/* browsers just drop connections; but what a client reads must not end where an attacker likes */
		if (us->server && us->connected)
			return U_SSL_OK;
		break;
	case RUSTCRYPTO_CLOSED:
		if (us->connected)
			return U_SSL_OK;
		break;
	}

	us->error = ret;
	debug(us->ctx, ustream_rustcrypto_error(us));
	uloop_timeout_set(&us->error_timer, ret == RUSTCRYPTO_TRUNCATED ? TRUNCATED_DELAY : 0);
	return U_SSL_ERROR;
}

static void verify_cert(struct ustream_ssl *us)
{
	const char *name;
	int32_t ret;

	/* nothing was verified, so nothing is valid */
	if (us->server || !us->ctx->validate)
		return;

	ret = rustcrypto_tls_verify_result(us->ssl);
	if (ret != RUSTCRYPTO_OK) {
		if (us->notify_verify_error)
			us->notify_verify_error(us, ret, rustcrypto_tls_verify_message(us->ssl));
		return;
	}

	/* with a near server all is over before the caller could call set_peer_cn(): it named the same host for SNI */
	name = us->peer_cn ? us->peer_cn : us->server_name;

	us->valid_cert = true;
	us->valid_cn = name && rustcrypto_tls_check_name(us->ssl, name) == RUSTCRYPTO_OK;
}

static void debug_connected(struct ustream_ssl *us)
{
	char msg[128];

	if (!us->ctx->debug_cb)
		return;

	snprintf(msg, sizeof(msg), "TLS 1.%d, %s, %s%s", rustcrypto_tls_version(us->ssl) - 0x0301,
		 rustcrypto_tls_cipher_name(us->ssl), rustcrypto_tls_group_name(us->ssl),
		 rustcrypto_tls_resumed(us->ssl) ? ", resumed" : "");
	debug(us->ctx, msg);
}

__hidden enum ssl_conn_status __ustream_ssl_connect(struct ustream_ssl *us)
{
	int32_t ret;

	/* the caller has given up, because of what verify_cert() told it: say nothing twice */
	if (us->stream.eof)
		return U_SSL_OK;

	ret = rustcrypto_tls_handshake(us->ssl);
	if (ret != RUSTCRYPTO_OK)
		return check_return(us, ret);

	debug_connected(us);
	verify_cert(us);
	return U_SSL_OK;
}

__hidden int __ustream_ssl_write(struct ustream_ssl *us, const char *buf, int len)
{
	int done = 0;

	while (done < len) {
		size_t n = 0;
		int32_t ret = rustcrypto_tls_write(us->ssl, (const uint8_t *)buf + done, len - done, &n);

		done += (int)n;
		if (ret == RUSTCRYPTO_OK && n)
			continue;
		if (ret != RUSTCRYPTO_OK && check_return(us, ret) == U_SSL_ERROR)
			return -1;
		break;
	}

	return done;
}

/*
 * Records that a full socket has kept back, and with a bare descriptor also the data the core holds, are sent on from
 * here: every event ends in a read, and for a descriptor the core has no other call on a writable socket.
 */
static int32_t flush(struct ustream_ssl *us)
{
	int32_t ret = rustcrypto_tls_flush(us->ssl);

	if (ret == RUSTCRYPTO_OK && !us->conn && us->stream.w.data_bytes)
		ustream_write_pending(&us->stream);

	return ret == RUSTCRYPTO_WANT_WRITE ? RUSTCRYPTO_OK : ret;
}

__hidden int __ustream_ssl_read(struct ustream_ssl *us, char *buf, int len)
{
	size_t n = 0;
	int32_t flushed, ret;

	flushed = flush(us);
	if (us->error)
		return U_SSL_ERROR;

	ret = rustcrypto_tls_read(us->ssl, (uint8_t *)buf, len, &n);
	if (ret == RUSTCRYPTO_OK && n)
		return (int)n;
	if (ret == RUSTCRYPTO_OK)
		ret = RUSTCRYPTO_WANT_READ;

	/* what the peer said last is told before the failure to write to it */
	if (ret == RUSTCRYPTO_WANT_READ && flushed != RUSTCRYPTO_OK)
		ret = flushed;

	return check_return(us, ret);
}
