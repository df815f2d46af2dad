/* SPDX-License-Identifier: Apache-2.0 OR MIT
 * What the example programs share: options that set up a TLS configuration, and complaints. */
#ifndef COMMON_H
#define COMMON_H

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rustcrypto.h>

#define EXIT_TLS 2
#define EXIT_CUT 3

static inline void die(int code, const char *what, const char *why)
{
	fprintf(stderr, "error: %s: %s\n", what, why);
	exit(code);
}

static inline void check(int32_t result, const char *what)
{
	if (result != RUSTCRYPTO_OK)
		die(EXIT_TLS, what, rustcrypto_last_error());
}

/* Take one "--option value" that concerns the configuration. Returns 1 if it did. */
static inline int config_option(rustcrypto_tls_config *config, const char *option, const char *value)
{
	if (!strcmp(option, "--ca"))
		check(rustcrypto_tls_config_add_ca_file(config, value), option);
	else if (!strcmp(option, "--cert"))
		check(rustcrypto_tls_config_set_cert_file(config, value), option);
	else if (!strcmp(option, "--key"))
		check(rustcrypto_tls_config_set_key_file(config, value), option);
	else if (!strcmp(option, "--ciphers"))
		check(rustcrypto_tls_config_set_ciphers(config, value), option);
	else if (!strcmp(option, "--groups"))
		check(rustcrypto_tls_config_set_groups(config, value), option);
	else if (!strcmp(option, "--alpn"))
		check(rustcrypto_tls_config_set_alpn(config, value), option);
	else if (!strcmp(option, "--tls")) /* 1.2 or 1.3 alone */
		check(rustcrypto_tls_config_set_versions(config, strcmp(value, "1.2") ? 0x0304 : 0x0303,
							 strcmp(value, "1.2") ? 0x0304 : 0x0303),
		      option);
	else if (!strcmp(option, "--verify"))
		check(rustcrypto_tls_config_set_verify(config, !strcmp(value, "none")       ? RUSTCRYPTO_VERIFY_NONE
							       : !strcmp(value, "optional") ? RUSTCRYPTO_VERIFY_OPTIONAL
											    : RUSTCRYPTO_VERIFY_REQUIRED),
		      option);
	else if (!strcmp(option, "--time"))
		check(rustcrypto_tls_config_set_time(config, atoll(value)), option);
	else if (!strcmp(option, "--cache")) /* 0: no resumption */
		check(rustcrypto_tls_config_set_session_cache(config, strtoul(value, NULL, 10)), option);
	else if (!strcmp(option, "--record"))
		check(rustcrypto_tls_config_set_record_size(config, strtoul(value, NULL, 10)), option);
	else if (!strcmp(option, "--crl")) {
		static uint8_t data[1 << 16];
		FILE *file = fopen(value, "rb");
		size_t len = file ? fread(data, 1, sizeof(data), file) : 0;

		if (!file)
			die(1, value, strerror(errno));
		fclose(file);
		check(rustcrypto_tls_config_add_crl(config, data, len), option);
	} else {
		return 0;
	}
	return 1;
}

/* One line about a session whose handshake is done. */
static inline void describe(rustcrypto_tls *tls)
{
	const char *alpn = rustcrypto_tls_alpn(tls), *subject = rustcrypto_tls_peer_subject(tls);

	fprintf(stderr, "TLSv1.%d %s %s resumed=%d alpn=%s peer=%s verify=%s\n", rustcrypto_tls_version(tls) - 0x0301,
		rustcrypto_tls_cipher_name(tls), rustcrypto_tls_group_name(tls), rustcrypto_tls_resumed(tls), alpn ? alpn : "-",
		subject ? subject : "-",
		rustcrypto_tls_verify_result(tls) == RUSTCRYPTO_OK ? "ok" : rustcrypto_tls_verify_message(tls));
}

#endif
