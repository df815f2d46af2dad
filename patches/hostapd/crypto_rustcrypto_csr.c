/*
 * Crypto wrapper for librustcrypto: certificate requests (PKCS #10) and bags of certificates (PKCS #7), for DPP release 2
 * Copyright (c) 2026, the rustcrypto for distributions authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * This software may be distributed under the terms of the BSD license.
 * See README for more details.
 *
 * RFC 2986 and RFC 2315 over hostap's own ASN.1 reader and writer; the signatures are the library's.
 */

#include "includes.h"

#include "common.h"
#include "base64.h"
#include "wpabuf.h"
#include "tls/asn1.h"
#include "crypto.h"
#include "rustcrypto_compat.h"

/* An uncompressed SubjectPublicKeyInfo of P-521 takes 158 octets, its Ecdsa-Sig-Value 141 */
#define RC_MAX_DER 256

struct crypto_csr {
	struct wpabuf *name;            /* RDNSequence, without its header */
	struct wpabuf *key;             /* SubjectPublicKeyInfo */
	struct wpabuf *attributes;      /* SET OF Attribute, without its header */
};

static const struct asn1_oid oid_challenge_password = {
	.oid = { 1, 2, 840, 113549, 1, 9, 7 }, .len = 7
};
static const struct asn1_oid oid_signed_data = {
	.oid = { 1, 2, 840, 113549, 1, 7, 2 }, .len = 7
};

/* ecdsa-with-SHA256, -SHA384, -SHA512 (RFC 5758) */
static const struct {
	enum crypto_hash_alg hash;
	int32_t digest;
	struct asn1_oid oid;
} algorithms[] = {
	{ CRYPTO_HASH_ALG_SHA256, RUSTCRYPTO_SHA256,
	  { .oid = { 1, 2, 840, 10045, 4, 3, 2 }, .len = 7 } },
	{ CRYPTO_HASH_ALG_SHA384, RUSTCRYPTO_SHA384,
	  { .oid = { 1, 2, 840, 10045, 4, 3, 3 }, .len = 7 } },
	{ CRYPTO_HASH_ALG_SHA512, RUSTCRYPTO_SHA512,
	  { .oid = { 1, 2, 840, 10045, 4, 3, 4 }, .len = 7 } },
};


struct crypto_csr * crypto_csr_init(void)
{
	struct crypto_csr *csr = os_zalloc(sizeof(*csr));

	if (!csr)
		return NULL;
	csr->name = wpabuf_alloc(0);
	csr->attributes = wpabuf_alloc(0);
	if (!csr->name || !csr->attributes) {
		crypto_csr_deinit(csr);
		return NULL;
	}
	return csr;
}


void crypto_csr_deinit(struct crypto_csr *csr)
{
	if (!csr)
		return;
	wpabuf_free(csr->name);
	wpabuf_free(csr->key);
	/* with the challenge password in it */
	wpabuf_clear_free(csr->attributes);
	os_free(csr);
}


/* The next element if it is of this class and tag, or -1; *pos goes behind it. */
static int rc_next(const u8 **pos, const u8 *end, u8 class, unsigned int tag,
		   struct asn1_hdr *hdr)
{
	if (asn1_get_next(*pos, end - *pos, hdr) < 0 || hdr->class != class ||
	    hdr->tag != tag)
		return -1;
	*pos = hdr->payload + hdr->length;
	return 0;
}


static int rc_sequence(const u8 **pos, const u8 *end, struct asn1_hdr *hdr)
{
	return rc_next(pos, end, ASN1_CLASS_UNIVERSAL, ASN1_TAG_SEQUENCE, hdr);
}


/* CertificationRequestInfo: version, subject, subjectPKInfo, attributes [0] */
static struct crypto_csr * rc_parse_info(const struct asn1_hdr *info)
{
	const u8 *pos = info->payload, *end = pos + info->length, *spki;
	struct crypto_csr *csr = os_zalloc(sizeof(*csr));
	struct asn1_hdr hdr;
	int version;

	if (!csr ||
	    asn1_get_integer(pos, end - pos, &version, &pos) < 0 ||
	    version != 0 || rc_sequence(&pos, end, &hdr) < 0)
		goto fail;
	csr->name = wpabuf_alloc_copy(hdr.payload, hdr.length);
	spki = pos;
	if (rc_sequence(&pos, end, &hdr) < 0)
		goto fail;
	csr->key = wpabuf_alloc_copy(spki, pos - spki);
	if (rc_next(&pos, end, ASN1_CLASS_CONTEXT_SPECIFIC, 0, &hdr) < 0)
		goto fail;
	csr->attributes = wpabuf_alloc_copy(hdr.payload, hdr.length);
	if (csr->name && csr->key && csr->attributes)
		return csr;
fail:
	crypto_csr_deinit(csr);
	return NULL;
}


static int rc_digest_of_oid(const struct asn1_oid *oid)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(algorithms); i++) {
		if (asn1_oid_equal(oid, &algorithms[i].oid))
			return algorithms[i].digest;
	}
	return -1;
}


struct crypto_csr * crypto_csr_verify(const struct wpabuf *req)
{
	const u8 *pos = wpabuf_head(req), *end = pos + wpabuf_len(req), *tbs;
	struct asn1_hdr whole, info, sig;
	struct asn1_oid oid;
	struct crypto_csr *csr;
	struct crypto_ec_key *key = NULL;
	int32_t digest, result = -1;
	size_t tbs_len;

	if (rc_sequence(&pos, end, &whole) < 0)
		return NULL;
	tbs = pos = whole.payload;
	end = pos + whole.length;
	if (rc_sequence(&pos, end, &info) < 0)
		return NULL;
	tbs_len = pos - tbs;
	if (asn1_get_alg_id(pos, end - pos, &oid, NULL, NULL, &pos) < 0 ||
	    rc_next(&pos, end, ASN1_CLASS_UNIVERSAL, ASN1_TAG_BITSTRING,
		    &sig) < 0 ||
	    sig.length < 2 || sig.payload[0] != 0)
		return NULL;
	digest = rc_digest_of_oid(&oid);
	csr = rc_parse_info(&info);
	if (csr)
		key = crypto_ec_key_parse_pub(wpabuf_head(csr->key),
					      wpabuf_len(csr->key));
	if (key && digest >= 0)
		result = RC(rustcrypto_key_verify((rustcrypto_key *) key, digest,
						  RUSTCRYPTO_DEFAULT, tbs,
						  tbs_len, sig.payload + 1,
						  sig.length - 1));
	crypto_ec_key_deinit(key);
	if (result < 0) {
		crypto_csr_deinit(csr);
		return NULL;
	}
	return csr;
}


int crypto_csr_set_ec_public_key(struct crypto_csr *csr,
				 struct crypto_ec_key *key)
{
	u8 der[RC_MAX_DER];
	size_t len;

	if (RC(rustcrypto_key_public((rustcrypto_key *) key, RUSTCRYPTO_DER,
				     der, sizeof(der), &len)) < 0)
		return -1;
	wpabuf_free(csr->key);
	csr->key = wpabuf_alloc_copy(der, len);
	return csr->key ? 0 : -1;
}


/* SEQUENCE { OID, value }: for a value in a SET, value_set */
static struct wpabuf * rc_typed(const struct asn1_oid *oid, u8 tag,
				const u8 *value, size_t len, int value_set)
{
	struct wpabuf *inner = wpabuf_alloc(len + 10), *outer;

	if (!inner)
		return NULL;
	asn1_put_hdr(inner, ASN1_CLASS_UNIVERSAL, 0, tag, len);
	wpabuf_put_data(inner, value, len);
	if (value_set)
		inner = asn1_encaps(inner, ASN1_CLASS_UNIVERSAL, ASN1_TAG_SET);
	outer = inner ? wpabuf_alloc(wpabuf_len(inner) + 50) : NULL;
	if (outer) {
		asn1_put_oid(outer, oid);
		wpabuf_put_buf(outer, inner);
	}
	wpabuf_clear_free(inner);
	return asn1_encaps(outer, ASN1_CLASS_UNIVERSAL, ASN1_TAG_SEQUENCE);
}


static int rc_append(struct wpabuf **list, struct wpabuf *element)
{
	int ret = -1;

	if (element && wpabuf_resize(list, wpabuf_len(element)) == 0) {
		wpabuf_put_buf(*list, element);
		ret = 0;
	}
	wpabuf_clear_free(element);
	return ret;
}


int crypto_csr_set_name(struct crypto_csr *csr, enum crypto_csr_name type,
			const char *name)
{
	/* RFC 5280 appendix A: id-at */
	struct asn1_oid oid = { .oid = { 2, 5, 4, 0 }, .len = 4 };
	u8 tag = type == CSR_NAME_C ? ASN1_TAG_PRINTABLESTRING :
		ASN1_TAG_UTF8STRING;

	switch (type) {
	case CSR_NAME_CN:
		oid.oid[3] = 3;
		break;
	case CSR_NAME_SN:
		oid.oid[3] = 4;
		break;
	case CSR_NAME_C:
		oid.oid[3] = 6;
		break;
	case CSR_NAME_O:
		oid.oid[3] = 10;
		break;
	case CSR_NAME_OU:
		oid.oid[3] = 11;
		break;
	default:
		return -1;
	}
	return rc_append(&csr->name,
			 asn1_encaps(rc_typed(&oid, tag, (const u8 *) name,
					      os_strlen(name), 0),
				     ASN1_CLASS_UNIVERSAL, ASN1_TAG_SET));
}


int crypto_csr_set_attribute(struct crypto_csr *csr, enum crypto_csr_attr attr,
			     int attr_type, const u8 *value, size_t len)
{
	if (attr != CSR_ATTR_CHALLENGE_PASSWORD)
		return -1;
	return rc_append(&csr->attributes,
			 rc_typed(&oid_challenge_password, attr_type, value,
				  len, 1));
}


const u8 * crypto_csr_get_attribute(struct crypto_csr *csr,
				    enum crypto_csr_attr attr,
				    size_t *len, int *type)
{
	const u8 *pos = wpabuf_head(csr->attributes), *in;
	const u8 *end = pos + wpabuf_len(csr->attributes);
	struct asn1_hdr one, set, value;
	struct asn1_oid oid;

	while (attr == CSR_ATTR_CHALLENGE_PASSWORD && pos < end) {
		if (rc_sequence(&pos, end, &one) < 0 ||
		    asn1_get_oid(one.payload, one.length, &oid, &in) < 0)
			return NULL;
		if (!asn1_oid_equal(&oid, &oid_challenge_password))
			continue;
		if (rc_next(&in, one.payload + one.length,
			    ASN1_CLASS_UNIVERSAL, ASN1_TAG_SET, &set) < 0 ||
		    asn1_get_next(set.payload, set.length, &value) < 0)
			return NULL;
		*len = value.length;
		*type = value.tag;
		return value.payload;
	}
	return NULL;
}


/* CertificationRequestInfo as it is signed */
static struct wpabuf * rc_build_info(const struct crypto_csr *csr)
{
	struct wpabuf *info = wpabuf_alloc(wpabuf_len(csr->name) +
					   wpabuf_len(csr->key) +
					   wpabuf_len(csr->attributes) + 50);

	if (!info)
		return NULL;
	asn1_put_integer(info, 0);
	asn1_put_sequence(info, csr->name);
	wpabuf_put_buf(info, csr->key);
	asn1_put_hdr(info, ASN1_CLASS_CONTEXT_SPECIFIC, 1, 0,
		     wpabuf_len(csr->attributes));
	wpabuf_put_buf(info, csr->attributes);
	return asn1_encaps(info, ASN1_CLASS_UNIVERSAL, ASN1_TAG_SEQUENCE);
}


struct wpabuf * crypto_csr_sign(struct crypto_csr *csr,
				struct crypto_ec_key *key,
				enum crypto_hash_alg algo)
{
	struct wpabuf *info, *alg = NULL, *req = NULL;
	u8 sig[RC_MAX_DER];
	size_t sig_len, i;

	for (i = 0; i < ARRAY_SIZE(algorithms); i++) {
		if (algorithms[i].hash == algo)
			break;
	}
	if (i == ARRAY_SIZE(algorithms) || !csr->key)
		return NULL;
	info = rc_build_info(csr);
	if (info &&
	    RC(rustcrypto_key_sign((rustcrypto_key *) key,
				   algorithms[i].digest, RUSTCRYPTO_DEFAULT,
				   wpabuf_head(info), wpabuf_len(info), sig,
				   sizeof(sig), &sig_len)) == 0)
		alg = asn1_build_alg_id(&algorithms[i].oid, NULL);
	if (alg)
		req = wpabuf_alloc(wpabuf_len(info) + wpabuf_len(alg) +
				   sig_len + 20);
	if (req) {
		wpabuf_put_buf(req, info);
		wpabuf_put_buf(req, alg);
		asn1_put_hdr(req, ASN1_CLASS_UNIVERSAL, 0, ASN1_TAG_BITSTRING,
			     1 + sig_len);
		wpabuf_put_u8(req, 0);
		wpabuf_put_data(req, sig, sig_len);
	}
	wpabuf_free(alg);
	wpabuf_clear_free(info);
	return asn1_encaps(req, ASN1_CLASS_UNIVERSAL, ASN1_TAG_SEQUENCE);
}


/* RFC 7468: 64 characters, which are 48 octets, to a line */
static int rc_append_pem(struct wpabuf **pem, const u8 *der, size_t len)
{
	size_t chunk, line_len;
	char *line;

	if (wpabuf_resize(pem, 100 + len * 2) < 0)
		return -1;
	wpabuf_put_str(*pem, "-----BEGIN CERTIFICATE-----\n");
	for (; len > 0; der += chunk, len -= chunk) {
		chunk = len < 48 ? len : 48;
		line = base64_encode_no_lf(der, chunk, &line_len);
		if (!line)
			return -1;
		wpabuf_put_data(*pem, line, line_len);
		wpabuf_put_u8(*pem, '\n');
		os_free(line);
	}
	wpabuf_put_str(*pem, "-----END CERTIFICATE-----\n");
	return 0;
}


/* ContentInfo { signedData, [0] SignedData { version, digestAlgorithms, contentInfo, [0] certificates, ... } } */
struct wpabuf * crypto_pkcs7_get_certificates(const struct wpabuf *pkcs7)
{
	const u8 *pos = wpabuf_head(pkcs7), *end = pos + wpabuf_len(pkcs7);
	const u8 *cert;
	struct asn1_hdr hdr;
	struct asn1_oid oid;
	struct wpabuf *pem = NULL;
	int version;

	if (rc_sequence(&pos, end, &hdr) < 0)
		return NULL;
	pos = hdr.payload;
	end = pos + hdr.length;
	if (asn1_get_oid(pos, end - pos, &oid, &pos) < 0 ||
	    !asn1_oid_equal(&oid, &oid_signed_data) ||
	    rc_next(&pos, end, ASN1_CLASS_CONTEXT_SPECIFIC, 0, &hdr) < 0)
		return NULL;
	pos = hdr.payload;
	if (rc_sequence(&pos, hdr.payload + hdr.length, &hdr) < 0)
		return NULL;
	pos = hdr.payload;
	end = pos + hdr.length;
	if (asn1_get_integer(pos, end - pos, &version, &pos) < 0 ||
	    rc_next(&pos, end, ASN1_CLASS_UNIVERSAL, ASN1_TAG_SET, &hdr) < 0 ||
	    rc_sequence(&pos, end, &hdr) < 0 ||
	    rc_next(&pos, end, ASN1_CLASS_CONTEXT_SPECIFIC, 0, &hdr) < 0)
		return NULL;
	pos = hdr.payload;
	end = pos + hdr.length;
	while (pos < end) {
		cert = pos;
		if (rc_sequence(&pos, end, &hdr) < 0 ||
		    rc_append_pem(&pem, cert, pos - cert) < 0) {
			wpabuf_free(pem);
			return NULL;
		}
	}
	return pem;
}
