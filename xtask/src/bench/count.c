/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * A plugin for QEMU's user emulation: a file that always says how many instructions the program has executed. The number is written
 * at each system call before it is carried out, so that the program learns it by reading the file: a clock that an instruction
 * moves by one, whatever an emulator takes for it. Argument: out=FILE. One thread only.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

/* From QEMU's plugin interface, version 1 (docs/devel/tcg-plugins): its header is not in every distribution's package. */
typedef uint64_t qemu_plugin_id_t;
struct qemu_plugin_tb;
enum { QEMU_PLUGIN_INLINE_ADD_U64 };
extern void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t, void (*)(qemu_plugin_id_t, struct qemu_plugin_tb *));
extern void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *, int op, void *counter, uint64_t add);
extern size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *);
extern void qemu_plugin_register_vcpu_syscall_cb(qemu_plugin_id_t, void (*)(qemu_plugin_id_t, unsigned, int64_t, uint64_t, uint64_t,
                                                                            uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t));
#define EXPORT __attribute__((visibility("default")))
EXPORT int qemu_plugin_version = 1;

static uint64_t executed;
static int out = -1;

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *block) {
    (void)id;
    qemu_plugin_register_vcpu_tb_exec_inline(block, QEMU_PLUGIN_INLINE_ADD_U64, &executed, qemu_plugin_tb_n_insns(block));
}

static void called(qemu_plugin_id_t id, unsigned cpu, int64_t number, uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e,
                   uint64_t f, uint64_t g, uint64_t h) {
    (void)id, (void)cpu, (void)number, (void)a, (void)b, (void)c, (void)d, (void)e, (void)f, (void)g, (void)h;
    char text[20] = "                   \n";
    uint64_t value = executed;
    for (int at = 18; at >= 0 && (value || at == 18); value /= 10)
        text[at--] = (char)('0' + value % 10);
    if (pwrite(out, text, sizeof text, 0) != (ssize_t)sizeof text)
        _exit(1);
}

EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const void *info, int argc, char **argv) {
    (void)info;
    if (argc != 1 || strncmp(argv[0], "out=", 4) != 0 || (out = open(argv[0] + 4, O_WRONLY | O_CREAT | O_TRUNC, 0600)) < 0)
        return -1;
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    qemu_plugin_register_vcpu_syscall_cb(id, called);
    return 0;
}
