/*
 * Crypto wrapper for librustcrypto: EC keys (ECDSA, SubjectPublicKeyInfo)
 * Copyright (c) 2026, the rustcrypto for distributions authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * This software may be distributed under the terms of the BSD license.
 * See README for more details.
 *
 * struct crypto_ec_key is the library's key handle under another name.
 */

#include "includes.h"

#include "common.h"
#include "wpabuf.h"
#include "crypto.h"
#include "rustcrypto_compat.h"

#define KEY(k) ((rustcrypto_key *) (k))

/* P-521 is the largest group: octets of its prime and of an uncompressed point */
#define RC_MAX_PRIME 66
#define RC_MAX_POINT (1 + 2 * RC_MAX_PRIME)
/* SEC1 and Ecdsa-Sig-Value of P-521 take 223 and 141 octets at most */
#define RC_MAX_DER 256


static int rc_group_type(int group)
{
	switch (group) {
	case 19:
		return RUSTCRYPTO_KEY_P256;
	case 20:
		return RUSTCRYPTO_KEY_P384;
	case 21:
		return RUSTCRYPTO_KEY_P521;
	default:
		return -1;
	}
}


/* IANA group of an EC key, -1 for any other kind */
static int rc_group(const rustcrypto_key *key)
{
	switch (rustcrypto_key_type(key)) {
	case RUSTCRYPTO_KEY_P256:
		return 19;
	case RUSTCRYPTO_KEY_P384:
		return 20;
	case RUSTCRYPTO_KEY_P521:
		return 21;
	default:
		return -1;
	}
}


static size_t rc_prime_len(const rustcrypto_key *key)
{
	return (rustcrypto_key_bits(key) + 7) / 8;
}


/* 04 || x || y; the length, or 0 on failure */
static size_t rc_public_point(const rustcrypto_key *key, u8 *point)
{
	size_t len;

	if (RC(rustcrypto_key_public_raw(key, point, RC_MAX_POINT, &len)) < 0 ||
	    len != 1 + 2 * rc_prime_len(key))
		return 0;
	return len;
}


/* A key of another kind is no EC key to hostap. */
static struct crypto_ec_key * rc_ec_key(rustcrypto_key *key, const char *what)
{
	if (key && rc_group(key) >= 0)
		return (struct crypto_ec_key *) key;
	wpa_printf(MSG_DEBUG, "rustcrypto: %s: %s", what,
		   key ? "not an EC key of group 19, 20 or 21" :
		   rustcrypto_last_error());
	rustcrypto_key_free(key);
	return NULL;
}


static struct wpabuf * rc_wpabuf(int32_t result, const u8 *data, size_t len,
				 const char *what)
{
	if (rc_result(result, what) < 0)
		return NULL;
	return wpabuf_alloc_copy(data, len);
}


struct crypto_ec_key * crypto_ec_key_parse_priv(const u8 *der, size_t der_len)
{
	return rc_ec_key(rustcrypto_key_load_private(der, der_len), __func__);
}


struct crypto_ec_key * crypto_ec_key_set_priv(int group,
					      const u8 *raw, size_t raw_len)
{
	return rc_ec_key(rustcrypto_key_from_ec_scalar(group, raw, raw_len),
			 __func__);
}


struct crypto_ec_key * crypto_ec_key_parse_pub(const u8 *der, size_t der_len)
{
	return rc_ec_key(rustcrypto_key_load_public(der, der_len), __func__);
}


struct crypto_ec_key * crypto_ec_key_set_pub(int group, const u8 *x,
					     const u8 *y, size_t len)
{
	u8 point[2 * RC_MAX_PRIME];

	if (len > RC_MAX_PRIME)
		return NULL;
	os_memcpy(point, x, len);
	os_memcpy(point + len, y, len);
	return rc_ec_key(rustcrypto_key_from_ec_point(group, point, 2 * len),
			 __func__);
}


struct crypto_ec_key *
crypto_ec_key_set_pub_point(struct crypto_ec *e,
			    const struct crypto_ec_point *pub)
{
	u8 x[RC_MAX_PRIME], y[RC_MAX_PRIME];
	size_t len = crypto_ec_prime_len(e);
	int group = len == 32 ? 19 : len == 48 ? 20 : 21;

	if (len > RC_MAX_PRIME || crypto_ec_point_to_bin(e, pub, x, y) < 0)
		return NULL;
	return crypto_ec_key_set_pub(group, x, y, len);
}


struct crypto_ec_key * crypto_ec_key_gen(int group)
{
	int type = rc_group_type(group);

	if (type < 0) {
		wpa_printf(MSG_INFO,
			   "rustcrypto: group %d is not offered, only 19, 20 and 21",
			   group);
		return NULL;
	}
	return rc_ec_key(rustcrypto_key_generate(type, 0), __func__);
}


void crypto_ec_key_deinit(struct crypto_ec_key *key)
{
	rustcrypto_key_free(KEY(key));
}


/* RFC 5480 SubjectPublicKeyInfo with a compressed point: hostap wants it so, and SAE-PK hashes these octets.
 * The library writes the uncompressed one; its AlgorithmIdentifier is kept, the BIT STRING made anew. */
struct wpabuf * crypto_ec_key_get_subject_public_key(struct crypto_ec_key *key)
{
	u8 der[RC_MAX_DER], point[RC_MAX_POINT];
	const u8 *alg;
	size_t der_len, alg_len, point_len, prime_len, bits;
	struct wpabuf *spki;

	point_len = rc_public_point(KEY(key), point);
	if (!point_len ||
	    RC(rustcrypto_key_public(KEY(key), RUSTCRYPTO_DER, der,
				     sizeof(der), &der_len)) < 0)
		return NULL;
	/* 30 len or 30 81 len, then AlgorithmIdentifier, which is short */
	if (der_len < 4 || der[0] != 0x30)
		return NULL;
	alg = der[1] == 0x81 ? der + 3 : der + 2;
	if (alg[0] != 0x30 || alg[1] > 30)
		return NULL;
	alg_len = 2 + alg[1];

	prime_len = (point_len - 1) / 2;
	bits = 1 + 1 + prime_len; /* unused bits, form, x */
	spki = wpabuf_alloc(2 + alg_len + 2 + bits);
	if (!spki)
		return NULL;
	wpabuf_put_u8(spki, 0x30);
	wpabuf_put_u8(spki, alg_len + 2 + bits);
	wpabuf_put_data(spki, alg, alg_len);
	wpabuf_put_u8(spki, 0x03);
	wpabuf_put_u8(spki, bits);
	wpabuf_put_u8(spki, 0);
	wpabuf_put_u8(spki, 0x02 | (point[point_len - 1] & 1));
	wpabuf_put_data(spki, point + 1, prime_len);
	return spki;
}


struct wpabuf * crypto_ec_key_get_ecprivate_key(struct crypto_ec_key *key,
						bool include_pub)
{
	u8 der[RC_MAX_DER];
	size_t len;
	int32_t result;
	struct wpabuf *buf;

	/* RFC 5915: the public key is optional, so that a reader must take either */
	result = rustcrypto_key_private(KEY(key), RUSTCRYPTO_DER, der,
					sizeof(der), &len);
	buf = rc_wpabuf(result, der, len, __func__);
	forced_memzero(der, sizeof(der));
	return buf;
}


struct wpabuf * crypto_ec_key_get_pubkey_point(struct crypto_ec_key *key,
					       int prefix)
{
	u8 point[RC_MAX_POINT];
	size_t len = rc_public_point(KEY(key), point), skip = prefix ? 0 : 1;

	if (!len)
		return NULL;
	return wpabuf_alloc_copy(point + skip, len - skip);
}


RC_OWNED_CONST struct crypto_ec_point *
crypto_ec_key_get_public_key(struct crypto_ec_key *key)
{
	u8 point[RC_MAX_POINT];
	struct crypto_ec *e;
	struct crypto_ec_point *ret;

	if (!rc_public_point(KEY(key), point))
		return NULL;
	e = crypto_ec_init(rc_group(KEY(key)));
	if (!e)
		return NULL;
	ret = crypto_ec_point_from_bin(e, point + 1);
	crypto_ec_deinit(e);
	return ret;
}


RC_OWNED_CONST struct crypto_bignum *
crypto_ec_key_get_private_key(struct crypto_ec_key *key)
{
	u8 scalar[RC_MAX_PRIME];
	size_t len;
	struct crypto_bignum *ret = NULL;

	if (RC(rustcrypto_key_scalar(KEY(key), scalar, sizeof(scalar),
				     &len)) == 0)
		ret = crypto_bignum_init_set(scalar, len);
	forced_memzero(scalar, sizeof(scalar));
	return ret;
}


/* The digest that made a hash of this length */
static int32_t rc_digest_of(size_t len)
{
	return len == 32 ? RUSTCRYPTO_SHA256 : len == 48 ? RUSTCRYPTO_SHA384 :
		len == 64 ? RUSTCRYPTO_SHA512 : 0;
}


static struct wpabuf * rc_sign(struct crypto_ec_key *key, int32_t padding,
			       const u8 *data, size_t len, const char *what)
{
	u8 sig[RC_MAX_DER];
	size_t sig_len;
	int32_t result;

	result = rustcrypto_key_sign_digest(KEY(key), rc_digest_of(len),
					    padding, data, len, sig,
					    sizeof(sig), &sig_len);
	return rc_wpabuf(result, sig, sig_len, what);
}


/* `data` is a hash: neither hostap nor this function hashes it again. */
struct wpabuf * crypto_ec_key_sign(struct crypto_ec_key *key, const u8 *data,
				   size_t len)
{
	return rc_sign(key, RUSTCRYPTO_DEFAULT, data, len, __func__);
}


struct wpabuf * crypto_ec_key_sign_r_s(struct crypto_ec_key *key,
				       const u8 *data, size_t len)
{
	return rc_sign(key, RUSTCRYPTO_RAW_RS, data, len, __func__);
}


static int rc_verify(struct crypto_ec_key *key, int32_t padding,
		     const u8 *data, size_t len, const u8 *sig, size_t sig_len)
{
	switch (rustcrypto_key_verify_digest(KEY(key), rc_digest_of(len),
					     padding, data, len, sig,
					     sig_len)) {
	case RUSTCRYPTO_OK:
		return 1;
	case RUSTCRYPTO_AUTHENTICATION:
		return 0;
	default:
		return -1;
	}
}


int crypto_ec_key_verify_signature(struct crypto_ec_key *key, const u8 *data,
				   size_t len, const u8 *sig, size_t sig_len)
{
	return rc_verify(key, RUSTCRYPTO_DEFAULT, data, len, sig, sig_len);
}


int crypto_ec_key_verify_signature_r_s(struct crypto_ec_key *key,
				       const u8 *data, size_t len,
				       const u8 *r, size_t r_len,
				       const u8 *s, size_t s_len)
{
	u8 sig[2 * RC_MAX_PRIME];
	size_t n = rc_prime_len(KEY(key));

	/* r and s come unpadded or padded to the prime */
	if (n > RC_MAX_PRIME || r_len > n || s_len > n)
		return -1;
	os_memset(sig, 0, sizeof(sig));
	os_memcpy(sig + n - r_len, r, r_len);
	os_memcpy(sig + 2 * n - s_len, s, s_len);
	return rc_verify(key, RUSTCRYPTO_RAW_RS, data, len, sig, 2 * n);
}


int crypto_ec_key_group(struct crypto_ec_key *key)
{
	return rc_group(KEY(key));
}


int crypto_ec_key_cmp(struct crypto_ec_key *key1, struct crypto_ec_key *key2)
{
	return rustcrypto_key_equal_public(KEY(key1), KEY(key2)) ? 0 : -1;
}


void crypto_ec_key_debug_print(const struct crypto_ec_key *key,
			       const char *title)
{
	u8 point[RC_MAX_POINT];
	size_t len = rc_public_point(KEY(key), point);

	if (len)
		wpa_hexdump(MSG_DEBUG, title, point, len);
}
