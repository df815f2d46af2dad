/*
 * Crypto wrapper for librustcrypto: ECDH
 * Copyright (c) 2026, the rustcrypto for distributions authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * This software may be distributed under the terms of the BSD license.
 * See README for more details.
 */

#include "includes.h"

#include "common.h"
#include "wpabuf.h"
#include "crypto.h"
#include "rustcrypto_compat.h"


struct crypto_ecdh {
	rustcrypto_key *key;
};


static struct crypto_ecdh * rc_ecdh(rustcrypto_key *key)
{
	struct crypto_ecdh *ecdh;

	if (!key)
		return NULL;
	ecdh = os_zalloc(sizeof(*ecdh));
	if (!ecdh) {
		rustcrypto_key_free(key);
		return NULL;
	}
	ecdh->key = key;
	return ecdh;
}


struct crypto_ecdh * crypto_ecdh_init(int group)
{
	if (TEST_FAIL())
		return NULL;
	return rc_ecdh((rustcrypto_key *) crypto_ec_key_gen(group));
}


struct crypto_ecdh * crypto_ecdh_init2(int group,
				       struct crypto_ec_key *own_key)
{
	if (crypto_ec_key_group(own_key) != group)
		return NULL;
	return rc_ecdh(rustcrypto_key_clone((rustcrypto_key *) own_key));
}


struct wpabuf * crypto_ecdh_get_pubkey(struct crypto_ecdh *ecdh, int inc_y)
{
	struct wpabuf *point, *x;

	point = crypto_ec_key_get_pubkey_point(
		(struct crypto_ec_key *) ecdh->key, 0);
	if (!point || inc_y)
		return point;
	x = wpabuf_alloc_copy(wpabuf_head(point), wpabuf_len(point) / 2);
	wpabuf_free(point);
	return x;
}


/* The peer's point is x || y, or x alone. Older peers leave out leading zeros of x (1 in 256). */
struct wpabuf * crypto_ecdh_set_peerkey(struct crypto_ecdh *ecdh, int inc_y,
					const u8 *key, size_t len)
{
	size_t prime_len = crypto_ecdh_prime_len(ecdh), secret_len = prime_len;
	size_t want = (inc_y ? 2 : 1) * prime_len;
	struct wpabuf *secret, *point;
	int ret = -1;

	if (TEST_FAIL() || (inc_y ? len != want : len > want || len == 0))
		return NULL;
	secret = wpabuf_alloc(prime_len);
	point = wpabuf_zeropad(wpabuf_alloc_copy(key, len), want);
	if (secret && point)
		ret = RC(rustcrypto_key_agree(ecdh->key, wpabuf_head(point),
					      want,
					      wpabuf_put(secret, prime_len),
					      prime_len, &secret_len));
	wpabuf_free(point);
	if (ret < 0) {
		wpabuf_clear_free(secret);
		return NULL;
	}
	return secret;
}


void crypto_ecdh_deinit(struct crypto_ecdh *ecdh)
{
	if (!ecdh)
		return;
	rustcrypto_key_free(ecdh->key);
	os_free(ecdh);
}


size_t crypto_ecdh_prime_len(struct crypto_ecdh *ecdh)
{
	return (rustcrypto_key_bits(ecdh->key) + 7) / 8;
}
