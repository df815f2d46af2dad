/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Hashes, HMAC and key derivation: vectors, and every wrong way to call them. */
#include "check.h"

static const char ABC[] = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

static void digests(void) {
    const uint8_t *addr[3] = {(const uint8_t *)"a", NULL, (const uint8_t *)"bc"};
    const size_t len[3] = {1, 0, 2}, bad[3] = {1, 1, 2};
    uint8_t out[64];

    CHECK(rustcrypto_digest_len(RUSTCRYPTO_SHA256) == 32);
    CHECK(rustcrypto_digest_len(0) == 0 && rustcrypto_digest_len(-1) == 0 && rustcrypto_digest_len(99) == 0);
    OK(rustcrypto_digest(RUSTCRYPTO_SHA256, 3, addr, len, out, 32));
    CHECK(same(out, ABC));
    OK(rustcrypto_digest(RUSTCRYPTO_SHA256, 0, NULL, NULL, out, 32));
    CHECK(same(out, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"));
    REFUSED(rustcrypto_digest(RUSTCRYPTO_SHA256, 3, addr, bad, out, 32));
    REFUSED(rustcrypto_digest(RUSTCRYPTO_SHA256, 3, NULL, len, out, 32));
    REFUSED(rustcrypto_digest(RUSTCRYPTO_SHA256, 3, addr, NULL, out, 32));
    REFUSED(rustcrypto_digest(RUSTCRYPTO_SHA256, (size_t)-1, addr, len, out, 32));
    REFUSED(rustcrypto_digest(99, 3, addr, len, out, 32));
    REFUSED(rustcrypto_digest(RUSTCRYPTO_SHAKE128, 3, addr, len, out, 32));
    TOO_SHORT(rustcrypto_digest(RUSTCRYPTO_SHA256, 3, addr, len, out, 31));
    REFUSED(rustcrypto_digest(RUSTCRYPTO_SHA256, 3, addr, len, NULL, 32));
    CHECK(strlen(rustcrypto_last_error()) > 0);

    /* The output over the input. */
    uint8_t both[32] = "abc";
    const uint8_t *in = both;
    const size_t three = 3;
    OK(rustcrypto_digest(RUSTCRYPTO_SHA256, 1, &in, &three, both, 32));
    CHECK(same(both, ABC));

    if (!offered(rustcrypto_xof(RUSTCRYPTO_SHAKE128, NULL, 0, out, 32), "SHAKE"))
        return;
    CHECK(same(out, "7f9c2ba4e88f827d616045507605853ed73b8093f6efbc88eb1a6eacfa66ef26"));
    REFUSED(rustcrypto_xof(RUSTCRYPTO_SHAKE128, out, 32, out + 31, 32));
    REFUSED(rustcrypto_xof(RUSTCRYPTO_SHA256, NULL, 0, out, 32));
    OK(rustcrypto_xof(RUSTCRYPTO_SHAKE256, NULL, 0, NULL, 0));
}

static void contexts(void) {
    uint8_t out[32], copy_out[32];
    rustcrypto_digest_ctx *ctx = rustcrypto_digest_new(RUSTCRYPTO_SHA256), *copy;
    CHECK(ctx != NULL && rustcrypto_digest_new(0) == NULL && rustcrypto_digest_new(RUSTCRYPTO_SHAKE256) == NULL);
    OK(rustcrypto_digest_update(ctx, (const uint8_t *)"ab", 2));
    CHECK((copy = rustcrypto_digest_clone(ctx)) != NULL);
    OK(rustcrypto_digest_update(ctx, (const uint8_t *)"c", 1));
    REFUSED(rustcrypto_digest_update(ctx, NULL, 1));
    OK(rustcrypto_digest_update(ctx, NULL, 0));
    /* A refused finish leaves the hash running. */
    TOO_SHORT(rustcrypto_digest_finish(ctx, out, 31));
    CHECK(rustcrypto_digest_finish(ctx, NULL, 32) < 0);
    OK(rustcrypto_digest_finish(ctx, out, 32));
    CHECK(same(out, ABC));
    /* And it starts over. */
    OK(rustcrypto_digest_update(ctx, (const uint8_t *)"x", 1));
    OK(rustcrypto_digest_reset(ctx));
    OK(rustcrypto_digest_update(ctx, (const uint8_t *)"abc", 3));
    OK(rustcrypto_digest_finish(ctx, out, 32));
    CHECK(same(out, ABC));
    OK(rustcrypto_digest_update(copy, (const uint8_t *)"c", 1));
    rustcrypto_digest_free(ctx);
    OK(rustcrypto_digest_finish(copy, copy_out, 32));
    CHECK(same(copy_out, ABC));
    rustcrypto_digest_free(copy);
    rustcrypto_digest_free(NULL);
    REFUSED(rustcrypto_digest_update(NULL, NULL, 0));
    REFUSED(rustcrypto_digest_finish(NULL, out, 32));
    REFUSED(rustcrypto_digest_reset(NULL));
    CHECK(rustcrypto_digest_clone(NULL) == NULL);
}

static void macs(void) {
    uint8_t out[64];
    const uint8_t *addr = (const uint8_t *)"what do ya want for nothing?";
    const size_t len = 28;
    /* RFC 4231, case 2. */
    static const char expected[] = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";
    OK(rustcrypto_hmac(RUSTCRYPTO_SHA256, (const uint8_t *)"Jefe", 4, 1, &addr, &len, out, 32));
    CHECK(same(out, expected));
    TOO_SHORT(rustcrypto_hmac(RUSTCRYPTO_SHA256, (const uint8_t *)"Jefe", 4, 1, &addr, &len, out, 31));
    REFUSED(rustcrypto_hmac(RUSTCRYPTO_SHA256, NULL, 4, 1, &addr, &len, out, 32));
    CHECK(rustcrypto_hmac(RUSTCRYPTO_SHA3_256, NULL, 0, 1, &addr, &len, out, 32) == RUSTCRYPTO_UNSUPPORTED);

    rustcrypto_hmac_ctx *ctx = rustcrypto_hmac_new(RUSTCRYPTO_SHA256, (const uint8_t *)"Jefe", 4);
    CHECK(ctx != NULL && rustcrypto_hmac_new(77, NULL, 0) == NULL);
    for (int i = 0; i < 2; i++) {
        OK(rustcrypto_hmac_update(ctx, addr, 10));
        OK(rustcrypto_hmac_update(ctx, addr + 10, 18));
        TOO_SHORT(rustcrypto_hmac_finish(ctx, out, 0));
        OK(rustcrypto_hmac_finish(ctx, out, sizeof out));
        CHECK(same(out, expected));
    }
    rustcrypto_hmac_free(ctx);
    rustcrypto_hmac_free(NULL);
    REFUSED(rustcrypto_hmac_update(NULL, addr, 1));
    REFUSED(rustcrypto_hmac_finish(NULL, out, 32));
}

static void kdfs(void) {
    uint8_t out[64], prk[32];
    size_t n, m, k;
    /* RFC 5869, appendix A.1. */
    uint8_t *ikm = hex("0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b", &n);
    uint8_t *salt = hex("000102030405060708090a0b0c", &m), *info = hex("f0f1f2f3f4f5f6f7f8f9", &k);
    static const char okm[] =
        "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865";
    OK(rustcrypto_hkdf(RUSTCRYPTO_SHA256, salt, m, ikm, n, info, k, out, 42));
    CHECK(same(out, okm));
    OK(rustcrypto_hkdf_extract(RUSTCRYPTO_SHA256, salt, m, ikm, n, prk, 32));
    memset(out, 0, sizeof out);
    OK(rustcrypto_hkdf_expand(RUSTCRYPTO_SHA256, prk, 32, info, k, out, 42));
    CHECK(same(out, okm));
    TOO_SHORT(rustcrypto_hkdf_extract(RUSTCRYPTO_SHA256, salt, m, ikm, n, prk, 31));
    REFUSED(rustcrypto_hkdf_expand(RUSTCRYPTO_SHA256, prk, 31, info, k, out, 42));
    REFUSED(rustcrypto_hkdf_expand(RUSTCRYPTO_SHA256, out, 32, info, k, out, 42));
    REFUSED(rustcrypto_hkdf(RUSTCRYPTO_SHA256, salt, m, ikm, n, info, k, out, (size_t)-1 / 2));
    CHECK(rustcrypto_hkdf(RUSTCRYPTO_MD5, salt, m, ikm, n, info, k, out, 4) == RUSTCRYPTO_UNSUPPORTED);

    /* IEEE 802.11, annex J.4.2. */
    const uint8_t *word = (const uint8_t *)"password", *ssid = (const uint8_t *)"IEEE";
    OK(rustcrypto_pbkdf2(RUSTCRYPTO_SHA1, word, 8, ssid, 4, 4096, out, 32));
    CHECK(same(out, "f42c6fc52df0ebef9ebb4b90b38a5f902e83fe1b135a70e23aed762e9710a12e"));
    REFUSED(rustcrypto_pbkdf2(RUSTCRYPTO_SHA1, word, 8, ssid, 4, 0, out, 32));
    REFUSED(rustcrypto_pbkdf2(RUSTCRYPTO_SHA1, word, 8, ssid, 4, 1, NULL, 32));

    OK(rustcrypto_kbkdf_ctr(RUSTCRYPTO_SHA256, ikm, n, salt, m, info, k, out, 40));
    REFUSED(rustcrypto_kbkdf_ctr(RUSTCRYPTO_SHA256, out, n, salt, m, info, k, out, 40));
    REFUSED(rustcrypto_kbkdf_ctr(RUSTCRYPTO_SHA256, ikm, n, NULL, m, info, k, out, 40));
    free(ikm), free(salt), free(info);
}

int main(void) {
    digests();
    contexts();
    macs();
    kdfs();
    return FINISHED;
}
