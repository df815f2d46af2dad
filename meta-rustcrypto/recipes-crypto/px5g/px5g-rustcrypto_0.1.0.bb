# Written by `cargo xtask generate` from recipes/px5g.toml and recipes/templates/yocto/: change those.
SUMMARY = "X.509 certificate generator with px5g's command line, on librustcrypto"
DESCRIPTION = "Writes private keys and self-signed certificates (EC P-256 by default, subjectAltName always) for uhttpd and others, in DER and PEM."
HOMEPAGE = "https://github.com/rustcrypto-distro/rustcrypto-for-distributions"
BUGTRACKER = "https://github.com/rustcrypto-distro/rustcrypto-for-distributions/issues"
SECTION = "console/utils"
LICENSE = "Apache-2.0 | MIT"
LIC_FILES_CHKSUM = "file://LICENSE-MIT;md5=60a8034f2ba498c56e8c3da35da57c35"

DEPENDS = "rustcrypto"

# The source lies in the same repository as this layer.
FILESEXTRAPATHS:prepend := "${THISDIR}/../../../crates:${THISDIR}/../../..:"
SRC_URI = "\
    file://LICENSE-MIT;subdir=px5g \
    file://px5g \
"
S = "${UNPACKDIR}/px5g"

# The source's files are as old as the clone: without a date of their own, two clones give packages that differ in their timestamps.
SOURCE_DATE_EPOCH = "${SOURCE_DATE_EPOCH_FALLBACK}"

inherit pkgconfig

CVE_PRODUCT = "rustcrypto:px5g"

do_install() {
    oe_runmake install DESTDIR=${D} PREFIX=${prefix}
}

BBCLASSEXTEND = "native nativesdk"
