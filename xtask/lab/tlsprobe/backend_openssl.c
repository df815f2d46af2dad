/* SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "probe.h"

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <stdlib.h>

struct probe_ctx {
    SSL_CTX *ssl;
    bool server;
};
struct probe_conn {
    SSL *ssl;
    bool server;
};

const char *probe_library(void) { return OpenSSL_version(OPENSSL_VERSION); }

const char *probe_error(struct probe_conn *conn) {
    static char text[256];
    long verify = conn ? SSL_get_verify_result(conn->ssl) : X509_V_OK;
    if (verify != X509_V_OK) return X509_verify_cert_error_string(verify);
    ERR_error_string_n(ERR_peek_last_error(), text, sizeof text);
    return text;
}

struct probe_ctx *probe_ctx_new(const struct probe_options *o) {
    struct probe_ctx *ctx = calloc(1, sizeof *ctx);
    ctx->server = o->server;
    ctx->ssl = SSL_CTX_new(o->server ? TLS_server_method() : TLS_client_method());
    if (!ctx->ssl) return NULL;
    SSL_CTX_set_mode(ctx->ssl, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
    if (o->ca_file) {
        if (!SSL_CTX_load_verify_locations(ctx->ssl, o->ca_file, NULL)) return NULL;
        SSL_CTX_set_verify(ctx->ssl, SSL_VERIFY_PEER, NULL);
    }
    if (o->cert_file && SSL_CTX_use_certificate_chain_file(ctx->ssl, o->cert_file) != 1) return NULL;
    if (o->key_file && SSL_CTX_use_PrivateKey_file(ctx->ssl, o->key_file, SSL_FILETYPE_PEM) != 1) return NULL;
    if (o->group && SSL_CTX_set1_groups_list(ctx->ssl, o->group) != 1) return NULL;
    return ctx;
}

void probe_ctx_free(struct probe_ctx *ctx) {
    SSL_CTX_free(ctx->ssl);
    free(ctx);
}

struct probe_conn *probe_conn_new(struct probe_ctx *ctx, int fd, const char *host) {
    struct probe_conn *conn = calloc(1, sizeof *conn);
    conn->server = ctx->server;
    conn->ssl = SSL_new(ctx->ssl);
    SSL_set_fd(conn->ssl, fd);
    if (host) SSL_set_tlsext_host_name(conn->ssl, host), SSL_set1_host(conn->ssl, host);
    return conn;
}

void probe_conn_free(struct probe_conn *conn) {
    SSL_free(conn->ssl);
    free(conn);
}

static int outcome(struct probe_conn *conn, int result) {
    switch (SSL_get_error(conn->ssl, result)) {
    case SSL_ERROR_WANT_READ: return PROBE_WANT_READ;
    case SSL_ERROR_WANT_WRITE: return PROBE_WANT_WRITE;
    case SSL_ERROR_ZERO_RETURN: return 0;
    default: return PROBE_ERROR;
    }
}

int probe_handshake(struct probe_conn *conn) {
    ERR_clear_error();
    int result = conn->server ? SSL_accept(conn->ssl) : SSL_connect(conn->ssl);
    return result == 1 ? PROBE_OK : outcome(conn, result);
}

ssize_t probe_read(struct probe_conn *conn, void *buf, size_t len) {
    ERR_clear_error();
    int n = SSL_read(conn->ssl, buf, (int)len);
    return n > 0 ? n : outcome(conn, n);
}

ssize_t probe_write(struct probe_conn *conn, const void *buf, size_t len) {
    ERR_clear_error();
    int n = SSL_write(conn->ssl, buf, (int)len);
    return n > 0 ? n : outcome(conn, n);
}

void probe_close(struct probe_conn *conn) { SSL_shutdown(conn->ssl); }

bool probe_sha256(const void *data, size_t len, uint8_t out[32]) {
    return EVP_Digest(data, len, out, NULL, EVP_sha256(), NULL) == 1;
}

bool probe_verify(const char *key, size_t key_len, const uint8_t *data, size_t len, const uint8_t *sig, size_t sig_len) {
    BIO *bio = BIO_new_mem_buf(key, (int)key_len);
    EVP_PKEY *pkey = PEM_read_bio_PUBKEY(bio, NULL, NULL, NULL);
    EVP_MD_CTX *md = EVP_MD_CTX_new();
    bool good = pkey && EVP_DigestVerifyInit(md, NULL, EVP_sha256(), NULL, pkey) == 1 && EVP_DigestVerify(md, sig, sig_len, data, len) == 1;
    EVP_MD_CTX_free(md);
    EVP_PKEY_free(pkey);
    BIO_free(bio);
    return good;
}
