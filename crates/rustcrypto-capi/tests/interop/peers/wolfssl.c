/* SPDX-License-Identifier: Apache-2.0 OR MIT
 * wolfSSL as the other side: `peer client PORT CA NAME SUITE|-` or `peer server PORT CERT KEY SUITE|-`, one connection. */
#include <wolfssl/options.h>
#include <wolfssl/ssl.h>

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static void need(int good, const char *what, WOLFSSL *ssl)
{
	char text[80] = "failed";

	if (good)
		return;
	if (ssl)
		wolfSSL_ERR_error_string((unsigned long)wolfSSL_get_error(ssl, 0), text);
	fprintf(stderr, "%s: %s\n", what, text);
	exit(2);
}

int main(int argc, char **argv)
{
	static const char page[] = "HTTP/1.0 200 OK\r\n\r\nIt works over TLS.\n", request[] = "GET / HTTP/1.0\r\n\r\n";
	struct sockaddr_in address = { .sin_family = AF_INET };
	int server, fd, n, one = 1;
	WOLFSSL_CTX *ctx;
	WOLFSSL *ssl;
	char buf[4096];

	if (argc != 6)
		return 1;
	server = !strcmp(argv[1], "server");
	address.sin_port = htons((unsigned short)atoi(argv[2]));
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	wolfSSL_Init();
	/* It would offer TLS 1.3 along with suites of TLS 1.2 alone. */
	if (!strncmp(argv[5], "TLS13", 5))
		ctx = wolfSSL_CTX_new(server ? wolfTLSv1_3_server_method() : wolfTLSv1_3_client_method());
	else
		ctx = wolfSSL_CTX_new(server ? wolfTLSv1_2_server_method() : wolfTLSv1_2_client_method());
	need(ctx != NULL, "context", NULL);
	if (strcmp(argv[5], "-"))
		need(wolfSSL_CTX_set_cipher_list(ctx, argv[5]) == WOLFSSL_SUCCESS, argv[5], NULL);
	fd = socket(AF_INET, SOCK_STREAM, 0);
	if (server) {
		int listener = fd;

		need(wolfSSL_CTX_use_certificate_chain_file(ctx, argv[3]) == WOLFSSL_SUCCESS, argv[3], NULL);
		need(wolfSSL_CTX_use_PrivateKey_file(ctx, argv[4], WOLFSSL_FILETYPE_PEM) == WOLFSSL_SUCCESS, argv[4], NULL);
		setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
		need(!bind(listener, (struct sockaddr *)&address, sizeof(address)) && !listen(listener, 1), "bind", NULL);
		puts("ACCEPT");
		fflush(stdout);
		fd = accept(listener, NULL, NULL);
	} else {
		need(wolfSSL_CTX_load_verify_locations(ctx, argv[3], NULL) == WOLFSSL_SUCCESS, argv[3], NULL);
		need(!connect(fd, (struct sockaddr *)&address, sizeof(address)), "connect", NULL);
	}
	ssl = wolfSSL_new(ctx);
	need(ssl != NULL, "session", NULL);
	wolfSSL_set_fd(ssl, fd);
	if (!server)
		need(wolfSSL_check_domain_name(ssl, argv[4]) == WOLFSSL_SUCCESS, argv[4], ssl);
	need((server ? wolfSSL_accept(ssl) : wolfSSL_connect(ssl)) == WOLFSSL_SUCCESS, "handshake", ssl);
	fprintf(stderr, "%s %s\n", wolfSSL_get_version(ssl), wolfSSL_get_cipher(ssl));
	if (server) {
		need(wolfSSL_read(ssl, buf, sizeof(buf)) > 0, "read", ssl);
		need(wolfSSL_write(ssl, page, sizeof(page) - 1) > 0, "write", ssl);
		wolfSSL_shutdown(ssl);
		return 0;
	}
	need(wolfSSL_write(ssl, request, sizeof(request) - 1) > 0, "write", ssl);
	while ((n = wolfSSL_read(ssl, buf, sizeof(buf))) > 0)
		fwrite(buf, 1, (size_t)n, stdout);
	need(wolfSSL_get_error(ssl, n) == WOLFSSL_ERROR_ZERO_RETURN, "read", ssl);
	return 0;
}
