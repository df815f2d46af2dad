/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Version, errors, random bytes, constant-time comparison, wiping; errors and shared keys in several threads. */
#include <pthread.h>

#include "check.h"

static rustcrypto_aead_ctx *shared;

static void *worker(void *arg) {
    uint8_t nonce[12] = {*(uint8_t *)arg}, text[64] = {0}, out[80], back[64];
    size_t n;
    CHECK(strcmp(rustcrypto_last_error(), "") == 0); /* a thread begins without an error */
    for (int i = 0; i < 200; i++) {
        nonce[11] = (uint8_t)i;
        OK(rustcrypto_aead_seal(shared, nonce, 12, NULL, 0, text, 64, out, 80, &n));
        OK(rustcrypto_aead_open(shared, nonce, 12, NULL, 0, out, n, back, 64, NULL));
        CHECK(memcmp(text, back, 64) == 0);
        REFUSED(rustcrypto_digest(1234, 0, NULL, NULL, out, 80));
        CHECK(strstr(rustcrypto_last_error(), "hash") != NULL);
    }
    return NULL;
}

int main(void) {
    CHECK(strchr(rustcrypto_version(), '.') != NULL);
    CHECK(rustcrypto_abi_version() == 0);
    CHECK(strcmp(rustcrypto_last_error(), "") == 0);
    for (int32_t code = -200; code < 10; code++)
        CHECK(strlen(rustcrypto_strerror(code)) > 3);
    CHECK(strcmp(rustcrypto_strerror(RUSTCRYPTO_OK), "success") == 0);

    size_t n = 0;
    TOO_SHORT(rustcrypto_cpu_report(NULL, 0, &n));
    char *report = malloc(n);
    CHECK(report != NULL && n > 100);
    TOO_SHORT(rustcrypto_cpu_report((uint8_t *)report, n - 1, &n));
    OK(rustcrypto_cpu_report((uint8_t *)report, n, NULL));
    CHECK(memchr(report, '\n', n) != NULL && report[n - 1] == '\n');
    free(report);

    uint8_t a[64] = {0}, b[64] = {0};
    OK(rustcrypto_random(a, 64));
    CHECK(memcmp(a, b, 64) != 0);
    OK(rustcrypto_random(NULL, 0));
    REFUSED(rustcrypto_random(NULL, 1));
    memcpy(b, a, 64);
    CHECK(rustcrypto_equal(a, b, 64) == 1 && rustcrypto_equal(NULL, NULL, 0) == 1 && rustcrypto_equal(a, NULL, 64) == 0);
    b[63] ^= 1;
    CHECK(rustcrypto_equal(a, b, 64) == 0 && rustcrypto_equal(a, b, 63) == 1);
    rustcrypto_wipe(a, 63);
    for (int i = 0; i < 63; i++)
        CHECK(a[i] == 0);
    rustcrypto_wipe(NULL, 0);
    rustcrypto_wipe(NULL, 5);

    pthread_t threads[2];
    uint8_t ids[2] = {1, 2}, key[16] = {7};
    CHECK((shared = rustcrypto_aead_new(RUSTCRYPTO_AES_128_GCM, key, 16)) != NULL);
    for (int i = 0; i < 2; i++)
        CHECK(pthread_create(&threads[i], NULL, worker, &ids[i]) == 0);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    rustcrypto_aead_free(shared);
    return 0;
}
