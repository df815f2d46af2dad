/* SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef PX5G_H
#define PX5G_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MAX_NAMES 32

/* Strings that are handed to the library as an array. */
struct names {
	const char *name[MAX_NAMES];
	size_t n;
};

/* Print "px5g: error: ..." and exit with 1. */
void die(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
void add_name(struct names *names, const char *name);
char *format_name(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Replace `path` in one step, or write to standard output if it is NULL. A private key is readable by its owner only. */
void write_output(const char *path, const uint8_t *data, size_t len, bool is_private);

/* Add the addresses of the LAN bridge as IP: names. */
void add_lan_addresses(struct names *sans);

#endif
