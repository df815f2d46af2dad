/*
 * LD_PRELOAD: make the Nth allocation fail, or every request for entropy from the Nth on, and count both
 * Copyright (c) 2026, the rustcrypto for distributions authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * FAIL_ALLOCATION=N, FAIL_ENTROPY=N (1 is the first), COUNT=1: tell "allocations A live L entropy E" on stderr at exit.
 */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/types.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

static long allocations, live, entropy, fail_allocation, fail_entropy;

__attribute__((constructor)) static void start(void)
{
	const char *a = getenv("FAIL_ALLOCATION"), *e = getenv("FAIL_ENTROPY");

	fail_allocation = a ? atol(a) : 0;
	fail_entropy = e ? atol(e) : 0;
	allocations = live = entropy = 0;
}

__attribute__((destructor)) static void end(void)
{
	if (getenv("COUNT"))
		fprintf(stderr, "allocations %ld live %ld entropy %ld\n",
			allocations, live, entropy);
}

static int fails(void)
{
	return ++allocations == fail_allocation;
}

static void *counted(void *p)
{
	live += p != NULL;
	return p;
}

void *malloc(size_t n) { return fails() ? NULL : counted(__libc_malloc(n)); }
void *calloc(size_t n, size_t m) { return fails() ? NULL : counted(__libc_calloc(n, m)); }
void *memalign(size_t a, size_t n) { return fails() ? NULL : counted(__libc_memalign(a, n)); }
void *aligned_alloc(size_t a, size_t n) { return memalign(a, n); }

int posix_memalign(void **p, size_t a, size_t n)
{
	*p = memalign(a, n);
	return *p ? 0 : ENOMEM;
}

void *realloc(void *p, size_t n)
{
	if (fails())
		return NULL;
	return p ? __libc_realloc(p, n) : counted(__libc_malloc(n));
}

void free(void *p)
{
	live -= p != NULL;
	__libc_free(p);
}

static int no_entropy(void)
{
	entropy++;
	if (!fail_entropy || entropy < fail_entropy)
		return 0;
	errno = EIO;
	return 1;
}

ssize_t getrandom(void *buf, size_t n, unsigned flags)
{
	static ssize_t (*real)(void *, size_t, unsigned);

	/* a question whether the call exists is no request */
	if (n && no_entropy())
		return -1;
	if (!real)
		real = dlsym(RTLD_NEXT, "getrandom");
	return real(buf, n, flags);
}

int getentropy(void *buf, size_t n)
{
	return getrandom(buf, n, 0) == (ssize_t) n ? 0 : -1;
}

static int is_random(const char *path)
{
	return strcmp(path, "/dev/urandom") == 0 || strcmp(path, "/dev/random") == 0;
}

static int open_as(const char *name, const char *path, int flags, mode_t mode)
{
	int (*real)(const char *, int, ...) = dlsym(RTLD_NEXT, name);

	return is_random(path) && no_entropy() ? -1 : real(path, flags, mode);
}

int open(const char *path, int flags, ...)
{
	va_list args;
	mode_t mode;

	va_start(args, flags);
	mode = flags & O_CREAT ? va_arg(args, mode_t) : 0;
	va_end(args);
	return open_as("open", path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
	va_list args;
	mode_t mode;

	va_start(args, flags);
	mode = flags & O_CREAT ? va_arg(args, mode_t) : 0;
	va_end(args);
	return open_as("open64", path, flags, mode);
}

FILE *fopen(const char *path, const char *how)
{
	FILE *(*real)(const char *, const char *) = dlsym(RTLD_NEXT, "fopen");

	return is_random(path) && no_entropy() ? NULL : real(path, how);
}

FILE *fopen64(const char *path, const char *how)
{
	return fopen(path, how);
}
