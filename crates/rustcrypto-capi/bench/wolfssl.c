/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The rows of bench.h on wolfSSL 5. What a build left out (Ed25519, CMAC, SHA-3, ML-KEM ...) is a row without a figure. */
#include "bench.h"

#include <wolfssl/options.h>
#include <wolfssl/wolfcrypt/settings.h>

#include <wolfssl/ssl.h>
#include <wolfssl/wolfcrypt/aes.h>
#include <wolfssl/wolfcrypt/asn.h>
#include <wolfssl/wolfcrypt/asn_public.h>
#include <wolfssl/wolfcrypt/chacha20_poly1305.h>
#include <wolfssl/wolfcrypt/cmac.h>
#include <wolfssl/wolfcrypt/curve25519.h>
#include <wolfssl/wolfcrypt/ecc.h>
#include <wolfssl/wolfcrypt/ed25519.h>
#include <wolfssl/wolfcrypt/hash.h>
#include <wolfssl/wolfcrypt/hmac.h>
#include <wolfssl/wolfcrypt/pwdbased.h>
#include <wolfssl/wolfcrypt/rsa.h>
#include <wolfssl/wolfcrypt/sha3.h>
#if defined(WOLFSSL_HAVE_MLKEM)
#include <wolfssl/wolfcrypt/wc_mlkem.h>
#endif
#if defined(HAVE_DILITHIUM)
#include <wolfssl/wolfcrypt/dilithium.h>
#endif

#define DONE(call) NEED((call) == 0)

static WC_RNG *rng_ready(void) {
    static WC_RNG rng;
    static int ready;
    if (!ready)
        DONE(wc_InitRng(&rng));
    ready = 1;
    return &rng;
}

static Aes aes;
static int aes_ready(void) { DONE(wc_AesInit(&aes, NULL, INVALID_DEVID)); return 1; }
static int gcm128(size_t size) { (void)size; aes_ready(); DONE(wc_AesGcmSetKey(&aes, bench_key, 16)); return 1; }
static int gcm256(size_t size) { (void)size; aes_ready(); DONE(wc_AesGcmSetKey(&aes, bench_key, 32)); return 1; }
static void gcm_once(void) {
    DONE(wc_AesGcmEncrypt(&aes, bench_in, bench_in, (word32)bench_size, bench_nonce, 12, bench_out, 16, bench_aad, AAD_LEN));
}
static void aes_stop(void) { wc_AesFree(&aes); }
#if defined(HAVE_AESCCM)
static int ccm128(size_t size) { (void)size; aes_ready(); DONE(wc_AesCcmSetKey(&aes, bench_key, 16)); return 1; }
static void ccm_once(void) {
    DONE(wc_AesCcmEncrypt(&aes, bench_in, bench_in, (word32)bench_size, bench_nonce, 12, bench_out, 16, bench_aad, AAD_LEN));
}
#endif
#if defined(HAVE_CHACHA) && defined(HAVE_POLY1305)
static void chacha_once(void) {
    DONE(wc_ChaCha20Poly1305_Encrypt(bench_key, bench_nonce, bench_aad, AAD_LEN, bench_in, (word32)bench_size, bench_in, bench_out));
}
#endif
static int always(size_t size) { (void)size; return 1; }
#if defined(WOLFSSL_AES_COUNTER)
static void ctr_once(void) {
    aes_ready();
    DONE(wc_AesSetKeyDirect(&aes, bench_key, 16, bench_nonce, AES_ENCRYPTION));
    DONE(wc_AesCtrEncrypt(&aes, bench_in, bench_in, (word32)bench_size));
    wc_AesFree(&aes);
}
#endif
static void cbc_once(void) {
    aes_ready();
    DONE(wc_AesSetKey(&aes, bench_key, 16, bench_nonce, AES_ENCRYPTION));
    DONE(wc_AesCbcEncrypt(&aes, bench_in, bench_in, (word32)bench_size));
    wc_AesFree(&aes);
}
#if defined(WOLFSSL_CMAC)
static void cmac_once(void) {
    word32 len = 16;
    DONE(wc_AesCmacGenerate(bench_out, &len, bench_in, (word32)bench_size, bench_key, 16));
}
#endif

static enum wc_HashType md;
static int md_start(enum wc_HashType type) {
    md = type;
    return wc_HashGetDigestSize(type) > 0 && wc_Hash(md, bench_in, 1, bench_out, 64) == 0;
}
static int sha1(size_t size) { (void)size; return md_start(WC_HASH_TYPE_SHA); }
static int sha256(size_t size) { (void)size; return md_start(WC_HASH_TYPE_SHA256); }
static int sha384(size_t size) { (void)size; return md_start(WC_HASH_TYPE_SHA384); }
static int sha512(size_t size) { (void)size; return md_start(WC_HASH_TYPE_SHA512); }
static int sha3_256(size_t size) { (void)size; return md_start(WC_HASH_TYPE_SHA3_256); }
static void md_once(void) { DONE(wc_Hash(md, bench_in, (word32)bench_size, bench_out, 64)); }
static void hmac_once(void) {
    Hmac hmac;
    DONE(wc_HmacInit(&hmac, NULL, INVALID_DEVID));
    DONE(wc_HmacSetKey(&hmac, WC_SHA256, bench_key, 32));
    DONE(wc_HmacUpdate(&hmac, bench_in, (word32)bench_size));
    DONE(wc_HmacFinal(&hmac, bench_out));
    wc_HmacFree(&hmac);
}
#if defined(HAVE_PBKDF2) && !defined(NO_SHA)
static void pbkdf2_once(void) { DONE(wc_PBKDF2(bench_out, bench_key, 12, bench_nonce, 8, 4096, 32, WC_SHA)); }
#endif

#if defined(HAVE_CURVE25519)
static curve25519_key x_own, x_peer;
static int x25519(size_t size) {
    (void)size;
    DONE(wc_curve25519_init(&x_own));
    DONE(wc_curve25519_init(&x_peer));
    DONE(wc_curve25519_make_key(rng_ready(), 32, &x_own));
    DONE(wc_curve25519_make_key(rng_ready(), 32, &x_peer));
    return 1;
}
static void x25519_once(void) {
    word32 len = 32;
    DONE(wc_curve25519_shared_secret(&x_own, &x_peer, bench_out, &len));
}
#endif

static ecc_key ec, ec_peer;
static uint8_t signature[8192];
static word32 signature_len, hash_len;
static void ec_sign(void) {
    signature_len = 256;
    DONE(wc_ecc_sign_hash(bench_hash, hash_len, signature, &signature_len, rng_ready(), &ec));
}
static void ec_verify(void) {
    int good = 0;
    DONE(wc_ecc_verify_hash(signature, signature_len, bench_hash, hash_len, &good, &ec));
    NEED(good == 1);
}
static int ec_start(int curve, int bytes, word32 hash) {
    DONE(wc_ecc_init(&ec));
    DONE(wc_ecc_init(&ec_peer));
    hash_len = hash;
    if (wc_ecc_make_key_ex(rng_ready(), bytes, &ec, curve) != 0 || wc_ecc_make_key_ex(rng_ready(), bytes, &ec_peer, curve) != 0)
        return 0;
#if defined(ECC_TIMING_RESISTANT)
    DONE(wc_ecc_set_rng(&ec, rng_ready()));
#endif
    ec_sign();
    return 1;
}
static int p256(size_t size) { (void)size; return ec_start(ECC_SECP256R1, 32, 32); }
static int p384(size_t size) { (void)size; return ec_start(ECC_SECP384R1, 48, 48); }
static int p521(size_t size) { (void)size; return ec_start(ECC_SECP521R1, 66, 64); }
static void ecdh_once(void) {
    word32 len = 80;
    DONE(wc_ecc_shared_secret(&ec, &ec_peer, bench_out, &len));
}
static void ec_stop(void) {
    wc_ecc_free(&ec);
    wc_ecc_free(&ec_peer);
}

#if defined(HAVE_ED25519)
static ed25519_key ed;
static void ed_sign(void) {
    signature_len = 64;
    DONE(wc_ed25519_sign_msg(bench_hash, 32, signature, &signature_len, &ed));
}
static void ed_verify(void) {
    int good = 0;
    DONE(wc_ed25519_verify_msg(signature, 64, bench_hash, 32, &good, &ed));
    NEED(good == 1);
}
static int ed25519(size_t size) {
    (void)size;
    DONE(wc_ed25519_init(&ed));
    DONE(wc_ed25519_make_key(rng_ready(), 32, &ed));
    ed_sign();
    return 1;
}
#endif

static RsaKey rsa;
static uint8_t encoded[128];
static word32 encoded_len;
static void rsa_sign(void) {
    int n;
    encoded_len = wc_EncodeSignature(encoded, bench_hash, 32, SHA256h);
    n = wc_RsaSSL_Sign(encoded, encoded_len, signature, 256, &rsa, rng_ready());
    NEED(n == 256);
}
static void rsa_verify(void) {
    int n = wc_RsaSSL_Verify(signature, 256, bench_out, 256, &rsa);
    NEED(n == (int)encoded_len && memcmp(bench_out, encoded, encoded_len) == 0);
}
static int rsa_start(size_t size) {
    uint8_t der[2048];
    word32 at = 0;
    int len = wc_KeyPemToDer((const uint8_t *)BENCH_RSA_KEY, (int)strlen(BENCH_RSA_KEY), der, sizeof der, NULL);
    (void)size;
    NEED(len > 0);
    DONE(wc_InitRsaKey(&rsa, NULL));
    DONE(wc_RsaPrivateKeyDecode(der, &at, &rsa, (word32)len));
#if defined(WC_RSA_BLINDING)
    DONE(wc_RsaSetRNG(&rsa, rng_ready()));
#endif
    rsa_sign();
    return 1;
}
static void rsa_stop(void) { wc_FreeRsaKey(&rsa); }

#if defined(WOLFSSL_HAVE_MLKEM)
static MlKemKey kem;
static uint8_t ciphertext[1568], secret[32];
static void kem_keygen(void) {
    MlKemKey key;
    DONE(wc_MlKemKey_Init(&key, WC_ML_KEM_768, NULL, INVALID_DEVID));
    DONE(wc_MlKemKey_MakeKey(&key, rng_ready()));
    wc_MlKemKey_Free(&key);
}
static void kem_encaps(void) { DONE(wc_MlKemKey_Encapsulate(&kem, ciphertext, secret, rng_ready())); }
static void kem_decaps(void) { DONE(wc_MlKemKey_Decapsulate(&kem, secret, ciphertext, 1088)); }
static int kem_start(size_t size) {
    (void)size;
    DONE(wc_MlKemKey_Init(&kem, WC_ML_KEM_768, NULL, INVALID_DEVID));
    DONE(wc_MlKemKey_MakeKey(&kem, rng_ready()));
    kem_encaps();
    return 1;
}
static void kem_stop(void) { wc_MlKemKey_Free(&kem); }
#endif

#if defined(HAVE_DILITHIUM)
static dilithium_key dsa;
static void dsa_sign(void) {
    signature_len = sizeof signature;
    DONE(wc_dilithium_sign_ctx_msg(NULL, 0, bench_hash, 32, signature, &signature_len, &dsa, rng_ready()));
}
static void dsa_verify(void) {
    int good = 0;
    DONE(wc_dilithium_verify_ctx_msg(signature, signature_len, NULL, 0, bench_hash, 32, &good, &dsa));
    NEED(good == 1);
}
static int dsa_start(size_t size) {
    (void)size;
    DONE(wc_dilithium_init(&dsa));
    DONE(wc_dilithium_set_level(&dsa, WC_ML_DSA_65));
    DONE(wc_dilithium_make_key(&dsa, rng_ready()));
    dsa_sign();
    return 1;
}
static void dsa_stop(void) { wc_dilithium_free(&dsa); }
#endif

static WOLFSSL_CTX *client_ctx, *server_ctx;
static int tls_read(WOLFSSL *ssl, char *buf, int len, void *end) {
    size_t n = pipe_read(((struct bench_end *)end)->in, buf, (size_t)len);
    (void)ssl;
    return n ? (int)n : WOLFSSL_CBIO_ERR_WANT_READ;
}
static int tls_write(WOLFSSL *ssl, char *buf, int len, void *end) {
    (void)ssl;
    return (int)pipe_write(((struct bench_end *)end)->out, buf, (size_t)len);
}
static int tls_start(WOLFSSL_METHOD *client, WOLFSSL_METHOD *server) {
    client_ctx = wolfSSL_CTX_new(client);
    server_ctx = wolfSSL_CTX_new(server);
    NEED(client_ctx && server_ctx);
    NEED(wolfSSL_CTX_load_verify_buffer(client_ctx, (const uint8_t *)BENCH_CA_CERT, (long)strlen(BENCH_CA_CERT), WOLFSSL_FILETYPE_PEM) == WOLFSSL_SUCCESS);
    NEED(wolfSSL_CTX_use_certificate_buffer(server_ctx, (const uint8_t *)BENCH_LEAF_CERT, (long)strlen(BENCH_LEAF_CERT), WOLFSSL_FILETYPE_PEM) == WOLFSSL_SUCCESS);
    NEED(wolfSSL_CTX_use_PrivateKey_buffer(server_ctx, (const uint8_t *)BENCH_LEAF_KEY, (long)strlen(BENCH_LEAF_KEY), WOLFSSL_FILETYPE_PEM) == WOLFSSL_SUCCESS);
    wolfSSL_CTX_set_verify(client_ctx, WOLFSSL_VERIFY_PEER, NULL);
    for (int i = 0; i < 2; i++) {
        WOLFSSL_CTX *ctx = i ? server_ctx : client_ctx;
        wolfSSL_CTX_SetIORecv(ctx, tls_read);
        wolfSSL_CTX_SetIOSend(ctx, tls_write);
        wolfSSL_CTX_set_session_cache_mode(ctx, WOLFSSL_SESS_CACHE_OFF);
        NEED(wolfSSL_CTX_UseSupportedCurve(ctx, WOLFSSL_ECC_X25519) == WOLFSSL_SUCCESS);
        NEED(wolfSSL_CTX_UseSupportedCurve(ctx, WOLFSSL_ECC_SECP256R1) == WOLFSSL_SUCCESS);
    }
    return 1;
}
#if defined(WOLFSSL_TLS13)
static int tls13(size_t size) { (void)size; return tls_start(wolfTLSv1_3_client_method(), wolfTLSv1_3_server_method()); }
#endif
static int tls12(size_t size) { (void)size; return tls_start(wolfTLSv1_2_client_method(), wolfTLSv1_2_server_method()); }
static void tls_once(void) {
    WOLFSSL *client = wolfSSL_new(client_ctx), *server = wolfSSL_new(server_ctx);
    int c = 0, s = 0;
    bench_up.start = bench_up.end = bench_down.start = bench_down.end = 0;
    NEED(client && server);
    wolfSSL_SetIOReadCtx(client, &bench_client);
    wolfSSL_SetIOWriteCtx(client, &bench_client);
    wolfSSL_SetIOReadCtx(server, &bench_server);
    wolfSSL_SetIOWriteCtx(server, &bench_server);
#if defined(WOLFSSL_TLS13)
    if (wolfSSL_version(client) == TLS1_3_VERSION || wolfSSL_GetVersion(client) == WOLFSSL_TLSV1_3)
        NEED(wolfSSL_UseKeyShare(client, WOLFSSL_ECC_X25519) == WOLFSSL_SUCCESS);
    wolfSSL_no_ticket_TLSv13(server);
#endif
    NEED(wolfSSL_check_domain_name(client, "bench.test") == WOLFSSL_SUCCESS);
    for (int turn = 0; turn < 20 && (c != WOLFSSL_SUCCESS || s != WOLFSSL_SUCCESS); turn++) {
        if (c != WOLFSSL_SUCCESS)
            c = wolfSSL_connect(client);
        if (s != WOLFSSL_SUCCESS)
            s = wolfSSL_accept(server);
    }
    NEED(c == WOLFSSL_SUCCESS && s == WOLFSSL_SUCCESS);
    wolfSSL_free(client);
    wolfSSL_free(server);
}
static void tls_stop(void) {
    wolfSSL_CTX_free(client_ctx);
    wolfSSL_CTX_free(server_ctx);
}

static const struct bench_op OPS[] = {
    {"aes-128-gcm", gcm128, gcm_once, aes_stop},
    {"aes-256-gcm", gcm256, gcm_once, aes_stop},
#if defined(HAVE_CHACHA) && defined(HAVE_POLY1305)
    {"chacha20-poly1305", always, chacha_once, NULL},
#endif
#if defined(HAVE_AESCCM)
    {"aes-128-ccm", ccm128, ccm_once, aes_stop},
#endif
#if defined(WOLFSSL_AES_COUNTER)
    {"aes-128-ctr", always, ctr_once, NULL},
#endif
    {"aes-128-cbc", always, cbc_once, NULL},
#if defined(WOLFSSL_CMAC)
    {"aes-128-cmac", always, cmac_once, NULL},
#endif
    {"sha-1", sha1, md_once, NULL},
    {"sha-256", sha256, md_once, NULL},
    {"sha-384", sha384, md_once, NULL},
    {"sha-512", sha512, md_once, NULL},
    {"sha3-256", sha3_256, md_once, NULL},
    {"hmac-sha-256", always, hmac_once, NULL},
#if defined(HAVE_PBKDF2) && !defined(NO_SHA)
    {"pbkdf2-sha-1-4096", always, pbkdf2_once, NULL},
#endif
#if defined(HAVE_CURVE25519)
    {"x25519", x25519, x25519_once, NULL},
#endif
    {"p-256-sign", p256, ec_sign, ec_stop},
    {"p-256-verify", p256, ec_verify, ec_stop},
    {"p-256-ecdh", p256, ecdh_once, ec_stop},
    {"p-384-sign", p384, ec_sign, ec_stop},
    {"p-384-verify", p384, ec_verify, ec_stop},
    {"p-384-ecdh", p384, ecdh_once, ec_stop},
    {"p-521-sign", p521, ec_sign, ec_stop},
    {"p-521-verify", p521, ec_verify, ec_stop},
    {"p-521-ecdh", p521, ecdh_once, ec_stop},
#if defined(HAVE_ED25519)
    {"ed25519-sign", ed25519, ed_sign, NULL},
    {"ed25519-verify", ed25519, ed_verify, NULL},
#endif
    {"rsa-2048-sign", rsa_start, rsa_sign, rsa_stop},
    {"rsa-2048-verify", rsa_start, rsa_verify, rsa_stop},
#if defined(WOLFSSL_HAVE_MLKEM)
    {"ml-kem-768-keygen", kem_start, kem_keygen, kem_stop},
    {"ml-kem-768-encaps", kem_start, kem_encaps, kem_stop},
    {"ml-kem-768-decaps", kem_start, kem_decaps, kem_stop},
#endif
#if defined(HAVE_DILITHIUM)
    {"ml-dsa-65-sign", dsa_start, dsa_sign, dsa_stop},
    {"ml-dsa-65-verify", dsa_start, dsa_verify, dsa_stop},
#endif
#if defined(WOLFSSL_TLS13)
    {"tls-1.3-handshake", tls13, tls_once, tls_stop},
#endif
    {"tls-1.2-handshake", tls12, tls_once, tls_stop},
};

BENCH_MAIN("wolfssl")
