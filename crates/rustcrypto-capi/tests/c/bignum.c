/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Big numbers and finite-field Diffie-Hellman: every argument the same object, and every wrong way to call them. */
#include "check.h"

typedef rustcrypto_bignum bn;

static bn *num(uint32_t v) {
    bn *n = rustcrypto_bignum_from_uint(v);
    CHECK(n != NULL);
    return n;
}

static int is(const bn *n, uint32_t v) {
    bn *expected = num(v);
    int equal = rustcrypto_bignum_cmp(n, expected) == 0;
    rustcrypto_bignum_free(expected);
    return equal;
}

static void life(void) {
    uint8_t out[8];
    size_t len;
    bn *zero = rustcrypto_bignum_new(), *n = rustcrypto_bignum_from_bytes((const uint8_t *)"\0\1\2", 3);
    bn *empty = rustcrypto_bignum_from_bytes(NULL, 0);
    CHECK(zero && n && empty && rustcrypto_bignum_is_zero(zero) && rustcrypto_bignum_is_zero(empty));
    CHECK(rustcrypto_bignum_from_bytes(NULL, 1) == NULL && strlen(rustcrypto_last_error()) > 0);
    CHECK(rustcrypto_bignum_from_bytes(out, 100000) == NULL);
    OK(rustcrypto_bignum_to_bytes(n, out, 8, 4, &len));
    CHECK(len == 4 && memcmp(out, "\0\0\1\2", 4) == 0);
    OK(rustcrypto_bignum_to_bytes(n, out, 8, 0, &len));
    CHECK(len == 2 && memcmp(out, "\1\2", 2) == 0);
    OK(rustcrypto_bignum_to_bytes(n, out, 8, 1, &len)); /* longer than asked for: as hostapd has it */
    CHECK(len == 2);
    OK(rustcrypto_bignum_to_bytes(n, out, 2, 2, NULL));
    TOO_SHORT(rustcrypto_bignum_to_bytes(n, out, 1, 0, &len));
    CHECK(len == 2);
    TOO_SHORT(rustcrypto_bignum_to_bytes(n, out, 8, 9, &len));
    CHECK(len == 9);
    REFUSED(rustcrypto_bignum_to_bytes(n, NULL, 8, 8, &len));
    REFUSED(rustcrypto_bignum_to_bytes(NULL, out, 8, 8, &len));
    REFUSED(rustcrypto_bignum_to_bytes(n, out, 8, (size_t)-1, &len));
    CHECK(rustcrypto_bignum_bits(n) == 9 && rustcrypto_bignum_bits(zero) == 0 && rustcrypto_bignum_bits(NULL) == 0);
    CHECK(!rustcrypto_bignum_is_odd(n) && !rustcrypto_bignum_is_one(n) && !rustcrypto_bignum_is_zero(NULL));
    rustcrypto_bignum_free(zero);
    rustcrypto_bignum_free(n);
    rustcrypto_bignum_free(empty);
    rustcrypto_bignum_free(NULL);
}

/* The result over each of the operands, and all operands the same. */
static void aliases(void) {
    bn *a = num(1000), *b = num(7), *m = num(13);
    OK(rustcrypto_bignum_add(a, b, a)); /* a = 1007 */
    CHECK(is(a, 1007));
    OK(rustcrypto_bignum_add(b, a, b)); /* b = 1014 */
    OK(rustcrypto_bignum_sub(b, a, b)); /* b = 7 */
    CHECK(is(b, 7));
    OK(rustcrypto_bignum_add(b, b, b)); /* b = 14 */
    OK(rustcrypto_bignum_sub(a, b, b)); /* b = 993 */
    CHECK(is(b, 993));
    OK(rustcrypto_bignum_sub(a, a, a));
    CHECK(rustcrypto_bignum_is_zero(a));
    OK(rustcrypto_bignum_mod(b, m, b)); /* 993 mod 13 = 5 */
    CHECK(is(b, 5));
    OK(rustcrypto_bignum_exptmod(b, b, m, b)); /* 5^5 mod 13 = 5 */
    CHECK(is(b, 5));
    OK(rustcrypto_bignum_inverse(b, m, b)); /* 8 */
    CHECK(is(b, 8));
    OK(rustcrypto_bignum_mulmod(b, b, m, b)); /* 64 mod 13 = 12 */
    CHECK(is(b, 12));
    OK(rustcrypto_bignum_sqrmod(b, m, b)); /* 1 */
    CHECK(rustcrypto_bignum_is_one(b));
    OK(rustcrypto_bignum_addmod(m, b, m, m)); /* 14 mod 13 = 1, over the modulus */
    CHECK(rustcrypto_bignum_is_one(m));
    OK(rustcrypto_bignum_div(m, m, m));
    CHECK(rustcrypto_bignum_is_one(m));
    OK(rustcrypto_bignum_rshift(m, 0, m));
    OK(rustcrypto_bignum_rshift(m, 1, m));
    CHECK(rustcrypto_bignum_is_zero(m));
    CHECK(rustcrypto_bignum_cmp(m, m) == 0);
    rustcrypto_bignum_free(a);
    rustcrypto_bignum_free(b);
    rustcrypto_bignum_free(m);
}

static void refusals(void) {
    bn *a = num(5), *zero = num(0), *even = num(4), *r = num(77), *p = num(7);
    REFUSED(rustcrypto_bignum_sub(zero, a, r));
    REFUSED(rustcrypto_bignum_mod(a, zero, r));
    REFUSED(rustcrypto_bignum_div(a, zero, r));
    REFUSED(rustcrypto_bignum_inverse(zero, a, r));
    REFUSED(rustcrypto_bignum_inverse(even, even, r));
    REFUSED(rustcrypto_bignum_exptmod(a, a, zero, r));
    REFUSED(rustcrypto_bignum_addmod(a, a, zero, r));
    REFUSED(rustcrypto_bignum_mulmod(a, a, zero, r));
    REFUSED(rustcrypto_bignum_sqrmod(a, zero, r));
    REFUSED(rustcrypto_bignum_rand(r, zero));
    REFUSED(rustcrypto_bignum_rshift(a, -1, r));
    REFUSED(rustcrypto_bignum_add(NULL, a, r));
    REFUSED(rustcrypto_bignum_add(a, NULL, r));
    REFUSED(rustcrypto_bignum_add(a, a, NULL));
    REFUSED(rustcrypto_bignum_exptmod(a, a, NULL, r));
    REFUSED(rustcrypto_bignum_rand(NULL, a));
    REFUSED(rustcrypto_bignum_rand(r, NULL));
    CHECK(is(r, 77)); /* a refusal leaves the result alone */
    CHECK(rustcrypto_bignum_cmp(zero, a) == -1 && rustcrypto_bignum_cmp(a, zero) == 1);
    CHECK(rustcrypto_bignum_cmp(NULL, a) == -1 && rustcrypto_bignum_cmp(NULL, NULL) == 0);
    CHECK(rustcrypto_bignum_legendre(a, p) == -1 && rustcrypto_bignum_legendre(even, p) == 1);
    CHECK(rustcrypto_bignum_legendre(p, p) == 0 && rustcrypto_bignum_legendre(a, even) == -2);
    CHECK(rustcrypto_bignum_legendre(NULL, p) == -2 && rustcrypto_bignum_legendre(a, NULL) == -2);
    for (int i = 0; i < 20; i++) {
        OK(rustcrypto_bignum_rand(r, a));
        CHECK(rustcrypto_bignum_cmp(r, a) < 0);
        OK(rustcrypto_bignum_rand(a, a)); /* over the modulus */
        rustcrypto_bignum_free(a);
        a = num(5);
    }
    rustcrypto_bignum_free(a);
    rustcrypto_bignum_free(zero);
    rustcrypto_bignum_free(even);
    rustcrypto_bignum_free(r);
    rustcrypto_bignum_free(p);
}

/* RFC 3526 group 5. */
static const char GROUP5[] = "ffffffffffffffffc90fdaa22168c234c4c6628b80dc1cd129024e088a67cc74020bbea63b139b22514a08798e3404dd"
                             "ef9519b3cd3a431b302b0a6df25f14374fe1356d6d51c245e485b576625e7ec6f44c42e9a637ed6b0bff5cb6f406b7ed"
                             "ee386bfb5a899fa5ae9f24117c4b1fe649286651ece45b3dc2007cb8a163bf0598da48361c55d39a69163fa8fd24cf5f"
                             "83655d23dca3ad961c62f356208552bb9ed529077096966d670c354e4abc9804f1746c08ca237327ffffffffffffffff";

static void dh(void) {
    size_t n, len;
    uint8_t *p = hex(GROUP5, &n), *a = malloc(n), *b = malloc(n), *ya = malloc(n), *yb = malloc(n), *za = malloc(n),
            *zb = malloc(n);
    CHECK(n == 192);
    OK(rustcrypto_dh_generate(p, n, 2, a, n, ya, n));
    OK(rustcrypto_dh_generate(p, n, 2, b, n, yb, n));
    OK(rustcrypto_dh_derive(p, n, NULL, 0, a, n, yb, n, za, n, &len));
    CHECK(len == n);
    OK(rustcrypto_dh_derive(p, n, NULL, 0, b, n, ya, n, zb, n, &len));
    CHECK(memcmp(za, zb, n) == 0);
    OK(rustcrypto_modexp(yb, n, a, n, p, n, zb, n, &len));
    CHECK(memcmp(za, zb, n) == 0);
    OK(rustcrypto_modexp(yb, n, a, n, p, n, yb, n, &len)); /* over the base */
    CHECK(memcmp(za, yb, n) == 0);
    REFUSED(rustcrypto_dh_derive(p, n, NULL, 0, a, n, (const uint8_t *)"\1", 1, za, n, &len));
    REFUSED(rustcrypto_dh_derive(p, n, NULL, 0, a, n, p, n, za, n, &len));
    REFUSED(rustcrypto_dh_derive(p, n, (const uint8_t *)"\3", 1, a, n, ya, n, za, n, &len));
    REFUSED(rustcrypto_dh_derive(NULL, n, NULL, 0, a, n, ya, n, za, n, &len));
    TOO_SHORT(rustcrypto_dh_derive(p, n, NULL, 0, a, n, ya, n, za, n - 1, &len));
    CHECK(len == n);
    TOO_SHORT(rustcrypto_dh_generate(p, n, 2, a, n - 1, ya, n));
    TOO_SHORT(rustcrypto_dh_generate(p, n, 2, a, n, ya, n - 1));
    REFUSED(rustcrypto_dh_generate(p, n, 2, a, n, a, n));
    REFUSED(rustcrypto_dh_generate(p, n, 0, a, n, ya, n));
    REFUSED(rustcrypto_dh_generate(p, 8, 2, a, n, ya, n));
    REFUSED(rustcrypto_modexp(ya, n, a, n, NULL, 0, za, n, &len));
    free(p), free(a), free(b), free(ya), free(yb), free(za), free(zb);
}

int main(void) {
    life();
    aliases();
    refusals();
    dh();
    return 0;
}
