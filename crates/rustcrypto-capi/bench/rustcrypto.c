/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* rustcrypto-bench: every algorithm of librustcrypto. See bench.h for its options. */
#include "bench.h"
#include "rustcrypto.h"

#define SUCCEEDS(call) NEED((call) == RUSTCRYPTO_OK)

static rustcrypto_aead_ctx *aead;

static int aead_start(int32_t alg, size_t key_len) {
    return (aead = rustcrypto_aead_new(alg, bench_key, key_len)) != NULL;
}
static int gcm128(size_t size) { (void)size; return aead_start(RUSTCRYPTO_AES_128_GCM, 16); }
static int gcm256(size_t size) { (void)size; return aead_start(RUSTCRYPTO_AES_256_GCM, 32); }
static int chacha(size_t size) { (void)size; return aead_start(RUSTCRYPTO_CHACHA20_POLY1305, 32); }
static int ccm128(size_t size) { (void)size; return aead_start(RUSTCRYPTO_AES_128_CCM, 16); }
/* In place, as TLS does it. */
static void aead_once(void) {
    SUCCEEDS(rustcrypto_aead_seal(aead, bench_nonce, 12, bench_aad, AAD_LEN, bench_in, bench_size, bench_in, sizeof bench_in, NULL));
}
static void aead_stop(void) { rustcrypto_aead_free(aead); }

static int always(size_t size) { (void)size; return 1; }
static void ctr_once(void) { SUCCEEDS(rustcrypto_aes_ctr(bench_key, 16, bench_nonce, bench_in, bench_size)); }
static void cbc_once(void) { SUCCEEDS(rustcrypto_aes_cbc_encrypt(bench_key, 16, bench_nonce, bench_in, bench_size)); }
static void cmac_once(void) {
    const uint8_t *in = bench_in;
    SUCCEEDS(rustcrypto_aes_cmac(bench_key, 16, 1, &in, &bench_size, bench_out));
}

static int32_t digest;
static int digest_start(int32_t alg) {
    digest = alg;
    return rustcrypto_digest_len(alg) != 0;
}
static int sha1(size_t size) { (void)size; return digest_start(RUSTCRYPTO_SHA1); }
static int sha256(size_t size) { (void)size; return digest_start(RUSTCRYPTO_SHA256); }
static int sha384(size_t size) { (void)size; return digest_start(RUSTCRYPTO_SHA384); }
static int sha512(size_t size) { (void)size; return digest_start(RUSTCRYPTO_SHA512); }
static int sha3_256(size_t size) { (void)size; return digest_start(RUSTCRYPTO_SHA3_256); }
static void digest_once(void) {
    const uint8_t *in = bench_in;
    SUCCEEDS(rustcrypto_digest(digest, 1, &in, &bench_size, bench_out, 64));
}
static void hmac_once(void) {
    const uint8_t *in = bench_in;
    SUCCEEDS(rustcrypto_hmac(RUSTCRYPTO_SHA256, bench_key, 32, 1, &in, &bench_size, bench_out, 32));
}
static void pbkdf2_once(void) {
    SUCCEEDS(rustcrypto_pbkdf2(RUSTCRYPTO_SHA1, bench_key, 12, bench_nonce, 8, 4096, bench_out, 32));
}

static rustcrypto_key *key;
static uint8_t peer[256], signature[4096];
static size_t peer_len, signature_len;
static int32_t hash;

static void key_stop(void) { rustcrypto_key_free(key); }

static int agree_start(int32_t type) {
    rustcrypto_key *other = rustcrypto_key_generate(type, 0);
    if (!other || !(key = rustcrypto_key_generate(type, 0)))
        return 0;
    SUCCEEDS(rustcrypto_key_public_raw(other, peer, sizeof peer, &peer_len));
    rustcrypto_key_free(other);
    return 1;
}
static int x25519(size_t size) { (void)size; return agree_start(RUSTCRYPTO_KEY_X25519); }
static int ecdh256(size_t size) { (void)size; return agree_start(RUSTCRYPTO_KEY_P256); }
static int ecdh384(size_t size) { (void)size; return agree_start(RUSTCRYPTO_KEY_P384); }
static int ecdh521(size_t size) { (void)size; return agree_start(RUSTCRYPTO_KEY_P521); }
static void agree_once(void) {
    size_t n;
    SUCCEEDS(rustcrypto_key_agree(key, peer, peer_len, bench_out, sizeof bench_out, &n));
}

/* On a message of 32 bytes, which costs one more hash than the others pay: the fast code hashes by itself. */
static void sign_once(void) {
    SUCCEEDS(rustcrypto_key_sign(key, hash, RUSTCRYPTO_DEFAULT, bench_hash, 32, signature, sizeof signature, &signature_len));
}
static void verify_once(void) {
    SUCCEEDS(rustcrypto_key_verify(key, hash, RUSTCRYPTO_DEFAULT, bench_hash, 32, signature, signature_len));
}
static int sign_start(rustcrypto_key *with, int32_t alg) {
    key = with;
    hash = alg;
    /* RSA signs only where there is constant-time code for it. */
    if (!key || rustcrypto_key_sign(key, hash, RUSTCRYPTO_DEFAULT, bench_hash, 32, signature, sizeof signature, &signature_len) == RUSTCRYPTO_UNSUPPORTED)
        return 0;
    sign_once();
    return 1;
}
static int p256(size_t size) { (void)size; return sign_start(rustcrypto_key_generate(RUSTCRYPTO_KEY_P256, 0), RUSTCRYPTO_SHA256); }
static int p384(size_t size) { (void)size; return sign_start(rustcrypto_key_generate(RUSTCRYPTO_KEY_P384, 0), RUSTCRYPTO_SHA384); }
static int p521(size_t size) { (void)size; return sign_start(rustcrypto_key_generate(RUSTCRYPTO_KEY_P521, 0), RUSTCRYPTO_SHA512); }
static int rsa(size_t size) {
    (void)size;
    return sign_start(rustcrypto_key_load_private((const uint8_t *)BENCH_RSA_KEY, strlen(BENCH_RSA_KEY)), RUSTCRYPTO_SHA256);
}
static int ed25519(size_t size) { (void)size; return sign_start(rustcrypto_key_generate(RUSTCRYPTO_KEY_ED25519, 0), 0); }
static int mldsa65(size_t size) { (void)size; return sign_start(rustcrypto_key_generate(RUSTCRYPTO_KEY_MLDSA65, 0), 0); }

static rustcrypto_kem_key *kem;
static uint8_t encaps[1568], ciphertext[1568], secret[32];
static size_t encaps_len, ciphertext_len;
static void kem_once_encaps(void) {
    SUCCEEDS(rustcrypto_kem_encapsulate(RUSTCRYPTO_MLKEM768, encaps, encaps_len, ciphertext, sizeof ciphertext, &ciphertext_len, secret, 32));
}
static int kem_start(size_t size) {
    (void)size;
    if (!(kem = rustcrypto_kem_generate(RUSTCRYPTO_MLKEM768)))
        return 0;
    SUCCEEDS(rustcrypto_kem_public(kem, encaps, sizeof encaps, &encaps_len));
    kem_once_encaps();
    return 1;
}
static void kem_once_keygen(void) { rustcrypto_kem_free(rustcrypto_kem_generate(RUSTCRYPTO_MLKEM768)); }
static void kem_once_decaps(void) { SUCCEEDS(rustcrypto_kem_decapsulate(kem, ciphertext, ciphertext_len, secret, 32)); }
static void kem_stop(void) { rustcrypto_kem_free(kem); }

static rustcrypto_tls_config *client_config, *server_config;

static ptrdiff_t tls_read(void *end, uint8_t *buf, size_t len) {
    size_t n = pipe_read(((struct bench_end *)end)->in, buf, len);
    return n ? (ptrdiff_t)n : RUSTCRYPTO_WANT_READ;
}
static ptrdiff_t tls_write(void *end, const uint8_t *buf, size_t len) {
    return (ptrdiff_t)pipe_write(((struct bench_end *)end)->out, buf, len);
}
static int tls_start(uint16_t version) {
    client_config = rustcrypto_tls_config_new(RUSTCRYPTO_CLIENT);
    server_config = rustcrypto_tls_config_new(RUSTCRYPTO_SERVER);
    if (!client_config || !server_config)
        return 0;
    SUCCEEDS(rustcrypto_tls_config_add_ca(client_config, (const uint8_t *)BENCH_CA_CERT, strlen(BENCH_CA_CERT)));
    SUCCEEDS(rustcrypto_tls_config_set_cert(server_config, (const uint8_t *)BENCH_LEAF_CERT, strlen(BENCH_LEAF_CERT)));
    SUCCEEDS(rustcrypto_tls_config_set_key(server_config, (const uint8_t *)BENCH_LEAF_KEY, strlen(BENCH_LEAF_KEY)));
    for (int i = 0; i < 2; i++) {
        rustcrypto_tls_config *config = i ? server_config : client_config;
        SUCCEEDS(rustcrypto_tls_config_set_groups(config, "X25519"));
        SUCCEEDS(rustcrypto_tls_config_set_versions(config, version, version));
        SUCCEEDS(rustcrypto_tls_config_set_session_cache(config, 0)); /* every handshake is a full one */
    }
    return 1;
}
static int tls13(size_t size) { (void)size; return tls_start(0x0304); }
static int tls12(size_t size) { (void)size; return tls_start(0x0303); }
static void tls_once(void) {
    rustcrypto_tls *client = rustcrypto_tls_new(client_config), *server = rustcrypto_tls_new(server_config);
    int32_t c = RUSTCRYPTO_WANT_READ, s = RUSTCRYPTO_WANT_READ;
    bench_up.start = bench_up.end = bench_down.start = bench_down.end = 0;
    NEED(client && server);
    SUCCEEDS(rustcrypto_tls_set_server_name(client, "bench.test"));
    SUCCEEDS(rustcrypto_tls_set_io(client, tls_read, tls_write, &bench_client));
    SUCCEEDS(rustcrypto_tls_set_io(server, tls_read, tls_write, &bench_server));
    for (int turn = 0; turn < 20 && (c || s); turn++) {
        if (c)
            c = rustcrypto_tls_handshake(client);
        if (s)
            s = rustcrypto_tls_handshake(server);
        if ((c && c != RUSTCRYPTO_WANT_READ) || (s && s != RUSTCRYPTO_WANT_READ))
            break;
    }
    if (c || s) {
        fprintf(stderr, "handshake: %s / %s\n", rustcrypto_tls_error(client), rustcrypto_tls_error(server));
        exit(1);
    }
    rustcrypto_tls_free(client);
    rustcrypto_tls_free(server);
}
static void tls_stop(void) {
    rustcrypto_tls_config_free(client_config);
    rustcrypto_tls_config_free(server_config);
}

static const struct bench_op OPS[] = {
    {"aes-128-gcm", gcm128, aead_once, aead_stop},
    {"aes-256-gcm", gcm256, aead_once, aead_stop},
    {"chacha20-poly1305", chacha, aead_once, aead_stop},
    {"aes-128-ccm", ccm128, aead_once, aead_stop},
    {"aes-128-ctr", always, ctr_once, NULL},
    {"aes-128-cbc", always, cbc_once, NULL},
    {"aes-128-cmac", always, cmac_once, NULL},
    {"sha-1", sha1, digest_once, NULL},
    {"sha-256", sha256, digest_once, NULL},
    {"sha-384", sha384, digest_once, NULL},
    {"sha-512", sha512, digest_once, NULL},
    {"sha3-256", sha3_256, digest_once, NULL},
    {"hmac-sha-256", always, hmac_once, NULL},
    {"pbkdf2-sha-1-4096", always, pbkdf2_once, NULL},
    {"x25519", x25519, agree_once, key_stop},
    {"p-256-sign", p256, sign_once, key_stop},
    {"p-256-verify", p256, verify_once, key_stop},
    {"p-256-ecdh", ecdh256, agree_once, key_stop},
    {"p-384-sign", p384, sign_once, key_stop},
    {"p-384-verify", p384, verify_once, key_stop},
    {"p-384-ecdh", ecdh384, agree_once, key_stop},
    {"p-521-sign", p521, sign_once, key_stop},
    {"p-521-verify", p521, verify_once, key_stop},
    {"p-521-ecdh", ecdh521, agree_once, key_stop},
    {"ed25519-sign", ed25519, sign_once, key_stop},
    {"ed25519-verify", ed25519, verify_once, key_stop},
    {"rsa-2048-sign", rsa, sign_once, key_stop},
    {"rsa-2048-verify", rsa, verify_once, key_stop},
    {"ml-kem-768-keygen", kem_start, kem_once_keygen, kem_stop},
    {"ml-kem-768-encaps", kem_start, kem_once_encaps, kem_stop},
    {"ml-kem-768-decaps", kem_start, kem_once_decaps, kem_stop},
    {"ml-dsa-65-sign", mldsa65, sign_once, key_stop},
    {"ml-dsa-65-verify", mldsa65, verify_once, key_stop},
    {"tls-1.3-handshake", tls13, tls_once, tls_stop},
    {"tls-1.2-handshake", tls12, tls_once, tls_stop},
};

BENCH_MAIN("rustcrypto")
