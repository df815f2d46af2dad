/*
 * TLS wrapper for librustcrypto: what its two files share
 * Copyright (c) 2026, the rustcrypto for distributions authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * This software may be distributed under the terms of the BSD license.
 * See README for more details.
 */

#ifndef TLS_RUSTCRYPTO_H
#define TLS_RUSTCRYPTO_H

/* A configuration made of hostap's parameters, or NULL with the reason in the log.
 * flags: TLS_CONN_* (those in params are not looked at) */
rustcrypto_tls_config *
rc_tls_config(int32_t role, const struct tls_connection_params *params,
	      unsigned int flags, int32_t verify, int check_crl);

/* What the peer's certificate must be besides trusted; all may be NULL. */
struct rc_tls_peer {
	char *domain_match;
	char *suffix_match;
	u8 *cert_sha256;
};

/* 0, or -1 with the reason in the log where a condition is one this backend cannot check. */
int rc_tls_peer_set(struct rc_tls_peer *peer,
		    const struct tls_connection_params *params);
void rc_tls_peer_clear(struct rc_tls_peer *peer);

/* TLS_FAIL_* other than UNSPECIFIED: the certificate is not the one asked for. */
enum tls_fail_reason rc_tls_peer_check(const struct rc_tls_peer *peer,
				       const rustcrypto_tls *tls);

/* Does a server_cert "hash://server/sha256/..." stand in for the CA? */
int rc_tls_is_hash(const char *ca_cert);

#endif /* TLS_RUSTCRYPTO_H */
