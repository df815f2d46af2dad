/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Mbed TLS 3.6. As ustream-mbedtls: one ssl_config for all connections, the bundle parsed whole. */
#include "probe.h"

#include <errno.h>
#include <mbedtls/build_info.h>
#include <mbedtls/ctr_drbg.h>
#include <mbedtls/entropy.h>
#include <mbedtls/error.h>
#include <mbedtls/pk.h>
#include <mbedtls/sha256.h>
#include <mbedtls/ssl.h>
#include <mbedtls/x509_crt.h>
#include <psa/crypto.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

struct probe_ctx {
    mbedtls_ssl_config config;
    mbedtls_x509_crt ca, cert;
    mbedtls_pk_context key;
    uint16_t groups[2];
};
struct probe_conn {
    mbedtls_ssl_context ssl;
    int fd;
};

static mbedtls_entropy_context entropy;
static mbedtls_ctr_drbg_context drbg;
static int last;

const char *probe_library(void) { return "Mbed TLS " MBEDTLS_VERSION_STRING; }

const char *probe_error(struct probe_conn *conn) {
    static char text[256];
    uint32_t flags = conn ? mbedtls_ssl_get_verify_result(&conn->ssl) : 0;
    if (conn && last == MBEDTLS_ERR_X509_CERT_VERIFY_FAILED) mbedtls_x509_crt_verify_info(text, sizeof text, "", flags);
    else mbedtls_strerror(last, text, sizeof text);
    return text;
}

static bool set_up(struct probe_ctx *ctx, const struct probe_options *o) {
    psa_crypto_init(); /* TLS 1.3 needs it */
    mbedtls_entropy_init(&entropy);
    mbedtls_ctr_drbg_init(&drbg);
    if ((last = mbedtls_ctr_drbg_seed(&drbg, mbedtls_entropy_func, &entropy, NULL, 0))) return false;
    mbedtls_ssl_config_init(&ctx->config);
    mbedtls_x509_crt_init(&ctx->ca);
    mbedtls_x509_crt_init(&ctx->cert);
    mbedtls_pk_init(&ctx->key);
    last = mbedtls_ssl_config_defaults(&ctx->config, o->server ? MBEDTLS_SSL_IS_SERVER : MBEDTLS_SSL_IS_CLIENT, MBEDTLS_SSL_TRANSPORT_STREAM, MBEDTLS_SSL_PRESET_DEFAULT);
    if (last) return false;
    mbedtls_ssl_conf_rng(&ctx->config, mbedtls_ctr_drbg_random, &drbg);
    mbedtls_ssl_conf_authmode(&ctx->config, o->ca_file ? MBEDTLS_SSL_VERIFY_REQUIRED : MBEDTLS_SSL_VERIFY_NONE);
    if (o->ca_file) {
        /* A positive number counts certificates of the bundle that Mbed TLS does not understand. */
        if ((last = mbedtls_x509_crt_parse_file(&ctx->ca, o->ca_file)) < 0) return false;
        mbedtls_ssl_conf_ca_chain(&ctx->config, &ctx->ca, NULL);
    }
    if (o->cert_file && (last = mbedtls_x509_crt_parse_file(&ctx->cert, o->cert_file))) return false;
    if (o->key_file && (last = mbedtls_pk_parse_keyfile(&ctx->key, o->key_file, NULL, mbedtls_ctr_drbg_random, &drbg))) return false;
    if (o->key_file && (last = mbedtls_ssl_conf_own_cert(&ctx->config, &ctx->cert, &ctx->key))) return false;
    if (o->group) {
        ctx->groups[0] = !strcmp(o->group, "X25519") ? MBEDTLS_SSL_IANA_TLS_GROUP_X25519 : !strcmp(o->group, "P-256") ? MBEDTLS_SSL_IANA_TLS_GROUP_SECP256R1 : 0;
        if (!ctx->groups[0]) return last = MBEDTLS_ERR_SSL_FEATURE_UNAVAILABLE, false;
        mbedtls_ssl_conf_groups(&ctx->config, ctx->groups);
    }
    return true;
}

struct probe_ctx *probe_ctx_new(const struct probe_options *o) {
    struct probe_ctx *ctx = calloc(1, sizeof *ctx);
    return ctx && set_up(ctx, o) ? ctx : NULL;
}

void probe_ctx_free(struct probe_ctx *ctx) {
    mbedtls_ssl_config_free(&ctx->config);
    mbedtls_x509_crt_free(&ctx->ca);
    mbedtls_x509_crt_free(&ctx->cert);
    mbedtls_pk_free(&ctx->key);
    mbedtls_ctr_drbg_free(&drbg);
    mbedtls_entropy_free(&entropy);
    free(ctx);
}

static int send_some(void *arg, const unsigned char *buf, size_t len) {
    ssize_t n = send(((struct probe_conn *)arg)->fd, buf, len, MSG_NOSIGNAL);
    return n >= 0 ? (int)n : errno == EAGAIN ? MBEDTLS_ERR_SSL_WANT_WRITE : MBEDTLS_ERR_SSL_INTERNAL_ERROR;
}

static int receive_some(void *arg, unsigned char *buf, size_t len) {
    ssize_t n = recv(((struct probe_conn *)arg)->fd, buf, len, 0);
    return n >= 0 ? (int)n : errno == EAGAIN ? MBEDTLS_ERR_SSL_WANT_READ : MBEDTLS_ERR_SSL_INTERNAL_ERROR;
}

struct probe_conn *probe_conn_new(struct probe_ctx *ctx, int fd, const char *host) {
    struct probe_conn *conn = calloc(1, sizeof *conn);
    conn->fd = fd;
    mbedtls_ssl_init(&conn->ssl);
    if ((last = mbedtls_ssl_setup(&conn->ssl, &ctx->config))) return NULL;
    mbedtls_ssl_set_bio(&conn->ssl, conn, send_some, receive_some, NULL);
    if (host && (last = mbedtls_ssl_set_hostname(&conn->ssl, host))) return NULL;
    return conn;
}

void probe_conn_free(struct probe_conn *conn) {
    mbedtls_ssl_free(&conn->ssl);
    free(conn);
}

static int outcome(int result) {
    last = result;
    switch (result) {
    case MBEDTLS_ERR_SSL_WANT_READ: return PROBE_WANT_READ;
    case MBEDTLS_ERR_SSL_WANT_WRITE: return PROBE_WANT_WRITE;
    case MBEDTLS_ERR_SSL_PEER_CLOSE_NOTIFY: return 0;
    default: return result < 0 ? PROBE_ERROR : result;
    }
}

int probe_handshake(struct probe_conn *conn) { return outcome(mbedtls_ssl_handshake(&conn->ssl)); }

ssize_t probe_read(struct probe_conn *conn, void *buf, size_t len) {
    int n;
    do n = mbedtls_ssl_read(&conn->ssl, buf, len);
#ifdef MBEDTLS_ERR_SSL_RECEIVED_NEW_SESSION_TICKET
    while (n == MBEDTLS_ERR_SSL_RECEIVED_NEW_SESSION_TICKET);
#else
    while (0);
#endif
    return outcome(n);
}

ssize_t probe_write(struct probe_conn *conn, const void *buf, size_t len) { return outcome(mbedtls_ssl_write(&conn->ssl, buf, len)); }

void probe_close(struct probe_conn *conn) { mbedtls_ssl_close_notify(&conn->ssl); }

bool probe_sha256(const void *data, size_t len, uint8_t out[32]) { return mbedtls_sha256(data, len, out, 0) == 0; }

bool probe_verify(const char *key, size_t key_len, const uint8_t *data, size_t len, const uint8_t *sig, size_t sig_len) {
    mbedtls_pk_context pk;
    uint8_t hash[32];
    mbedtls_pk_init(&pk);
    bool good = mbedtls_pk_parse_public_key(&pk, (const uint8_t *)key, key_len + 1) == 0 && probe_sha256(data, len, hash)
        && mbedtls_pk_verify(&pk, MBEDTLS_MD_SHA256, hash, sizeof hash, sig, sig_len) == 0;
    mbedtls_pk_free(&pk);
    return good;
}
