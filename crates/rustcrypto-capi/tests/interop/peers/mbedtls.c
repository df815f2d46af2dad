/* SPDX-License-Identifier: Apache-2.0 OR MIT
 * Mbed TLS as the other side: `peer client PORT CA NAME SUITE|-` or `peer server PORT CERT KEY SUITE|-`, one connection.
 * Written for 2.28 and 3.x. */
#include <mbedtls/ctr_drbg.h>
#include <mbedtls/entropy.h>
#include <mbedtls/error.h>
#include <mbedtls/net_sockets.h>
#include <mbedtls/ssl.h>
#include <mbedtls/version.h>
#include <mbedtls/x509_crt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void need(int ret, const char *what)
{
	char text[128];

	if (ret >= 0)
		return;
	mbedtls_strerror(ret, text, sizeof(text));
	fprintf(stderr, "%s: %s\n", what, text);
	exit(2);
}

int main(int argc, char **argv)
{
	static const char page[] = "HTTP/1.0 200 OK\r\n\r\nIt works over TLS.\n", request[] = "GET / HTTP/1.0\r\n\r\n";
	mbedtls_entropy_context entropy;
	mbedtls_ctr_drbg_context drbg;
	mbedtls_ssl_config config;
	mbedtls_ssl_context ssl;
	mbedtls_net_context listener, net;
	mbedtls_x509_crt crt;
	mbedtls_pk_context key;
	int server, ret, suites[2] = { 0, 0 };
	unsigned char buf[4096];

	if (argc != 6)
		return 1;
	server = !strcmp(argv[1], "server");
	mbedtls_entropy_init(&entropy);
	mbedtls_ctr_drbg_init(&drbg);
	need(mbedtls_ctr_drbg_seed(&drbg, mbedtls_entropy_func, &entropy, NULL, 0), "seed");
	mbedtls_ssl_config_init(&config);
	mbedtls_ssl_init(&ssl);
	mbedtls_x509_crt_init(&crt);
	mbedtls_pk_init(&key);
	mbedtls_net_init(&listener);
	mbedtls_net_init(&net);
	need(mbedtls_ssl_config_defaults(&config, server ? MBEDTLS_SSL_IS_SERVER : MBEDTLS_SSL_IS_CLIENT,
					 MBEDTLS_SSL_TRANSPORT_STREAM, MBEDTLS_SSL_PRESET_DEFAULT), "defaults");
	mbedtls_ssl_conf_rng(&config, mbedtls_ctr_drbg_random, &drbg);
	if (strcmp(argv[5], "-")) {
		suites[0] = mbedtls_ssl_get_ciphersuite_id(argv[5]);
		mbedtls_ssl_conf_ciphersuites(&config, suites);
	}
	need(mbedtls_x509_crt_parse_file(&crt, argv[3]), argv[3]);
	if (server) {
#if MBEDTLS_VERSION_MAJOR >= 3
		need(mbedtls_pk_parse_keyfile(&key, argv[4], NULL, mbedtls_ctr_drbg_random, &drbg), argv[4]);
#else
		need(mbedtls_pk_parse_keyfile(&key, argv[4], NULL), argv[4]);
#endif
		need(mbedtls_ssl_conf_own_cert(&config, &crt, &key), "own certificate");
		need(mbedtls_net_bind(&listener, "127.0.0.1", argv[2], MBEDTLS_NET_PROTO_TCP), "bind");
		puts("ACCEPT");
		fflush(stdout);
		need(mbedtls_net_accept(&listener, &net, NULL, 0, NULL), "accept");
	} else {
		mbedtls_ssl_conf_ca_chain(&config, &crt, NULL);
		mbedtls_ssl_conf_authmode(&config, MBEDTLS_SSL_VERIFY_REQUIRED);
		need(mbedtls_net_connect(&net, "127.0.0.1", argv[2], MBEDTLS_NET_PROTO_TCP), "connect");
	}
	need(mbedtls_ssl_setup(&ssl, &config), "setup");
	if (!server)
		need(mbedtls_ssl_set_hostname(&ssl, argv[4]), "name");
	mbedtls_ssl_set_bio(&ssl, &net, mbedtls_net_send, mbedtls_net_recv, NULL);
	need(mbedtls_ssl_handshake(&ssl), "handshake");
	fprintf(stderr, "%s %s\n", mbedtls_ssl_get_version(&ssl), mbedtls_ssl_get_ciphersuite(&ssl));
	if (server) {
		need(mbedtls_ssl_read(&ssl, buf, sizeof(buf)), "read");
		need(mbedtls_ssl_write(&ssl, (const unsigned char *)page, sizeof(page) - 1), "write");
		mbedtls_ssl_close_notify(&ssl);
		return 0;
	}
	need(mbedtls_ssl_write(&ssl, (const unsigned char *)request, sizeof(request) - 1), "write");
	while ((ret = mbedtls_ssl_read(&ssl, buf, sizeof(buf))) > 0)
		fwrite(buf, 1, (size_t)ret, stdout);
	if (ret != MBEDTLS_ERR_SSL_PEER_CLOSE_NOTIFY)
		need(ret, "read");
	return 0;
}
