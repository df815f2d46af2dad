/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* What the test programs share. */
#ifndef CHECK_H
#define CHECK_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rustcrypto.h"

/* Stop with the place and the library's last error unless the condition holds. */
#define CHECK(condition)                                                                                      \
    do {                                                                                                      \
        if (!(condition)) {                                                                                   \
            fprintf(stderr, "%s:%d: %s\nlast error: %s\n", __FILE__, __LINE__, #condition,                    \
                    rustcrypto_last_error());                                                                 \
            exit(1);                                                                                          \
        }                                                                                                     \
    } while (0)

#define OK(call) CHECK((call) == RUSTCRYPTO_OK)
#define REFUSED(call) CHECK((call) == RUSTCRYPTO_INVALID_ARGUMENT)
#define TOO_SHORT(call) CHECK((call) == RUSTCRYPTO_BUFFER_TOO_SHORT)

/* What this build was made without; a test program that found anything ends with 77. */
static int absent;

/* Does this build have it? `code` is what a call answered. A build with everything (RUSTCRYPTO_COMPLETE is set) must not lack any. */
static inline int offered(int32_t code, const char *what) {
    if (code != RUSTCRYPTO_UNSUPPORTED)
        return 1;
    fprintf(stderr, "%s: not in this build: use one with the feature `speed`; the rest passed\n", what);
    CHECK(getenv("RUSTCRYPTO_COMPLETE") == NULL);
    absent++;
    return 0;
}

/* The same for a constructor, which answers NULL and a sentence. */
static inline int made(const void *handle, const char *what) {
    return handle || offered(strstr(rustcrypto_last_error(), "in this build") ? RUSTCRYPTO_UNSUPPORTED : 0, what);
}

#define FINISHED (absent ? 77 : 0)

/* Bytes from hexadecimal digits into a heap buffer of exactly that size, so that the checkers see every step beyond it. */
static inline uint8_t *hex(const char *text, size_t *len) {
    uint8_t *bytes = malloc(strlen(text) / 2 + 1);
    size_t n = 0;
    unsigned value;
    CHECK(bytes != NULL);
    for (; sscanf(text, "%2x", &value) == 1; text += 2)
        bytes[n++] = (uint8_t)value;
    bytes = realloc(bytes, n ? n : 1);
    CHECK(bytes != NULL);
    if (len)
        *len = n;
    return bytes;
}

static inline int same(const uint8_t *bytes, const char *text) {
    size_t len;
    uint8_t *expected = hex(text, &len);
    int equal = memcmp(bytes, expected, len) == 0;
    free(expected);
    return equal;
}

#endif
