/*
 * OWE (RFC 8110) by the steps of hostap's ieee802_11.c and wpa.c, and what PSK and FT derive
 * Copyright (c) 2026, the rustcrypto for distributions authors
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "includes.h"

#include "common.h"
#include "wpabuf.h"
#include "common/defs.h"
#include "common/ieee802_11_defs.h"
#include "common/wpa_common.h"
#include "crypto/crypto.h"
#include "crypto/sha1.h"
#include "crypto/sha256.h"
#include "crypto/sha384.h"
#include "crypto/sha512.h"
#include "crypto/aes_wrap.h"
#include "peer.h"


/* PMK = HKDF(hash, salt C | A | group, z, "OWE Key Generation") */
static int owe_pmk(int group, const struct wpabuf *c, const struct wpabuf *a,
		   const struct wpabuf *z, u8 *pmk)
{
	static const char info[] = "OWE Key Generation";
	size_t n = group == 19 ? 32 : group == 20 ? 48 : 64;
	struct wpabuf *salt = wpabuf_alloc(wpabuf_len(c) + wpabuf_len(a) + 2);
	const u8 *key, *secret = wpabuf_head(z);
	u8 prk[SHA512_MAC_LEN];
	size_t key_len;
	int ret;

	if (!salt)
		return -1;
	wpabuf_put_buf(salt, c);
	wpabuf_put_buf(salt, a);
	wpabuf_put_le16(salt, group);
	key = wpabuf_head(salt);
	key_len = wpabuf_len(salt);
	if (group == 19)
		ret = hmac_sha256(key, key_len, secret, wpabuf_len(z), prk) ||
			hmac_sha256_kdf(prk, n, NULL, (const u8 *) info,
					os_strlen(info), pmk, n);
	else if (group == 20)
		ret = hmac_sha384(key, key_len, secret, wpabuf_len(z), prk) ||
			hmac_sha384_kdf(prk, n, NULL, (const u8 *) info,
					os_strlen(info), pmk, n);
	else
		ret = hmac_sha512(key, key_len, secret, wpabuf_len(z), prk) ||
			hmac_sha512_kdf(prk, n, NULL, (const u8 *) info,
					os_strlen(info), pmk, n);
	wpabuf_free(salt);
	return ret ? -1 : (int) n;
}


int peer_owe(int argc, char *argv[])
{
	int group = atoi(argv[0]), i, len = -1, count = atoi(argv[1]);
	int ap = os_strcmp(argv[2], "ap") == 0;
	struct crypto_ecdh *ecdh;
	struct wpabuf *own, *peer, *z;
	u8 pmk[SHA512_MAC_LEN];

	for (i = 0; i < count; i++) {
		ecdh = crypto_ecdh_init(group);
		own = ecdh ? crypto_ecdh_get_pubkey(ecdh, 0) : NULL;
		if (own)
			own = wpabuf_zeropad(own, crypto_ecdh_prime_len(ecdh));
		if (!own || frame_send(own) < 0)
			return 1;
		peer = frame_receive();
		z = peer ? crypto_ecdh_set_peerkey(ecdh, 0, wpabuf_head(peer),
						   wpabuf_len(peer)) : NULL;
		if (z)
			z = wpabuf_zeropad(z, crypto_ecdh_prime_len(ecdh));
		if (!z)
			return 1;
		len = owe_pmk(group, ap ? peer : own, ap ? own : peer, z, pmk);
		crypto_ecdh_deinit(ecdh);
		wpabuf_free(own);
		wpabuf_free(peer);
		wpabuf_clear_free(z);
		if (len < 0)
			return 1;
	}
	tell("pmk", pmk, len);
	return 0;
}


/* Every key of WPA2-PSK and FT-PSK from fixed input: two backends must print the same lines. */
int peer_keys(int argc, char *argv[])
{
	static const u8 aa[ETH_ALEN] = { 2, 0, 0, 0, 0, 1 };
	static const u8 spa[ETH_ALEN] = { 2, 0, 0, 0, 0, 2 };
	static const u8 r0kh[] = "r0kh.example", mdid[2] = { 0xa1, 0xb2 };
	u8 anonce[32], snonce[32], pmk[32], r0[64], r0_name[16], r1[64];
	u8 r1_name[16], ptk_name[16], mic[16], gtk[40], wrapped[48], plain[40];
	struct wpa_ptk ptk;

	os_memset(anonce, 0xa5, sizeof(anonce));
	os_memset(snonce, 0x5a, sizeof(snonce));
	os_memset(gtk, 0x77, sizeof(gtk));
	if (pbkdf2_sha1("mekmitasdigoat", (const u8 *) "byteme", 6, 4096, pmk,
			sizeof(pmk)) < 0)
		return 1;
	tell("psk", pmk, sizeof(pmk));

	if (wpa_pmk_to_ptk(pmk, sizeof(pmk), "Pairwise key expansion", aa, spa,
			   anonce, snonce, &ptk, WPA_KEY_MGMT_PSK_SHA256,
			   WPA_CIPHER_CCMP, NULL, 0, 0) < 0)
		return 1;
	tell("psk-sha256 kck", ptk.kck, ptk.kck_len);
	tell("psk-sha256 tk", ptk.tk, ptk.tk_len);
	/* 802.11w: the EAPOL-Key MIC is AES-128-CMAC */
	if (wpa_eapol_key_mic(ptk.kck, ptk.kck_len, WPA_KEY_MGMT_PSK_SHA256,
			      WPA_KEY_INFO_TYPE_AES_128_CMAC, anonce,
			      sizeof(anonce), mic) < 0)
		return 1;
	tell("psk-sha256 mic", mic, sizeof(mic));
	if (aes_wrap(ptk.kek, ptk.kek_len, sizeof(gtk) / 8, gtk, wrapped) < 0 ||
	    aes_unwrap(ptk.kek, ptk.kek_len, sizeof(gtk) / 8, wrapped,
		       plain) < 0 ||
	    os_memcmp(gtk, plain, sizeof(gtk)) != 0)
		return 1;
	tell("gtk wrapped", wrapped, sizeof(wrapped));

	if (wpa_pmk_to_ptk(pmk, sizeof(pmk), "Pairwise key expansion", aa, spa,
			   anonce, snonce, &ptk, WPA_KEY_MGMT_PSK,
			   WPA_CIPHER_CCMP, NULL, 0, 0) < 0 ||
	    wpa_eapol_key_mic(ptk.kck, ptk.kck_len, WPA_KEY_MGMT_PSK,
			      WPA_KEY_INFO_TYPE_HMAC_SHA1_AES, anonce,
			      sizeof(anonce), mic) < 0)
		return 1;
	tell("psk tk", ptk.tk, ptk.tk_len);
	tell("psk mic", mic, sizeof(mic));

	os_memset(r0, 0, sizeof(r0));
	os_memset(r1, 0, sizeof(r1));
#ifdef HMAC_VECTOR_MAX_ELEM
	if (wpa_derive_pmk_r0(pmk, sizeof(pmk), (const u8 *) "byteme", 6, mdid,
			      r0kh, sizeof(r0kh) - 1, spa, r0, r0_name,
			      WPA_KEY_MGMT_FT_PSK) < 0 ||
	    wpa_derive_pmk_r1(r0, 32, r0_name, aa, spa, r1, r1_name) < 0 ||
	    wpa_pmk_r1_to_ptk(r1, 32, snonce, anonce, spa, aa, r1_name, &ptk,
			      ptk_name, WPA_KEY_MGMT_FT_PSK, WPA_CIPHER_CCMP,
			      0) < 0)
		return 1;
#else
	if (wpa_derive_pmk_r0(pmk, sizeof(pmk), (const u8 *) "byteme", 6, mdid,
			      r0kh, sizeof(r0kh) - 1, spa, r0, r0_name, 0) < 0 ||
	    wpa_derive_pmk_r1(r0, 32, r0_name, aa, spa, r1, r1_name) < 0 ||
	    wpa_pmk_r1_to_ptk(r1, 32, snonce, anonce, spa, aa, r1_name, &ptk,
			      ptk_name, WPA_KEY_MGMT_FT_PSK, WPA_CIPHER_CCMP,
			      0) < 0)
		return 1;
#endif
	tell("ft pmk-r0", r0, 32);
	tell("ft pmk-r1", r1, 32);
	tell("ft tk", ptk.tk, ptk.tk_len);
	tell("ft ptk-name", ptk_name, sizeof(ptk_name));
	return 0;
}
