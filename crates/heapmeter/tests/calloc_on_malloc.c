// SPDX-License-Identifier: Apache-2.0 OR MIT
// A C library whose calloc and aligned_alloc call malloc through the dynamic linker, as musl's do.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void *calloc(size_t n, size_t size) {
    void *p = malloc(n * size);
    if (p) memset(p, 0, n * size);
    return p;
}

void *aligned_alloc(size_t align, size_t size) {
    uintptr_t p = (uintptr_t)malloc(size + align - 1);
    // Never freed by the workload that uses this, so where malloc's own block begins need not be found again.
    return p ? (void *)((p + align - 1) & ~(uintptr_t)(align - 1)) : 0;
}
