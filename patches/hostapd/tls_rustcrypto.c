/*
 * TLS wrapper for librustcrypto (EAP-TLS, TTLS, PEAP), TLS 1.2 and 1.3
 * Copyright (c) 2026, the rustcrypto for distributions authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * This software may be distributed under the terms of the BSD license.
 * See README for more details.
 *
 * EAP carries whole flights: the library reads from one wpabuf and writes into another through its callbacks.
 * Sessions are not resumed: every authentication checks the peer anew.
 */

#include "includes.h"

#include "common.h"
#include "crypto.h"
#include "tls.h"
#include "rustcrypto_compat.h"
#include "tls_rustcrypto.h"

/* RFC 8446 4.1.2, 4.1.3: record header 5, handshake header 4, legacy_version 2, then the random */
#define HELLO_RANDOM 11
#define ALERT_PROTOCOL_VERSION 70

void * tls_init(const struct tls_config *conf)
{
	struct rc_tls_context *ctx = os_zalloc(sizeof(*ctx));

	if (ctx && conf) {
		ctx->event_cb = conf->event_cb;
		ctx->cb_ctx = conf->cb_ctx;
		ctx->cert_in_cb = conf->cert_in_cb;
		ctx->flags = conf->tls_flags;
	}
	return ctx;
}


static void rc_global_clear(struct rc_tls_context *ctx)
{
	os_free((char *) ctx->global.ca_cert);
	os_free((char *) ctx->global.client_cert);
	os_free((char *) ctx->global.private_key);
	os_free((char *) ctx->global.openssl_ciphers);
	os_memset(&ctx->global, 0, sizeof(ctx->global));
	ctx->have_global = 0;
}


void tls_deinit(void *tls_ctx)
{
	rc_global_clear(tls_ctx);
	os_free(tls_ctx);
}


int tls_get_errors(void *tls_ctx)
{
	return 0;
}


int tls_get_library_version(char *buf, size_t buf_len)
{
	return os_snprintf(buf, buf_len, "rustcrypto %s", rustcrypto_version());
}


static int rc_copy(const char **to, const char *from)
{
	*to = from ? os_strdup(from) : NULL;
	return from && !*to ? -1 : 0;
}


int tls_global_set_params(void *tls_ctx,
			  const struct tls_connection_params *params)
{
	struct rc_tls_context *ctx = tls_ctx;
	rustcrypto_tls_config *cfg;

	rc_global_clear(ctx);
	/* Made and thrown away, so that a bad file is told at the start and not at the first client. */
	cfg = rc_tls_config(RUSTCRYPTO_SERVER, params,
			    ctx->flags | params->flags,
			    params->ca_cert ? RUSTCRYPTO_VERIFY_REQUIRED :
			    RUSTCRYPTO_VERIFY_NONE, ctx->check_crl);
	if (!cfg)
		return -1;
	rustcrypto_tls_config_free(cfg);

	if (rc_copy(&ctx->global.ca_cert, params->ca_cert) < 0 ||
	    rc_copy(&ctx->global.client_cert, params->client_cert) < 0 ||
	    rc_copy(&ctx->global.private_key, params->private_key) < 0 ||
	    rc_copy(&ctx->global.openssl_ciphers,
		    params->openssl_ciphers) < 0) {
		rc_global_clear(ctx);
		return -1;
	}
	ctx->global.flags = params->flags;
	ctx->have_global = 1;
	return 0;
}


int tls_global_set_verify(void *tls_ctx, int check_crl, int strict)
{
	struct rc_tls_context *ctx = tls_ctx;

	ctx->check_crl = check_crl;
	return 0;
}


struct tls_connection * tls_connection_init(void *tls_ctx)
{
	struct tls_connection *conn = os_zalloc(sizeof(*conn));

	if (conn) {
		conn->ctx = tls_ctx;
		conn->verify = RUSTCRYPTO_VERIFY_NONE;
	}
	return conn;
}


void tls_connection_deinit(void *tls_ctx, struct tls_connection *conn)
{
	if (!conn)
		return;
	rustcrypto_tls_free(conn->tls);
	rustcrypto_tls_config_free(conn->cfg);
	rc_tls_peer_clear(&conn->peer);
	wpabuf_clear_free(conn->out);
	bin_clear_free(conn, sizeof(*conn));
}


static ptrdiff_t rc_read(void *io, uint8_t *buf, size_t len)
{
	struct tls_connection *conn = io;
	size_t left = conn->in ? wpabuf_len(conn->in) - conn->in_pos : 0;

	if (left == 0)
		return RUSTCRYPTO_WANT_READ;
	if (len > left)
		len = left;
	os_memcpy(buf, wpabuf_head_u8(conn->in) + conn->in_pos, len);
	conn->in_pos += len;
	return len;
}


static ptrdiff_t rc_write(void *io, const uint8_t *buf, size_t len)
{
	struct tls_connection *conn = io;

	if (wpabuf_resize(&conn->out, len) < 0)
		return RUSTCRYPTO_IO;
	wpabuf_put_data(conn->out, buf, len);
	return len;
}


/* A session from the beginning */
static int rc_restart(struct tls_connection *conn)
{
	rustcrypto_tls_free(conn->tls);
	conn->tls = rustcrypto_tls_new(conn->cfg);
	if (!conn->tls) {
		wpa_printf(MSG_ERROR, "TLS: %s", rustcrypto_last_error());
		return -1;
	}
	conn->established = conn->failed = conn->own_seen = conn->peer_seen = 0;
	conn->peer_hello = 0;
	return RC(rustcrypto_tls_set_io(conn->tls, rc_read, rc_write, conn));
}


static int rc_start(struct tls_connection *conn, rustcrypto_tls_config *cfg)
{
	if (!cfg)
		return -1;
	rustcrypto_tls_config_free(conn->cfg);
	conn->cfg = cfg;
	return rc_restart(conn);
}


int tls_connection_set_params(void *tls_ctx, struct tls_connection *conn,
			      const struct tls_connection_params *params)
{
	struct rc_tls_context *ctx = tls_ctx;
	int trusted = params->ca_cert_blob ||
		(params->ca_cert && !rc_tls_is_hash(params->ca_cert));

	if (rc_tls_peer_set(&conn->peer, params) < 0)
		return -1;
	if (!trusted && !conn->peer.cert_sha256)
		wpa_printf(MSG_WARNING,
			   "TLS: no ca_cert: the server's certificate is not verified");
	return rc_start(conn, rc_tls_config(RUSTCRYPTO_CLIENT, params,
					    ctx->flags | params->flags,
					    trusted ? RUSTCRYPTO_VERIFY_REQUIRED :
					    RUSTCRYPTO_VERIFY_NONE, 0));
}


int tls_connection_set_verify(void *tls_ctx, struct tls_connection *conn,
			      int verify_peer, unsigned int flags,
			      const u8 *session_ctx, size_t session_ctx_len)
{
	conn->verify = verify_peer == 0 ? RUSTCRYPTO_VERIFY_NONE :
		verify_peer == 2 ? RUSTCRYPTO_VERIFY_OPTIONAL :
		RUSTCRYPTO_VERIFY_REQUIRED;
	conn->flags = flags;
	return 0;
}


/* The random of a hello, and its legacy_version; 0 when this is none */
static u16 rc_see_hello(const struct wpabuf *buf, u8 type, u8 *random,
			int *seen)
{
	const u8 *pos;

	if (*seen || !buf || wpabuf_len(buf) < HELLO_RANDOM + RC_RANDOM_LEN)
		return 0;
	pos = wpabuf_head_u8(buf);
	if (pos[0] != 22 || pos[5] != type)
		return 0;
	os_memcpy(random, pos + HELLO_RANDOM, RC_RANDOM_LEN);
	*seen = 1;
	return WPA_GET_BE16(pos + HELLO_RANDOM - 2);
}


static void rc_chain_failed(struct tls_connection *conn,
			    enum tls_fail_reason reason, const char *why)
{
	union tls_event_data ev;

	wpa_printf(MSG_INFO, "TLS: peer certificate refused: %s", why);
	if (!conn->ctx->event_cb)
		return;
	os_memset(&ev, 0, sizeof(ev));
	ev.cert_fail.subject = tls_connection_get_peer_subject(conn);
	if (!ev.cert_fail.subject)
		ev.cert_fail.subject = "";
	ev.cert_fail.reason = reason;
	ev.cert_fail.reason_txt = why;
	conn->ctx->event_cb(conn->ctx->cb_ctx, TLS_CERT_CHAIN_FAILURE, &ev);
}


static void rc_alert(struct tls_connection *conn, int is_local, int32_t alert)
{
	union tls_event_data ev;
	char text[20];

	if (alert < 0)
		return;
	if (is_local)
		conn->alerts_written++;
	else
		conn->alerts_read++;
	if (!conn->ctx->event_cb)
		return;
	os_snprintf(text, sizeof(text), "alert %d", alert);
	os_memset(&ev, 0, sizeof(ev));
	ev.alert.is_local = is_local;
	ev.alert.type = "fatal";
	ev.alert.description = text;
	conn->ctx->event_cb(conn->ctx->cb_ctx, TLS_ALERT, &ev);
}


static void rc_failed(struct tls_connection *conn, int32_t result)
{
	int32_t sent = rustcrypto_tls_alert_sent(conn->tls);
	int32_t received = rustcrypto_tls_alert_received(conn->tls);

	conn->failed++;
	wpa_printf(MSG_INFO, "TLS: %s", rustcrypto_tls_error(conn->tls));
	if (sent == ALERT_PROTOCOL_VERSION ||
	    received == ALERT_PROTOCOL_VERSION ||
	    (conn->peer_hello && conn->peer_hello < 0x0303))
		wpa_printf(MSG_WARNING,
			   "TLS: no common version: rustcrypto speaks TLS 1.2 and 1.3 only, an older peer needs another TLS library here");
	if (result == RUSTCRYPTO_BAD_CERTIFICATE)
		rc_chain_failed(conn, TLS_FAIL_UNSPECIFIED,
				rustcrypto_tls_verify_message(conn->tls));
	rc_alert(conn, 1, sent);
	rc_alert(conn, 0, received);
}


/* Every certificate the peer sent, its own first */
static void rc_tell_certificates(struct tls_connection *conn)
{
	union tls_event_data ev;
	struct wpabuf *cert;
	const u8 *addr[1];
	u8 hash[32];
	size_t len;
	int i;

	for (i = 0; conn->ctx->event_cb; i++) {
		len = 0;
		rustcrypto_tls_peer_certificate(conn->tls, i, NULL, 0, &len);
		cert = len ? wpabuf_alloc(len) : NULL;
		if (!cert)
			return;
		addr[0] = wpabuf_put(cert, len);
		if (RC(rustcrypto_tls_peer_certificate(
			       conn->tls, i, wpabuf_mhead_u8(cert), len,
			       &len)) == 0 &&
		    sha256_vector(1, addr, &len, hash) == 0) {
			os_memset(&ev, 0, sizeof(ev));
			ev.peer_cert.depth = i;
			ev.peer_cert.subject = i ? "" :
				tls_connection_get_peer_subject(conn);
			if (conn->ctx->cert_in_cb)
				ev.peer_cert.cert = cert;
			ev.peer_cert.hash = hash;
			ev.peer_cert.hash_len = sizeof(hash);
			conn->ctx->event_cb(conn->ctx->cb_ctx,
					    TLS_PEER_CERTIFICATE, &ev);
		}
		wpabuf_free(cert);
	}
}


/* The handshake is over: is it the peer we want? */
static void rc_established(struct tls_connection *conn)
{
	enum tls_fail_reason reason;
	size_t len = 0;

	rustcrypto_tls_peer_certificate(conn->tls, 0, NULL, 0, &len);
	if (len)
		rc_tell_certificates(conn);
	if (len && conn->verify == RUSTCRYPTO_VERIFY_OPTIONAL &&
	    rustcrypto_tls_verify_result(conn->tls) != RUSTCRYPTO_OK) {
		conn->failed++;
		rc_chain_failed(conn, TLS_FAIL_UNTRUSTED,
				rustcrypto_tls_verify_message(conn->tls));
		return;
	}
	/* a client without a certificate, which only tunnelled methods allow, has none to check */
	reason = conn->is_server && !len ? TLS_FAIL_UNSPECIFIED :
		rc_tls_peer_check(&conn->peer, conn->tls);
	if (reason != TLS_FAIL_UNSPECIFIED) {
		conn->failed++;
		rc_chain_failed(conn, reason,
				reason == TLS_FAIL_UNTRUSTED ?
				"Certificate hash mismatch" :
				reason == TLS_FAIL_INSUFFICIENT_KEY_LEN ?
				"Key too weak for Suite B 192" :
				reason == TLS_FAIL_ALTSUBJECT_MISMATCH ?
				"AltSubject mismatch" : "Domain mismatch");
		return;
	}
	if (len && conn->ctx->event_cb)
		conn->ctx->event_cb(conn->ctx->cb_ctx, TLS_CERT_CHAIN_SUCCESS,
				    NULL);
	conn->established = 1;
}


/* What came decrypted, or NULL if nothing did */
static struct wpabuf * rc_plain(struct tls_connection *conn)
{
	struct wpabuf *plain = NULL;
	u8 buf[1024];
	size_t n;

	while (rustcrypto_tls_read(conn->tls, buf, sizeof(buf), &n) ==
	       RUSTCRYPTO_OK && n > 0) {
		if (wpabuf_resize(&plain, n) < 0)
			break;
		wpabuf_put_data(plain, buf, n);
	}
	forced_memzero(buf, sizeof(buf));
	return plain;
}


/* What is to be sent; empty, not NULL, when there is nothing: hostap takes NULL for a failure. */
static struct wpabuf * rc_output(struct tls_connection *conn)
{
	struct wpabuf *out = conn->out;

	conn->out = NULL;
	return out ? out : wpabuf_alloc(0);
}


static struct wpabuf * rc_handshake(struct tls_connection *conn, int server,
				    const struct wpabuf *in_data,
				    struct wpabuf **appl_data)
{
	int32_t result = RUSTCRYPTO_OK;
	u16 version;

	if (appl_data)
		*appl_data = NULL;
	if (!conn->tls)
		return NULL;
	conn->is_server = server;
	conn->in = in_data;
	conn->in_pos = 0;
	version = rc_see_hello(in_data, server ? 1 : 2, conn->peer_random,
			       &conn->peer_seen);
	if (version)
		conn->peer_hello = version;
	if (!conn->established && !conn->failed) {
		result = rustcrypto_tls_handshake(conn->tls);
		if (result == RUSTCRYPTO_OK)
			rc_established(conn);
		else if (result != RUSTCRYPTO_WANT_READ &&
			 result != RUSTCRYPTO_WANT_WRITE)
			rc_failed(conn, result);
	}
	if (conn->established && !conn->failed) {
		struct wpabuf *plain = rc_plain(conn);

		if (appl_data)
			*appl_data = plain;
		else
			wpabuf_clear_free(plain);
	}
	conn->in = NULL;
	rc_see_hello(conn->out, server ? 2 : 1, conn->own_random,
		     &conn->own_seen);
	return rc_output(conn);
}


struct wpabuf * tls_connection_handshake(void *tls_ctx,
					 struct tls_connection *conn,
					 const struct wpabuf *in_data,
					 struct wpabuf **appl_data)
{
	return rc_handshake(conn, 0, in_data, appl_data);
}


struct wpabuf * tls_connection_server_handshake(void *tls_ctx,
						struct tls_connection *conn,
						const struct wpabuf *in_data,
						struct wpabuf **appl_data)
{
	struct rc_tls_context *ctx = tls_ctx;
	unsigned int flags;

	if (!conn->tls) {
		if (!ctx->have_global) {
			wpa_printf(MSG_ERROR, "TLS: no server certificate is configured");
			return NULL;
		}
		/* tls_connection_set_verify() gave the flags of this EAP method, global the configured ones */
		flags = ctx->flags | ctx->global.flags | conn->flags;
		conn->peer.suiteb = rc_tls_suiteb(&ctx->global, flags);
		if (rc_start(conn, rc_tls_config(RUSTCRYPTO_SERVER, &ctx->global,
						 flags, conn->verify,
						 ctx->check_crl)) < 0)
			return NULL;
	}
	return rc_handshake(conn, 1, in_data, appl_data);
}


struct wpabuf * tls_connection_encrypt(void *tls_ctx,
				       struct tls_connection *conn,
				       const struct wpabuf *in_data)
{
	const u8 *pos = wpabuf_head(in_data);
	size_t left = wpabuf_len(in_data), n;

	if (!conn->tls || !conn->established || conn->failed)
		return NULL;
	while (left > 0) {
		if (RC(rustcrypto_tls_write(conn->tls, pos, left, &n)) < 0 ||
		    n == 0)
			return NULL;
		pos += n;
		left -= n;
	}
	if (RC(rustcrypto_tls_flush(conn->tls)) < 0)
		return NULL;
	return rc_output(conn);
}


struct wpabuf * tls_connection_decrypt(void *tls_ctx,
				       struct tls_connection *conn,
				       const struct wpabuf *in_data)
{
	struct wpabuf *plain;

	if (!conn->tls || !conn->established || conn->failed)
		return NULL;
	conn->in = in_data;
	conn->in_pos = 0;
	plain = rc_plain(conn);
	conn->in = NULL;
	rc_alert(conn, 0, rustcrypto_tls_alert_received(conn->tls));
	return plain ? plain : wpabuf_alloc(0);
}


/* hostap asks for this before a re-authentication: it will be a whole handshake, with every check. */
int tls_connection_shutdown(void *tls_ctx, struct tls_connection *conn)
{
	if (!conn || !conn->cfg)
		return -1;
	wpabuf_clear_free(conn->out);
	conn->out = NULL;
	return rc_restart(conn);
}
