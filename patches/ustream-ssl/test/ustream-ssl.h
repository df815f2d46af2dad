/* SPDX-License-Identifier: MIT */
/* Stand-in for ustream-ssl's public header, for the test alone: the members that a backend uses. */

#ifndef USTREAM_SSL_STANDIN_H
#define USTREAM_SSL_STANDIN_H

#include <libubox/ustream.h>

struct ustream_ssl_ctx;
typedef void (*ustream_ssl_debug_cb)(void *priv, int level, const char *msg);

struct ustream_ssl {
	struct ustream stream;
	struct ustream *conn;
	struct uloop_timeout error_timer;
	struct uloop_fd fd;
	void (*notify_verify_error)(struct ustream_ssl *us, int error, const char *str);
	struct ustream_ssl_ctx *ctx;
	void *ssl;
	char *peer_cn;
	const char *server_name;
	int error;
	bool connected, server, valid_cert, valid_cn;
};

#endif
