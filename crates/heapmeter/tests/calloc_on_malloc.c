// SPDX-License-Identifier: Apache-2.0 OR MIT
// A C library whose calloc calls malloc through the dynamic linker, as musl's does.
#include <stdlib.h>
#include <string.h>

void *calloc(size_t n, size_t size) {
    void *p = malloc(n * size);
    if (p) memset(p, 0, n * size);
    return p;
}
