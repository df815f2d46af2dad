/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The downloader, a crowd of them in one process, and full handshakes one after another. */
#include "tlsprobe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct probe_ctx *context(const struct job *job) {
    struct probe_ctx *ctx = probe_ctx_new(&job->options);
    if (!ctx) fail("client: %s", probe_error(NULL));
    return ctx;
}

static struct probe_conn *connect_to(struct probe_ctx *ctx, const struct job *job, int *fd) {
    *fd = dial(job->port);
    struct probe_conn *conn = probe_conn_new(ctx, *fd, job->host);
    if (!conn) fail("client: %s", probe_error(NULL));
    return conn;
}

static void ask(struct probe_conn *conn, int fd, const char *host) {
    char text[256];
    size_t len = (size_t)snprintf(text, sizeof text, "GET / HTTP/1.1\r\nHost: %s\r\n\r\n", host), sent = 0;
    while (sent < len) {
        ssize_t n = probe_write(conn, text + sent, len - sent);
        if (n > 0) sent += (size_t)n;
        else if (n == PROBE_WANT_READ || n == PROBE_WANT_WRITE) wait_for(fd, (int)n);
        else fail("request: %s", probe_error(conn));
    }
}

/* Everything up to the end of the stream. Once `enough` has come, how the server ends it is its own affair: uhttpd just
   closes the connection. */
static size_t drain(struct probe_conn *conn, int fd, size_t enough) {
    char buffer[4096];
    size_t got = 0;
    for (;;) {
        ssize_t n = probe_read(conn, buffer, sizeof buffer);
        if (n > 0) got += (size_t)n;
        else if (n == PROBE_WANT_READ || n == PROBE_WANT_WRITE) wait_for(fd, (int)n);
        else if (n == 0 || (enough && got >= enough)) return got;
        else fail("download: %s", probe_error(conn));
    }
}

static void shake(struct probe_conn *conn, int fd) {
    if (finish_handshake(conn, fd) != PROBE_OK) fail("handshake: %s", probe_error(conn));
}

int get(const struct job *job) {
    struct probe_ctx *ctx = context(job);
    int fd;
    struct probe_conn *conn = connect_to(ctx, job, &fd);
    shake(conn, fd);
    ask(conn, fd, job->host);
    size_t got = drain(conn, fd, job->bytes);
    if (got < job->bytes) fail("got %zu of %zu bytes", got, job->bytes);
    probe_close(conn);
    probe_conn_free(conn);
    close(fd);
    probe_ctx_free(ctx);
    printf("{\"verb\":\"get\",\"bytes\":%zu,\"cpu_ns\":%llu}\n", got, (unsigned long long)cpu_ns());
    return 0;
}

int load(const struct job *job) {
    struct probe_ctx *ctx = context(job);
    struct probe_conn **conns = calloc((size_t)job->count, sizeof *conns);
    int *fds = calloc((size_t)job->count, sizeof *fds);
    /* All handshakes first, then all requests: the server holds `count` connections at a time. */
    for (int i = 0; i < job->count; i++) {
        conns[i] = connect_to(ctx, job, &fds[i]);
        shake(conns[i], fds[i]);
    }
    for (int i = 0; i < job->count; i++) ask(conns[i], fds[i], job->host);
    size_t got = 0;
    for (int i = 0; i < job->count; i++) {
        got += drain(conns[i], fds[i], job->bytes);
        probe_conn_free(conns[i]);
        close(fds[i]);
    }
    printf("{\"verb\":\"load\",\"connections\":%d,\"bytes\":%zu}\n", job->count, got);
    return 0;
}

int handshakes(const struct job *job) {
    uint64_t *spent = calloc((size_t)job->count, sizeof *spent);
    struct job full = *job;
    for (int i = 0; i < job->count; i++) {
        /* A new configuration each time, so that nothing is resumed; loading the trust store is not counted. */
        struct probe_ctx *ctx = context(&full);
        int fd;
        struct probe_conn *conn = connect_to(ctx, job, &fd);
        uint64_t before = cpu_ns();
        shake(conn, fd);
        spent[i] = cpu_ns() - before;
        ask(conn, fd, job->host);
        drain(conn, fd, job->bytes);
        probe_conn_free(conn);
        close(fd);
        probe_ctx_free(ctx);
    }
    printf("{\"verb\":\"handshakes\",\"handshake_ns\":[");
    for (int i = 0; i < job->count; i++) printf("%s%llu", i ? "," : "", (unsigned long long)spent[i]);
    printf("]}\n");
    return 0;
}
