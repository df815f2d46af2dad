/* SPDX-License-Identifier: MIT */
/*
 * Stand-in for libubox's header of this name, for the test alone: as much of ustream and uloop as the backend touches, in
 * our words. A stream here is one end of a pipe in memory that can be made narrow.
 */

#ifndef USTREAM_STANDIN_H
#define USTREAM_STANDIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PIPE_SIZE	65536

struct uloop_timeout {
	bool pending;
	int msecs;
};

struct uloop_fd {
	int fd;
};

struct ustream {
	struct {
		int data_bytes;
	} w;
	bool eof;
	bool write_error;
	/* the stand-in's own */
	struct ustream *peer;
	char inbox[PIPE_SIZE];
	int inbox_len;
	int width;		/* most that one write takes */
	long written;
};

char *ustream_get_read_buf(struct ustream *s, int *len);
void ustream_consume(struct ustream *s, int len);
int ustream_write(struct ustream *s, const char *buf, int len, bool more);
bool ustream_write_pending(struct ustream *s);
int uloop_timeout_set(struct uloop_timeout *t, int msecs);

#endif
