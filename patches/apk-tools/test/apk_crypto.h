/* SPDX-License-Identifier: MIT */
/*
 * Stand-in for apk-tools' header of this name, for the test alone: the same types, values and prototypes in our words,
 * so that the backend can be compiled and driven where apk-tools itself is not at hand.
 */

#ifndef APK_CRYPTO_STANDIN_H
#define APK_CRYPTO_STANDIN_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { APKE_CRYPTO_ERROR = 1024, APKE_CRYPTO_KEY_FORMAT, APKE_SIGNATURE_GEN_FAILURE, APKE_SIGNATURE_INVALID };
enum { APK_DIGEST_NONE = 0, APK_DIGEST_SHA1 = 2, APK_DIGEST_SHA256 = 3, APK_DIGEST_SHA512 = 4, APK_DIGEST_SHA256_160 = 5 };

struct apk_digest {
	uint8_t alg, len;
	uint8_t data[64];
};

struct apk_digest_ctx {
	uint8_t alg;
	void *priv;
};

struct apk_pkey {
	uint8_t id[16];
	void *priv;
};

static inline int apk_digest_alg_len(uint8_t alg)
{
	static const uint8_t len[] = { [APK_DIGEST_SHA1] = 20, [APK_DIGEST_SHA256] = 32, [APK_DIGEST_SHA512] = 64,
				       [APK_DIGEST_SHA256_160] = 20 };

	return alg < sizeof len ? len[alg] : 0;
}

static inline void apk_digest_set(struct apk_digest *d, uint8_t alg)
{
	d->alg = alg;
	d->len = (uint8_t)apk_digest_alg_len(alg);
}

static inline void apk_digest_reset(struct apk_digest *d)
{
	apk_digest_set(d, APK_DIGEST_NONE);
}

int apk_digest_calc(struct apk_digest *d, uint8_t alg, const void *ptr, size_t sz);
int apk_digest_ctx_init(struct apk_digest_ctx *dctx, uint8_t alg);
int apk_digest_ctx_reset(struct apk_digest_ctx *dctx);
int apk_digest_ctx_reset_alg(struct apk_digest_ctx *dctx, uint8_t alg);
void apk_digest_ctx_free(struct apk_digest_ctx *dctx);
int apk_digest_ctx_update(struct apk_digest_ctx *dctx, const void *ptr, size_t sz);
int apk_digest_ctx_final(struct apk_digest_ctx *dctx, struct apk_digest *d);
void apk_pkey_free(struct apk_pkey *pkey);
int apk_pkey_load(struct apk_pkey *pkey, int dirfd, const char *fn, int priv);
int apk_sign_start(struct apk_digest_ctx *, uint8_t, struct apk_pkey *);
int apk_sign(struct apk_digest_ctx *, void *, size_t *);
int apk_verify_start(struct apk_digest_ctx *, uint8_t, struct apk_pkey *);
int apk_verify(struct apk_digest_ctx *, void *, size_t);
void apk_crypto_init(void);

#endif
