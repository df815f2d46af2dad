SUMMARY = "Open Quantum Safe: post-quantum key exchange and signatures in C"
DESCRIPTION = "For measuring beside librustcrypto: upstream says that it is not for production use."
HOMEPAGE = "https://openquantumsafe.org/"
BUGTRACKER = "https://github.com/open-quantum-safe/liboqs/issues"
SECTION = "libs"
LICENSE = "MIT"
LIC_FILES_CHKSUM = "file://LICENSE.txt;md5=4b93ef2da47496727a4e8a59f443844e"

DEPENDS = "openssl"

SRC_URI = "git://github.com/open-quantum-safe/liboqs.git;protocol=https;branch=main"
SRCREV = "97f6b86b1b6d109cfd43cf276ae39c2e776aed80"

inherit cmake

CVE_PRODUCT = "openquantumsafe:liboqs"

# What is standardised: the other families double the library and the build.
EXTRA_OECMAKE = "-DBUILD_SHARED_LIBS=ON -DOQS_DIST_BUILD=ON -DOQS_MINIMAL_BUILD='KEM_ml_kem_512;KEM_ml_kem_768;KEM_ml_kem_1024;SIG_ml_dsa_44;SIG_ml_dsa_65;SIG_ml_dsa_87' -DOQS_PERMIT_UNSUPPORTED_ARCHITECTURE=ON"

# Upstream installs no programs.
do_install:append() {
    install -d ${D}${bindir}
    for name in kem sig; do
        install -m 0755 ${B}/tests/speed_$name ${D}${bindir}/oqs_speed_$name
    done
}

PACKAGES =+ "${PN}-bench"
FILES:${PN}-bench += "${bindir}/oqs_speed_*"
