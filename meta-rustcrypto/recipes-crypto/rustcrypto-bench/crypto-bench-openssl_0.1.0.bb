# Written by `cargo xtask generate` from recipes/librustcrypto.toml and recipes/templates/yocto/: change those.
SUMMARY = "Benchmark of OpenSSL, row for row as rustcrypto-bench"
DESCRIPTION = "Measures OpenSSL with the same sizes, rows and clock as rustcrypto-bench."

DEPENDS = "openssl"

FILESEXTRAPATHS:prepend := "${THISDIR}/../../../crates/rustcrypto-capi:${THISDIR}/../../..:"
CRYPTO_BENCH = "openssl"
CRYPTO_BENCH_LIBS = "libssl libcrypto"
require crypto-bench.inc
