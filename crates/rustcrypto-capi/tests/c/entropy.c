/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* A kernel that gives no random bytes: an error, and no predictable key. The system call is refused as a sandbox would refuse it. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "check.h"

int main(void) {
    /* getrandom and opening files both fail with EPERM, so that neither the call nor /dev/urandom serves. */
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getrandom, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof filter / sizeof filter[0], filter};
    uint8_t bytes[32] = {0};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) {
        fprintf(stderr, "this kernel takes no seccomp filter: run on Linux outside of a sandbox that forbids it\n");
        return 77;
    }
    CHECK(rustcrypto_random(bytes, sizeof bytes) == RUSTCRYPTO_ENTROPY);
    CHECK(strstr(rustcrypto_last_error(), "random") != NULL);
    fflush(NULL);
    _exit(0); /* the checkers' own end-of-program work opens files */
}
