/*
 * Crypto wrapper for librustcrypto: hashes, ciphers, finite-field DH, random numbers
 * Copyright (c) 2026, the rustcrypto for distributions authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * This software may be distributed under the terms of the BSD license.
 * See README for more details.
 *
 * HMAC, key wrap, CMAC, CBC and SIV come from hostap's generic files on top of these functions:
 * a backend that is not named in the Makefiles' exclusion lists gets them without another edit.
 */

#include "includes.h"

#include "common.h"
#include "crypto.h"
#include "sha1.h"
#include "rustcrypto_compat.h"


static int rc_digest(int32_t alg, size_t num_elem, const u8 *addr[],
		     const size_t *len, u8 *mac)
{
	if (TEST_FAIL())
		return -1;
	return RC(rustcrypto_digest(alg, num_elem, RC_ADDR(addr), len, mac,
				    rustcrypto_digest_len(alg)));
}


int md4_vector(size_t num_elem, const u8 *addr[], const size_t *len, u8 *mac)
{
	return rc_digest(RUSTCRYPTO_MD4, num_elem, addr, len, mac);
}


int md5_vector(size_t num_elem, const u8 *addr[], const size_t *len, u8 *mac)
{
	return rc_digest(RUSTCRYPTO_MD5, num_elem, addr, len, mac);
}


int sha1_vector(size_t num_elem, const u8 *addr[], const size_t *len, u8 *mac)
{
	return rc_digest(RUSTCRYPTO_SHA1, num_elem, addr, len, mac);
}


int sha256_vector(size_t num_elem, const u8 *addr[], const size_t *len,
		  u8 *mac)
{
	return rc_digest(RUSTCRYPTO_SHA256, num_elem, addr, len, mac);
}


int sha384_vector(size_t num_elem, const u8 *addr[], const size_t *len,
		  u8 *mac)
{
	return rc_digest(RUSTCRYPTO_SHA384, num_elem, addr, len, mac);
}


int sha512_vector(size_t num_elem, const u8 *addr[], const size_t *len,
		  u8 *mac)
{
	return rc_digest(RUSTCRYPTO_SHA512, num_elem, addr, len, mac);
}


int pbkdf2_sha1(const char *passphrase, const u8 *ssid, size_t ssid_len,
		int iterations, u8 *buf, size_t buflen)
{
	return RC(rustcrypto_pbkdf2(RUSTCRYPTO_SHA1, (const u8 *) passphrase,
				    os_strlen(passphrase), ssid, ssid_len,
				    iterations, buf, buflen));
}


/* Keyed hashes only: EAP-pwd is the one caller, the plain ones belong to the internal TLS. */
struct crypto_hash {
	rustcrypto_hmac_ctx *hmac;
	size_t len;
	bool failed;
};


struct crypto_hash * crypto_hash_init(enum crypto_hash_alg alg, const u8 *key,
				      size_t key_len)
{
	struct crypto_hash *ctx;
	int32_t id;

	if (TEST_FAIL())
		return NULL;

	switch (alg) {
	case CRYPTO_HASH_ALG_HMAC_MD5:
		id = RUSTCRYPTO_MD5;
		break;
	case CRYPTO_HASH_ALG_HMAC_SHA1:
		id = RUSTCRYPTO_SHA1;
		break;
	case CRYPTO_HASH_ALG_HMAC_SHA256:
		id = RUSTCRYPTO_SHA256;
		break;
	default:
		return NULL;
	}

	ctx = os_zalloc(sizeof(*ctx));
	if (!ctx)
		return NULL;
	ctx->len = rustcrypto_digest_len(id);
	ctx->hmac = rustcrypto_hmac_new(id, key, key_len);
	if (!ctx->hmac) {
		os_free(ctx);
		return NULL;
	}
	return ctx;
}


void crypto_hash_update(struct crypto_hash *ctx, const u8 *data, size_t len)
{
	if (ctx && RC(rustcrypto_hmac_update(ctx->hmac, data, len)) < 0)
		ctx->failed = true;
}


int crypto_hash_finish(struct crypto_hash *ctx, u8 *mac, size_t *len)
{
	int ret = 0;

	if (!ctx)
		return -2;
	if (mac && len) {
		if (ctx->failed)
			ret = -2;
		else
			ret = RC(rustcrypto_hmac_finish(ctx->hmac, mac,
							ctx->len));
		*len = ctx->len;
	}
	rustcrypto_hmac_free(ctx->hmac);
	bin_clear_free(ctx, sizeof(*ctx));
	if (TEST_FAIL())
		return -1;
	return ret;
}


int des_encrypt(const u8 *clear, const u8 *key, u8 *cypher)
{
	u8 pkey[8], next, tmp;
	int i, ret;

	/* hostap gives 56 bits; DES wants 7 of them in every octet, the lowest being parity */
	next = 0;
	for (i = 0; i < 7; i++) {
		tmp = key[i];
		pkey[i] = (tmp >> i) | next | 1;
		next = tmp << (7 - i);
	}
	pkey[i] = next | 1;

	ret = RC(rustcrypto_des_encrypt_block(pkey, clear, cypher));
	forced_memzero(pkey, sizeof(pkey));
	return ret;
}


#ifndef CONFIG_NO_RC4
int rc4_skip(const u8 *key, size_t keylen, size_t skip, u8 *data,
	     size_t data_len)
{
	return RC(rustcrypto_rc4(key, keylen, skip, data, data_len));
}
#endif /* CONFIG_NO_RC4 */


void * aes_encrypt_init(const u8 *key, size_t len)
{
	if (TEST_FAIL())
		return NULL;
	return rustcrypto_aes_new(key, len);
}


int aes_encrypt(void *ctx, const u8 *plain, u8 *crypt)
{
	return RC(rustcrypto_aes_encrypt_block(ctx, plain, crypt));
}


void aes_encrypt_deinit(void *ctx)
{
	rustcrypto_aes_free(ctx);
}


void * aes_decrypt_init(const u8 *key, size_t len)
{
	if (TEST_FAIL())
		return NULL;
	return rustcrypto_aes_new(key, len);
}


int aes_decrypt(void *ctx, const u8 *crypt, u8 *plain)
{
	return RC(rustcrypto_aes_decrypt_block(ctx, crypt, plain));
}


void aes_decrypt_deinit(void *ctx)
{
	rustcrypto_aes_free(ctx);
}


int crypto_mod_exp(const u8 *base, size_t base_len,
		   const u8 *power, size_t power_len,
		   const u8 *modulus, size_t modulus_len,
		   u8 *result, size_t *result_len)
{
	return RC(rustcrypto_modexp(base, base_len, power, power_len, modulus,
				    modulus_len, result, *result_len,
				    result_len));
}


int crypto_dh_init(u8 generator, const u8 *prime, size_t prime_len, u8 *privkey,
		   u8 *pubkey)
{
	if (TEST_FAIL())
		return -1;
	return RC(rustcrypto_dh_generate(prime, prime_len, generator, privkey,
					 prime_len, pubkey, prime_len));
}


int crypto_dh_derive_secret(u8 generator, const u8 *prime, size_t prime_len,
			    const u8 *order, size_t order_len,
			    const u8 *privkey, size_t privkey_len,
			    const u8 *pubkey, size_t pubkey_len,
			    u8 *secret, size_t *len)
{
	if (TEST_FAIL())
		return -1;
	return RC(rustcrypto_dh_derive(prime, prime_len, order, order_len,
				       privkey, privkey_len, pubkey,
				       pubkey_len, secret, *len, len));
}


int crypto_get_random(void *buf, size_t len)
{
	if (TEST_FAIL())
		return -1;
	return RC(rustcrypto_random(buf, len));
}


void crypto_unload(void)
{
	/* The library keeps nothing that would have to be given back. */
}
