# Written by `cargo xtask generate` from recipes/px5g.toml and recipes/templates/yocto/: change those.
SUMMARY = "{{ packages.px5g.summary }}"
DESCRIPTION = "{{ packages.px5g.description }}"
HOMEPAGE = "{{ packages.px5g.homepage }}"
BUGTRACKER = "{{ packages.px5g.homepage }}/issues"
SECTION = "console/utils"
LICENSE = "{{ packages.px5g.license | replace(from=" OR ", to=" | ") }}"
LIC_FILES_CHKSUM = "file://LICENSE-MIT;md5={{ license_md5 }}"

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
