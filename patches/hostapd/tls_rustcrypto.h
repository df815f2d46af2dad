/*
 * TLS wrapper for librustcrypto: what its files share
 * Copyright (c) 2026, the rustcrypto for distributions authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * This software may be distributed under the terms of the BSD license.
 * See README for more details.
 */

#ifndef TLS_RUSTCRYPTO_H
#define TLS_RUSTCRYPTO_H

/* What the peer's certificate must be besides trusted; all may be NULL. */
struct rc_tls_peer {
	char *domain_match;
	char *suffix_match;
	char *altsubject_match;
	u8 *cert_sha256;
	int suiteb;     /* the key must be P-384, or RSA of 3072 bits at least */
};

#define RC_RANDOM_LEN 32

struct rc_tls_context {
	void (*event_cb)(void *ctx, enum tls_event ev,
			 union tls_event_data *data);
	void *cb_ctx;
	int cert_in_cb;
	unsigned int flags;
	/* server: own copies of what tls_global_set_params() was given */
	struct tls_connection_params global;
	int have_global;
	int check_crl;
};

struct tls_connection {
	struct rc_tls_context *ctx;
	rustcrypto_tls_config *cfg;
	rustcrypto_tls *tls;
	struct rc_tls_peer peer;
	int32_t verify;         /* server: RUSTCRYPTO_VERIFY_* for client certificates */
	unsigned int flags;
	const struct wpabuf *in;
	size_t in_pos;
	struct wpabuf *out;
	u8 own_random[RC_RANDOM_LEN], peer_random[RC_RANDOM_LEN];
	int own_seen, peer_seen, is_server;
	u16 peer_hello;         /* legacy_version of the peer's hello */
	int established, failed, alerts_read, alerts_written;
	char subject[256];
};

/* A configuration made of hostap's parameters, or NULL with the reason in the log.
 * flags: TLS_CONN_* (those in params are not looked at) */
rustcrypto_tls_config *
rc_tls_config(int32_t role, const struct tls_connection_params *params,
	      unsigned int flags, int32_t verify, int check_crl);

/* Is Suite B 192 asked for? */
int rc_tls_suiteb(const struct tls_connection_params *params,
		  unsigned int flags);

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
