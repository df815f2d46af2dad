/*
 * What hostap's test-https and test-https_server call and only its internal TLS has, on top of what every backend has
 * Copyright (c) 2026, the rustcrypto for distributions authors
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "includes.h"

#include "common.h"
#include "wpabuf.h"
#include "crypto/tls.h"


struct wpabuf * tls_connection_handshake2(void *tls_ctx,
					  struct tls_connection *conn,
					  const struct wpabuf *in_data,
					  struct wpabuf **appl_data,
					  int *more_data_needed)
{
	struct tls_connection_params params;

	*more_data_needed = 0;
	/* test-https gives no parameters, which is what internal TLS starts with; the others must be told so. */
	if (!in_data) {
		os_memset(&params, 0, sizeof(params));
		params.ca_cert = getenv("CA_CERT");
		if (tls_connection_set_params(tls_ctx, conn, &params) < 0)
			return NULL;
	}
	return tls_connection_handshake(tls_ctx, conn, in_data, appl_data);
}


struct wpabuf * tls_connection_decrypt2(void *tls_ctx,
					struct tls_connection *conn,
					const struct wpabuf *in_data,
					int *more_data_needed)
{
	if (more_data_needed)
		*more_data_needed = 0;
	return tls_connection_decrypt(tls_ctx, conn, in_data);
}


void tls_connection_set_log_cb(struct tls_connection *conn,
			       void (*log_cb)(void *ctx, const char *msg),
			       void *ctx)
{
}
