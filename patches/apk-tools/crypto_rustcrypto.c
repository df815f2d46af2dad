/* SPDX-License-Identifier: GPL-2.0-only */
/* crypto_rustcrypto.c - Alpine Package Keeper (APK) on librustcrypto */

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <rustcrypto.h>

#include "apk_crypto.h"

/* sane limit for key files, as in the other backends */
#define KEYFILE_MAX	64000
/* PKCS#1 RSAPublicKey of 16384 bits is 2062 bytes, an uncompressed EC point much less */
#define PUBKEY_MAX	4096

struct rc_digest {
	rustcrypto_digest_ctx *md;
	struct apk_pkey *sigver_key;
	/* what is to be signed: an ADB header and its digest, some hundred bytes. The library signs whole messages. */
	uint8_t *msg;
	size_t len;
	int signing;
};

static struct rc_digest *rc_digest(struct apk_digest_ctx *dctx) { return dctx->priv; }

static void rc_drop_key(struct rc_digest *rd)
{
	free(rd->msg);
	rd->msg = NULL;
	rd->len = 0;
	rd->signing = 0;
	rd->sigver_key = NULL;
}

static int32_t apk_digest_alg_to_rc(uint8_t alg)
{
	switch (alg) {
	case APK_DIGEST_SHA1:		return RUSTCRYPTO_SHA1;
	case APK_DIGEST_SHA256_160:
	case APK_DIGEST_SHA256:		return RUSTCRYPTO_SHA256;
	case APK_DIGEST_SHA512:		return RUSTCRYPTO_SHA512;
	default:			return 0; /* unknown there too: every call refuses it */
	}
}

int apk_digest_calc(struct apk_digest *d, uint8_t alg, const void *ptr, size_t sz)
{
	int32_t rc_alg = apk_digest_alg_to_rc(alg);
	const uint8_t *addr = ptr;

	if (rustcrypto_digest(rc_alg, 1, &addr, &sz, d->data, rustcrypto_digest_len(rc_alg)) != RUSTCRYPTO_OK)
		return -APKE_CRYPTO_ERROR;

	apk_digest_set(d, alg);
	return 0;
}

int apk_digest_ctx_init(struct apk_digest_ctx *dctx, uint8_t alg)
{
	dctx->alg = alg;
	dctx->priv = calloc(1, sizeof(struct rc_digest));
	if (!dctx->priv) return -ENOMEM;
	if (alg == APK_DIGEST_NONE) return 0;
	return apk_digest_ctx_reset_alg(dctx, alg);
}

int apk_digest_ctx_reset(struct apk_digest_ctx *dctx)
{
	if (dctx->alg == APK_DIGEST_NONE) return 0;
	if (rustcrypto_digest_reset(rc_digest(dctx)->md) != RUSTCRYPTO_OK) return -APKE_CRYPTO_ERROR;
	return 0;
}

int apk_digest_ctx_reset_alg(struct apk_digest_ctx *dctx, uint8_t alg)
{
	struct rc_digest *rd = rc_digest(dctx);

	assert(alg != APK_DIGEST_NONE);

	rustcrypto_digest_free(rd->md);
	rd->md = rustcrypto_digest_new(apk_digest_alg_to_rc(alg));
	rc_drop_key(rd);
	dctx->alg = alg;
	return rd->md ? 0 : -APKE_CRYPTO_ERROR;
}

void apk_digest_ctx_free(struct apk_digest_ctx *dctx)
{
	struct rc_digest *rd = rc_digest(dctx);

	if (!rd) return;
	rc_drop_key(rd);
	rustcrypto_digest_free(rd->md);
	free(rd);
	dctx->priv = NULL;
}

int apk_digest_ctx_update(struct apk_digest_ctx *dctx, const void *ptr, size_t sz)
{
	struct rc_digest *rd = rc_digest(dctx);

	assert(dctx->alg != APK_DIGEST_NONE);
	if (rd->signing && sz) {
		uint8_t *msg = realloc(rd->msg, rd->len + sz);
		if (!msg) return -ENOMEM;
		memcpy(msg + rd->len, ptr, sz);
		rd->msg = msg;
		rd->len += sz;
	}
	return rustcrypto_digest_update(rd->md, ptr, sz) == RUSTCRYPTO_OK ? 0 : -APKE_CRYPTO_ERROR;
}

/* the whole digest, also of an algorithm that apk truncates */
static int rc_digest_finish(struct apk_digest_ctx *dctx, struct apk_digest *d, size_t *len)
{
	assert(dctx->alg != APK_DIGEST_NONE);
	*len = rustcrypto_digest_len(apk_digest_alg_to_rc(dctx->alg));
	return rustcrypto_digest_finish(rc_digest(dctx)->md, d->data, *len) == RUSTCRYPTO_OK ? 0 : -APKE_CRYPTO_ERROR;
}

int apk_digest_ctx_final(struct apk_digest_ctx *dctx, struct apk_digest *d)
{
	size_t len;
	int r = rc_digest_finish(dctx, d, &len);

	if (r) apk_digest_reset(d);
	else apk_digest_set(d, dctx->alg);
	return r;
}

static int rc_read_file_at(int dirfd, const char *fn, uint8_t *buf, size_t cap, size_t *n)
{
	ssize_t got;
	int r = 0, fd = openat(dirfd, fn, O_RDONLY | O_CLOEXEC);

	if (fd < 0) return -errno;
	for (*n = 0; *n < cap; *n += got) {
		do got = read(fd, buf + *n, cap - *n); while (got < 0 && errno == EINTR);
		if (got < 0) r = -errno;
		if (got <= 0) break;
	}
	close(fd);
	if (!r && (!*n || *n == cap)) r = -APKE_CRYPTO_KEY_FORMAT;
	return r;
}

/* first bytes of SHA-512 over RSAPublicKey, or over the uncompressed point: what i2d_PublicKey() of OpenSSL writes */
static int rc_pkey_fingerprint(struct apk_pkey *pkey)
{
	uint8_t pub[PUBKEY_MAX];
	struct apk_digest dig;
	size_t len;

	if (rustcrypto_key_public_raw(pkey->priv, pub, sizeof pub, &len) != RUSTCRYPTO_OK ||
	    apk_digest_calc(&dig, APK_DIGEST_SHA512, pub, len))
		return -APKE_CRYPTO_ERROR;
	memcpy(pkey->id, dig.data, sizeof pkey->id);
	return 0;
}

void apk_pkey_free(struct apk_pkey *pkey)
{
	rustcrypto_key_free(pkey->priv);
	pkey->priv = NULL;
}

int apk_pkey_load(struct apk_pkey *pkey, int dirfd, const char *fn, int priv)
{
	uint8_t *buf;
	size_t len;
	int r;

	pkey->priv = NULL;
	buf = malloc(KEYFILE_MAX);
	if (!buf) return -ENOMEM;

	r = rc_read_file_at(dirfd, fn, buf, KEYFILE_MAX, &len);
	if (!r) {
		pkey->priv = priv ? rustcrypto_key_load_private(buf, len) : rustcrypto_key_load_public(buf, len);
		r = pkey->priv ? rc_pkey_fingerprint(pkey) : -APKE_CRYPTO_KEY_FORMAT;
	}
	if (r) apk_pkey_free(pkey);
	if (priv) rustcrypto_wipe(buf, KEYFILE_MAX);
	free(buf);
	return r;
}

int apk_sign_start(struct apk_digest_ctx *dctx, uint8_t alg, struct apk_pkey *pkey)
{
	int r = apk_verify_start(dctx, alg, pkey);

	if (!r) rc_digest(dctx)->signing = 1;
	return r;
}

int apk_sign(struct apk_digest_ctx *dctx, void *sig, size_t *len)
{
	struct rc_digest *rd = rc_digest(dctx);
	int r = 0;

	if (!rd->signing) return -APKE_CRYPTO_ERROR;
	if (rustcrypto_key_sign_offline(rd->sigver_key->priv, apk_digest_alg_to_rc(dctx->alg), RUSTCRYPTO_DEFAULT,
					rd->msg, rd->len, sig, *len, len) != RUSTCRYPTO_OK)
		r = -APKE_SIGNATURE_GEN_FAILURE;
	rc_drop_key(rd);
	return r;
}

int apk_verify_start(struct apk_digest_ctx *dctx, uint8_t alg, struct apk_pkey *pkey)
{
	int r = apk_digest_ctx_reset_alg(dctx, alg);

	if (!r) rc_digest(dctx)->sigver_key = pkey;
	return r;
}

int apk_verify(struct apk_digest_ctx *dctx, void *sig, size_t len)
{
	struct rc_digest *rd = rc_digest(dctx);
	struct apk_pkey *key = rd->sigver_key;
	struct apk_digest dig;
	size_t dig_len;

	rc_drop_key(rd);
	if (!key || rc_digest_finish(dctx, &dig, &dig_len)) return -APKE_CRYPTO_ERROR;
	if (rustcrypto_key_verify_digest(key->priv, apk_digest_alg_to_rc(dctx->alg), RUSTCRYPTO_DEFAULT,
					 dig.data, dig_len, sig, len) != RUSTCRYPTO_OK)
		return -APKE_SIGNATURE_INVALID;
	return 0;
}

void apk_crypto_init(void)
{
	/* the library needs no set-up and keeps nothing to clean up */
}
