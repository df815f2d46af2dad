/* SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "probe.h"

#include <rustcrypto.h>
#include <stdlib.h>

struct probe_ctx {
    rustcrypto_tls_config *config;
};
struct probe_conn {
    rustcrypto_tls *tls;
};

const char *probe_library(void) { return rustcrypto_version(); }

const char *probe_error(struct probe_conn *conn) { return conn ? rustcrypto_tls_error(conn->tls) : rustcrypto_last_error(); }

struct probe_ctx *probe_ctx_new(const struct probe_options *o) {
    struct probe_ctx *ctx = calloc(1, sizeof *ctx);
    ctx->config = rustcrypto_tls_config_new(o->server ? RUSTCRYPTO_SERVER : RUSTCRYPTO_CLIENT);
    if (!ctx->config) return NULL;
    if (o->ca_file && rustcrypto_tls_config_add_ca_file(ctx->config, o->ca_file)) return NULL;
    if (o->cert_file && rustcrypto_tls_config_set_cert_file(ctx->config, o->cert_file)) return NULL;
    if (o->key_file && rustcrypto_tls_config_set_key_file(ctx->config, o->key_file)) return NULL;
    if (o->group && rustcrypto_tls_config_set_groups(ctx->config, o->group)) return NULL;
    return ctx;
}

void probe_ctx_free(struct probe_ctx *ctx) {
    rustcrypto_tls_config_free(ctx->config);
    free(ctx);
}

struct probe_conn *probe_conn_new(struct probe_ctx *ctx, int fd, const char *host) {
    struct probe_conn *conn = calloc(1, sizeof *conn);
    conn->tls = rustcrypto_tls_new(ctx->config);
    if (!conn->tls || rustcrypto_tls_set_fd(conn->tls, fd) || (host && rustcrypto_tls_set_server_name(conn->tls, host))) {
        probe_conn_free(conn);
        return NULL;
    }
    return conn;
}

void probe_conn_free(struct probe_conn *conn) {
    rustcrypto_tls_free(conn->tls);
    free(conn);
}

static ssize_t outcome(int32_t result, size_t n) {
    switch (result) {
    case RUSTCRYPTO_OK: return (ssize_t)n;
    case RUSTCRYPTO_WANT_READ: return PROBE_WANT_READ;
    case RUSTCRYPTO_WANT_WRITE: return PROBE_WANT_WRITE;
    case RUSTCRYPTO_CLOSED: return 0;
    default: return PROBE_ERROR;
    }
}

int probe_handshake(struct probe_conn *conn) { return (int)outcome(rustcrypto_tls_handshake(conn->tls), PROBE_OK); }

ssize_t probe_read(struct probe_conn *conn, void *buf, size_t len) {
    size_t n = 0;
    return outcome(rustcrypto_tls_read(conn->tls, buf, len, &n), n);
}

ssize_t probe_write(struct probe_conn *conn, const void *buf, size_t len) {
    size_t n = 0;
    return outcome(rustcrypto_tls_write(conn->tls, buf, len, &n), n);
}

void probe_close(struct probe_conn *conn) { rustcrypto_tls_close(conn->tls); }

bool probe_sha256(const void *data, size_t len, uint8_t out[32]) {
    const uint8_t *part = data;
    return rustcrypto_digest(RUSTCRYPTO_SHA256, 1, &part, &len, out, 32) == RUSTCRYPTO_OK;
}

bool probe_verify(const char *key, size_t key_len, const uint8_t *data, size_t len, const uint8_t *sig, size_t sig_len) {
    rustcrypto_key *k = rustcrypto_key_load_public((const uint8_t *)key, key_len);
    bool good = k && rustcrypto_key_verify(k, RUSTCRYPTO_SHA256, RUSTCRYPTO_DEFAULT, data, len, sig, sig_len) == RUSTCRYPTO_OK;
    rustcrypto_key_free(k);
    return good;
}
