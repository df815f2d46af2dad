/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Curves and points as SAE uses them, ML-KEM; every argument the same object, and every wrong way to call them. */
#include "check.h"

#define MAX 66

static void arithmetic(int32_t group, size_t bits) {
    rustcrypto_ec *e = rustcrypto_ec_new(group);
    CHECK(e != NULL && rustcrypto_ec_prime_bits(e) == bits);
    size_t len = rustcrypto_ec_prime_len(e);
    CHECK(len == (bits + 7) / 8 && rustcrypto_ec_order_len(e) == len);
    const rustcrypto_ec_point *g = rustcrypto_ec_generator(e);
    uint8_t x[MAX], y[MAX], xy[2 * MAX], y2[MAX];
    size_t n;

    /* The generator is on y^2 = x^3 + ax + b, and a = p - 3. */
    rustcrypto_bignum *bx = rustcrypto_bignum_new(), *by, *r = rustcrypto_bignum_new(), *three, *squared;
    OK(rustcrypto_ec_point_x(e, g, bx));
    OK(rustcrypto_ec_point_to_bytes(e, g, x, y));
    CHECK((by = rustcrypto_bignum_from_bytes(y, len)) != NULL);
    OK(rustcrypto_bignum_sqrmod(by, rustcrypto_ec_prime(e), by));
    CHECK((squared = rustcrypto_ec_y_squared(e, bx)) != NULL && rustcrypto_bignum_cmp(squared, by) == 0);
    CHECK(rustcrypto_bignum_legendre(squared, rustcrypto_ec_prime(e)) == 1);
    CHECK((three = rustcrypto_bignum_from_uint(3)) != NULL);
    OK(rustcrypto_bignum_add(rustcrypto_ec_a(e), three, r));
    CHECK(rustcrypto_bignum_cmp(r, rustcrypto_ec_prime(e)) == 0);
    OK(rustcrypto_bignum_to_bytes(rustcrypto_ec_b(e), y2, sizeof y2, len, &n));
    CHECK(n == len);

    /* p = g + g, with result and operands one object; 3g = 2g + g; g - g = infinity. */
    memcpy(xy, x, len);
    memcpy(xy + len, y, len);
    rustcrypto_ec_point *p = rustcrypto_ec_point_from_bytes(e, xy), *q = rustcrypto_ec_point_new(e);
    CHECK(p && q && rustcrypto_ec_point_cmp(e, p, g) == 0 && rustcrypto_ec_point_is_infinity(e, q));
    OK(rustcrypto_ec_point_add(e, p, p, p));
    OK(rustcrypto_ec_point_add(e, p, g, p));
    OK(rustcrypto_ec_point_mul(e, g, three, q));
    CHECK(rustcrypto_ec_point_cmp(e, p, q) == 0 && rustcrypto_ec_point_cmp(e, p, g) == 1);
    OK(rustcrypto_ec_point_invert(e, p));
    OK(rustcrypto_ec_point_add(e, p, q, q));
    CHECK(rustcrypto_ec_point_is_infinity(e, q) && !rustcrypto_ec_point_is_infinity(e, p));
    REFUSED(rustcrypto_ec_point_to_bytes(e, q, x, y));
    REFUSED(rustcrypto_ec_point_x(e, q, bx));
    OK(rustcrypto_ec_point_to_bytes(e, p, x, NULL));
    OK(rustcrypto_ec_point_to_bytes(e, p, NULL, y));
    OK(rustcrypto_ec_point_mul(e, p, rustcrypto_ec_order(e), p));
    CHECK(rustcrypto_ec_point_is_infinity(e, p));

    /* What is not a point, and what is NULL. */
    xy[2 * len - 1] ^= 1;
    CHECK(rustcrypto_ec_point_from_bytes(e, xy) == NULL && strlen(rustcrypto_last_error()) > 0);
    memset(xy, 0xff, sizeof xy);
    CHECK(rustcrypto_ec_point_from_bytes(e, xy) == NULL && rustcrypto_ec_point_from_bytes(e, NULL) == NULL);
    CHECK(rustcrypto_ec_point_from_bytes(NULL, xy) == NULL && rustcrypto_ec_point_new(NULL) == NULL);
    REFUSED(rustcrypto_ec_point_add(e, NULL, g, q));
    REFUSED(rustcrypto_ec_point_add(e, g, NULL, q));
    REFUSED(rustcrypto_ec_point_add(e, g, g, NULL));
    REFUSED(rustcrypto_ec_point_add(NULL, g, g, q));
    REFUSED(rustcrypto_ec_point_mul(e, g, NULL, q));
    REFUSED(rustcrypto_ec_point_mul(e, NULL, three, q));
    REFUSED(rustcrypto_ec_point_invert(e, NULL));
    CHECK(rustcrypto_ec_y_squared(e, NULL) == NULL && rustcrypto_ec_y_squared(NULL, three) == NULL);
    CHECK(rustcrypto_ec_point_is_on_curve(e, g) == 1 && rustcrypto_ec_point_is_on_curve(e, NULL) == 0);
    CHECK(rustcrypto_ec_point_cmp(e, g, NULL) == 1 && rustcrypto_ec_point_is_infinity(e, NULL) == 0);

    /* A point of another curve is refused. */
    rustcrypto_ec *other = rustcrypto_ec_new(group == 19 ? 20 : 19);
    const rustcrypto_ec_point *stranger = rustcrypto_ec_generator(other);
    REFUSED(rustcrypto_ec_point_add(e, g, stranger, q));
    REFUSED(rustcrypto_ec_point_mul(e, stranger, three, q));
    CHECK(rustcrypto_ec_point_is_on_curve(e, stranger) == 0 && rustcrypto_ec_point_cmp(e, g, stranger) == 1);

    rustcrypto_ec_free(other);
    rustcrypto_bignum_free(bx);
    rustcrypto_bignum_free(by);
    rustcrypto_bignum_free(r);
    rustcrypto_bignum_free(three);
    rustcrypto_bignum_free(squared);
    rustcrypto_ec_point_free(p);
    rustcrypto_ec_point_free(q);
    rustcrypto_ec_free(e);
}

static void kem(const char *name, int32_t alg, size_t pub_len, size_t ct_len) {
    uint8_t *pub = malloc(pub_len), *ct = malloc(ct_len), a[32], b[32];
    size_t n;
    rustcrypto_kem_key *key = rustcrypto_kem_generate(alg);
    if (!made(key, name)) {
        free(pub), free(ct);
        return;
    }
    CHECK(key != NULL);
    TOO_SHORT(rustcrypto_kem_public(key, pub, pub_len - 1, &n));
    CHECK(n == pub_len);
    OK(rustcrypto_kem_public(key, pub, pub_len, &n));
    OK(rustcrypto_kem_encapsulate(alg, pub, pub_len, ct, ct_len, &n, a, 32));
    CHECK(n == ct_len);
    OK(rustcrypto_kem_decapsulate(key, ct, ct_len, b, 32));
    CHECK(memcmp(a, b, 32) == 0);
    ct[0] ^= 1;
    OK(rustcrypto_kem_decapsulate(key, ct, ct_len, b, 32));
    CHECK(memcmp(a, b, 32) != 0);
    REFUSED(rustcrypto_kem_decapsulate(key, ct, ct_len - 1, b, 32));
    REFUSED(rustcrypto_kem_decapsulate(NULL, ct, ct_len, b, 32));
    TOO_SHORT(rustcrypto_kem_decapsulate(key, ct, ct_len, b, 31));
    REFUSED(rustcrypto_kem_encapsulate(alg, pub, pub_len - 1, ct, ct_len, &n, a, 32));
    TOO_SHORT(rustcrypto_kem_encapsulate(alg, pub, pub_len, ct, ct_len - 1, &n, a, 32));
    TOO_SHORT(rustcrypto_kem_encapsulate(alg, pub, pub_len, ct, ct_len, &n, a, 31));
    memset(pub, 0xff, pub_len);
    REFUSED(rustcrypto_kem_encapsulate(alg, pub, pub_len, ct, ct_len, &n, a, 32));
    rustcrypto_kem_free(key);
    free(pub);
    free(ct);
}

int main(void) {
    arithmetic(19, 256);
    arithmetic(20, 384);
    arithmetic(21, 521);
    CHECK(rustcrypto_ec_new(0) == NULL && rustcrypto_ec_new(-1) == NULL && rustcrypto_ec_new(25) == NULL);
    CHECK(rustcrypto_ec_prime_len(NULL) == 0 && rustcrypto_ec_prime_bits(NULL) == 0 && rustcrypto_ec_order_len(NULL) == 0);
    CHECK(rustcrypto_ec_prime(NULL) == NULL && rustcrypto_ec_order(NULL) == NULL && rustcrypto_ec_a(NULL) == NULL);
    CHECK(rustcrypto_ec_b(NULL) == NULL && rustcrypto_ec_generator(NULL) == NULL);
    rustcrypto_ec_free(NULL);
    rustcrypto_ec_point_free(NULL);
    kem("ML-KEM-512", RUSTCRYPTO_MLKEM512, 800, 768);
    kem("ML-KEM-768", RUSTCRYPTO_MLKEM768, 1184, 1088);
    kem("ML-KEM-1024", RUSTCRYPTO_MLKEM1024, 1568, 1568);
    CHECK(rustcrypto_kem_generate(0) == NULL && rustcrypto_kem_generate(4) == NULL);
    rustcrypto_kem_free(NULL);
    return FINISHED;
}
