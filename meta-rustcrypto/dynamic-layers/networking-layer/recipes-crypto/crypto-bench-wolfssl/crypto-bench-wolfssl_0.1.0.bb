# Written by `cargo xtask generate` from recipes/librustcrypto.toml and recipes/templates/yocto/: change those.
SUMMARY = "Benchmark of wolfSSL, row for row as rustcrypto-bench"
DESCRIPTION = "Measures wolfSSL with the same sizes, rows and clock as rustcrypto-bench."

DEPENDS = "wolfssl"

FILESEXTRAPATHS:prepend := "${THISDIR}/../../../../../crates/rustcrypto-capi:${THISDIR}/../../../../..:"
CRYPTO_BENCH = "wolfssl"
CRYPTO_BENCH_LIBS = "wolfssl"
require recipes-crypto/rustcrypto-bench/crypto-bench.inc
