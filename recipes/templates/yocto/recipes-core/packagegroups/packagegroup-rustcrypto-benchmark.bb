SUMMARY = "The crypto libraries that librustcrypto is measured against"
DESCRIPTION = "Benchmarks of librustcrypto, OpenSSL and liboqs; of wolfSSL where a layer of the build has the library."
BUGTRACKER = "{{ package.homepage }}/issues"
SECTION = "libs"

# It names packages that are renamed after their library file, so it is not for every machine of an architecture.
PACKAGE_ARCH = "${MACHINE_ARCH}"

inherit packagegroup

# BBFILE_COLLECTIONS says which layers this build has: a recipe that is not there must not be asked for.
RDEPENDS:${PN} = "${@bb.utils.contains('BBFILE_COLLECTIONS', 'networking-layer', 'crypto-bench-wolfssl', '', d)}"
RDEPENDS:${PN} += "${@bb.utils.contains('BBFILE_COLLECTIONS', 'wolfssl', 'wolfcryptbenchmark', '', d)}"
RDEPENDS:${PN} += "\
    crypto-bench-openssl \
    liboqs-bench \
    openssl-bin \
    oqs-provider \
    rustcrypto-bench \
"
