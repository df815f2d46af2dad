/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * Preloaded where the emulator's CPU can more than the board's: programs that ask the kernel what the CPU has (getauxval, AT_HWCAP)
 * are not told of the bits in HIDDEN. Whoever does not ask, and executes such an instruction, is found out by executed.c.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

__attribute__((visibility("default"))) unsigned long getauxval(unsigned long type) {
    Elf64_auxv_t entry;
    int file = open("/proc/self/auxv", O_RDONLY | O_CLOEXEC), saved = errno;
    if (file < 0)
        _exit(127);
    entry.a_type = AT_NULL;
    while (read(file, &entry, sizeof entry) == (ssize_t)sizeof entry && entry.a_type != AT_NULL && entry.a_type != type)
        ;
    close(file);
    if (entry.a_type != type || type == AT_NULL) {
        errno = ENOENT;
        return 0;
    }
    errno = saved;
    return type == AT_HWCAP ? entry.a_un.a_val & ~HIDDEN : entry.a_un.a_val;
}
