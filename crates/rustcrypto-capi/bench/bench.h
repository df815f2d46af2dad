/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The frame that every library's benchmark shares: the rows, the clock, and two ways to ask for figures.
 *
 *   rustcrypto-bench [--json] [--ms N]   every row, as a table or as one JSON object
 *   rustcrypto-bench --rows              the rows' names and sizes
 *   rustcrypto-bench --serve             reads "name size milliseconds" lines, answers each with a figure or "-"
 *
 * Time is the thread's CPU time: a busy machine does not change it much. Where BENCH_CLOCK names a file, time is the number in it,
 * in nanoseconds: `xtask bench --instructions` keeps the count of executed instructions there. A library's file defines OPS and LIBRARY, then includes
 * nothing more: it ends with BENCH_MAIN. */
#ifndef BENCH_H
#define BENCH_H

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "keys.h"

/* Does the operation once, on what `start` prepared. */
typedef void (*bench_once)(void);

struct bench_op {
    const char *name;
    int (*start)(size_t size); /* 1 = ready, 0 = this library or build does not have it */
    bench_once once;
    void (*stop)(void);
};

#define NEED(condition)                                                                     \
    do {                                                                                    \
        if (!(condition)) {                                                                 \
            fprintf(stderr, "%s:%d: %s failed\n", __FILE__, __LINE__, #condition);          \
            exit(1);                                                                        \
        }                                                                                   \
    } while (0)

enum { AAD_LEN = 13, LARGEST = 16384 };
static uint8_t bench_key[64] = {1, 2, 3}, bench_nonce[16] = {4, 5}, bench_aad[AAD_LEN] = {6};
static uint8_t bench_hash[64] = {7, 8}, bench_in[LARGEST + 64], bench_out[LARGEST + 64];
static size_t bench_size;

/* Name and sizes; size 0 counts operations per second, others MB per second. */
static const struct {
    const char *name;
    size_t sizes[2];
} BENCH_ROWS[] = {
    {"aes-128-gcm", {1024, 16384}},    {"aes-256-gcm", {1024, 16384}},   {"chacha20-poly1305", {1024, 16384}},
    {"aes-128-ccm", {1024, 16384}},    {"aes-128-ctr", {1024, 16384}},   {"aes-128-cbc", {1024, 16384}},
    {"aes-128-cmac", {1024, 16384}},   {"sha-1", {1024, 16384}},         {"sha-256", {1024, 16384}},
    {"sha-384", {1024, 16384}},        {"sha-512", {1024, 16384}},       {"sha3-256", {1024, 16384}},
    {"hmac-sha-256", {1024, 16384}},   {"pbkdf2-sha-1-4096", {0}},       {"x25519", {0}},
    {"p-256-sign", {0}},               {"p-256-verify", {0}},            {"p-256-ecdh", {0}},
    {"p-384-sign", {0}},               {"p-384-verify", {0}},            {"p-384-ecdh", {0}},
    {"p-521-sign", {0}},               {"p-521-verify", {0}},            {"p-521-ecdh", {0}},
    {"ed25519-sign", {0}},             {"ed25519-verify", {0}},          {"rsa-2048-sign", {0}},
    {"rsa-2048-verify", {0}},          {"ml-kem-768-keygen", {0}},       {"ml-kem-768-encaps", {0}},
    {"ml-kem-768-decaps", {0}},        {"ml-dsa-65-sign", {0}},          {"ml-dsa-65-verify", {0}},
    {"tls-1.3-handshake", {0}},        {"tls-1.2-handshake", {0}},
};

/* What one end of a TLS connection has sent and the other has not read. */
struct bench_pipe {
    uint8_t bytes[65536];
    size_t start, end;
};

static inline size_t pipe_write(struct bench_pipe *pipe, const void *data, size_t len) {
    if (pipe->start == pipe->end)
        pipe->start = pipe->end = 0;
    NEED(len <= sizeof pipe->bytes - pipe->end);
    memcpy(pipe->bytes + pipe->end, data, len);
    pipe->end += len;
    return len;
}

/* 0 = nothing there yet. */
static inline size_t pipe_read(struct bench_pipe *pipe, void *data, size_t cap) {
    size_t len = pipe->end - pipe->start < cap ? pipe->end - pipe->start : cap;
    memcpy(data, pipe->bytes + pipe->start, len);
    pipe->start += len;
    return len;
}

/* One end reads from `in` and writes to `out`. */
struct bench_end {
    struct bench_pipe *in, *out;
};
static struct bench_pipe bench_up, bench_down;
static struct bench_end bench_client = {&bench_down, &bench_up}, bench_server = {&bench_up, &bench_down};

static double bench_seconds(void) {
    static int file = -1;
    const char *clock = getenv("BENCH_CLOCK");
    struct timespec now;
    if (clock) {
        char text[21] = "";
        NEED(file >= 0 || (file = open(clock, O_RDONLY)) >= 0);
        NEED(pread(file, text, sizeof text - 1, 0) > 0);
        return atof(text) * 1e-9;
    }
    NEED(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) == 0);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* MB/s or operations/s; -1 where the library does not have it. */
static double bench_measure(const struct bench_op *op, size_t size, double milliseconds) {
    bench_size = size;
    if (!op || !op->start(size))
        return -1;
    double begin, spent = 0, count = 0;
    op->once(); /* warms caches and lazy tables */
    for (double batch = 1; spent < milliseconds / 1000; count += batch, batch *= 2) {
        begin = bench_seconds();
        for (double i = 0; i < batch; i++)
            op->once();
        spent += bench_seconds() - begin;
    }
    if (op->stop)
        op->stop();
    return size ? count * (double)size / spent / 1e6 : count / spent;
}

static const struct bench_op *bench_find(const struct bench_op *ops, size_t n, const char *name) {
    for (size_t i = 0; i < n; i++)
        if (strcmp(ops[i].name, name) == 0)
            return &ops[i];
    return NULL;
}

static void bench_rows(void) {
    for (size_t i = 0; i < sizeof BENCH_ROWS / sizeof BENCH_ROWS[0]; i++)
        for (size_t j = 0; j < 2 && (j == 0 || BENCH_ROWS[i].sizes[j]); j++)
            printf("%s %zu\n", BENCH_ROWS[i].name, BENCH_ROWS[i].sizes[j]);
}

static void bench_serve(const struct bench_op *ops, size_t n) {
    char name[64];
    size_t size;
    double milliseconds, figure;
    while (scanf("%63s %zu %lf", name, &size, &milliseconds) == 3) {
        NEED(size <= LARGEST);
        figure = bench_measure(bench_find(ops, n, name), size, milliseconds);
        if (figure < 0)
            puts("-");
        else
            printf("%.6g\n", figure);
        fflush(stdout);
    }
}

static void bench_all(const struct bench_op *ops, size_t n, const char *library, double milliseconds, int json) {
    const char *between = "";
    if (json)
        printf("{\"library\": \"%s\", \"rows\": [", library);
    for (size_t i = 0; i < sizeof BENCH_ROWS / sizeof BENCH_ROWS[0]; i++)
        for (size_t j = 0; j < 2; j++) {
            const char *name = BENCH_ROWS[i].name;
            size_t size = BENCH_ROWS[i].sizes[j];
            if (j == 1 && size == 0)
                continue;
            double figure = bench_measure(bench_find(ops, n, name), size, milliseconds);
            const char *unit = size ? "MB/s" : "ops/s";
            if (json && figure < 0)
                printf("%s\n  {\"algorithm\": \"%s\", \"size\": %zu, \"unit\": \"%s\", \"value\": null}", between, name, size, unit);
            else if (json)
                printf("%s\n  {\"algorithm\": \"%s\", \"size\": %zu, \"unit\": \"%s\", \"value\": %.6g}", between, name, size, unit, figure);
            else if (figure < 0)
                printf("%-20s %6zu  not in this build\n", name, size);
            else
                printf("%-20s %6zu %12.1f %s\n", name, size, figure, unit);
            between = ",";
            fflush(stdout);
        }
    if (json)
        puts("\n]}");
}

static int bench_main(int argc, char **argv, const struct bench_op *ops, size_t n, const char *library) {
    double milliseconds = 100;
    int json = 0;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--serve") == 0) {
            bench_serve(ops, n);
            return 0;
        } else if (strcmp(argv[i], "--rows") == 0) {
            bench_rows();
            return 0;
        } else if (strcmp(argv[i], "--json") == 0) {
            json = 1;
        } else if (strcmp(argv[i], "--ms") == 0 && i + 1 < argc && atof(argv[i + 1]) > 0) {
            milliseconds = atof(argv[++i]);
        } else {
            fprintf(stderr, "usage: %s [--json] [--ms MILLISECONDS_PER_ROW] | --rows | --serve\n", argv[0]);
            return 2;
        }
    }
    bench_all(ops, n, library, milliseconds, json);
    return 0;
}

#define BENCH_MAIN(library)                                                                     \
    int main(int argc, char **argv) {                                                           \
        return bench_main(argc, argv, OPS, sizeof OPS / sizeof OPS[0], library);                \
    }

#endif
