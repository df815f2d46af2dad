# Written by `cargo xtask generate` from recipes/librustcrypto.toml and recipes/templates/yocto/: change those.
SUMMARY = "{{ package.summary }}"
DESCRIPTION = "{{ package.description }}"
HOMEPAGE = "{{ package.homepage }}"
BUGTRACKER = "{{ package.homepage }}/issues"
SECTION = "libs"
LICENSE = "{{ package.license | replace(from=" OR ", to=" | ") }}"
LIC_FILES_CHKSUM = "file://LICENSE-MIT;md5={{ license_md5 }}"

# The library's source lies in the same repository as this layer.
FILESEXTRAPATHS:prepend := "${THISDIR}/../../../dist:${THISDIR}/../../..:"
SRC_URI = "\
{%- for file in source_files %}
    file://{{ file }};subdir=${BP} \
{%- endfor %}
"
S = "${UNPACKDIR}/${BP}"

# The source's files are as old as the clone: without a date of their own, two clones give packages that differ in their timestamps.
SOURCE_DATE_EPOCH = "${SOURCE_DATE_EPOCH_FALLBACK}"

inherit cargo cargo-update-recipe-crates

require ${BPN}-crates.inc
require rust-floor.inc

CVE_PRODUCT = "rustcrypto:librustcrypto"

RUSTCRYPTO_PROFILE ?= "speed"
RUSTCRYPTO_FEATURES = "{% raw %}${@{% endraw %}{ {%- for name, profile in package.profiles %}'{{ name }}': '{{ profile.features | join(sep=",") }}'{% if not loop.last %}, {% endif %}{% endfor -%} }[d.getVar('RUSTCRYPTO_PROFILE')]}"
RUSTCRYPTO_LINK_FLAGS = "{% raw %}${@{% endraw %}{ {%- for name, flags in link_flags %}'{{ name }}': '{{ flags }}'{% if not loop.last %}, {% endif %}{% endfor -%} }[d.getVar('RUSTCRYPTO_PROFILE')]}"

# The library's own profile: named once for each generation of cargo_common.bbclass.
CARGO_PROFILE = "${RUSTCRYPTO_PROFILE}"
BUILD_MODE = "--profile=${RUSTCRYPTO_PROFILE}"
BUILD_DIR = "${RUSTCRYPTO_PROFILE}"
CARGO_BUILD_FLAGS:append = " --package={{ package.upstream.crate }} --no-default-features --features=${RUSTCRYPTO_FEATURES}"

# Not `cargo build`: the crate is a Rust library too, for its tests, and cargo drops LTO where both kinds are built at once.
do_compile() {
    export RUSTFLAGS="${RUSTFLAGS}"
    bbnote "${CARGO} rustc ${CARGO_BUILD_FLAGS} --lib --crate-type=cdylib -- ${RUSTCRYPTO_LINK_FLAGS}"
    "${CARGO}" rustc ${CARGO_BUILD_FLAGS} --lib --crate-type=cdylib -- ${RUSTCRYPTO_LINK_FLAGS}
}

do_install() {
    install -d ${D}${libdir}/pkgconfig ${D}${includedir}
    install -m 0755 ${B}/target/${CARGO_TARGET_SUBDIR}/{{ cdylib }} ${D}${libdir}/{{ library.soname }}
    ln -s {{ library.soname }} ${D}${libdir}/{{ link_name }}
    install -m 0644 ${S}/crates/{{ package.upstream.crate }}/include/{{ library.header }} ${D}${includedir}/
    sed -e 's,@prefix@,${prefix},' -e 's,@libdir@,${libdir},' -e 's,@includedir@,${includedir},' -e 's,@version@,${PV},' \
        ${S}/crates/{{ package.upstream.crate }}/{{ library.pkg_config }}.pc.in > ${D}${libdir}/pkgconfig/{{ library.pkg_config }}.pc
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
