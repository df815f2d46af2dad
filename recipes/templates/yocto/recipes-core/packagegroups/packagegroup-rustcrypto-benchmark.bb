SUMMARY = "The crypto libraries that librustcrypto is measured against"
DESCRIPTION = "OpenSSL and librustcrypto always; wolfSSL and liboqs with its provider where a layer of the build has them."
BUGTRACKER = "{{ package.homepage }}/issues"
SECTION = "libs"

inherit packagegroup

# BBFILE_COLLECTIONS says which layers this build has: a recipe that is not there must not be asked for.
RDEPENDS:${PN} = "${@bb.utils.contains('BBFILE_COLLECTIONS', 'oqs', 'liboqs oqs-provider', '', d)}"
RDEPENDS:${PN} += "\
    openssl-bin \
    rustcrypto \
"
RDEPENDS:${PN} += "${@bb.utils.contains('BBFILE_COLLECTIONS', 'networking-layer', 'wolfssl', '', d)}"
