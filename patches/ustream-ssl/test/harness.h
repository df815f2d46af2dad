/* SPDX-License-Identifier: MIT */

#ifndef HARNESS_H
#define HARNESS_H

#include <stdio.h>
#include <stdlib.h>

#include "ustream-ssl.h"
#include "ustream-internal.h"

#define CHECK(x) do { if (!(x)) { fprintf(stderr, "%s:%d: %s (%s)\n", __FILE__, __LINE__, #x, rustcrypto_last_error()); exit(1); } } while (0)

/* one side of a connection */
struct end {
	struct ustream_ssl us;	/* first: the callback finds the rest by it */
	int complaints;
	char complaint[256];
};

/* how much longer pipe_tamper may make what it is given */
#define TAMPER_ROOM	64

/* sees whatever goes through a pipe, may change it, and returns its new length; NULL: nothing is changed */
extern int (*pipe_tamper)(struct ustream *to, char *data, int len);

void pipe_open(struct ustream ends[2], int width);
void end_open(struct end *end, struct ustream_ssl_ctx *ctx, bool server, struct ustream *conn, int fd, const char *name);
enum ssl_conn_status end_connect(struct end *end);
void end_close(struct end *end);

void fuzz(const char *ca, const char *ciphers, struct ustream_ssl_ctx *sctx, int count, unsigned int seed);

#endif
