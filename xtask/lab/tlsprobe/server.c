/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The server: one process, one poll loop, any number of connections, as uhttpd. Ends after `count` connections (0: never). */
#include "tlsprobe.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MOST = 64 };
enum state { HANDSHAKE, REQUEST, REPLY };

struct client {
    struct probe_conn *conn;
    int fd, want;
    enum state state;
    char request[1024];
    size_t have, sent, total;
    uint64_t spent; /* CPU in the handshake */
};

static struct client clients[MOST];
static int live, done;
static uint64_t *spent;

static void end(struct client *c, const char *why) {
    if (why) fprintf(stderr, "tlsprobe: %s: %s\n", why, probe_error(c->conn));
    probe_conn_free(c->conn);
    close(c->fd);
    spent[done++] = c->spent;
    *c = clients[--live];
}

/* One step; false once the client is gone. */
static bool step(struct client *c, const struct job *job) {
    static char page[4096]; /* uhttpd's block */
    if (c->state == HANDSHAKE) {
        uint64_t before = cpu_ns();
        int result = probe_handshake(c->conn);
        c->spent += cpu_ns() - before;
        if (result == PROBE_ERROR) return end(c, "handshake"), false;
        if (result != PROBE_OK) return c->want = result, true;
        c->state = REQUEST;
    }
    if (c->state == REQUEST) {
        ssize_t n = probe_read(c->conn, c->request + c->have, sizeof c->request - 1 - c->have);
        if (n == PROBE_WANT_READ || n == PROBE_WANT_WRITE) return c->want = (int)n, true;
        if (n <= 0) return end(c, n ? "read" : NULL), false;
        c->have += (size_t)n;
        if (!strstr(c->request, "\r\n\r\n")) return c->want = PROBE_WANT_READ, true;
        c->have = (size_t)snprintf(c->request, sizeof c->request,
            "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %zu\r\nConnection: close\r\n\r\n", job->bytes);
        c->total = c->have + job->bytes;
        c->state = REPLY;
    }
    if (!page[0]) memset(page, ' ', sizeof page), memcpy(page, "<title>tlsprobe</title><h1>It works</h1>", 40);
    while (c->sent < c->total) {
        bool head = c->sent < c->have;
        size_t at = head ? c->sent : (c->sent - c->have) % sizeof page, room = head ? c->have - at : sizeof page - at;
        size_t left = c->total - c->sent;
        ssize_t n = probe_write(c->conn, head ? c->request + at : page + at, head || room < left ? room : left);
        if (n == PROBE_WANT_READ || n == PROBE_WANT_WRITE) return c->want = (int)n, true;
        if (n <= 0) return end(c, "write"), false;
        c->sent += (size_t)n;
    }
    probe_close(c->conn);
    end(c, NULL);
    return false;
}

static void accept_one(int listener, struct probe_ctx *ctx) {
    int fd = accept(listener, NULL, NULL);
    if (fd < 0) return;
    fcntl(fd, F_SETFL, O_NONBLOCK);
    struct probe_conn *conn = live < MOST ? probe_conn_new(ctx, fd, NULL) : NULL;
    if (!conn) {
        close(fd);
        return;
    }
    clients[live++] = (struct client){.conn = conn, .fd = fd, .want = PROBE_WANT_READ};
}

int serve(const struct job *job) {
    struct probe_options options = job->options;
    options.server = true;
    struct probe_ctx *ctx = probe_ctx_new(&options);
    if (!ctx) fail("server: %s", probe_error(NULL));
    int listener = listen_on(job->port), most = 0;
    spent = calloc((size_t)(job->count ? job->count : 1 << 20) + MOST, sizeof *spent);
    while (!job->count || done < job->count) {
        struct pollfd fds[MOST + 1] = {{.fd = listener, .events = POLLIN}};
        for (int i = 0; i < live; i++)
            fds[i + 1] = (struct pollfd){.fd = clients[i].fd, .events = clients[i].want == PROBE_WANT_WRITE ? POLLOUT : POLLIN};
        int polled = live;
        if (poll(fds, (nfds_t)polled + 1, job->count ? 120000 : -1) <= 0) fail("server: no client for 120 s");
        /* From the end: a client that goes is replaced by the last one, which has had its turn. */
        for (int i = polled - 1; i >= 0; i--)
            if (fds[i + 1].revents) step(&clients[i], job);
        if (fds[0].revents) accept_one(listener, ctx);
        if (live > most) most = live;
    }
    printf("{\"verb\":\"serve\",\"connections\":%d,\"at_once\":%d,\"handshake_ns\":[", done, most);
    for (int i = 0; i < done; i++) printf("%s%llu", i ? "," : "", (unsigned long long)spent[i]);
    printf("]}\n");
    free(spent);
    close(listener);
    probe_ctx_free(ctx);
    return 0;
}
