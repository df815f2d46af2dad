/* SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef TLSPROBE_H
#define TLSPROBE_H

#include "probe.h"

struct job {
    struct probe_options options;
    int port, count;
    size_t bytes; /* length of the page a server sends */
    const char *host;
};

_Noreturn void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
uint64_t cpu_ns(void); /* this process's CPU time */
uint8_t *slurp(const char *path, size_t *len);
int dial(int port);               /* a non-blocking socket connected to this machine */
int listen_on(int port);
void wait_for(int fd, int want);  /* PROBE_WANT_*; fails after 60 s */
int finish_handshake(struct probe_conn *conn, int fd);

int serve(const struct job *job);
int get(const struct job *job);
int load(const struct job *job);
int handshakes(const struct job *job);
int verify(const char *key, const char *data, const char *sig);
int self_test(const char *key, const char *data, const char *sig);

#endif
