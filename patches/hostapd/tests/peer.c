/*
 * The verbs of the peer program, and its frames
 * Copyright (c) 2026, the rustcrypto for distributions authors
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "includes.h"
#include <signal.h>

#include "common.h"
#include "wpabuf.h"
#include "module_tests.h"
#include "peer.h"


/* where frames go: hostap's own log takes stdout, so that becomes stderr */
static int frames_out = STDOUT_FILENO;


static int whole(int fd, void *data, size_t len, int writing)
{
	u8 *pos = data;
	ssize_t n;

	while (len > 0) {
		n = writing ? write(fd, pos, len) : read(fd, pos, len);
		if (n <= 0)
			return -1;
		pos += n;
		len -= n;
	}
	return 0;
}


int frame_send(const struct wpabuf *frame)
{
	u8 head[2];

	WPA_PUT_BE16(head, wpabuf_len(frame));
	if (whole(frames_out, head, sizeof(head), 1) < 0)
		return -1;
	return whole(frames_out, (u8 *) wpabuf_head(frame),
		     wpabuf_len(frame), 1);
}


struct wpabuf * frame_receive(void)
{
	struct wpabuf *frame;
	u8 head[2];

	if (whole(STDIN_FILENO, head, sizeof(head), 0) < 0)
		return NULL;
	frame = wpabuf_alloc(WPA_GET_BE16(head));
	if (frame && whole(STDIN_FILENO, wpabuf_put(frame, WPA_GET_BE16(head)),
			   WPA_GET_BE16(head), 0) < 0) {
		wpabuf_free(frame);
		return NULL;
	}
	return frame;
}


void tell(const char *name, const u8 *data, size_t len)
{
	size_t i;

	fprintf(stderr, "%s ", name);
	for (i = 0; i < len; i++)
		fprintf(stderr, "%02x", data[i]);
	fprintf(stderr, "\n");
}


int peer_modules(int argc, char *argv[])
{
	wpa_debug_level = MSG_INFO;
	if (crypto_module_tests() < 0) {
		fprintf(stderr, "crypto_module_tests failed\n");
		return 1;
	}
	if (common_module_tests() < 0) {
		fprintf(stderr, "common_module_tests failed\n");
		return 1;
	}
	return 0;
}


static const struct {
	const char *name;
	int args;
	int (*run)(int argc, char *argv[]);
} verbs[] = {
	{ "sae", 4, peer_sae },
	{ "self", 3, peer_self },
	{ "fuzz", 4, peer_fuzz },
	{ "owe", 3, peer_owe },
	{ "wps", 2, peer_wps },
	{ "mesh", 2, peer_mesh },
	{ "keys", 0, peer_keys },
	{ "modules", 0, peer_modules },
};


int main(int argc, char *argv[])
{
	size_t i;

	wpa_debug_level = getenv("PEER_DEBUG") ? MSG_EXCESSIVE : MSG_ERROR;
	wpa_debug_show_keys = 1;
	/* an other end that is gone is an error like any */
	signal(SIGPIPE, SIG_IGN);
	frames_out = dup(STDOUT_FILENO);
	if (frames_out < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
		return 2;
	for (i = 0; argc > 1 && i < ARRAY_SIZE(verbs); i++) {
		if (os_strcmp(argv[1], verbs[i].name) == 0 &&
		    argc - 2 == verbs[i].args)
			return verbs[i].run(argc - 2, argv + 2);
	}
	fprintf(stderr, "usage: peer sae|self|fuzz|owe|wps|mesh|keys|modules ...\n");
	return 2;
}
