/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The rows of bench.h on OpenSSL 3. Keys and contexts are made once, as a server would; in place where the library allows it. */
#include "bench.h"

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

static EVP_CIPHER_CTX *cipher;
static int ccm;

static int cipher_start(const EVP_CIPHER *kind, int aead) {
    cipher = EVP_CIPHER_CTX_new();
    ccm = EVP_CIPHER_get_mode(kind) == EVP_CIPH_CCM_MODE;
    NEED(cipher && EVP_EncryptInit_ex(cipher, kind, NULL, NULL, NULL));
    if (ccm)
        NEED(EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_SET_IVLEN, 12, NULL) > 0 &&
             EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_SET_TAG, 16, NULL) > 0);
    NEED(EVP_EncryptInit_ex(cipher, NULL, NULL, bench_key, bench_nonce));
    if (!aead)
        NEED(EVP_CIPHER_CTX_set_padding(cipher, 0));
    return 1;
}
static int gcm128(size_t size) { (void)size; return cipher_start(EVP_aes_128_gcm(), 1); }
static int gcm256(size_t size) { (void)size; return cipher_start(EVP_aes_256_gcm(), 1); }
static int chacha(size_t size) { (void)size; return cipher_start(EVP_chacha20_poly1305(), 1); }
static int ccm128(size_t size) { (void)size; return cipher_start(EVP_aes_128_ccm(), 1); }
static int ctr128(size_t size) { (void)size; return cipher_start(EVP_aes_128_ctr(), 0); }
static int cbc128(size_t size) { (void)size; return cipher_start(EVP_aes_128_cbc(), 0); }
static void aead_once(void) {
    int n;
    NEED(EVP_EncryptInit_ex(cipher, NULL, NULL, NULL, bench_nonce));
    if (ccm)
        NEED(EVP_EncryptUpdate(cipher, NULL, &n, NULL, (int)bench_size));
    NEED(EVP_EncryptUpdate(cipher, NULL, &n, bench_aad, AAD_LEN));
    NEED(EVP_EncryptUpdate(cipher, bench_in, &n, bench_in, (int)bench_size));
    NEED(EVP_EncryptFinal_ex(cipher, bench_out, &n));
    NEED(EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_GET_TAG, 16, bench_out) > 0);
}
/* The other libraries expand the key each time here: so does this one. */
static void mode_once(void) {
    int n;
    NEED(EVP_EncryptInit_ex(cipher, NULL, NULL, bench_key, bench_nonce));
    NEED(EVP_EncryptUpdate(cipher, bench_in, &n, bench_in, (int)bench_size));
}
static void cipher_stop(void) { EVP_CIPHER_CTX_free(cipher); }

static EVP_MAC_CTX *mac;
static OSSL_PARAM mac_params[2];
static int mac_start(const char *name, const char *param, const char *value) {
    EVP_MAC *kind = EVP_MAC_fetch(NULL, name, NULL);
    mac_params[0] = OSSL_PARAM_construct_utf8_string(param, (char *)value, 0);
    mac_params[1] = OSSL_PARAM_construct_end();
    NEED(kind && (mac = EVP_MAC_CTX_new(kind)));
    EVP_MAC_free(kind);
    return 1;
}
static int cmac(size_t size) { (void)size; return mac_start("CMAC", OSSL_MAC_PARAM_CIPHER, "AES-128-CBC"); }
static int hmac(size_t size) { (void)size; return mac_start("HMAC", OSSL_MAC_PARAM_DIGEST, "SHA256"); }
static void mac_once(size_t key_len) {
    size_t n;
    NEED(EVP_MAC_init(mac, bench_key, key_len, mac_params));
    NEED(EVP_MAC_update(mac, bench_in, bench_size) && EVP_MAC_final(mac, bench_out, &n, 64));
}
static void cmac_once(void) { mac_once(16); }
static void hmac_once(void) { mac_once(32); }
static void mac_stop(void) { EVP_MAC_CTX_free(mac); }

static EVP_MD *digest;
static EVP_MD_CTX *digest_ctx;
static int digest_start(const char *name) {
    NEED((digest = EVP_MD_fetch(NULL, name, NULL)) && (digest_ctx = EVP_MD_CTX_new()));
    return 1;
}
static int sha1(size_t size) { (void)size; return digest_start("SHA1"); }
static int sha256(size_t size) { (void)size; return digest_start("SHA256"); }
static int sha384(size_t size) { (void)size; return digest_start("SHA384"); }
static int sha512(size_t size) { (void)size; return digest_start("SHA512"); }
static int sha3_256(size_t size) { (void)size; return digest_start("SHA3-256"); }
static void digest_once(void) {
    NEED(EVP_DigestInit_ex2(digest_ctx, digest, NULL) && EVP_DigestUpdate(digest_ctx, bench_in, bench_size));
    NEED(EVP_DigestFinal_ex(digest_ctx, bench_out, NULL));
}
static void digest_stop(void) {
    EVP_MD_CTX_free(digest_ctx);
    EVP_MD_free(digest);
}

static int always(size_t size) { (void)size; return 1; }
static void pbkdf2_once(void) {
    NEED(PKCS5_PBKDF2_HMAC((const char *)bench_key, 12, bench_nonce, 8, 4096, EVP_sha1(), 32, bench_out));
}

static EVP_PKEY *key, *peer;
static EVP_PKEY_CTX *sign_ctx, *verify_ctx;
static uint8_t signature[4096];
static size_t signature_len, hash_len;
static const EVP_MD *hash;

static void key_stop(void) {
    EVP_PKEY_CTX_free(sign_ctx);
    EVP_PKEY_CTX_free(verify_ctx);
    EVP_PKEY_free(key);
    EVP_PKEY_free(peer);
    sign_ctx = verify_ctx = NULL;
    key = peer = NULL;
}
static int agree_start(const char *type, const char *curve) {
    key = curve ? EVP_PKEY_Q_keygen(NULL, NULL, type, curve) : EVP_PKEY_Q_keygen(NULL, NULL, type);
    peer = curve ? EVP_PKEY_Q_keygen(NULL, NULL, type, curve) : EVP_PKEY_Q_keygen(NULL, NULL, type);
    NEED(key && peer);
    return 1;
}
static int x25519(size_t size) { (void)size; return agree_start("X25519", NULL); }
static int ecdh256(size_t size) { (void)size; return agree_start("EC", "P-256"); }
static int ecdh384(size_t size) { (void)size; return agree_start("EC", "P-384"); }
static int ecdh521(size_t size) { (void)size; return agree_start("EC", "P-521"); }
static void agree_once(void) {
    size_t n = sizeof bench_out;
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new(key, NULL);
    NEED(ctx && EVP_PKEY_derive_init(ctx) > 0 && EVP_PKEY_derive_set_peer(ctx, peer) > 0);
    NEED(EVP_PKEY_derive(ctx, bench_out, &n) > 0);
    EVP_PKEY_CTX_free(ctx);
}

static void hashed_sign(void) {
    signature_len = sizeof signature;
    NEED(EVP_PKEY_sign(sign_ctx, signature, &signature_len, bench_hash, hash_len) > 0);
}
static void hashed_verify(void) {
    NEED(EVP_PKEY_verify(verify_ctx, signature, signature_len, bench_hash, hash_len) > 0);
}
static int hashed_start(EVP_PKEY *with, const EVP_MD *md) {
    NEED((key = with) != NULL);
    hash = md;
    hash_len = (size_t)EVP_MD_get_size(md);
    NEED((sign_ctx = EVP_PKEY_CTX_new(key, NULL)) && EVP_PKEY_sign_init(sign_ctx) > 0);
    NEED((verify_ctx = EVP_PKEY_CTX_new(key, NULL)) && EVP_PKEY_verify_init(verify_ctx) > 0);
    NEED(EVP_PKEY_CTX_set_signature_md(sign_ctx, hash) > 0 && EVP_PKEY_CTX_set_signature_md(verify_ctx, hash) > 0);
    hashed_sign();
    return 1;
}
static int p256(size_t size) { (void)size; return hashed_start(EVP_EC_gen("P-256"), EVP_sha256()); }
static int p384(size_t size) { (void)size; return hashed_start(EVP_EC_gen("P-384"), EVP_sha384()); }
static int p521(size_t size) { (void)size; return hashed_start(EVP_EC_gen("P-521"), EVP_sha512()); }
static int rsa(size_t size) {
    (void)size;
    BIO *bio = BIO_new_mem_buf(BENCH_RSA_KEY, -1);
    EVP_PKEY *loaded = PEM_read_bio_PrivateKey(bio, NULL, NULL, NULL);
    BIO_free(bio);
    return hashed_start(loaded, EVP_sha256());
}

static void message_sign(void) {
    signature_len = sizeof signature;
    NEED(EVP_DigestSignInit(digest_ctx, NULL, NULL, NULL, key));
    NEED(EVP_DigestSign(digest_ctx, signature, &signature_len, bench_hash, 32));
}
static void message_verify(void) {
    NEED(EVP_DigestVerifyInit(digest_ctx, NULL, NULL, NULL, key));
    NEED(EVP_DigestVerify(digest_ctx, signature, signature_len, bench_hash, 32) == 1);
}
static int message_start(const char *type) {
    if (!(key = EVP_PKEY_Q_keygen(NULL, NULL, type)))
        return 0;
    NEED((digest_ctx = EVP_MD_CTX_new()));
    message_sign();
    return 1;
}
static void message_stop(void) {
    EVP_MD_CTX_free(digest_ctx);
    key_stop();
}
static int ed25519(size_t size) { (void)size; return message_start("ED25519"); }
static int mldsa65(size_t size) { (void)size; return message_start("ML-DSA-65"); /* 3.5 has it */ }

static uint8_t ciphertext[2048], secret[64];
static size_t ciphertext_len, secret_len;
static void kem_once_keygen(void) { EVP_PKEY_free(EVP_PKEY_Q_keygen(NULL, NULL, "ML-KEM-768")); }
static void kem_once_encaps(void) {
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new(key, NULL);
    ciphertext_len = sizeof ciphertext;
    secret_len = sizeof secret;
    NEED(ctx && EVP_PKEY_encapsulate_init(ctx, NULL) > 0);
    NEED(EVP_PKEY_encapsulate(ctx, ciphertext, &ciphertext_len, secret, &secret_len) > 0);
    EVP_PKEY_CTX_free(ctx);
}
static void kem_once_decaps(void) {
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new(key, NULL);
    secret_len = sizeof secret;
    NEED(ctx && EVP_PKEY_decapsulate_init(ctx, NULL) > 0);
    NEED(EVP_PKEY_decapsulate(ctx, secret, &secret_len, ciphertext, ciphertext_len) > 0);
    EVP_PKEY_CTX_free(ctx);
}
static int kem_start(size_t size) {
    (void)size;
    if (!(key = EVP_PKEY_Q_keygen(NULL, NULL, "ML-KEM-768"))) /* 3.5 has it */
        return 0;
    kem_once_encaps();
    return 1;
}

static SSL_CTX *client_ctx, *server_ctx;
static int tls_start(int version) {
    BIO *ca = BIO_new_mem_buf(BENCH_CA_CERT, -1), *leaf = BIO_new_mem_buf(BENCH_LEAF_CERT, -1), *leaf_key = BIO_new_mem_buf(BENCH_LEAF_KEY, -1);
    X509 *root = PEM_read_bio_X509(ca, NULL, NULL, NULL), *cert = PEM_read_bio_X509(leaf, NULL, NULL, NULL);
    EVP_PKEY *cert_key = PEM_read_bio_PrivateKey(leaf_key, NULL, NULL, NULL);
    client_ctx = SSL_CTX_new(TLS_client_method());
    server_ctx = SSL_CTX_new(TLS_server_method());
    NEED(root && cert && cert_key && client_ctx && server_ctx);
    NEED(X509_STORE_add_cert(SSL_CTX_get_cert_store(client_ctx), root));
    NEED(SSL_CTX_use_certificate(server_ctx, cert) && SSL_CTX_use_PrivateKey(server_ctx, cert_key));
    SSL_CTX_set_verify(client_ctx, SSL_VERIFY_PEER, NULL);
    for (int i = 0; i < 2; i++) {
        SSL_CTX *ctx = i ? server_ctx : client_ctx;
        NEED(SSL_CTX_set1_groups_list(ctx, "X25519:P-256"));
        NEED(SSL_CTX_set_min_proto_version(ctx, version) && SSL_CTX_set_max_proto_version(ctx, version));
        SSL_CTX_set_session_cache_mode(ctx, SSL_SESS_CACHE_OFF);
        SSL_CTX_set_options(ctx, SSL_OP_NO_TICKET);
        NEED(SSL_CTX_set_num_tickets(ctx, 0));
    }
    X509_free(root);
    X509_free(cert);
    EVP_PKEY_free(cert_key);
    BIO_free(ca);
    BIO_free(leaf);
    BIO_free(leaf_key);
    return 1;
}
static int tls13(size_t size) { (void)size; return tls_start(TLS1_3_VERSION); }
static int tls12(size_t size) { (void)size; return tls_start(TLS1_2_VERSION); }
static void tls_once(void) {
    BIO *up, *down;
    SSL *client = SSL_new(client_ctx), *server = SSL_new(server_ctx);
    int c = 0, s = 0;
    NEED(client && server && BIO_new_bio_pair(&up, 0, &down, 0));
    SSL_set_bio(client, up, up);
    SSL_set_bio(server, down, down);
    NEED(SSL_set_tlsext_host_name(client, "bench.test") && SSL_set1_host(client, "bench.test"));
    for (int turn = 0; turn < 20 && (c != 1 || s != 1); turn++) {
        c = SSL_connect(client);
        s = SSL_accept(server);
    }
    NEED(c == 1 && s == 1);
    SSL_free(client);
    SSL_free(server);
}
static void tls_stop(void) {
    SSL_CTX_free(client_ctx);
    SSL_CTX_free(server_ctx);
}

static const struct bench_op OPS[] = {
    {"aes-128-gcm", gcm128, aead_once, cipher_stop},
    {"aes-256-gcm", gcm256, aead_once, cipher_stop},
    {"chacha20-poly1305", chacha, aead_once, cipher_stop},
    {"aes-128-ccm", ccm128, aead_once, cipher_stop},
    {"aes-128-ctr", ctr128, mode_once, cipher_stop},
    {"aes-128-cbc", cbc128, mode_once, cipher_stop},
    {"aes-128-cmac", cmac, cmac_once, mac_stop},
    {"sha-1", sha1, digest_once, digest_stop},
    {"sha-256", sha256, digest_once, digest_stop},
    {"sha-384", sha384, digest_once, digest_stop},
    {"sha-512", sha512, digest_once, digest_stop},
    {"sha3-256", sha3_256, digest_once, digest_stop},
    {"hmac-sha-256", hmac, hmac_once, mac_stop},
    {"pbkdf2-sha-1-4096", always, pbkdf2_once, NULL},
    {"x25519", x25519, agree_once, key_stop},
    {"p-256-sign", p256, hashed_sign, key_stop},
    {"p-256-verify", p256, hashed_verify, key_stop},
    {"p-256-ecdh", ecdh256, agree_once, key_stop},
    {"p-384-sign", p384, hashed_sign, key_stop},
    {"p-384-verify", p384, hashed_verify, key_stop},
    {"p-384-ecdh", ecdh384, agree_once, key_stop},
    {"p-521-sign", p521, hashed_sign, key_stop},
    {"p-521-verify", p521, hashed_verify, key_stop},
    {"p-521-ecdh", ecdh521, agree_once, key_stop},
    {"ed25519-sign", ed25519, message_sign, message_stop},
    {"ed25519-verify", ed25519, message_verify, message_stop},
    {"rsa-2048-sign", rsa, hashed_sign, key_stop},
    {"rsa-2048-verify", rsa, hashed_verify, key_stop},
    {"ml-kem-768-keygen", kem_start, kem_once_keygen, key_stop},
    {"ml-kem-768-encaps", kem_start, kem_once_encaps, key_stop},
    {"ml-kem-768-decaps", kem_start, kem_once_decaps, key_stop},
    {"ml-dsa-65-sign", mldsa65, message_sign, message_stop},
    {"ml-dsa-65-verify", mldsa65, message_verify, message_stop},
    {"tls-1.3-handshake", tls13, tls_once, tls_stop},
    {"tls-1.2-handshake", tls12, tls_once, tls_stop},
};

BENCH_MAIN("openssl")
