/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Signature check as apk does it, and the self-test that every boot runs. */
#include "tlsprobe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool check(const char *key, const char *data, const char *sig, bool spoil) {
    size_t key_len, data_len, sig_len;
    uint8_t *k = slurp(key, &key_len), *d = slurp(data, &data_len), *s = slurp(sig, &sig_len);
    if (spoil) d[data_len / 2] ^= 1;
    bool good = probe_verify((const char *)k, key_len, d, data_len, s, sig_len);
    free(k), free(d), free(s);
    return good;
}

int verify(const char *key, const char *data, const char *sig) {
    bool good = check(key, data, sig, false);
    printf("{\"verb\":\"verify\",\"good\":%s,\"cpu_ns\":%llu}\n", good ? "true" : "false", (unsigned long long)cpu_ns());
    return good ? 0 : 1;
}

int self_test(const char *key, const char *data, const char *sig) {
    /* FIPS 180-4, the message "abc" */
    static const uint8_t want[32] = {0xba, 0x78, 0x16, 0xbf, 0x8f, 0x01, 0xcf, 0xea, 0x41, 0x41, 0x40, 0xde, 0x5d, 0xae, 0x22, 0x23,
        0xb0, 0x03, 0x61, 0xa3, 0x96, 0x17, 0x7a, 0x9c, 0xb4, 0x10, 0xff, 0x61, 0xf2, 0x00, 0x15, 0xad};
    uint8_t got[32];
    bool digest = probe_sha256("abc", 3, got) && !memcmp(got, want, sizeof got);
    bool accepts = check(key, data, sig, false), refuses = !check(key, data, sig, true);
    printf("{\"verb\":\"self-test\",\"library\":\"%s\",\"sha256\":%s,\"accepts_good_signature\":%s,\"refuses_bad_signature\":%s}\n",
        probe_library(), digest ? "true" : "false", accepts ? "true" : "false", refuses ? "true" : "false");
    return digest && accepts && refuses ? 0 : 1;
}
