/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* tlsprobe: an HTTPS server and a downloader as small as uhttpd's and uclient-fetch's use of a TLS library, and the
 * measurements around them. Usage: tlsprobe VERB [key value]...; every verb prints one line of JSON. */
#include "tlsprobe.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *find(int argc, char **argv, const char *key) {
    for (int i = 2; i + 1 < argc; i += 2)
        if (!strcmp(argv[i], key)) return argv[i + 1];
    return NULL;
}

const char *want(int argc, char **argv, const char *key) {
    const char *value = find(argc, argv, key);
    if (!value) fail("%s: missing argument: %s", argv[1], key);
    return value;
}

int main(int argc, char **argv) {
    signal(SIGPIPE, SIG_IGN);
    if (argc < 2) fail("usage: tlsprobe serve|get|load|handshakes|verify|self-test [key value]...");
    const char *verb = argv[1];
    struct job job = {
        .options = {.ca_file = find(argc, argv, "ca"), .cert_file = find(argc, argv, "cert"), .key_file = find(argc, argv, "key"), .group = find(argc, argv, "group")},
        .port = atoi(find(argc, argv, "port") ? find(argc, argv, "port") : "4433"),
        .count = atoi(find(argc, argv, "count") ? find(argc, argv, "count") : "1"),
        .bytes = strtoul(find(argc, argv, "bytes") ? find(argc, argv, "bytes") : "1048576", NULL, 10),
        .host = find(argc, argv, "host") ? find(argc, argv, "host") : "lab.test",
    };
    if (!strcmp(verb, "serve")) return serve(&job);
    if (!strcmp(verb, "get")) return get(&job);
    if (!strcmp(verb, "load")) return load(&job);
    if (!strcmp(verb, "handshakes")) return handshakes(&job);
    if (!strcmp(verb, "verify"))
        return verify(want(argc, argv, "key"), want(argc, argv, "data"), want(argc, argv, "sig"));
    if (!strcmp(verb, "self-test")) return self_test(want(argc, argv, "key"), want(argc, argv, "data"), want(argc, argv, "sig"));
    fail("no verb '%s'", verb);
}
