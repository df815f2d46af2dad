/*
 * TLS wrapper for librustcrypto: what hostap asks about a connection
 * Copyright (c) 2026, the rustcrypto for distributions authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * This software may be distributed under the terms of the BSD license.
 * See README for more details.
 */

#include "includes.h"

#include "common.h"
#include "crypto.h"
#include "tls.h"
#include "rustcrypto_compat.h"
#include "tls_rustcrypto.h"


int tls_connection_established(void *tls_ctx, struct tls_connection *conn)
{
	return conn && conn->established;
}


int tls_connection_get_random(void *tls_ctx, struct tls_connection *conn,
			      struct tls_random *data)
{
	if (!conn || !conn->own_seen || !conn->peer_seen)
		return -1;
	os_memset(data, 0, sizeof(*data));
	data->client_random = conn->is_server ? conn->peer_random :
		conn->own_random;
	data->server_random = conn->is_server ? conn->own_random :
		conn->peer_random;
	data->client_random_len = data->server_random_len = RC_RANDOM_LEN;
	return 0;
}


int tls_connection_export_key(void *tls_ctx, struct tls_connection *conn,
			      const char *label, const u8 *context,
			      size_t context_len, u8 *out, size_t out_len)
{
	if (!conn || !conn->established)
		return -1;
	return RC(rustcrypto_tls_export(conn->tls, label, context, context_len,
					context != NULL, out, out_len));
}


int tls_get_version(void *tls_ctx, struct tls_connection *conn,
		    char *buf, size_t buflen)
{
	uint16_t version = conn->tls ? rustcrypto_tls_version(conn->tls) : 0;

	if (version != 0x0303 && version != 0x0304)
		return -1;
	os_strlcpy(buf, version == 0x0304 ? "TLSv1.3" : "TLSv1.2", buflen);
	return 0;
}


int tls_get_cipher(void *tls_ctx, struct tls_connection *conn,
		   char *buf, size_t buflen)
{
	const char *name = conn->tls ? rustcrypto_tls_cipher_name(conn->tls) :
		NULL;

	if (!name || !name[0])
		return -1;
	os_strlcpy(buf, name, buflen);
	return 0;
}


u16 tls_connection_get_cipher_suite(struct tls_connection *conn)
{
	return conn->tls ? rustcrypto_tls_cipher(conn->tls) : 0;
}


int tls_connection_get_failed(void *tls_ctx, struct tls_connection *conn)
{
	return conn ? conn->failed : -1;
}


int tls_connection_get_read_alerts(void *tls_ctx, struct tls_connection *conn)
{
	return conn ? conn->alerts_read : -1;
}


int tls_connection_get_write_alerts(void *tls_ctx, struct tls_connection *conn)
{
	return conn ? conn->alerts_written : -1;
}


const char * tls_connection_get_peer_subject(struct tls_connection *conn)
{
	const char *subject = conn && conn->tls ?
		rustcrypto_tls_peer_subject(conn->tls) : NULL;

	if (!subject || !subject[0])
		return NULL;
	/* hostap keeps the pointer; the library's lives until its next call */
	os_strlcpy(conn->subject, subject, sizeof(conn->subject));
	return conn->subject;
}


bool tls_connection_get_own_cert_used(struct tls_connection *conn)
{
	return conn && conn->tls &&
		rustcrypto_tls_own_certificate_used(conn->tls);
}


char * tls_connection_peer_serial_num(void *tls_ctx,
				      struct tls_connection *conn)
{
	return NULL;
}


int tls_connection_resumed(void *tls_ctx, struct tls_connection *conn)
{
	return 0;
}


void tls_connection_set_success_data(struct tls_connection *conn,
				     struct wpabuf *data)
{
	wpabuf_clear_free(data);
}


void tls_connection_set_success_data_resumed(struct tls_connection *conn)
{
}


const struct wpabuf *
tls_connection_get_success_data(struct tls_connection *conn)
{
	return NULL;
}


void tls_connection_remove_session(struct tls_connection *conn)
{
}
