/*
 * TLS wrapper for librustcrypto: from hostap's parameters to the library's configuration
 * Copyright (c) 2026, the rustcrypto for distributions authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * This software may be distributed under the terms of the BSD license.
 * See README for more details.
 *
 * A parameter that this backend does not know is refused, never passed over: most of them are conditions on whom to trust.
 */

#include "includes.h"

#include "common.h"
#include "crypto.h"
#include "tls.h"
#include "rustcrypto_compat.h"
#include "tls_rustcrypto.h"

#define HASH_PREFIX "hash://server/sha256/"
#define SHA256_LEN 32

/* Up to v2.10 the PEAP server goes on after a TLS 1.3 handshake only if that left something to send: a ticket does. It opens
 * nothing later, for a configuration lives as long as its one connection. */
#ifdef RC_HOSTAP_2_11
#define SERVER_SESSIONS 0
#else
#define SERVER_SESSIONS 1
#endif

/* WPA3 specification, section 3.5: ECDHE on P-384, SHA-384 and AES-256-GCM alone */
#define SUITEB_CIPHERS "ECDHE-ECDSA-AES256-GCM-SHA384:" \
	"ECDHE-RSA-AES256-GCM-SHA384:TLS_AES_256_GCM_SHA384"


/* Asked for as with OpenSSL: tls_suiteb=1 or openssl_ciphers="SUITEB192" */
int rc_tls_suiteb(const struct tls_connection_params *params,
		  unsigned int flags)
{
	return (flags & TLS_CONN_SUITEB) ||
		(params->openssl_ciphers &&
		 os_strcmp(params->openssl_ciphers, "SUITEB192") == 0);
}


int rc_tls_is_hash(const char *ca_cert)
{
	return ca_cert &&
		os_strncmp(ca_cert, HASH_PREFIX, os_strlen(HASH_PREFIX)) == 0;
}


static int rc_refuse(const char *what)
{
	wpa_printf(MSG_ERROR, "TLS: rustcrypto does not offer %s", what);
	return -1;
}


static int rc_refused(const struct tls_connection_params *params,
		      unsigned int flags)
{
	if (params->engine || params->key_id || params->cert_id ||
	    params->ca_cert_id)
		return rc_refuse("keys in engines or tokens (engine=1)");
	if (params->ca_path)
		return rc_refuse("ca_path: give one file as ca_cert");
	if (params->ca_cert && os_strstr(params->ca_cert, "://") &&
	    !rc_tls_is_hash(params->ca_cert))
		return rc_refuse("this form of ca_cert: give a file or hash://server/sha256/");
	if (params->check_cert_subject)
		return rc_refuse("check_cert_subject: use domain_match");
	if (flags & (TLS_CONN_REQUIRE_OCSP | TLS_CONN_REQUIRE_OCSP_ALL))
		return rc_refuse("OCSP stapling (ocsp=2 and 3)");
	if (flags & TLS_CONN_DISABLE_TIME_CHECKS)
		return rc_refuse("tls_disable_time_checks: set the clock");
	if (flags & TLS_CONN_EAP_FAST)
		return rc_refuse("EAP-FAST");
	return 0;
}


static int rc_key_and_cert(rustcrypto_tls_config *cfg,
			   const struct tls_connection_params *params)
{
	int ret = 0;

	if (params->client_cert)
		ret = RC(rustcrypto_tls_config_set_cert_file(
				 cfg, params->client_cert));
	else if (params->client_cert_blob)
		ret = RC(rustcrypto_tls_config_set_cert(
				 cfg, params->client_cert_blob,
				 params->client_cert_blob_len));
	if (ret < 0) {
		wpa_printf(MSG_ERROR, "TLS: certificate %s: %s",
			   params->client_cert ? params->client_cert : "(blob)",
			   rustcrypto_last_error());
		return -1;
	}
	if (params->private_key)
		ret = RC(rustcrypto_tls_config_set_key_file(
				 cfg, params->private_key));
	else if (params->private_key_blob)
		ret = RC(rustcrypto_tls_config_set_key(
				 cfg, params->private_key_blob,
				 params->private_key_blob_len));
	if (ret < 0)
		wpa_printf(MSG_ERROR, "TLS: private key %s: %s",
			   params->private_key ? params->private_key : "(blob)",
			   rustcrypto_last_error());
	return ret;
}


static int rc_trust(rustcrypto_tls_config *cfg,
		    const struct tls_connection_params *params, int check_crl)
{
	char *data;
	size_t len;
	int ret = 0;

	if (params->ca_cert && !rc_tls_is_hash(params->ca_cert))
		ret = RC(rustcrypto_tls_config_add_ca_file(cfg,
							   params->ca_cert));
	if (ret == 0 && params->ca_cert_blob)
		ret = RC(rustcrypto_tls_config_add_ca(cfg, params->ca_cert_blob,
						      params->ca_cert_blob_len));
	if (ret == 0 && check_crl && params->ca_cert) {
		/* hostap's CRLs lie in the CA file */
		data = os_readfile(params->ca_cert, &len);
		if (!data)
			return -1;
		ret = RC(rustcrypto_tls_config_add_crl(cfg, (const u8 *) data,
						       len));
		os_free(data);
	}
	if (ret < 0)
		wpa_printf(MSG_ERROR, "TLS: ca_cert %s: %s",
			   params->ca_cert ? params->ca_cert : "(blob)",
			   rustcrypto_last_error());
	return ret;
}


static int rc_protocol(rustcrypto_tls_config *cfg,
		       const struct tls_connection_params *params,
		       unsigned int flags)
{
	uint16_t min = 0x0303, max = 0x0304;
	const char *ciphers = params->openssl_ciphers;

	if ((flags & TLS_CONN_DISABLE_TLSv1_2) &&
	    !(flags & TLS_CONN_ENABLE_TLSv1_2))
		min = 0x0304;
	if (flags & TLS_CONN_DISABLE_TLSv1_3)
		max = 0x0303;
	if (min > max)
		return rc_refuse("TLS 1.0 and 1.1, and the settings leave neither 1.2 nor 1.3");
	if (RC(rustcrypto_tls_config_set_versions(cfg, min, max)) < 0)
		return -1;
	if (rc_tls_suiteb(params, flags)) {
		ciphers = SUITEB_CIPHERS;
		if (RC(rustcrypto_tls_config_set_groups(cfg, "P-384")) < 0)
			return -1;
	}
	/* OpenSSL's keyword lists name no cipher; the library's own order is meant */
	if (ciphers && os_strncmp(ciphers, "DEFAULT", 7) != 0 &&
	    RC(rustcrypto_tls_config_set_ciphers(cfg, ciphers)) < 0) {
		wpa_printf(MSG_ERROR, "TLS: openssl_ciphers \"%s\": %s",
			   ciphers, rustcrypto_last_error());
		return -1;
	}
	return 0;
}


rustcrypto_tls_config *
rc_tls_config(int32_t role, const struct tls_connection_params *params,
	      unsigned int flags, int32_t verify, int check_crl)
{
	rustcrypto_tls_config *cfg;

	if (rc_refused(params, flags) < 0)
		return NULL;
	cfg = rustcrypto_tls_config_new(role);
	if (!cfg)
		return NULL;
	/* Names are hostap's business (domain_match), and a resumed session would pass by its checks. */
	if (RC(rustcrypto_tls_config_set_verify(cfg, verify)) < 0 ||
	    RC(rustcrypto_tls_config_set_verify_name(cfg, false)) < 0 ||
	    RC(rustcrypto_tls_config_set_session_cache(
		       cfg, role == RUSTCRYPTO_SERVER ?
		       SERVER_SESSIONS : 0)) < 0 ||
	    rc_protocol(cfg, params, flags) < 0 ||
	    rc_trust(cfg, params, check_crl) < 0 ||
	    rc_key_and_cert(cfg, params) < 0) {
		rustcrypto_tls_config_free(cfg);
		return NULL;
	}
	return cfg;
}


static int rc_copy(char **to, const char *from)
{
	*to = from ? os_strdup(from) : NULL;
	return from && !*to ? -1 : 0;
}


int rc_tls_peer_set(struct rc_tls_peer *peer,
		    const struct tls_connection_params *params)
{
	const char *hash = params->ca_cert;

	rc_tls_peer_clear(peer);
	peer->suiteb = rc_tls_suiteb(params, params->flags);
	if (params->subject_match)
		return rc_refuse("subject_match: use domain_match");
	if (rc_copy(&peer->domain_match, params->domain_match) < 0 ||
	    rc_copy(&peer->suffix_match, params->suffix_match) < 0 ||
	    rc_copy(&peer->altsubject_match, params->altsubject_match) < 0)
		return -1;
	if (!rc_tls_is_hash(hash))
		return 0;
	peer->cert_sha256 = os_malloc(SHA256_LEN);
	if (!peer->cert_sha256)
		return -1;
	hash += os_strlen(HASH_PREFIX);
	if (os_strlen(hash) != 2 * SHA256_LEN ||
	    hexstr2bin(hash, peer->cert_sha256, SHA256_LEN) < 0) {
		wpa_printf(MSG_ERROR, "TLS: not a SHA-256 in hex: %s", hash);
		return -1;
	}
	return 0;
}


void rc_tls_peer_clear(struct rc_tls_peer *peer)
{
	os_free(peer->domain_match);
	os_free(peer->suffix_match);
	os_free(peer->altsubject_match);
	os_free(peer->cert_sha256);
	os_memset(peer, 0, sizeof(*peer));
}


/* wpa_supplicant.conf: domain_match is the whole name, domain_suffix_match the name or what follows one of its dots,
 * altsubject_match the tagged name. Neither takes wildcards of the certificate for more than their own letters. */
enum rc_how { RC_DOMAIN, RC_SUFFIX, RC_ALTSUBJECT };

static int rc_is(enum rc_how how, const char *name, const char *want,
		 size_t want_len)
{
	size_t len;

	if (how != RC_ALTSUBJECT) {
		if (os_strncmp(name, "DNS:", 4) != 0)
			return 0;
		name += 4;
	}
	len = os_strlen(name);
	if (len < want_len ||
	    os_strncasecmp(name + len - want_len, want, want_len) != 0)
		return 0;
	return len == want_len ||
		(how == RC_SUFFIX && name[len - want_len - 1] == '.');
}


/* `wanted` are names separated by ';': one of them is enough. */
static int rc_any(const rustcrypto_tls *tls, enum rc_how how, const char *wanted)
{
	char name[300];
	const char *want, *end;
	size_t i, len;

	/* a longer name than any DNS name stays unmatched */
	for (i = 0; rustcrypto_tls_peer_alt_name(tls, i, NULL, 0, &len) ==
		     RUSTCRYPTO_BUFFER_TOO_SHORT; i++) {
		if (len >= sizeof(name) ||
		    rustcrypto_tls_peer_alt_name(tls, i, (u8 *) name,
						 sizeof(name) - 1, &len) !=
		    RUSTCRYPTO_OK)
			continue;
		name[len] = '\0';
		for (want = wanted; want; want = end ? end + 1 : NULL) {
			end = os_strchr(want, ';');
			len = end ? (size_t) (end - want) : os_strlen(want);
			if (len > 0 && rc_is(how, name, want, len))
				return 1;
		}
	}
	return 0;
}


/* The value of a DER element, and the element as a whole in *whole; *pos goes behind it. NULL if it is not one. */
static const u8 * rc_der(const u8 **pos, const u8 *end, size_t *len,
			 const u8 **whole)
{
	const u8 *value = *pos + 2;
	size_t n, i;

	*whole = *pos;
	if (end - *pos < 2)
		return NULL;
	n = (*pos)[1];
	if (n & 0x80) {
		i = n & 0x7f;
		if (i == 0 || i > 3 || (size_t) (end - value) < i)
			return NULL;
		for (n = 0; i > 0; i--)
			n = n << 8 | *value++;
	}
	if ((size_t) (end - value) < n)
		return NULL;
	*len = n;
	*pos = value + n;
	return value;
}


/* RFC 5280 4.1: the subjectPublicKeyInfo comes behind version, serial number, signature, issuer, validity, subject. */
static rustcrypto_key * rc_cert_key(const u8 *cert, size_t cert_len)
{
	const u8 *pos = cert, *end = cert + cert_len, *value, *whole;
	size_t len;
	int i;

	for (i = 0; i < 2; i++) {
		value = rc_der(&pos, end, &len, &whole);
		if (!value)
			return NULL;
		pos = value;
		end = value + len;
	}
	/* version is [0] and may be left out */
	for (i = pos < end && *pos == 0xa0 ? 0 : 1; i < 7; i++) {
		if (!rc_der(&pos, end, &len, &whole))
			return NULL;
	}
	return rustcrypto_key_load_public(whole, pos - whole);
}


static int rc_strong(const u8 *cert, size_t len)
{
	rustcrypto_key *key = rc_cert_key(cert, len);
	int32_t type = rustcrypto_key_type(key);
	int strong = type == RUSTCRYPTO_KEY_P384 ||
		(type == RUSTCRYPTO_KEY_RSA &&
		 rustcrypto_key_bits(key) >= 3072);

	rustcrypto_key_free(key);
	return strong;
}


/* The checks that need the certificate itself */
static enum tls_fail_reason rc_check_cert(const struct rc_tls_peer *peer,
					  const u8 *cert, size_t len)
{
	u8 hash[SHA256_LEN];
	const u8 *addr[1] = { cert };

	if (peer->suiteb && !rc_strong(cert, len))
		return TLS_FAIL_INSUFFICIENT_KEY_LEN;
	if (peer->cert_sha256 &&
	    (sha256_vector(1, addr, &len, hash) < 0 ||
	     os_memcmp_const(hash, peer->cert_sha256, SHA256_LEN) != 0))
		return TLS_FAIL_UNTRUSTED;
	return TLS_FAIL_UNSPECIFIED;
}


enum tls_fail_reason rc_tls_peer_check(const struct rc_tls_peer *peer,
				       const rustcrypto_tls *tls)
{
	enum tls_fail_reason reason = TLS_FAIL_BAD_CERTIFICATE;
	u8 *cert;
	size_t len = 0;

	if (peer->domain_match && !rc_any(tls, RC_DOMAIN, peer->domain_match))
		return TLS_FAIL_DOMAIN_MISMATCH;
	if (peer->suffix_match && !rc_any(tls, RC_SUFFIX, peer->suffix_match))
		return TLS_FAIL_DOMAIN_SUFFIX_MISMATCH;
	if (peer->altsubject_match &&
	    !rc_any(tls, RC_ALTSUBJECT, peer->altsubject_match))
		return TLS_FAIL_ALTSUBJECT_MISMATCH;
	if (!peer->cert_sha256 && !peer->suiteb)
		return TLS_FAIL_UNSPECIFIED;

	/* a first call for the length */
	rustcrypto_tls_peer_certificate(tls, 0, NULL, 0, &len);
	cert = len ? os_malloc(len) : NULL;
	if (cert &&
	    RC(rustcrypto_tls_peer_certificate(tls, 0, cert, len, &len)) == 0)
		reason = rc_check_cert(peer, cert, len);
	os_free(cert);
	return reason;
}
