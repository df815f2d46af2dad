# Written by `cargo xtask generate` from recipes/librustcrypto.toml and recipes/templates/yocto/: change those.
SUMMARY = "Benchmark of every algorithm of librustcrypto"
DESCRIPTION = "rustcrypto-bench measures every algorithm of librustcrypto; crypto-bench-all also runs the benchmarks of the other libraries that are installed."

DEPENDS = "rustcrypto"

FILESEXTRAPATHS:prepend := "${THISDIR}/../../../crates/rustcrypto-capi:${THISDIR}/../../..:"
CRYPTO_BENCH = "rustcrypto"
CRYPTO_BENCH_LIBS = "rustcrypto"
require crypto-bench.inc

SRC_URI += "file://crypto-bench-all"

do_install:append() {
    install -m 0755 ${UNPACKDIR}/crypto-bench-all ${D}${bindir}/
}
