/* SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "tlsprobe.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

_Noreturn void fail(const char *format, ...) {
    va_list args;
    va_start(args, format);
    fputs("tlsprobe: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    exit(1);
}

uint64_t cpu_ns(void) {
    struct timespec t;
    /* Exact to the instruction, where /proc/self/schedstat is only brought up to date at a context switch. */
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

uint8_t *slurp(const char *path, size_t *len) {
    FILE *f = fopen(path, "rb");
    if (!f) fail("cannot read %s: %s", path, strerror(errno));
    fseek(f, 0, SEEK_END);
    long size = ftell(f);
    rewind(f);
    uint8_t *data = malloc((size_t)size + 1);
    if (!data || fread(data, 1, (size_t)size, f) != (size_t)size) fail("cannot read %s", path);
    fclose(f);
    data[size] = 0; /* Mbed TLS wants PEM text with its NUL */
    *len = (size_t)size;
    return data;
}

static struct sockaddr_in local(int port) {
    return (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
}

int dial(int port) {
    struct sockaddr_in to = local(port);
    for (int tries = 0; tries < 100; tries++) {
        int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (connect(fd, (struct sockaddr *)&to, sizeof to) == 0) {
            fcntl(fd, F_SETFL, O_NONBLOCK);
            return fd;
        }
        close(fd);
        usleep(100000); /* the server is starting */
    }
    fail("nobody listens on port %d", port);
}

int listen_on(int port) {
    struct sockaddr_in at = local(port);
    at.sin_addr.s_addr = htonl(INADDR_ANY);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(fd, (struct sockaddr *)&at, sizeof at) || listen(fd, 64)) fail("cannot listen on port %d: %s", port, strerror(errno));
    fcntl(fd, F_SETFL, O_NONBLOCK);
    return fd;
}

void wait_for(int fd, int want) {
    struct pollfd p = {.fd = fd, .events = want == PROBE_WANT_WRITE ? POLLOUT : POLLIN};
    if (poll(&p, 1, 60000) <= 0) fail("the peer was silent for 60 s");
}

int finish_handshake(struct probe_conn *conn, int fd) {
    int result;
    while ((result = probe_handshake(conn)) == PROBE_WANT_READ || result == PROBE_WANT_WRITE) wait_for(fd, result);
    return result;
}
