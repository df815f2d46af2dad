/* SPDX-License-Identifier: MIT */
/* Stand-in for ustream-ssl's internal header, for the test alone: what the core asks of a backend. */

#ifndef USTREAM_INTERNAL_STANDIN_H
#define USTREAM_INTERNAL_STANDIN_H

#define __hidden

#include "ustream-rustcrypto.h"

enum ssl_conn_status { U_SSL_OK = 0, U_SSL_PENDING = -1, U_SSL_ERROR = -2 };

void ustream_set_io(struct ustream_ssl *us);
struct ustream_ssl_ctx *__ustream_ssl_context_new(bool server);
int __ustream_ssl_add_ca_crt_file(struct ustream_ssl_ctx *ctx, const char *file);
int __ustream_ssl_set_crt_file(struct ustream_ssl_ctx *ctx, const char *file);
int __ustream_ssl_set_key_file(struct ustream_ssl_ctx *ctx, const char *file);
int __ustream_ssl_set_ciphers(struct ustream_ssl_ctx *ctx, const char *ciphers);
int __ustream_ssl_set_require_validation(struct ustream_ssl_ctx *ctx, bool require);
void __ustream_ssl_set_debug(struct ustream_ssl_ctx *ctx, int level, ustream_ssl_debug_cb cb, void *cb_priv);
void __ustream_ssl_context_free(struct ustream_ssl_ctx *ctx);
enum ssl_conn_status __ustream_ssl_connect(struct ustream_ssl *us);
int __ustream_ssl_read(struct ustream_ssl *us, char *buf, int len);
int __ustream_ssl_write(struct ustream_ssl *us, const char *buf, int len);
void __ustream_ssl_session_free(struct ustream_ssl *us);

#endif
