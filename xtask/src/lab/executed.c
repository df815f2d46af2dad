/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * A plugin for QEMU's system emulation of CPUs with 32-bit instructions: every distinct instruction that programs (not the kernel)
 * came to, into a file when the machine is switched off. One record is its first address (8 bytes) and the instruction (4 bytes, then
 * 4 of nothing), as the host writes numbers. Argument: out=FILE. One virtual CPU only.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* From QEMU's plugin interface (docs/devel/tcg-plugins): its header is not in every distribution's package. */
typedef uint64_t qemu_plugin_id_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
extern void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t, void (*)(qemu_plugin_id_t, struct qemu_plugin_tb *));
extern void qemu_plugin_register_atexit_cb(qemu_plugin_id_t, void (*)(qemu_plugin_id_t, void *), void *);
extern size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *);
extern struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *, size_t);
extern uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *);
#if PLUGIN_API < 3
extern const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *);
static bool word_of(const struct qemu_plugin_insn *insn, uint32_t *word) {
    memcpy(word, qemu_plugin_insn_data(insn), 4);
    return true;
}
#else
extern size_t qemu_plugin_insn_data(const struct qemu_plugin_insn *, void *, size_t);
static bool word_of(const struct qemu_plugin_insn *insn, uint32_t *word) { return qemu_plugin_insn_data(insn, word, 4) == 4; }
#endif
#define EXPORT __attribute__((visibility("default")))
EXPORT int qemu_plugin_version = PLUGIN_API;

struct seen {
    uint64_t address;
    uint32_t word, used;
};
enum { SLOTS = 1 << 21 };
static struct seen *table;
static size_t filled;
static int out = -1;

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *block) {
    (void)id;
    for (size_t at = 0; at < qemu_plugin_tb_n_insns(block); at++) {
        const struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(block, at);
        uint64_t address = qemu_plugin_insn_vaddr(insn);
        uint32_t word;
        if (address >> 63 || !word_of(insn, &word)) /* the kernel's half */
            continue;
        size_t slot = (word * 0x9E3779B1u) >> 11;
        while (table[slot].used && table[slot].word != word)
            slot = (slot + 1) % SLOTS;
        if (table[slot].used)
            continue;
        if (++filled > SLOTS / 2)
            abort(); /* no half-true answer */
        table[slot] = (struct seen){address, word, 1};
    }
}

static void ended(qemu_plugin_id_t id, void *unused) {
    (void)id, (void)unused;
    for (size_t slot = 0; slot < SLOTS; slot++) {
        struct seen record = {table[slot].address, table[slot].word, 0};
        if (table[slot].used && write(out, &record, sizeof record) != (ssize_t)sizeof record)
            abort();
    }
}

EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const void *info, int argc, char **argv) {
    (void)info;
    if (argc != 1 || strncmp(argv[0], "out=", 4) != 0 || (out = open(argv[0] + 4, O_WRONLY | O_CREAT | O_TRUNC, 0600)) < 0 ||
        !(table = calloc(SLOTS, sizeof *table)))
        return -1;
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    qemu_plugin_register_atexit_cb(id, ended, NULL);
    return 0;
}
