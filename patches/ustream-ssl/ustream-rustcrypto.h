/* SPDX-License-Identifier: ISC */
/* ustream-ssl on librustcrypto: what ustream-internal.h wants from a backend's header. */

#ifndef __USTREAM_RUSTCRYPTO_H
#define __USTREAM_RUSTCRYPTO_H

#include <stdbool.h>
#include <rustcrypto.h>

struct ustream_ssl_ctx {
	rustcrypto_tls_config *conf;
	ustream_ssl_debug_cb debug_cb;
	void *debug_cb_priv;
	bool validate;
};

char *ustream_rustcrypto_error(struct ustream_ssl *us);

/*
 * The core asks for a text by error number alone, but the library knows the reason in a sentence, per session. The one
 * caller has the session at hand as `us`, so take it from there; where it has not, this does not compile.
 */
#define __ustream_ssl_strerror(error, buffer, len) ((void)(buffer), ustream_rustcrypto_error(us))

static inline void *__ustream_ssl_session_new(struct ustream_ssl_ctx *ctx)
{
	return rustcrypto_tls_new(ctx->conf);
}

static inline void __ustream_ssl_set_server_name(struct ustream_ssl *us)
{
	/* a name that cannot be sent (longer than DNS allows) is found again, and told, by the name check */
	rustcrypto_tls_set_server_name(us->ssl, us->server_name);
}

/* the name is compared with the certificate after the handshake, when the caller has set it for certain */
static inline void __ustream_ssl_update_peer_cn(struct ustream_ssl *us)
{
}

#endif
