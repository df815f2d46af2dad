/*
 * Crypto wrapper for librustcrypto: big integers, elliptic curve groups and points
 * Copyright (c) 2026, the rustcrypto for distributions authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * This software may be distributed under the terms of the BSD license.
 * See README for more details.
 *
 * struct crypto_bignum, crypto_ec and crypto_ec_point are the library's own handles under another name.
 * Any argument may be the same object as any other: the library's contract says so.
 */

#include "includes.h"

#include "common.h"
#include "crypto.h"
#include "rustcrypto_compat.h"

#define BN(n) ((rustcrypto_bignum *) (n))
#define CBN(n) ((const rustcrypto_bignum *) (n))
#define EC(e) ((const rustcrypto_ec *) (e))
#define PT(p) ((rustcrypto_ec_point *) (p))
#define CPT(p) ((const rustcrypto_ec_point *) (p))


struct crypto_bignum * crypto_bignum_init(void)
{
	if (TEST_FAIL())
		return NULL;
	return (struct crypto_bignum *) rustcrypto_bignum_new();
}


struct crypto_bignum * crypto_bignum_init_set(const u8 *buf, size_t len)
{
	if (TEST_FAIL())
		return NULL;
	return (struct crypto_bignum *) rustcrypto_bignum_from_bytes(buf, len);
}


struct crypto_bignum * crypto_bignum_init_uint(unsigned int val)
{
	if (TEST_FAIL())
		return NULL;
	return (struct crypto_bignum *) rustcrypto_bignum_from_uint(val);
}


void crypto_bignum_deinit(struct crypto_bignum *n, int clear)
{
	/* the library wipes always */
	rustcrypto_bignum_free(BN(n));
}


int crypto_bignum_to_bin(const struct crypto_bignum *a,
			 u8 *buf, size_t buflen, size_t padlen)
{
	size_t len;

	if (TEST_FAIL())
		return -1;
	if (padlen > buflen ||
	    RC(rustcrypto_bignum_to_bytes(CBN(a), buf, buflen, padlen,
					  &len)) < 0)
		return -1;
	return (int) len;
}


int crypto_bignum_rand(struct crypto_bignum *r, const struct crypto_bignum *m)
{
	if (TEST_FAIL())
		return -1;
	return RC(rustcrypto_bignum_rand(BN(r), CBN(m)));
}


int crypto_bignum_add(const struct crypto_bignum *a,
		      const struct crypto_bignum *b,
		      struct crypto_bignum *c)
{
	return RC(rustcrypto_bignum_add(CBN(a), CBN(b), BN(c)));
}


int crypto_bignum_mod(const struct crypto_bignum *a,
		      const struct crypto_bignum *b,
		      struct crypto_bignum *c)
{
	return RC(rustcrypto_bignum_mod(CBN(a), CBN(b), BN(c)));
}


int crypto_bignum_exptmod(const struct crypto_bignum *a,
			  const struct crypto_bignum *b,
			  const struct crypto_bignum *c,
			  struct crypto_bignum *d)
{
	if (TEST_FAIL())
		return -1;
	return RC(rustcrypto_bignum_exptmod(CBN(a), CBN(b), CBN(c), BN(d)));
}


int crypto_bignum_inverse(const struct crypto_bignum *a,
			  const struct crypto_bignum *b,
			  struct crypto_bignum *c)
{
	if (TEST_FAIL())
		return -1;
	return RC(rustcrypto_bignum_inverse(CBN(a), CBN(b), BN(c)));
}


int crypto_bignum_sub(const struct crypto_bignum *a,
		      const struct crypto_bignum *b,
		      struct crypto_bignum *c)
{
	if (TEST_FAIL())
		return -1;
	return RC(rustcrypto_bignum_sub(CBN(a), CBN(b), BN(c)));
}


int crypto_bignum_div(const struct crypto_bignum *a,
		      const struct crypto_bignum *b,
		      struct crypto_bignum *c)
{
	if (TEST_FAIL())
		return -1;
	return RC(rustcrypto_bignum_div(CBN(a), CBN(b), BN(c)));
}


int crypto_bignum_addmod(const struct crypto_bignum *a,
			 const struct crypto_bignum *b,
			 const struct crypto_bignum *c,
			 struct crypto_bignum *d)
{
	if (TEST_FAIL())
		return -1;
	return RC(rustcrypto_bignum_addmod(CBN(a), CBN(b), CBN(c), BN(d)));
}


int crypto_bignum_mulmod(const struct crypto_bignum *a,
			 const struct crypto_bignum *b,
			 const struct crypto_bignum *c,
			 struct crypto_bignum *d)
{
	if (TEST_FAIL())
		return -1;
	return RC(rustcrypto_bignum_mulmod(CBN(a), CBN(b), CBN(c), BN(d)));
}


int crypto_bignum_sqrmod(const struct crypto_bignum *a,
			 const struct crypto_bignum *b,
			 struct crypto_bignum *c)
{
	if (TEST_FAIL())
		return -1;
	return RC(rustcrypto_bignum_sqrmod(CBN(a), CBN(b), BN(c)));
}


int crypto_bignum_rshift(const struct crypto_bignum *a, int n,
			 struct crypto_bignum *r)
{
	return RC(rustcrypto_bignum_rshift(CBN(a), n, BN(r)));
}


int crypto_bignum_cmp(const struct crypto_bignum *a,
		      const struct crypto_bignum *b)
{
	return rustcrypto_bignum_cmp(CBN(a), CBN(b));
}


int crypto_bignum_is_zero(const struct crypto_bignum *a)
{
	return rustcrypto_bignum_is_zero(CBN(a));
}


int crypto_bignum_is_one(const struct crypto_bignum *a)
{
	return rustcrypto_bignum_is_one(CBN(a));
}


int crypto_bignum_is_odd(const struct crypto_bignum *a)
{
	return rustcrypto_bignum_is_odd(CBN(a));
}


int crypto_bignum_legendre(const struct crypto_bignum *a,
			   const struct crypto_bignum *p)
{
	if (TEST_FAIL())
		return -2;
	return rustcrypto_bignum_legendre(CBN(a), CBN(p));
}


struct crypto_ec * crypto_ec_init(int group)
{
	return (struct crypto_ec *) rustcrypto_ec_new(group);
}


void crypto_ec_deinit(struct crypto_ec *e)
{
	rustcrypto_ec_free((rustcrypto_ec *) e);
}


size_t crypto_ec_prime_len(struct crypto_ec *e)
{
	return rustcrypto_ec_prime_len(EC(e));
}


size_t crypto_ec_prime_len_bits(struct crypto_ec *e)
{
	return rustcrypto_ec_prime_bits(EC(e));
}


size_t crypto_ec_order_len(struct crypto_ec *e)
{
	return rustcrypto_ec_order_len(EC(e));
}


const struct crypto_bignum * crypto_ec_get_prime(struct crypto_ec *e)
{
	return (const struct crypto_bignum *) rustcrypto_ec_prime(EC(e));
}


const struct crypto_bignum * crypto_ec_get_order(struct crypto_ec *e)
{
	return (const struct crypto_bignum *) rustcrypto_ec_order(EC(e));
}


const struct crypto_bignum * crypto_ec_get_a(struct crypto_ec *e)
{
	return (const struct crypto_bignum *) rustcrypto_ec_a(EC(e));
}


const struct crypto_bignum * crypto_ec_get_b(struct crypto_ec *e)
{
	return (const struct crypto_bignum *) rustcrypto_ec_b(EC(e));
}


const struct crypto_ec_point * crypto_ec_get_generator(struct crypto_ec *e)
{
	return (const struct crypto_ec_point *)
		rustcrypto_ec_generator(EC(e));
}


struct crypto_ec_point * crypto_ec_point_init(struct crypto_ec *e)
{
	if (TEST_FAIL())
		return NULL;
	return (struct crypto_ec_point *) rustcrypto_ec_point_new(EC(e));
}


void crypto_ec_point_deinit(struct crypto_ec_point *p, int clear)
{
	/* the library wipes always */
	rustcrypto_ec_point_free(PT(p));
}


int crypto_ec_point_x(struct crypto_ec *e, const struct crypto_ec_point *p,
		      struct crypto_bignum *x)
{
	return RC(rustcrypto_ec_point_x(EC(e), CPT(p), BN(x)));
}


int crypto_ec_point_to_bin(struct crypto_ec *e,
			   const struct crypto_ec_point *point, u8 *x, u8 *y)
{
	if (TEST_FAIL())
		return -1;
	return RC(rustcrypto_ec_point_to_bytes(EC(e), CPT(point), x, y));
}


struct crypto_ec_point * crypto_ec_point_from_bin(struct crypto_ec *e,
						  const u8 *val)
{
	if (TEST_FAIL())
		return NULL;
	return (struct crypto_ec_point *)
		rustcrypto_ec_point_from_bytes(EC(e), val);
}


int crypto_ec_point_add(struct crypto_ec *e, const struct crypto_ec_point *a,
			const struct crypto_ec_point *b,
			struct crypto_ec_point *c)
{
	if (TEST_FAIL())
		return -1;
	return RC(rustcrypto_ec_point_add(EC(e), CPT(a), CPT(b), PT(c)));
}


int crypto_ec_point_mul(struct crypto_ec *e, const struct crypto_ec_point *p,
			const struct crypto_bignum *b,
			struct crypto_ec_point *res)
{
	if (TEST_FAIL())
		return -1;
	return RC(rustcrypto_ec_point_mul(EC(e), CPT(p), CBN(b), PT(res)));
}


int crypto_ec_point_invert(struct crypto_ec *e, struct crypto_ec_point *p)
{
	if (TEST_FAIL())
		return -1;
	return RC(rustcrypto_ec_point_invert(EC(e), PT(p)));
}


struct crypto_bignum *
crypto_ec_point_compute_y_sqr(struct crypto_ec *e,
			      const struct crypto_bignum *x)
{
	if (TEST_FAIL())
		return NULL;
	return (struct crypto_bignum *) rustcrypto_ec_y_squared(EC(e), CBN(x));
}


int crypto_ec_point_is_at_infinity(struct crypto_ec *e,
				   const struct crypto_ec_point *p)
{
	return rustcrypto_ec_point_is_infinity(EC(e), CPT(p));
}


int crypto_ec_point_is_on_curve(struct crypto_ec *e,
				const struct crypto_ec_point *p)
{
	return rustcrypto_ec_point_is_on_curve(EC(e), CPT(p));
}


int crypto_ec_point_cmp(const struct crypto_ec *e,
			const struct crypto_ec_point *a,
			const struct crypto_ec_point *b)
{
	return rustcrypto_ec_point_cmp(EC(e), CPT(a), CPT(b));
}


void crypto_ec_point_debug_print(const struct crypto_ec *e,
				 const struct crypto_ec_point *p,
				 const char *title)
{
	u8 x[66], y[66];
	size_t len = rustcrypto_ec_prime_len(EC(e));
	char hex_x[2 * sizeof(x) + 1], hex_y[2 * sizeof(y) + 1];

	if (len > sizeof(x) ||
	    RC(rustcrypto_ec_point_to_bytes(EC(e), CPT(p), x, y)) < 0)
		return;
	wpa_snprintf_hex(hex_x, sizeof(hex_x), x, len);
	wpa_snprintf_hex(hex_y, sizeof(hex_y), y, len);
	wpa_printf(MSG_DEBUG, "%s (%s,%s)", title, hex_x, hex_y);
}
