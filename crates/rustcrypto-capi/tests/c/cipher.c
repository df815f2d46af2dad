/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* AES, its modes, AEADs and the legacy ciphers: vectors, and every wrong way to call them. */
#include "check.h"

static void aes(void) {
    uint8_t key[32], block[16], out[16];
    for (int i = 0; i < 32; i++)
        key[i] = (uint8_t)i;
    for (int i = 0; i < 16; i++)
        block[i] = (uint8_t)(i * 0x11);
    rustcrypto_aes *aes = rustcrypto_aes_new(key, 16);
    CHECK(aes && !rustcrypto_aes_new(key, 17) && !rustcrypto_aes_new(NULL, 16) && !rustcrypto_aes_new(NULL, 0));
    OK(rustcrypto_aes_encrypt_block(aes, block, out));
    CHECK(same(out, "69c4e0d86a7b0430d8cdb78070b4c55a")); /* FIPS 197, C.1 */
    OK(rustcrypto_aes_decrypt_block(aes, out, out));
    CHECK(memcmp(out, block, 16) == 0);
    REFUSED(rustcrypto_aes_encrypt_block(NULL, block, out));
    REFUSED(rustcrypto_aes_encrypt_block(aes, NULL, out));
    REFUSED(rustcrypto_aes_decrypt_block(aes, block, NULL));
    rustcrypto_aes_free(aes);
    rustcrypto_aes_free(NULL);
}

static void modes(void) {
    size_t n;
    uint8_t key[16] = {0}, iv[16] = {0}, *data = calloc(1, 48), out[64], back[32];
    CHECK(data != NULL);
    OK(rustcrypto_aes_cbc_encrypt(key, 16, iv, data, 48));
    OK(rustcrypto_aes_cbc_decrypt(key, 16, iv, data, 48));
    CHECK(data[0] == 0 && data[47] == 0);
    REFUSED(rustcrypto_aes_cbc_encrypt(key, 16, iv, data, 47));
    REFUSED(rustcrypto_aes_cbc_decrypt(key, 16, NULL, data, 48));
    REFUSED(rustcrypto_aes_cbc_encrypt(key, 5, iv, data, 48));
    REFUSED(rustcrypto_aes_cbc_encrypt(key, 16, iv, NULL, 48));
    OK(rustcrypto_aes_cbc_encrypt(key, 16, iv, NULL, 0));
    OK(rustcrypto_aes_ctr(key, 16, iv, data, 47));
    /* The IV may lie in the data: it is read first. */
    OK(rustcrypto_aes_ctr(key, 16, data, data, 48));
    REFUSED(rustcrypto_aes_ctr(key, 16, NULL, data, 47));

    /* RFC 3394, 4.1. */
    uint8_t *kek = hex("000102030405060708090A0B0C0D0E0F", NULL), *plain = hex("00112233445566778899AABBCCDDEEFF", &n);
    OK(rustcrypto_aes_wrap(kek, 16, plain, n, out, 24));
    CHECK(same(out, "1FA68B0A8112B447AEF34BD8FB5A7B829D3E862371D2CFE5"));
    OK(rustcrypto_aes_unwrap(kek, 16, out, 24, back, 16));
    CHECK(memcmp(back, plain, 16) == 0);
    OK(rustcrypto_aes_unwrap(kek, 16, out, 24, out, 16)); /* in place */
    CHECK(memcmp(out, plain, 16) == 0);
    OK(rustcrypto_aes_wrap(kek, 16, out, 16, out, 24));
    out[5] ^= 1;
    memset(back, 1, sizeof back);
    CHECK(rustcrypto_aes_unwrap(kek, 16, out, 24, back, 16) == RUSTCRYPTO_AUTHENTICATION);
    CHECK(back[0] == 0 && back[15] == 0);
    TOO_SHORT(rustcrypto_aes_wrap(kek, 16, plain, 16, out, 23));
    TOO_SHORT(rustcrypto_aes_unwrap(kek, 16, out, 24, back, 15));
    REFUSED(rustcrypto_aes_wrap(kek, 16, plain, 8, out, 24));
    REFUSED(rustcrypto_aes_wrap(kek, 16, plain, 15, out, 24));
    REFUSED(rustcrypto_aes_wrap(kek, 16, NULL, 16, out, 24));
    REFUSED(rustcrypto_aes_unwrap(kek, 16, out, 7, back, 16));
    REFUSED(rustcrypto_aes_unwrap(kek, 16, NULL, 0, NULL, 0));
    free(kek), free(plain), free(data);

    /* RFC 4493, example 3 in two pieces. */
    uint8_t *mac_key = hex("2b7e151628aed2a6abf7158809cf4f3c", NULL);
    uint8_t *msg = hex("6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411", &n);
    const uint8_t *addr[2] = {msg, msg + 7};
    const size_t len[2] = {7, 33};
    OK(rustcrypto_aes_cmac(mac_key, 16, 2, addr, len, out));
    CHECK(same(out, "dfa66747de9ae63030ca32611497c827"));
    REFUSED(rustcrypto_aes_cmac(mac_key, 16, 2, addr, len, NULL));
    REFUSED(rustcrypto_aes_cmac(mac_key, 15, 2, addr, len, out));
    free(mac_key), free(msg);
}

static void siv(void) {
    size_t n;
    /* RFC 5297, A.1. */
    uint8_t *key = hex("fffefdfcfbfaf9f8f7f6f5f4f3f2f1f0f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff", NULL), out[64];
    uint8_t *ad = hex("101112131415161718191a1b1c1d1e1f2021222324252627", &n), *text = hex("112233445566778899aabbccddee", NULL);
    const uint8_t *addr = ad;
    if (!offered(rustcrypto_aes_siv_encrypt(key, 32, 1, &addr, &n, text, 14, out, 30), "AES-SIV")) {
        free(key), free(ad), free(text);
        return;
    }
    CHECK(same(out, "85632d07c6e8f37f950acd320a2ecc9340c02b9690c4dc04daef7f6afe5c"));
    OK(rustcrypto_aes_siv_decrypt(key, 32, 1, &addr, &n, out, 30, out, 14)); /* in place */
    CHECK(memcmp(out, text, 14) == 0);
    OK(rustcrypto_aes_siv_encrypt(key, 32, 1, &addr, &n, out, 14, out, 64));
    out[20] ^= 1;
    CHECK(rustcrypto_aes_siv_decrypt(key, 32, 1, &addr, &n, out, 30, out, 14) == RUSTCRYPTO_AUTHENTICATION);
    TOO_SHORT(rustcrypto_aes_siv_encrypt(key, 32, 1, &addr, &n, text, 14, out, 29));
    TOO_SHORT(rustcrypto_aes_siv_decrypt(key, 32, 1, &addr, &n, out, 30, out, 13));
    CHECK(rustcrypto_aes_siv_decrypt(key, 32, 1, &addr, &n, out, 15, out, 14) == RUSTCRYPTO_AUTHENTICATION);
    REFUSED(rustcrypto_aes_siv_encrypt(key, 31, 1, &addr, &n, text, 14, out, 30));
    addr = out; /* associated data that would be overwritten */
    REFUSED(rustcrypto_aes_siv_encrypt(key, 32, 1, &addr, &n, text, 14, out, 30));
    OK(rustcrypto_aes_siv_encrypt(key, 32, 0, NULL, NULL, NULL, 0, out, 16));
    CHECK(rustcrypto_aes_siv_encrypt(key, 32, 0, NULL, NULL, NULL, 0, NULL, 16) < 0);
    free(key), free(ad), free(text);
}

static void aead(const char *name, int32_t alg, size_t key_len, size_t tag) {
    uint8_t key[32] = {1}, nonce[12] = {2}, aad[13] = {3}, text[100], *out = malloc(100 + tag), *back = malloc(100);
    size_t n;
    for (int i = 0; i < 100; i++)
        text[i] = (uint8_t)i;
    CHECK(out && back && rustcrypto_aead_new(alg, key, key_len - 1) == NULL && rustcrypto_aead_new(alg, NULL, key_len) == NULL);
    rustcrypto_aead_ctx *ctx = rustcrypto_aead_new(alg, key, key_len);
    if (!made(ctx, name)) {
        free(out), free(back);
        return;
    }
    CHECK(ctx != NULL);
    OK(rustcrypto_aead_seal(ctx, nonce, 12, aad, 13, text, 100, out, 100 + tag, &n));
    CHECK(n == 100 + tag);
    OK(rustcrypto_aead_open(ctx, nonce, 12, aad, 13, out, n, back, 100, &n));
    CHECK(n == 100 && memcmp(back, text, 100) == 0);
    /* In place, and shifted over itself. */
    uint8_t both[200];
    memcpy(both, text, 100);
    OK(rustcrypto_aead_seal(ctx, nonce, 12, aad, 13, both, 100, both, sizeof both, NULL));
    CHECK(memcmp(both, out, 100 + tag) == 0);
    OK(rustcrypto_aead_open(ctx, nonce, 12, aad, 13, both, 100 + tag, both + 1, 100, NULL));
    CHECK(memcmp(both + 1, text, 100) == 0);
    /* Empty text, empty additional data. */
    OK(rustcrypto_aead_seal(ctx, nonce, 12, NULL, 0, NULL, 0, both, sizeof both, &n));
    CHECK(n == tag);
    OK(rustcrypto_aead_open(ctx, nonce, 12, NULL, 0, both, n, NULL, 0, &n));
    CHECK(n == 0);
    /* Every bit counts, and no plaintext is left. */
    for (size_t i = 0; i < 100 + tag; i += 9) {
        out[i] ^= 0x80;
        CHECK(rustcrypto_aead_open(ctx, nonce, 12, aad, 13, out, 100 + tag, back, 100, NULL) == RUSTCRYPTO_AUTHENTICATION);
        CHECK(back[0] == 0 && back[50] == 0 && back[99] == 0);
        out[i] ^= 0x80;
    }
    CHECK(rustcrypto_aead_open(ctx, nonce, 12, aad, 12, out, 100 + tag, back, 100, NULL) == RUSTCRYPTO_AUTHENTICATION);
    CHECK(rustcrypto_aead_open(ctx, nonce, 12, aad, 13, out, tag - 1, back, 100, NULL) == RUSTCRYPTO_AUTHENTICATION);
    n = 0;
    TOO_SHORT(rustcrypto_aead_seal(ctx, nonce, 12, aad, 13, text, 100, out, 99 + tag, &n));
    CHECK(n == 100 + tag);
    TOO_SHORT(rustcrypto_aead_open(ctx, nonce, 12, aad, 13, out, 100 + tag, back, 99, &n));
    CHECK(n == 100);
    REFUSED(rustcrypto_aead_seal(ctx, nonce, 11, aad, 13, text, 100, out, 100 + tag, &n));
    REFUSED(rustcrypto_aead_seal(ctx, NULL, 12, aad, 13, text, 100, out, 100 + tag, &n));
    REFUSED(rustcrypto_aead_seal(ctx, nonce, 12, NULL, 13, text, 100, out, 100 + tag, &n));
    REFUSED(rustcrypto_aead_seal(ctx, nonce, 12, out + 50, 13, text, 100, out, 100 + tag, &n));
    REFUSED(rustcrypto_aead_seal(ctx, nonce, 12, aad, 13, NULL, 100, out, 100 + tag, &n));
    CHECK(rustcrypto_aead_seal(ctx, nonce, 12, aad, 13, text, (size_t)-1, out, 100, &n) < 0);
    CHECK(rustcrypto_aead_seal(ctx, nonce, 12, aad, 13, text, 100, NULL, 200, &n) < 0);
    REFUSED(rustcrypto_aead_seal(NULL, nonce, 12, aad, 13, text, 100, out, 100 + tag, &n));
    REFUSED(rustcrypto_aead_open(NULL, nonce, 12, aad, 13, text, 100, out, 100 + tag, &n));
    rustcrypto_aead_free(ctx);
    free(out), free(back);
}

static void legacy(void) {
    uint8_t key[8] = {0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef}, block[8], stream[16] = {0}, five[5] = {1, 2, 3, 4, 5};
    memcpy(block, "Now is t", 8);
    if (!offered(rustcrypto_des_encrypt_block(key, block, block), "DES and RC4"))
        return;
    CHECK(same(block, "3fa40e8a984d4815")); /* FIPS 81, table B1 */
    REFUSED(rustcrypto_des_encrypt_block(NULL, block, block));
    REFUSED(rustcrypto_des_encrypt_block(key, block, NULL));
    OK(rustcrypto_rc4(five, 5, 240, stream, 16));
    CHECK(same(stream, "28cb1132c96ce286421dcaadb8b69eae")); /* RFC 6229 */
    REFUSED(rustcrypto_rc4(five, 0, 0, stream, 16));
    REFUSED(rustcrypto_rc4(NULL, 5, 0, stream, 16));
}

int main(void) {
    aes();
    modes();
    siv();
    aead("AES-128-GCM", RUSTCRYPTO_AES_128_GCM, 16, 16);
    aead("AES-192-GCM", RUSTCRYPTO_AES_192_GCM, 24, 16);
    aead("AES-256-GCM", RUSTCRYPTO_AES_256_GCM, 32, 16);
    aead("ChaCha20-Poly1305", RUSTCRYPTO_CHACHA20_POLY1305, 32, 16);
    aead("AES-128-CCM", RUSTCRYPTO_AES_128_CCM, 16, 16);
    aead("AES-256-CCM", RUSTCRYPTO_AES_256_CCM, 32, 16);
    aead("AES-128-CCM-8", RUSTCRYPTO_AES_128_CCM_8, 16, 8);
    aead("AES-256-CCM-8", RUSTCRYPTO_AES_256_CCM_8, 32, 8);
    CHECK(rustcrypto_aead_new(0, NULL, 0) == NULL && rustcrypto_aead_new(1 << 30, (const uint8_t *)"", 1) == NULL);
    rustcrypto_aead_free(NULL);
    legacy();
    return FINISHED;
}
