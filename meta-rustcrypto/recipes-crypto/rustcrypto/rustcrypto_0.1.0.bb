# Written by `cargo xtask generate` from recipes/librustcrypto.toml and recipes/templates/yocto/: change those.
SUMMARY = "Memory-safe crypto and TLS library with a stable C ABI"
DESCRIPTION = "Hashes, ciphers, public keys, X.509 and TLS 1.2/1.3 for whole images: one shared object, one C ABI, verified assembly where the CPU has what it needs."
HOMEPAGE = "https://github.com/rustcrypto-distro/rustcrypto-for-distributions"
BUGTRACKER = "https://github.com/rustcrypto-distro/rustcrypto-for-distributions/issues"
SECTION = "libs"
LICENSE = "Apache-2.0 | MIT"
LIC_FILES_CHKSUM = "file://LICENSE-MIT;md5=60a8034f2ba498c56e8c3da35da57c35"

# The library's source lies in the same repository as this layer.
FILESEXTRAPATHS:prepend := "${THISDIR}/../../../dist:${THISDIR}/../../..:"
SRC_URI = "\
    file://Cargo.lock;subdir=${BP} \
    file://Cargo.toml;subdir=${BP} \
    file://LICENSE-MIT;subdir=${BP} \
    file://absent;subdir=${BP} \
    file://crates/rustcrypto;subdir=${BP} \
    file://crates/rustcrypto-capi;subdir=${BP} \
    file://crates/rustcrypto-hot;subdir=${BP} \
"
S = "${UNPACKDIR}/${BP}"

# The source's files are as old as the clone: without a date of their own, two clones give packages that differ in their timestamps.
SOURCE_DATE_EPOCH = "${SOURCE_DATE_EPOCH_FALLBACK}"

inherit cargo cargo-update-recipe-crates

require ${BPN}-crates.inc
require rust-floor.inc

CVE_PRODUCT = "rustcrypto:librustcrypto"

RUSTCRYPTO_PROFILE ?= "speed"
RUSTCRYPTO_FEATURES = "${@{'minimal': 'minimal,legacy-eap', 'speed': 'speed,legacy-eap'}[d.getVar('RUSTCRYPTO_PROFILE')]}"
RUSTCRYPTO_LINK_FLAGS = "${@{'minimal': '-Cllvm-args=-inline-threshold=5', 'speed': '-Cllvm-args=-inline-asm-instr-cost=300'}[d.getVar('RUSTCRYPTO_PROFILE')]}"

# The library's own profile: named once for each generation of cargo_common.bbclass.
CARGO_PROFILE = "${RUSTCRYPTO_PROFILE}"
BUILD_MODE = "--profile=${RUSTCRYPTO_PROFILE}"
BUILD_DIR = "${RUSTCRYPTO_PROFILE}"
CARGO_BUILD_FLAGS:append = " --package=rustcrypto-capi --no-default-features --features=${RUSTCRYPTO_FEATURES}"

# Not `cargo build`: the crate is a Rust library too, for its tests, and cargo drops LTO where both kinds are built at once.
do_compile() {
    export RUSTFLAGS="${RUSTFLAGS}"
    bbnote "${CARGO} rustc ${CARGO_BUILD_FLAGS} --lib --crate-type=cdylib -- ${RUSTCRYPTO_LINK_FLAGS}"
    "${CARGO}" rustc ${CARGO_BUILD_FLAGS} --lib --crate-type=cdylib -- ${RUSTCRYPTO_LINK_FLAGS}
}

do_install() {
    install -d ${D}${libdir}/pkgconfig ${D}${includedir}
    install -m 0755 ${B}/target/${CARGO_TARGET_SUBDIR}/librustcrypto_capi.so ${D}${libdir}/librustcrypto.so.0
    ln -s librustcrypto.so.0 ${D}${libdir}/librustcrypto.so
    install -m 0644 ${S}/crates/rustcrypto-capi/include/rustcrypto.h ${D}${includedir}/
    sed -e 's,@prefix@,${prefix},' -e 's,@libdir@,${libdir},' -e 's,@includedir@,${includedir},' -e 's,@version@,${PV},' \
        ${S}/crates/rustcrypto-capi/rustcrypto.pc.in > ${D}${libdir}/pkgconfig/rustcrypto.pc
}

# Symbols belong into the -dbg package: BitBake splits them off, so cargo must not strip.
export CARGO_PROFILE_SPEED_STRIP = "none"
export CARGO_PROFILE_MINIMAL_STRIP = "none"

# A program in C needs no Rust: else the -dev package recommends libstd-rs-dev, and every SDK with it carries Rust's libraries.
python () {
    # In Python because BitBake does not expand ${PN} in the name of a variable that has a flag alone.
    d.setVarFlag('RRECOMMENDS:%s-dev' % d.getVar('PN'), 'nodeprrecs', '1')
}

BBCLASSEXTEND = "native nativesdk"
