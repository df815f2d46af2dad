/* SPDX-License-Identifier: Apache-2.0 OR MIT
 * px5g: files, written whole or not at all, and the LAN's addresses. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "px5g.h"

#define LAN_BRIDGE "br-lan"

static int write_all(int fd, const uint8_t *data, size_t len)
{
	while (len) {
		ssize_t n = write(fd, data, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -1;
		data += n;
		len -= (size_t)n;
	}
	return 0;
}

void write_output(const char *path, const uint8_t *data, size_t len, bool is_private)
{
	mode_t mode = is_private ? S_IRUSR | S_IWUSR : S_IRUSR | S_IWUSR | S_IRGRP | S_IROTH;
	struct stat st;
	char *temp;
	int fd;

	if (!path) {
		if (write_all(STDOUT_FILENO, data, len))
			die("cannot write to standard output: %s", strerror(errno));
		return;
	}

	/* A pipe or a device cannot be replaced, only written to. */
	if (!stat(path, &st) && !S_ISREG(st.st_mode)) {
		fd = open(path, O_WRONLY | O_CLOEXEC);
		if (fd < 0 || write_all(fd, data, len))
			die("cannot write %s: %s", path, strerror(errno));
		close(fd);
		return;
	}

	temp = format_name("%s.XXXXXX", path);
	fd = mkstemp(temp); /* mode 0600 */
	if (fd < 0)
		die("cannot create a file beside %s: %s", path, strerror(errno));
	if (fchmod(fd, mode) || write_all(fd, data, len) || fsync(fd) || close(fd) || rename(temp, path)) {
		int error = errno;

		unlink(temp);
		die("cannot write %s: %s", path, strerror(error));
	}
	free(temp);
}

void add_lan_addresses(struct names *sans)
{
	struct ifaddrs *all, *i;

	if (getifaddrs(&all))
		return; /* no address is no error: the names still serve */

	for (i = all; i && sans->n < MAX_NAMES; i = i->ifa_next) {
		char text[INET6_ADDRSTRLEN];
		const void *address = NULL;

		if (!i->ifa_addr || strcmp(i->ifa_name, LAN_BRIDGE))
			continue;
		if (i->ifa_addr->sa_family == AF_INET)
			address = &((struct sockaddr_in *)(void *)i->ifa_addr)->sin_addr;
		if (i->ifa_addr->sa_family == AF_INET6 &&
		    !IN6_IS_ADDR_LINKLOCAL(&((struct sockaddr_in6 *)(void *)i->ifa_addr)->sin6_addr))
			address = &((struct sockaddr_in6 *)(void *)i->ifa_addr)->sin6_addr;
		if (address && inet_ntop(i->ifa_addr->sa_family, address, text, sizeof(text)))
			add_name(sans, format_name("IP:%s", text));
	}
	freeifaddrs(all);
}
