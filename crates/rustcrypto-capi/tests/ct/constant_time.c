/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* One operation on secrets that memcheck holds for undefined: a branch or an address that depends on one is an error there
 * ("Conditional jump or move depends on uninitialised value", "Use of uninitialised value"). Run by constant_time.rs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <valgrind/memcheck.h>

#include "rustcrypto.h"

#define LEN 32
#define DIE(what) (fprintf(stderr, "%s: %s\n", what, rustcrypto_last_error()), exit(1))
#define MUST(call)                                                                                            \
    do {                                                                                                      \
        int32_t result_ = (call);                                                                             \
        VALGRIND_MAKE_MEM_DEFINED(&result_, sizeof result_);                                                  \
        if (result_ != RUSTCRYPTO_OK)                                                                         \
            DIE(#call);                                                                                       \
    } while (0)

/* Below the order and the prime of every curve here, with few zero bits in a row. */
static uint8_t secret[LEN], other[LEN], out[8192];
static size_t out_len;

static void hide(void *p, size_t len) {
    VALGRIND_MAKE_MEM_UNDEFINED(p, len);
}

/* Results are given to a peer or used under a key schedule of the caller's: no longer this library's secret. */
static void reveal(void *p, size_t len) {
    VALGRIND_MAKE_MEM_DEFINED(p, len);
}

static rustcrypto_bignum *number(uint8_t *bytes) {
    rustcrypto_bignum *n = rustcrypto_bignum_from_bytes(bytes, LEN);
    if (!n)
        DIE("from_bytes");
    return n;
}

static void finish(const rustcrypto_bignum *n, size_t len) {
    MUST(rustcrypto_bignum_to_bytes(n, out, sizeof out, len, &out_len));
    reveal(out, out_len);
}

typedef int32_t (*binary)(const rustcrypto_bignum *, const rustcrypto_bignum *, rustcrypto_bignum *);
typedef int32_t (*ternary)(const rustcrypto_bignum *, const rustcrypto_bignum *, const rustcrypto_bignum *,
                           rustcrypto_bignum *);

static void bignum2(binary op, const rustcrypto_bignum *m) {
    rustcrypto_bignum *r = rustcrypto_bignum_new(), *a = number(secret), *b = number(other);
    MUST(op(a, m ? m : b, r));
    finish(r, 40);
}

static void bignum3(ternary op, const rustcrypto_bignum *m) {
    rustcrypto_bignum *r = rustcrypto_bignum_new();
    MUST(op(number(secret), number(other), m, r));
    finish(r, 40);
}

/* SAE's point arithmetic: element = -(mask * PWE), K = rand * (scalar * PWE + element), y^2 and its Legendre symbol. */
static void sae(int32_t group) {
    rustcrypto_ec *e = rustcrypto_ec_new(group);
    rustcrypto_ec_point *p = rustcrypto_ec_point_new(e);
    rustcrypto_bignum *a = number(secret), *b = number(other), *square;
    uint8_t x[66], y[66];
    MUST(rustcrypto_ec_point_mul(e, rustcrypto_ec_generator(e), a, p));
    MUST(rustcrypto_ec_point_mul(e, p, b, p));
    MUST(rustcrypto_ec_point_invert(e, p));
    MUST(rustcrypto_ec_point_add(e, p, p, p));
    MUST(rustcrypto_ec_point_x(e, p, b));
    MUST(rustcrypto_ec_point_to_bytes(e, p, x, y));
    square = rustcrypto_ec_y_squared(e, b);
    int symbol = rustcrypto_bignum_legendre(square, rustcrypto_ec_prime(e));
    reveal(&symbol, sizeof symbol);
    if (symbol != 1)
        DIE("legendre");
    reveal(x, sizeof x);
}

static void ecdsa(int32_t group, int32_t digest) {
    rustcrypto_key *key = rustcrypto_key_from_ec_scalar(group, secret, LEN);
    if (!key)
        DIE("from_ec_scalar");
    MUST(rustcrypto_key_sign(key, digest, RUSTCRYPTO_RAW_RS, (const uint8_t *)"abc", 3, out, sizeof out, &out_len));
}

static void ecdh(int32_t group) {
    uint8_t peer[133];
    size_t peer_len;
    rustcrypto_key *key = rustcrypto_key_from_ec_scalar(group, secret, LEN);
    rustcrypto_key *remote = rustcrypto_key_from_ec_scalar(group, (const uint8_t *)"another one", 11);
    if (!key || !remote)
        DIE("from_ec_scalar");
    MUST(rustcrypto_key_public_raw(remote, peer, sizeof peer, &peer_len));
    MUST(rustcrypto_key_agree(key, peer, peer_len, out, sizeof out, &out_len));
}

/* PKCS#8 of an X25519 key (RFC 8410 section 7) around the secret. */
static void x25519(void) {
    uint8_t der[16 + LEN] = "\x30\x2e\x02\x01\x00\x30\x05\x06\x03\x2b\x65\x6e\x04\x22\x04\x20";
    static const uint8_t peer[32] = {9};
    memcpy(der + 16, secret, LEN);
    rustcrypto_key *key = rustcrypto_key_load_private(der, sizeof der);
    if (!key)
        DIE("load_private");
    MUST(rustcrypto_key_agree(key, peer, sizeof peer, out, sizeof out, &out_len));
}

static void dh(void) {
    uint8_t prime[192], peer[192];
    memset(prime, 0xff, sizeof prime);
    memset(peer, 0x5a, sizeof peer);
    MUST(rustcrypto_dh_derive(prime, sizeof prime, NULL, 0, secret, LEN, peer, sizeof peer, out, sizeof out, &out_len));
}

/* The length of a DER element, and where its contents start. */
static size_t der_length(const uint8_t **at) {
    size_t len = *++*at;
    if (len & 0x80) {
        int bytes = len & 0x7f;
        for (len = 0; bytes; bytes--)
            len = len << 8 | *++*at;
    }
    ++*at;
    return len;
}

/* RSA: everything below the first two bytes of d, p, q and what follows from them in a PKCS#1 key (the first bytes say how long
 * the numbers are, which is public). */
static void rsa(const char *file, int32_t padding) {
    uint8_t der[2000];
    FILE *in = fopen(file, "rb");
    if (!in)
        DIE(file);
    size_t len = fread(der, 1, sizeof der, in);
    const uint8_t *at = der;
    der_length(&at); /* the SEQUENCE */
    for (int number = 0; number < 9; number++) {
        size_t n = der_length(&at);
        if (number > 2)
            hide((void *)(at + 2), n - 2);
        at += n;
    }
    rustcrypto_key *key = rustcrypto_key_load_private(der, len);
    if (!key)
        DIE("load_private");
    int32_t result =
        rustcrypto_key_sign(key, RUSTCRYPTO_SHA256, padding, (const uint8_t *)"abc", 3, out, sizeof out, &out_len);
    VALGRIND_MAKE_MEM_DEFINED(&result, sizeof result);
    if (result == RUSTCRYPTO_UNSUPPORTED)
        exit(77);
    if (result != RUSTCRYPTO_OK)
        DIE("sign");
}

int main(int argc, char **argv) {
    const char *op = argc > 1 ? argv[1] : "";
    rustcrypto_ec *e = rustcrypto_ec_new(19);
    const rustcrypto_bignum *p = rustcrypto_ec_prime(e);
    int seen = 0;
#define WHEN(name) if (!strcmp(op, name) && (seen = 1))

    for (int i = 0; i < LEN; i++)
        secret[i] = (uint8_t)(0x6b + 7 * i), other[i] = (uint8_t)(0x5a - 3 * i);
    hide(secret, LEN);
    hide(other, LEN);

    /* Must be found: shows that the check works at all. */
    WHEN("self-test") if (secret[0] & 1) puts("odd");
    WHEN("add") bignum2(rustcrypto_bignum_add, NULL);
    WHEN("sub") bignum2(rustcrypto_bignum_sub, NULL);
    WHEN("mod") bignum2(rustcrypto_bignum_mod, p);
    WHEN("div") bignum2(rustcrypto_bignum_div, p);
    WHEN("inverse") bignum2(rustcrypto_bignum_inverse, p);
    WHEN("sqrmod") bignum2(rustcrypto_bignum_sqrmod, p);
    WHEN("addmod") bignum3(rustcrypto_bignum_addmod, p);
    WHEN("mulmod") bignum3(rustcrypto_bignum_mulmod, p);
    WHEN("exptmod") bignum3(rustcrypto_bignum_exptmod, p);
    WHEN("legendre") {
        int symbol = rustcrypto_bignum_legendre(number(secret), p);
        reveal(&symbol, sizeof symbol);
        printf("%d\n", symbol);
    }
    WHEN("rshift-cmp-odd") {
        rustcrypto_bignum *a = number(secret), *r = rustcrypto_bignum_new();
        MUST(rustcrypto_bignum_rshift(a, 5, r));
        int seen_ = rustcrypto_bignum_cmp(a, r) + 2 * rustcrypto_bignum_is_odd(a) + rustcrypto_bignum_is_zero(a) +
                    rustcrypto_bignum_is_one(a);
        reveal(&seen_, sizeof seen_);
        printf("%d\n", seen_);
    }
    WHEN("sae-19") sae(19);
    WHEN("sae-20") sae(20);
    WHEN("sae-21") sae(21);
    WHEN("ecdsa-p256") ecdsa(19, RUSTCRYPTO_SHA256);
    WHEN("ecdsa-p384") ecdsa(20, RUSTCRYPTO_SHA384);
    WHEN("ecdsa-p521") ecdsa(21, RUSTCRYPTO_SHA512);
    WHEN("ecdh-p256") ecdh(19);
    WHEN("ecdh-p384") ecdh(20);
    WHEN("ecdh-p521") ecdh(21);
    WHEN("x25519") x25519();
    WHEN("dh") dh();
    WHEN("rsa-pkcs1") rsa(argv[2], RUSTCRYPTO_DEFAULT);
    WHEN("rsa-pss") rsa(argv[2], RUSTCRYPTO_PSS);
    return seen ? 0 : 2;
}
