/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The rows of bench.h on Mbed TLS 2.28 and 3.x. */
#include "bench.h"

#include <mbedtls/ccm.h>
#include <mbedtls/chachapoly.h>
#include <mbedtls/cipher.h>
#include <mbedtls/cmac.h>
#include <mbedtls/ctr_drbg.h>
#include <mbedtls/ecdh.h>
#include <mbedtls/ecdsa.h>
#include <mbedtls/entropy.h>
#include <mbedtls/gcm.h>
#include <mbedtls/md.h>
#include <mbedtls/pk.h>
#include <mbedtls/pkcs5.h>
#include <mbedtls/ssl.h>
#include <mbedtls/version.h>
#include <mbedtls/x509_crt.h>
#if MBEDTLS_VERSION_MAJOR >= 3
#include <psa/crypto.h>
#endif

static mbedtls_entropy_context entropy;
static mbedtls_ctr_drbg_context drbg;

static void random_ready(void) {
    static int ready;
    if (ready)
        return;
    mbedtls_entropy_init(&entropy);
    mbedtls_ctr_drbg_init(&drbg);
    NEED(mbedtls_ctr_drbg_seed(&drbg, mbedtls_entropy_func, &entropy, NULL, 0) == 0);
#if MBEDTLS_VERSION_MAJOR >= 3
    NEED(psa_crypto_init() == PSA_SUCCESS);
#endif
    ready = 1;
}

static mbedtls_gcm_context gcm;
static int gcm_start(unsigned bits) {
    mbedtls_gcm_init(&gcm);
    NEED(mbedtls_gcm_setkey(&gcm, MBEDTLS_CIPHER_ID_AES, bench_key, bits) == 0);
    return 1;
}
static int gcm128(size_t size) { (void)size; return gcm_start(128); }
static int gcm256(size_t size) { (void)size; return gcm_start(256); }
static void gcm_once(void) {
    NEED(mbedtls_gcm_crypt_and_tag(&gcm, MBEDTLS_GCM_ENCRYPT, bench_size, bench_nonce, 12, bench_aad, AAD_LEN, bench_in,
                                   bench_in, 16, bench_out) == 0);
}
static void gcm_stop(void) { mbedtls_gcm_free(&gcm); }

#if defined(MBEDTLS_CCM_C)
static mbedtls_ccm_context ccm;
static int ccm128(size_t size) {
    (void)size;
    mbedtls_ccm_init(&ccm);
    NEED(mbedtls_ccm_setkey(&ccm, MBEDTLS_CIPHER_ID_AES, bench_key, 128) == 0);
    return 1;
}
static void ccm_once(void) {
    NEED(mbedtls_ccm_encrypt_and_tag(&ccm, bench_size, bench_nonce, 12, bench_aad, AAD_LEN, bench_in, bench_in, bench_out, 16) == 0);
}
static void ccm_stop(void) { mbedtls_ccm_free(&ccm); }
#endif

static mbedtls_chachapoly_context chacha;
static int chacha_start(size_t size) {
    (void)size;
    mbedtls_chachapoly_init(&chacha);
    NEED(mbedtls_chachapoly_setkey(&chacha, bench_key) == 0);
    return 1;
}
static void chacha_once(void) {
    NEED(mbedtls_chachapoly_encrypt_and_tag(&chacha, bench_size, bench_nonce, bench_aad, AAD_LEN, bench_in, bench_in, bench_out) == 0);
}
static void chacha_stop(void) { mbedtls_chachapoly_free(&chacha); }

static int always(size_t size) { (void)size; return 1; }
static void ctr_once(void) {
    mbedtls_aes_context aes;
    uint8_t stream[16], counter[16];
    size_t offset = 0;
    memcpy(counter, bench_nonce, 16);
    mbedtls_aes_init(&aes);
    NEED(mbedtls_aes_setkey_enc(&aes, bench_key, 128) == 0);
    NEED(mbedtls_aes_crypt_ctr(&aes, bench_size, &offset, counter, stream, bench_in, bench_in) == 0);
    mbedtls_aes_free(&aes);
}
static void cbc_once(void) {
    mbedtls_aes_context aes;
    uint8_t iv[16];
    memcpy(iv, bench_nonce, 16);
    mbedtls_aes_init(&aes);
    NEED(mbedtls_aes_setkey_enc(&aes, bench_key, 128) == 0);
    NEED(mbedtls_aes_crypt_cbc(&aes, MBEDTLS_AES_ENCRYPT, bench_size, iv, bench_in, bench_in) == 0);
    mbedtls_aes_free(&aes);
}
#if defined(MBEDTLS_CMAC_C)
static void cmac_once(void) {
    const mbedtls_cipher_info_t *kind = mbedtls_cipher_info_from_type(MBEDTLS_CIPHER_AES_128_ECB);
    NEED(mbedtls_cipher_cmac(kind, bench_key, 128, bench_in, bench_size, bench_out) == 0);
}
#endif

static const mbedtls_md_info_t *md;
static int md_start(mbedtls_md_type_t type) { return (md = mbedtls_md_info_from_type(type)) != NULL; }
static int sha1(size_t size) { (void)size; return md_start(MBEDTLS_MD_SHA1); }
static int sha256(size_t size) { (void)size; return md_start(MBEDTLS_MD_SHA256); }
static int sha384(size_t size) { (void)size; return md_start(MBEDTLS_MD_SHA384); }
static int sha512(size_t size) { (void)size; return md_start(MBEDTLS_MD_SHA512); }
#if defined(MBEDTLS_SHA3_C)
static int sha3_256(size_t size) { (void)size; return md_start(MBEDTLS_MD_SHA3_256); }
#endif
static void md_once(void) { NEED(mbedtls_md(md, bench_in, bench_size, bench_out) == 0); }
static void hmac_once(void) { NEED(mbedtls_md_hmac(md, bench_key, 32, bench_in, bench_size, bench_out) == 0); }
static void pbkdf2_once(void) {
#if MBEDTLS_VERSION_NUMBER >= 0x03030000
    NEED(mbedtls_pkcs5_pbkdf2_hmac_ext(MBEDTLS_MD_SHA1, bench_key, 12, bench_nonce, 8, 4096, 32, bench_out) == 0);
#else
    mbedtls_md_context_t ctx;
    mbedtls_md_init(&ctx);
    NEED(mbedtls_md_setup(&ctx, mbedtls_md_info_from_type(MBEDTLS_MD_SHA1), 1) == 0);
    NEED(mbedtls_pkcs5_pbkdf2_hmac(&ctx, bench_key, 12, bench_nonce, 8, 4096, 32, bench_out) == 0);
    mbedtls_md_free(&ctx);
#endif
}

static mbedtls_ecp_group group;
static mbedtls_mpi scalar, shared;
static mbedtls_ecp_point own, peer;
static int agree_start(mbedtls_ecp_group_id id) {
    random_ready();
    mbedtls_ecp_group_init(&group);
    mbedtls_mpi_init(&scalar);
    mbedtls_mpi_init(&shared);
    mbedtls_ecp_point_init(&own);
    mbedtls_ecp_point_init(&peer);
    if (mbedtls_ecp_group_load(&group, id) != 0)
        return 0;
    NEED(mbedtls_ecdh_gen_public(&group, &scalar, &peer, mbedtls_ctr_drbg_random, &drbg) == 0);
    NEED(mbedtls_ecdh_gen_public(&group, &scalar, &own, mbedtls_ctr_drbg_random, &drbg) == 0);
    return 1;
}
static int x25519(size_t size) { (void)size; return agree_start(MBEDTLS_ECP_DP_CURVE25519); }
static int ecdh256(size_t size) { (void)size; return agree_start(MBEDTLS_ECP_DP_SECP256R1); }
static int ecdh384(size_t size) { (void)size; return agree_start(MBEDTLS_ECP_DP_SECP384R1); }
static int ecdh521(size_t size) { (void)size; return agree_start(MBEDTLS_ECP_DP_SECP521R1); }
static void agree_once(void) {
    NEED(mbedtls_ecdh_compute_shared(&group, &shared, &peer, &scalar, mbedtls_ctr_drbg_random, &drbg) == 0);
}
static void agree_stop(void) {
    mbedtls_ecp_group_free(&group);
    mbedtls_mpi_free(&scalar);
    mbedtls_mpi_free(&shared);
    mbedtls_ecp_point_free(&own);
    mbedtls_ecp_point_free(&peer);
}

static mbedtls_pk_context pk;
static uint8_t signature[1024];
static size_t signature_len, hash_len;
static mbedtls_md_type_t hash;
static void pk_sign(void) {
#if MBEDTLS_VERSION_MAJOR >= 3
    NEED(mbedtls_pk_sign(&pk, hash, bench_hash, hash_len, signature, sizeof signature, &signature_len, mbedtls_ctr_drbg_random, &drbg) == 0);
#else
    NEED(mbedtls_pk_sign(&pk, hash, bench_hash, hash_len, signature, &signature_len, mbedtls_ctr_drbg_random, &drbg) == 0);
#endif
}
static void pk_verify(void) { NEED(mbedtls_pk_verify(&pk, hash, bench_hash, hash_len, signature, signature_len) == 0); }
static int pk_ready(mbedtls_md_type_t type) {
    hash = type;
    hash_len = mbedtls_md_get_size(mbedtls_md_info_from_type(type));
    pk_sign();
    return 1;
}
static int ec_start(mbedtls_ecp_group_id id, mbedtls_md_type_t type) {
    random_ready();
    mbedtls_pk_init(&pk);
    NEED(mbedtls_pk_setup(&pk, mbedtls_pk_info_from_type(MBEDTLS_PK_ECKEY)) == 0);
    if (mbedtls_ecp_gen_key(id, mbedtls_pk_ec(pk), mbedtls_ctr_drbg_random, &drbg) != 0)
        return 0;
    return pk_ready(type);
}
static int p256(size_t size) { (void)size; return ec_start(MBEDTLS_ECP_DP_SECP256R1, MBEDTLS_MD_SHA256); }
static int p384(size_t size) { (void)size; return ec_start(MBEDTLS_ECP_DP_SECP384R1, MBEDTLS_MD_SHA384); }
static int p521(size_t size) { (void)size; return ec_start(MBEDTLS_ECP_DP_SECP521R1, MBEDTLS_MD_SHA512); }
static int load_key(mbedtls_pk_context *into, const char *pem) {
    random_ready();
    mbedtls_pk_init(into);
#if MBEDTLS_VERSION_MAJOR >= 3
    return mbedtls_pk_parse_key(into, (const uint8_t *)pem, strlen(pem) + 1, NULL, 0, mbedtls_ctr_drbg_random, &drbg);
#else
    return mbedtls_pk_parse_key(into, (const uint8_t *)pem, strlen(pem) + 1, NULL, 0);
#endif
}
static int rsa(size_t size) {
    (void)size;
    NEED(load_key(&pk, BENCH_RSA_KEY) == 0);
    return pk_ready(MBEDTLS_MD_SHA256);
}
static void pk_stop(void) { mbedtls_pk_free(&pk); }

static mbedtls_ssl_config client_config, server_config;
static mbedtls_x509_crt ca, leaf;
static mbedtls_pk_context leaf_key;

static int tls_read(void *end, unsigned char *buf, size_t len) {
    size_t n = pipe_read(((struct bench_end *)end)->in, buf, len);
    return n ? (int)n : MBEDTLS_ERR_SSL_WANT_READ;
}
static int tls_write(void *end, const unsigned char *buf, size_t len) {
    return (int)pipe_write(((struct bench_end *)end)->out, buf, len);
}
static int tls_start(int minor) {
#if MBEDTLS_VERSION_MAJOR >= 3
    static const uint16_t groups[] = {MBEDTLS_SSL_IANA_TLS_GROUP_X25519, MBEDTLS_SSL_IANA_TLS_GROUP_NONE};
    static const uint16_t curves[] = {MBEDTLS_SSL_IANA_TLS_GROUP_X25519, MBEDTLS_SSL_IANA_TLS_GROUP_SECP256R1,
                                      MBEDTLS_SSL_IANA_TLS_GROUP_NONE};
#else
    static const mbedtls_ecp_group_id curves[] = {MBEDTLS_ECP_DP_CURVE25519, MBEDTLS_ECP_DP_SECP256R1, MBEDTLS_ECP_DP_NONE};
    if (minor == 4)
        return 0; /* 2.28 has no TLS 1.3 */
#endif
    NEED(load_key(&leaf_key, BENCH_LEAF_KEY) == 0);
    mbedtls_x509_crt_init(&ca);
    mbedtls_x509_crt_init(&leaf);
    NEED(mbedtls_x509_crt_parse(&ca, (const uint8_t *)BENCH_CA_CERT, sizeof BENCH_CA_CERT) == 0);
    NEED(mbedtls_x509_crt_parse(&leaf, (const uint8_t *)BENCH_LEAF_CERT, sizeof BENCH_LEAF_CERT) == 0);
    for (int i = 0; i < 2; i++) {
        mbedtls_ssl_config *config = i ? &server_config : &client_config;
        mbedtls_ssl_config_init(config);
        NEED(mbedtls_ssl_config_defaults(config, i ? MBEDTLS_SSL_IS_SERVER : MBEDTLS_SSL_IS_CLIENT, MBEDTLS_SSL_TRANSPORT_STREAM,
                                         MBEDTLS_SSL_PRESET_DEFAULT) == 0);
        mbedtls_ssl_conf_rng(config, mbedtls_ctr_drbg_random, &drbg);
        mbedtls_ssl_conf_min_version(config, 3, minor);
        mbedtls_ssl_conf_max_version(config, 3, minor);
        /* TLS 1.2's list also says which curve the certificate's key may have. */
#if MBEDTLS_VERSION_MAJOR >= 3
        mbedtls_ssl_conf_groups(config, minor == 4 ? groups : curves);
#else
        mbedtls_ssl_conf_curves(config, curves);
#endif
    }
    mbedtls_ssl_conf_ca_chain(&client_config, &ca, NULL);
    NEED(mbedtls_ssl_conf_own_cert(&server_config, &leaf, &leaf_key) == 0);
    return 1;
}
static int tls13(size_t size) { (void)size; return tls_start(4); }
static int tls12(size_t size) { (void)size; return tls_start(3); }
static void tls_once(void) {
    mbedtls_ssl_context client, server;
    int c = MBEDTLS_ERR_SSL_WANT_READ, s = MBEDTLS_ERR_SSL_WANT_READ;
    bench_up.start = bench_up.end = bench_down.start = bench_down.end = 0;
    mbedtls_ssl_init(&client);
    mbedtls_ssl_init(&server);
    NEED(mbedtls_ssl_setup(&client, &client_config) == 0 && mbedtls_ssl_setup(&server, &server_config) == 0);
    NEED(mbedtls_ssl_set_hostname(&client, "bench.test") == 0);
    mbedtls_ssl_set_bio(&client, &bench_client, tls_write, tls_read, NULL);
    mbedtls_ssl_set_bio(&server, &bench_server, tls_write, tls_read, NULL);
    for (int turn = 0; turn < 20 && (c || s); turn++) {
        if (c)
            c = mbedtls_ssl_handshake(&client);
        if (s)
            s = mbedtls_ssl_handshake(&server);
    }
    NEED(c == 0 && s == 0);
    mbedtls_ssl_free(&client);
    mbedtls_ssl_free(&server);
}
static void tls_stop(void) {
    mbedtls_ssl_config_free(&client_config);
    mbedtls_ssl_config_free(&server_config);
    mbedtls_x509_crt_free(&ca);
    mbedtls_x509_crt_free(&leaf);
    mbedtls_pk_free(&leaf_key);
}

static const struct bench_op OPS[] = {
    {"aes-128-gcm", gcm128, gcm_once, gcm_stop},
    {"aes-256-gcm", gcm256, gcm_once, gcm_stop},
    {"chacha20-poly1305", chacha_start, chacha_once, chacha_stop},
#if defined(MBEDTLS_CCM_C)
    {"aes-128-ccm", ccm128, ccm_once, ccm_stop},
#endif
    {"aes-128-ctr", always, ctr_once, NULL},
    {"aes-128-cbc", always, cbc_once, NULL},
#if defined(MBEDTLS_CMAC_C)
    {"aes-128-cmac", always, cmac_once, NULL},
#endif
    {"sha-1", sha1, md_once, NULL},
    {"sha-256", sha256, md_once, NULL},
    {"sha-384", sha384, md_once, NULL},
    {"sha-512", sha512, md_once, NULL},
#if defined(MBEDTLS_SHA3_C)
    {"sha3-256", sha3_256, md_once, NULL},
#endif
    {"hmac-sha-256", sha256, hmac_once, NULL},
    {"pbkdf2-sha-1-4096", always, pbkdf2_once, NULL},
    {"x25519", x25519, agree_once, agree_stop},
    {"p-256-sign", p256, pk_sign, pk_stop},
    {"p-256-verify", p256, pk_verify, pk_stop},
    {"p-256-ecdh", ecdh256, agree_once, agree_stop},
    {"p-384-sign", p384, pk_sign, pk_stop},
    {"p-384-verify", p384, pk_verify, pk_stop},
    {"p-384-ecdh", ecdh384, agree_once, agree_stop},
    {"p-521-sign", p521, pk_sign, pk_stop},
    {"p-521-verify", p521, pk_verify, pk_stop},
    {"p-521-ecdh", ecdh521, agree_once, agree_stop},
    {"rsa-2048-sign", rsa, pk_sign, pk_stop},
    {"rsa-2048-verify", rsa, pk_verify, pk_stop},
    {"tls-1.3-handshake", tls13, tls_once, tls_stop},
    {"tls-1.2-handshake", tls12, tls_once, tls_stop},
};

BENCH_MAIN("mbedtls")
