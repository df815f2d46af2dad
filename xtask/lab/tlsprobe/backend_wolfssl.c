/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* wolfSSL's native calls; SHA-256 and ECDSA through wolfCrypt, which every build has. */
#include "probe.h"

#include <wolfssl/options.h>
#include <wolfssl/ssl.h>
#include <wolfssl/version.h>
#include <wolfssl/wolfcrypt/asn_public.h>
#include <wolfssl/wolfcrypt/ecc.h>
#include <wolfssl/wolfcrypt/sha256.h>
#include <stdlib.h>
#include <string.h>

struct probe_ctx {
    WOLFSSL_CTX *ssl;
    bool server;
    int group;
};
struct probe_conn {
    WOLFSSL *ssl;
    bool server;
};

static int last;

const char *probe_library(void) { return "wolfSSL " LIBWOLFSSL_VERSION_STRING; }

const char *probe_error(struct probe_conn *conn) {
    static char text[WOLFSSL_MAX_ERROR_SZ];
    (void)conn;
    wolfSSL_ERR_error_string_n((unsigned long)last, text, sizeof text);
    return text;
}

static int group_id(const char *name) {
    if (!strcmp(name, "X25519")) return WOLFSSL_ECC_X25519;
    if (!strcmp(name, "P-256")) return WOLFSSL_ECC_SECP256R1;
#ifdef WOLFSSL_HAVE_MLKEM
    if (!strcmp(name, "X25519MLKEM768")) return WOLFSSL_X25519MLKEM768;
#endif
    return 0;
}

struct probe_ctx *probe_ctx_new(const struct probe_options *o) {
    struct probe_ctx *ctx = calloc(1, sizeof *ctx);
    wolfSSL_Init();
    ctx->server = o->server;
    ctx->ssl = wolfSSL_CTX_new(o->server ? wolfSSLv23_server_method() : wolfSSLv23_client_method());
    if (!ctx->ssl) return NULL;
    if (o->ca_file) {
        if ((last = wolfSSL_CTX_load_verify_locations_ex(ctx->ssl, o->ca_file, NULL, WOLFSSL_LOAD_FLAG_DATE_ERR_OKAY)) != WOLFSSL_SUCCESS) return NULL;
        wolfSSL_CTX_set_verify(ctx->ssl, WOLFSSL_VERIFY_PEER, NULL);
    } else if (!o->server) {
        wolfSSL_CTX_set_verify(ctx->ssl, WOLFSSL_VERIFY_NONE, NULL);
    }
    if (o->cert_file && (last = wolfSSL_CTX_use_certificate_chain_file(ctx->ssl, o->cert_file)) != WOLFSSL_SUCCESS) return NULL;
    if (o->key_file && (last = wolfSSL_CTX_use_PrivateKey_file(ctx->ssl, o->key_file, WOLFSSL_FILETYPE_PEM)) != WOLFSSL_SUCCESS) return NULL;
    if (o->group && !(ctx->group = group_id(o->group))) return NULL;
    if (ctx->group && (last = wolfSSL_CTX_set_groups(ctx->ssl, &ctx->group, 1)) != WOLFSSL_SUCCESS) return NULL;
    return ctx;
}

void probe_ctx_free(struct probe_ctx *ctx) {
    wolfSSL_CTX_free(ctx->ssl);
    free(ctx);
}

struct probe_conn *probe_conn_new(struct probe_ctx *ctx, int fd, const char *host) {
    struct probe_conn *conn = calloc(1, sizeof *conn);
    conn->server = ctx->server;
    conn->ssl = wolfSSL_new(ctx->ssl);
    wolfSSL_set_fd(conn->ssl, fd);
    if (host) {
        wolfSSL_UseSNI(conn->ssl, WOLFSSL_SNI_HOST_NAME, host, (unsigned short)strlen(host));
        wolfSSL_check_domain_name(conn->ssl, host);
    }
    if (ctx->group && !ctx->server) wolfSSL_UseKeyShare(conn->ssl, (word16)ctx->group);
    return conn;
}

void probe_conn_free(struct probe_conn *conn) {
    wolfSSL_free(conn->ssl);
    free(conn);
}

static int outcome(struct probe_conn *conn, int result) {
    last = wolfSSL_get_error(conn->ssl, result);
    switch (last) {
    case WOLFSSL_ERROR_WANT_READ: return PROBE_WANT_READ;
    case WOLFSSL_ERROR_WANT_WRITE: return PROBE_WANT_WRITE;
    case WOLFSSL_ERROR_ZERO_RETURN: return 0;
    default: return PROBE_ERROR;
    }
}

int probe_handshake(struct probe_conn *conn) {
    int result = conn->server ? wolfSSL_accept(conn->ssl) : wolfSSL_connect(conn->ssl);
    return result == WOLFSSL_SUCCESS ? PROBE_OK : outcome(conn, result);
}

ssize_t probe_read(struct probe_conn *conn, void *buf, size_t len) {
    int n = wolfSSL_read(conn->ssl, buf, (int)len);
    return n > 0 ? n : outcome(conn, n);
}

ssize_t probe_write(struct probe_conn *conn, const void *buf, size_t len) {
    int n = wolfSSL_write(conn->ssl, buf, (int)len);
    return n > 0 ? n : outcome(conn, n);
}

void probe_close(struct probe_conn *conn) { wolfSSL_shutdown(conn->ssl); }

bool probe_sha256(const void *data, size_t len, uint8_t out[32]) { return wc_Sha256Hash(data, (word32)len, out) == 0; }

bool probe_verify(const char *key, size_t key_len, const uint8_t *data, size_t len, const uint8_t *sig, size_t sig_len) {
    unsigned char der[256];
    uint8_t hash[32];
    word32 at = 0;
    int good = 0, der_len = wc_PubKeyPemToDer((const unsigned char *)key, (int)key_len, der, sizeof der);
    ecc_key ecc;
    wc_ecc_init(&ecc);
    if (der_len > 0 && wc_EccPublicKeyDecode(der, &at, &ecc, (word32)der_len) == 0 && probe_sha256(data, len, hash))
        wc_ecc_verify_hash(sig, (word32)sig_len, hash, sizeof hash, &good, &ecc);
    wc_ecc_free(&ecc);
    return good == 1;
}
