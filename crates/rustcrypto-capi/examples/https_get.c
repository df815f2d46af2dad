/* SPDX-License-Identifier: Apache-2.0 OR MIT
 * Fetch a page over HTTPS and write its body to standard output:
 *   https_get --ca root.pem [--name HOST] [--path /x] [--again N] ADDRESS PORT
 * Exit status: 0 done, 1 usage or network, 2 TLS refused (the reason on standard error), 3 the answer was cut short. */
#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common.h"

static int dial(const char *host, const char *port)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM }, *all, *i;
	int fd = -1, error = getaddrinfo(host, port, &hints, &all);

	if (error)
		die(1, host, gai_strerror(error));
	for (i = all; i && fd < 0; i = i->ai_next) {
		fd = socket(i->ai_family, i->ai_socktype, i->ai_protocol);
		if (fd >= 0 && connect(fd, i->ai_addr, i->ai_addrlen)) {
			close(fd);
			fd = -1;
		}
	}
	freeaddrinfo(all);
	if (fd < 0)
		die(1, "connect", strerror(errno));
	return fd;
}

static void fail(rustcrypto_tls *tls, int32_t result)
{
	die(result == RUSTCRYPTO_TRUNCATED ? EXIT_CUT : EXIT_TLS, rustcrypto_strerror(result), rustcrypto_tls_error(tls));
}

/* The socket blocks, so no call ever asks to be called again. */
static void get(rustcrypto_tls_config *config, const char *host, const char *port, const char *name, const char *path)
{
	rustcrypto_tls *tls = rustcrypto_tls_new(config);
	int fd = dial(host, port);
	char request[512];
	uint8_t buf[16384];
	int in_body = 0, matched = 0;
	size_t n, sent = 0, len;
	int32_t result;

	if (!tls)
		die(EXIT_TLS, "new session", rustcrypto_last_error());
	check(rustcrypto_tls_set_fd(tls, fd), "socket");
	check(rustcrypto_tls_set_server_name(tls, name), "name");
	result = rustcrypto_tls_handshake(tls);
	if (result != RUSTCRYPTO_OK)
		fail(tls, result);
	describe(tls);

	len = (size_t)snprintf(request, sizeof(request), "GET %s HTTP/1.0\r\nHost: %s\r\nConnection: close\r\n\r\n", path, name);
	while (sent < len) {
		result = rustcrypto_tls_write(tls, (uint8_t *)request + sent, len - sent, &n);
		if (result != RUSTCRYPTO_OK)
			fail(tls, result);
		sent += n;
	}

	while ((result = rustcrypto_tls_read(tls, buf, sizeof(buf), &n)) == RUSTCRYPTO_OK) {
		size_t i = 0;

		/* The body starts after the first empty line. */
		for (; !in_body && i < n; i++) {
			matched = buf[i] == "\r\n\r\n"[matched] ? matched + 1 : buf[i] == '\r';
			in_body = matched == 4;
		}
		fwrite(buf + i, 1, n - i, stdout);
	}
	if (result != RUSTCRYPTO_CLOSED)
		fail(tls, result);
	rustcrypto_tls_close(tls);
	rustcrypto_tls_free(tls);
	close(fd);
}

int main(int argc, char **argv)
{
	rustcrypto_tls_config *config = rustcrypto_tls_config_new(RUSTCRYPTO_CLIENT);
	const char *name = NULL, *path = "/";
	int times = 1;

	for (argv++; argc > 3 && !strncmp(*argv, "--", 2); argv += 2, argc -= 2) {
		if (!strcmp(*argv, "--name"))
			name = argv[1];
		else if (!strcmp(*argv, "--path"))
			path = argv[1];
		else if (!strcmp(*argv, "--again")) /* so many more times, to see sessions resume */
			times += atoi(argv[1]);
		else if (!config_option(config, *argv, argv[1]))
			die(1, "unknown option", *argv);
	}
	if (argc != 3)
		die(1, "usage", "https_get [--ca FILE] [--name HOST] [--path PATH] [--again N] ADDRESS PORT");

	while (times--)
		get(config, argv[0], argv[1], name ? name : argv[0], path);
	rustcrypto_tls_config_free(config);
	return 0;
}
