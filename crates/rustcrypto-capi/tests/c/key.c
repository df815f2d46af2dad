/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Keys: making, writing, loading, signing, agreeing; and every wrong way to do it. */
#include <pthread.h>

#include "check.h"

static const uint8_t MESSAGE[] = "message";

/* Write the key with `call`, which must say how long it is when the buffer is too short; the caller frees. */
#define WRITE(call_with_out_cap_len)                                                                          \
    do {                                                                                                      \
        out = NULL, cap = 0;                                                                                  \
        TOO_SHORT(call_with_out_cap_len);                                                                     \
        CHECK(len > 0 && len < 10000);                                                                        \
        out = malloc(cap = len);                                                                              \
        OK(call_with_out_cap_len);                                                                            \
        CHECK(len == cap);                                                                                    \
    } while (0)

static void files(const rustcrypto_key *key) {
    uint8_t *out;
    size_t cap, len;
    for (int32_t format = RUSTCRYPTO_PEM; format <= RUSTCRYPTO_DER; format++) {
        WRITE(rustcrypto_key_private(key, format, out, cap, &len));
        rustcrypto_key *again = rustcrypto_key_load_private(out, len);
        CHECK(again != NULL && rustcrypto_key_equal_public(key, again) && rustcrypto_key_is_private(again));
        rustcrypto_key_free(again);
        CHECK(rustcrypto_key_load_public(out, len) == NULL);
        free(out);
        WRITE(rustcrypto_key_private_pkcs8(key, format, out, cap, &len));
        CHECK((again = rustcrypto_key_load_private(out, len)) != NULL && rustcrypto_key_equal_public(key, again));
        rustcrypto_key_free(again);
        CHECK(rustcrypto_key_load_private(out, len / 2) == NULL); /* cut off */
        free(out);
        WRITE(rustcrypto_key_public(key, format, out, cap, &len));
        CHECK((again = rustcrypto_key_load_public(out, len)) != NULL && rustcrypto_key_equal_public(key, again));
        CHECK(!rustcrypto_key_is_private(again) && rustcrypto_key_bits(again) == rustcrypto_key_bits(key));
        REFUSED(rustcrypto_key_private(again, format, NULL, 0, &len));
        REFUSED(rustcrypto_key_sign(again, RUSTCRYPTO_SHA256, RUSTCRYPTO_DEFAULT, MESSAGE, 7, NULL, 0, &len));
        rustcrypto_key_free(again);
        CHECK(rustcrypto_key_load_private(out, len) == NULL);
        free(out);
    }
    WRITE(rustcrypto_key_public_raw(key, out, cap, &len));
    free(out);
    REFUSED(rustcrypto_key_private(key, 0, NULL, 0, &len));
    REFUSED(rustcrypto_key_public(key, 3, NULL, 0, &len));
}

static void signatures(const rustcrypto_key *key, int32_t digest, int32_t padding) {
    uint8_t *out, hash[32], small[8];
    const uint8_t *part = MESSAGE;
    const size_t seven = 7;
    size_t cap, len;
    /* ECDSA signatures in DER vary in length: ask for enough. */
    out = malloc(cap = 8000);
    int32_t signed_ = rustcrypto_key_sign(key, digest, padding, MESSAGE, 7, out, cap, &len);
    if (signed_ == RUSTCRYPTO_UNSUPPORTED) { /* RSA where no constant-time code runs */
        CHECK(rustcrypto_key_type(key) == RUSTCRYPTO_KEY_RSA && strstr(rustcrypto_last_error(), "P-256"));
        free(out);
        return;
    }
    OK(signed_);
    OK(rustcrypto_key_verify(key, digest, padding, MESSAGE, 7, out, len));
    CHECK(rustcrypto_key_verify(key, digest, padding, MESSAGE, 6, out, len) == RUSTCRYPTO_AUTHENTICATION);
    CHECK(rustcrypto_key_verify(key, digest, padding, MESSAGE, 7, out, len - 1) == RUSTCRYPTO_AUTHENTICATION);
    CHECK(rustcrypto_key_verify(key, digest, padding, MESSAGE, 7, NULL, 0) == RUSTCRYPTO_AUTHENTICATION);
    TOO_SHORT(rustcrypto_key_sign(key, digest, padding, MESSAGE, 7, small, sizeof small, &len));
    REFUSED(rustcrypto_key_sign(key, digest, padding, NULL, 7, out, cap, &len));
    REFUSED(rustcrypto_key_sign(key, digest, 9, MESSAGE, 7, out, cap, &len));
    REFUSED(rustcrypto_key_sign(key, 99, padding, MESSAGE, 7, out, cap, &len));
    REFUSED(rustcrypto_key_sign(NULL, digest, padding, MESSAGE, 7, out, cap, &len));
    REFUSED(rustcrypto_key_verify(NULL, digest, padding, MESSAGE, 7, out, len));
    if (digest == RUSTCRYPTO_SHA256) {
        OK(rustcrypto_key_sign(key, digest, padding, MESSAGE, 7, out, cap, &len));
        OK(rustcrypto_digest(digest, 1, &part, &seven, hash, 32));
        OK(rustcrypto_key_verify_digest(key, digest, padding, hash, 32, out, len));
        hash[0] ^= 1;
        CHECK(rustcrypto_key_verify_digest(key, digest, padding, hash, 32, out, len) == RUSTCRYPTO_AUTHENTICATION);
        REFUSED(rustcrypto_key_verify_digest(key, digest, padding, hash, 31, out, len));
    }
    free(out);
}

static void agreement(int32_t type, size_t secret_len) {
    rustcrypto_key *a = rustcrypto_key_generate(type, 0), *b = rustcrypto_key_generate(type, 0);
    uint8_t ya[140], yb[140], za[66], zb[66];
    size_t na, nb, len;
    OK(rustcrypto_key_public_raw(a, ya, sizeof ya, &na));
    OK(rustcrypto_key_public_raw(b, yb, sizeof yb, &nb));
    OK(rustcrypto_key_agree(a, yb, nb, za, sizeof za, &len));
    CHECK(len == secret_len);
    OK(rustcrypto_key_agree(b, ya, na, zb, sizeof zb, &len));
    CHECK(memcmp(za, zb, len) == 0);
    TOO_SHORT(rustcrypto_key_agree(a, yb, nb, za, secret_len - 1, &len));
    REFUSED(rustcrypto_key_agree(a, yb, nb - 1, za, sizeof za, &len));
    REFUSED(rustcrypto_key_agree(NULL, yb, nb, za, sizeof za, &len));
    if (type != RUSTCRYPTO_KEY_X25519) { /* x || y, and x alone (OWE) */
        OK(rustcrypto_key_agree(b, ya + 1, na - 1, zb, sizeof zb, &len));
        CHECK(memcmp(za, zb, len) == 0);
        OK(rustcrypto_key_agree(b, ya + 1, (na - 1) / 2, zb, sizeof zb, &len));
        CHECK(memcmp(za, zb, len) == 0);
    }
    rustcrypto_key_free(a);
    rustcrypto_key_free(b);
}

static void ec_parts(void) {
    uint8_t scalar[66], point[140];
    size_t n, np;
    rustcrypto_key *key = rustcrypto_key_generate(RUSTCRYPTO_KEY_P256, 0), *again;
    OK(rustcrypto_key_scalar(key, scalar, sizeof scalar, &n));
    OK(rustcrypto_key_public_raw(key, point, sizeof point, &np));
    CHECK(n == 32 && np == 65 && point[0] == 4);
    CHECK((again = rustcrypto_key_from_ec_scalar(19, scalar, n)) && rustcrypto_key_equal_public(key, again));
    rustcrypto_key_free(again);
    CHECK((again = rustcrypto_key_from_ec_point(19, point, np)) && rustcrypto_key_equal_public(key, again));
    rustcrypto_key_free(again);
    CHECK((again = rustcrypto_key_from_ec_point(19, point + 1, np - 1)) && rustcrypto_key_equal_public(key, again));
    REFUSED(rustcrypto_key_scalar(again, scalar, sizeof scalar, &n));
    rustcrypto_key_free(again);
    CHECK((again = rustcrypto_key_clone(key)) && rustcrypto_key_is_private(again));
    rustcrypto_key_free(again);
    CHECK(rustcrypto_key_from_ec_point(19, point + 1, 32) == NULL);
    CHECK(rustcrypto_key_from_ec_point(20, point, np) == NULL && rustcrypto_key_from_ec_point(0, point, np) == NULL);
    memset(scalar, 0, 32);
    CHECK(rustcrypto_key_from_ec_scalar(19, scalar, 32) == NULL && rustcrypto_key_from_ec_scalar(19, NULL, 0) == NULL);
    rustcrypto_key_free(key);
}

static void from_file(void) {
    uint8_t pem[2000];
    size_t len;
    rustcrypto_key *key = rustcrypto_key_generate(RUSTCRYPTO_KEY_P256, 0), *again;
    FILE *file = fopen("key.pem", "wb");
    OK(rustcrypto_key_private(key, RUSTCRYPTO_PEM, pem, sizeof pem, &len));
    CHECK(file && fwrite(pem, 1, len, file) == len && fclose(file) == 0);
    CHECK((again = rustcrypto_key_load_private_file("key.pem")) && rustcrypto_key_equal_public(key, again));
    rustcrypto_key_free(again);
    CHECK(rustcrypto_key_load_public_file("key.pem") == NULL && strstr(rustcrypto_last_error(), "private"));
    CHECK(rustcrypto_key_load_private_file("no-such-file") == NULL && strstr(rustcrypto_last_error(), "no-such-file"));
    CHECK(rustcrypto_key_load_private_file(NULL) == NULL && rustcrypto_key_load_private_file(".") == NULL);
    CHECK(rustcrypto_key_load_private_file("/dev/zero") == NULL); /* endless */
    rustcrypto_key_free(key);
}

static void *sign_often(void *key) {
    uint8_t sig[64];
    size_t len;
    for (int i = 0; i < 20; i++) {
        OK(rustcrypto_key_sign(key, RUSTCRYPTO_SHA256, RUSTCRYPTO_RAW_RS, MESSAGE, 7, sig, sizeof sig, &len));
        OK(rustcrypto_key_verify(key, RUSTCRYPTO_SHA256, RUSTCRYPTO_RAW_RS, MESSAGE, 7, sig, len));
        TOO_SHORT(rustcrypto_key_sign(key, RUSTCRYPTO_SHA256, RUSTCRYPTO_RAW_RS, MESSAGE, 7, sig, 1, &len));
        CHECK(strstr(rustcrypto_last_error(), "64")); /* of this thread */
    }
    return NULL;
}

/* One key in three threads. */
static void threads(void) {
    rustcrypto_key *key = rustcrypto_key_generate(RUSTCRYPTO_KEY_P256, 0);
    pthread_t one, two;
    CHECK(key && !pthread_create(&one, NULL, sign_often, key) && !pthread_create(&two, NULL, sign_often, key));
    sign_often(key);
    CHECK(!pthread_join(one, NULL) && !pthread_join(two, NULL));
    rustcrypto_key_free(key);
}

int main(void) {
    static const struct {
        const char *name;
        int32_t type;
        uint32_t bits;
        int32_t digest;
    } kinds[] = {
        {"P256", RUSTCRYPTO_KEY_P256, 256, RUSTCRYPTO_SHA256}, {"P384", RUSTCRYPTO_KEY_P384, 384, RUSTCRYPTO_SHA384},
        {"P521", RUSTCRYPTO_KEY_P521, 521, RUSTCRYPTO_SHA512}, {"RSA", RUSTCRYPTO_KEY_RSA, 2048, RUSTCRYPTO_SHA256},
        {"ED25519", RUSTCRYPTO_KEY_ED25519, 255, 0},              {"MLDSA44", RUSTCRYPTO_KEY_MLDSA44, 10496, 0},
        {"MLDSA65", RUSTCRYPTO_KEY_MLDSA65, 15616, 0},            {"MLDSA87", RUSTCRYPTO_KEY_MLDSA87, 20736, 0},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        rustcrypto_key *key = rustcrypto_key_generate(kinds[i].type, 2048);
        if (i > 2 && !made(key, kinds[i].name))
            continue;
        CHECK(key != NULL && rustcrypto_key_type(key) == kinds[i].type && rustcrypto_key_bits(key) == kinds[i].bits);
        files(key);
        signatures(key, kinds[i].digest, RUSTCRYPTO_DEFAULT);
        if (i < 3)
            signatures(key, RUSTCRYPTO_SHA256, RUSTCRYPTO_RAW_RS);
        if (kinds[i].type == RUSTCRYPTO_KEY_RSA)
            signatures(key, RUSTCRYPTO_SHA256, RUSTCRYPTO_PSS);
        rustcrypto_key_free(key);
    }
    agreement(RUSTCRYPTO_KEY_P256, 32);
    agreement(RUSTCRYPTO_KEY_P384, 48);
    agreement(RUSTCRYPTO_KEY_P521, 66);
    agreement(RUSTCRYPTO_KEY_X25519, 32);
    ec_parts();
    from_file();
    threads();
    CHECK(rustcrypto_key_generate(0, 0) == NULL && rustcrypto_key_generate(-5, 0) == NULL);
    CHECK(rustcrypto_key_generate(RUSTCRYPTO_KEY_RSA, 1024) == NULL);
    CHECK(rustcrypto_key_load_private(NULL, 0) == NULL && rustcrypto_key_load_private(NULL, 5) == NULL);
    CHECK(rustcrypto_key_type(NULL) == RUSTCRYPTO_INVALID_ARGUMENT && rustcrypto_key_bits(NULL) == 0);
    CHECK(!rustcrypto_key_is_private(NULL) && !rustcrypto_key_equal_public(NULL, NULL));
    CHECK(rustcrypto_key_clone(NULL) == NULL);
    rustcrypto_key_free(NULL);
    return FINISHED;
}
