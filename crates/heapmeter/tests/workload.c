// SPDX-License-Identifier: Apache-2.0 OR MIT
// Known allocations, so that the test can say to the byte what heapmeter must report. argv[1] picks one.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static void *volatile keep[64];

static void *thread(void *arg) {
    (void)arg;
    for (int i = 0; i < 20000; i++) {
        void *volatile p = malloc(100);
        free(p);
    }
    return 0;
}

int main(int argc, char **argv) {
    (void)argc;
    if (!strcmp(argv[1], "family")) {
        keep[0] = malloc(100000);
        keep[1] = calloc(100, 1000);
        keep[0] = realloc(keep[0], 300000);
        if (posix_memalign((void **)&keep[2], 4096, 50000)) return 1;
        keep[3] = aligned_alloc(64, 64000);
        free(keep[1]);
        keep[1] = 0;
    } else if (!strcmp(argv[1], "arena")) {
        keep[0] = mmap(0, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        munmap((char *)keep[0] + (256 << 10), 512 << 10); // a hole
        keep[1] = malloc(1000);
        munmap(keep[0], 1 << 20);
    } else if (!strcmp(argv[1], "fork")) {
        keep[0] = malloc(10000);
        keep[1] = malloc(500000);
        free(keep[1]);
        if (fork() == 0) {
            keep[1] = malloc(20000);
            _exit(0);
        }
        wait(0);
    } else if (!strcmp(argv[1], "threads")) {
        pthread_t t[4];
        for (int i = 0; i < 4; i++) pthread_create(&t[i], 0, thread, 0);
        for (int i = 0; i < 4; i++) pthread_join(t[i], 0);
    }
    return 0;
}
