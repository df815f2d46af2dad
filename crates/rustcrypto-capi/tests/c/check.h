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
