/* SPDX-License-Identifier: MIT */
/*
 * Drives the apk backend from the command line, call by call as apk does. The test compares with openssl(1).
 *
 *   harness digest ALG FILE...        the digest of the files' concatenation, streamed in uneven pieces
 *   harness id PRIVATE|PUBLIC KEY     the key id, 32 hex digits
 *   harness sign ALG KEY FILE OUT
 *   harness verify ALG KEY FILE SIGNATURE    exit status 0 fits, 3 does not
 *   harness contract KEY PUBKEY       the error returns and reuse that apk relies on
 */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

#include "apk_crypto.h"

#define CHECK(x) do { if (!(x)) { fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #x); exit(1); } } while (0)

static uint8_t alg_by_name(const char *name)
{
	static const char *const names[] = { [APK_DIGEST_SHA1] = "sha1", [APK_DIGEST_SHA256] = "sha256",
					     [APK_DIGEST_SHA512] = "sha512", [APK_DIGEST_SHA256_160] = "sha256-160" };

	for (uint8_t alg = 0; alg < sizeof names / sizeof names[0]; alg++)
		if (names[alg] && !strcmp(names[alg], name)) return alg;
	CHECK(!"a known algorithm");
	return 0;
}

static void hex(const uint8_t *data, size_t len)
{
	while (len--) printf("%02x", *data++);
	putchar('\n');
}

static void feed(struct apk_digest_ctx *dctx, const char *path)
{
	uint8_t buf[4096];
	size_t want = 1, got;
	FILE *f = fopen(path, "rb");

	CHECK(f);
	while ((got = fread(buf, 1, want, f)) > 0) {
		CHECK(apk_digest_ctx_update(dctx, buf, got) == 0);
		want = want * 3 % sizeof buf + 1;
	}
	fclose(f);
}

static void contract(const char *key, const char *pub)
{
	struct apk_digest_ctx d;
	struct apk_digest a, b;
	struct apk_pkey k, p;
	uint8_t sig[1024];
	size_t len;

	/* a context made for no algorithm gets one by sign or verify; it may be reset before */
	CHECK(apk_digest_ctx_init(&d, APK_DIGEST_NONE) == 0);
	CHECK(apk_digest_ctx_reset(&d) == 0);
	CHECK(apk_pkey_load(&k, AT_FDCWD, key, 1) == 0);
	CHECK(apk_pkey_load(&p, AT_FDCWD, pub, 0) == 0);
	CHECK(!memcmp(k.id, p.id, sizeof k.id));
	CHECK(apk_sign_start(&d, APK_DIGEST_SHA512, &k) == 0);
	CHECK(apk_digest_ctx_update(&d, "abc", 3) == 0);
	len = sizeof sig;
	CHECK(apk_sign(&d, sig, &len) == 0 && len < sizeof sig);
	CHECK(apk_verify_start(&d, APK_DIGEST_SHA512, &p) == 0);
	CHECK(apk_digest_ctx_update(&d, "abc", 3) == 0);
	CHECK(apk_verify(&d, sig, len) == 0);
	/* one use only */
	CHECK(apk_verify(&d, sig, len) == -APKE_CRYPTO_ERROR);
	/* every bit counts */
	for (size_t i = 0; i < len; i++) {
		sig[i] ^= 0x10;
		CHECK(apk_verify_start(&d, APK_DIGEST_SHA512, &p) == 0);
		CHECK(apk_digest_ctx_update(&d, "abc", 3) == 0);
		CHECK(apk_verify(&d, sig, len) == -APKE_SIGNATURE_INVALID);
		sig[i] ^= 0x10;
	}
	CHECK(apk_verify_start(&d, APK_DIGEST_SHA512, &p) == 0);
	CHECK(apk_digest_ctx_update(&d, "abc", 3) == 0);
	CHECK(apk_verify(&d, sig, len - 1) == -APKE_SIGNATURE_INVALID);
	CHECK(apk_verify_start(&d, APK_DIGEST_SHA512, &p) == 0);
	CHECK(apk_digest_ctx_update(&d, "abc", 3) == 0);
	CHECK(apk_verify(&d, sig, 0) == -APKE_SIGNATURE_INVALID);
	/* no room for the signature */
	CHECK(apk_sign_start(&d, APK_DIGEST_SHA512, &k) == 0);
	len = 8;
	CHECK(apk_sign(&d, sig, &len) == -APKE_SIGNATURE_GEN_FAILURE);
	/* another algorithm drops the key */
	CHECK(apk_sign_start(&d, APK_DIGEST_SHA512, &k) == 0);
	CHECK(apk_digest_ctx_reset_alg(&d, APK_DIGEST_SHA256) == 0);
	len = sizeof sig;
	CHECK(apk_sign(&d, sig, &len) == -APKE_CRYPTO_ERROR);
	/* the same digest again after a reset, and by one call */
	CHECK(apk_digest_ctx_reset_alg(&d, APK_DIGEST_SHA256_160) == 0);
	CHECK(apk_digest_ctx_update(&d, "garbage", 7) == 0);
	CHECK(apk_digest_ctx_reset(&d) == 0);
	CHECK(apk_digest_ctx_update(&d, "abc", 3) == 0);
	CHECK(apk_digest_ctx_final(&d, &a) == 0);
	CHECK(apk_digest_calc(&b, APK_DIGEST_SHA256_160, "abc", 3) == 0);
	CHECK(a.alg == APK_DIGEST_SHA256_160 && a.len == 20 && b.len == 20 && !memcmp(a.data, b.data, 20));
	CHECK(apk_digest_calc(&b, 77, "abc", 3) == -APKE_CRYPTO_ERROR);
	/* what cannot be loaded says why, and leaves nothing behind */
	apk_pkey_free(&k);
	apk_pkey_free(&k);
	CHECK(apk_pkey_load(&k, AT_FDCWD, "/nonexistent/key", 1) == -ENOENT && !k.priv);
	CHECK(apk_pkey_load(&k, AT_FDCWD, "/dev/null", 0) == -APKE_CRYPTO_KEY_FORMAT && !k.priv);
	CHECK(apk_pkey_load(&k, AT_FDCWD, pub, 1) == -APKE_CRYPTO_KEY_FORMAT && !k.priv);
	apk_pkey_free(&p);
	apk_digest_ctx_free(&d);
	apk_digest_ctx_free(&d);
}

int main(int argc, char **argv)
{
	struct apk_digest_ctx d;
	struct apk_digest digest;
	struct apk_pkey key;
	uint8_t sig[4096];
	size_t len = sizeof sig;
	FILE *f;
	int status = 0;

	apk_crypto_init();
	CHECK(argc > 3);
	if (!strcmp(argv[1], "digest")) {
		CHECK(apk_digest_ctx_init(&d, alg_by_name(argv[2])) == 0);
		for (int i = 3; i < argc; i++) feed(&d, argv[i]);
		CHECK(apk_digest_ctx_final(&d, &digest) == 0);
		hex(digest.data, digest.len);
	} else if (!strcmp(argv[1], "id")) {
		CHECK(apk_pkey_load(&key, AT_FDCWD, argv[3], !strcmp(argv[2], "private")) == 0);
		hex(key.id, sizeof key.id);
		apk_pkey_free(&key);
		return 0;
	} else if (!strcmp(argv[1], "contract")) {
		contract(argv[2], argv[3]);
		return 0;
	} else {
		int verify = !strcmp(argv[1], "verify"), r;

		CHECK(argc == 6);
		CHECK(apk_digest_ctx_init(&d, APK_DIGEST_NONE) == 0);
		CHECK(apk_pkey_load(&key, AT_FDCWD, argv[3], !verify) == 0);
		CHECK((verify ? apk_verify_start : apk_sign_start)(&d, alg_by_name(argv[2]), &key) == 0);
		feed(&d, argv[4]);
		CHECK((f = fopen(argv[5], verify ? "rb" : "wb")));
		if (verify) {
			len = fread(sig, 1, sizeof sig, f);
			r = apk_verify(&d, sig, len);
			CHECK(r == 0 || r == -APKE_SIGNATURE_INVALID);
			status = r ? 3 : 0;
		} else {
			CHECK(apk_sign(&d, sig, &len) == 0);
			CHECK(fwrite(sig, 1, len, f) == len);
		}
		fclose(f);
		apk_pkey_free(&key);
	}
	apk_digest_ctx_free(&d);
	return status;
}
