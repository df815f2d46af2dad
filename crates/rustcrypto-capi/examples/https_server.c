/* SPDX-License-Identifier: Apache-2.0 OR MIT
 * A small HTTPS server that never blocks on one client:
 *   https_server --cert cert.pem --key key.pem [--count N] [--cut 1] PORT
 * Port 0 takes a free one; the port is printed. /bytes/N answers N bytes, everything else a page. --count ends the program after
 * so many connections, --cut ends each without close_notify. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common.h"

#define CLIENTS 16
#define REQUEST_MAX 4096
#define PAGE "<!DOCTYPE html><html><head><title>rustcrypto</title></head><body><p id=\"it\">It works over TLS.</p></body></html>\n"

enum stage { FREE, HANDSHAKE, REQUEST, ANSWER, CLOSING };

struct client {
	enum stage stage;
	int fd;
	short events;
	rustcrypto_tls *tls;
	char request[REQUEST_MAX];
	size_t request_len;
	char head[256];
	size_t head_len;
	size_t sent, total; /* of head and body together */
};

static int cut;

static void end(struct client *client)
{
	rustcrypto_tls_free(client->tls);
	close(client->fd);
	client->stage = FREE;
}

static void prepare(struct client *client)
{
	size_t body = sizeof(PAGE) - 1;
	const char *bytes = strstr(client->request, " /bytes/");
	const char *type = bytes ? "application/octet-stream" : "text/html";

	if (bytes)
		body = strtoul(bytes + strlen(" /bytes/"), NULL, 10);
	client->head_len = (size_t)snprintf(client->head, sizeof(client->head),
					    "HTTP/1.0 200 OK\r\nContent-Type: %s\r\nContent-Length: %zu\r\nConnection: close\r\n\r\n",
					    type, body);
	client->sent = 0;
	client->total = client->head_len + body;
	client->stage = ANSWER;
}

/* The answer from `client->sent` on, as much as is at hand. */
static size_t piece(const struct client *client, const uint8_t **data)
{
	static uint8_t filler[16384];
	size_t body = client->sent - client->head_len, left = client->total - client->sent;

	if (client->sent < client->head_len) {
		*data = (const uint8_t *)client->head + client->sent;
		return client->head_len - client->sent;
	}
	if (strstr(client->head, "text/html")) {
		*data = (const uint8_t *)PAGE + body;
		return left;
	}
	memset(filler, 'x', sizeof(filler));
	*data = filler;
	return left < sizeof(filler) ? left : sizeof(filler);
}

/* One step; RUSTCRYPTO_OK means that another can follow at once. */
static int32_t step(struct client *client)
{
	const uint8_t *data;
	size_t n;
	int32_t result;

	switch (client->stage) {
	case HANDSHAKE:
		result = rustcrypto_tls_handshake(client->tls);
		if (result == RUSTCRYPTO_OK) {
			describe(client->tls);
			client->stage = REQUEST;
		}
		return result;
	case REQUEST:
		result = rustcrypto_tls_read(client->tls, (uint8_t *)client->request + client->request_len,
					     REQUEST_MAX - 1 - client->request_len, &n);
		if (result == RUSTCRYPTO_OK) {
			client->request_len += n;
			client->request[client->request_len] = 0;
			if (strstr(client->request, "\r\n\r\n") || client->request_len == REQUEST_MAX - 1)
				prepare(client);
		}
		return result;
	case ANSWER:
		if (client->sent == client->total) {
			result = rustcrypto_tls_flush(client->tls);
			if (result == RUSTCRYPTO_OK)
				client->stage = CLOSING;
			return result;
		}
		n = piece(client, &data);
		result = rustcrypto_tls_write(client->tls, data, n, &n);
		client->sent += n;
		return result;
	case CLOSING:
		result = cut ? RUSTCRYPTO_OK : rustcrypto_tls_close(client->tls);
		if (result == RUSTCRYPTO_OK) {
			shutdown(client->fd, SHUT_WR); /* what was sent still arrives, also if the peer has more to say */
			result = RUSTCRYPTO_CLOSED;
		}
		return result;
	case FREE:
		break;
	}
	return RUSTCRYPTO_BAD_STATE;
}

/* Go as far as the socket allows. Returns 0 when the connection is over. */
static int run(struct client *client)
{
	for (;;) {
		int32_t result = step(client);

		if (result == RUSTCRYPTO_WANT_READ || result == RUSTCRYPTO_WANT_WRITE) {
			client->events = result == RUSTCRYPTO_WANT_READ ? POLLIN : POLLOUT;
			return 1;
		}
		if (result == RUSTCRYPTO_OK)
			continue;
		if (result != RUSTCRYPTO_CLOSED)
			fprintf(stderr, "error: %s: %s\n", rustcrypto_strerror(result), rustcrypto_tls_error(client->tls));
		end(client);
		return 0;
	}
}

static int listen_on(int port)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port),
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(address);
	int fd = socket(AF_INET, SOCK_STREAM, 0), one = 1;

	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(fd, (struct sockaddr *)&address, len) || listen(fd, CLIENTS) ||
	    getsockname(fd, (struct sockaddr *)&address, &len))
		die(1, "listen", strerror(errno));
	printf("%d\n", ntohs(address.sin_port));
	fflush(stdout);
	return fd;
}

static int accept_one(int listener, struct client *clients, const rustcrypto_tls_config *config)
{
	int i, fd = accept(listener, NULL, NULL);

	for (i = 0; fd >= 0 && i < CLIENTS; i++) {
		if (clients[i].stage != FREE)
			continue;
		memset(&clients[i], 0, sizeof(clients[i]));
		fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
		clients[i].fd = fd;
		clients[i].tls = rustcrypto_tls_new(config);
		clients[i].stage = HANDSHAKE;
		if (!clients[i].tls || rustcrypto_tls_set_fd(clients[i].tls, fd) != RUSTCRYPTO_OK)
			die(EXIT_TLS, "new session", rustcrypto_last_error());
		return !run(&clients[i]);
	}
	if (fd >= 0)
		close(fd);
	return 0;
}

int main(int argc, char **argv)
{
	static struct client clients[CLIENTS];
	rustcrypto_tls_config *config = rustcrypto_tls_config_new(RUSTCRYPTO_SERVER);
	int listener, i, count = -1;

	for (argv++; argc > 3 && !strncmp(*argv, "--", 2); argv += 2, argc -= 2) {
		if (!strcmp(*argv, "--count"))
			count = atoi(argv[1]);
		else if (!strcmp(*argv, "--cut"))
			cut = atoi(argv[1]);
		else if (!config_option(config, *argv, argv[1]))
			die(1, "unknown option", *argv);
	}
	if (argc != 2)
		die(1, "usage", "https_server --cert FILE --key FILE [--count N] [--cut 1] PORT");
	signal(SIGPIPE, SIG_IGN);
	listener = listen_on(atoi(*argv));

	while (count) {
		struct pollfd fds[CLIENTS + 1] = { { .fd = listener, .events = POLLIN } };

		for (i = 0; i < CLIENTS; i++) {
			fds[i + 1].fd = clients[i].stage == FREE ? -1 : clients[i].fd;
			fds[i + 1].events = clients[i].events;
		}
		if (poll(fds, CLIENTS + 1, -1) < 0)
			die(1, "poll", strerror(errno));
		for (i = 0; i < CLIENTS; i++)
			if (fds[i + 1].revents && clients[i].stage != FREE && !run(&clients[i]) && count > 0)
				count--;
		if (fds[0].revents && accept_one(listener, clients, config) && count > 0)
			count--;
	}
	rustcrypto_tls_config_free(config);
	close(listener);
	return 0;
}
