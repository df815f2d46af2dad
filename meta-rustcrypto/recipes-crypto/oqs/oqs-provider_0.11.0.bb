SUMMARY = "OpenSSL 3 provider for the algorithms of liboqs"
DESCRIPTION = "For measuring beside librustcrypto. OpenSSL 3.5 and later have ML-KEM and ML-DSA of their own and need no provider for them."
HOMEPAGE = "https://openquantumsafe.org/"
BUGTRACKER = "https://github.com/open-quantum-safe/oqs-provider/issues"
SECTION = "libs"
LICENSE = "MIT"
LIC_FILES_CHKSUM = "file://LICENSE.txt;md5=ab9b4308908ace39992d3080dd26824a"

DEPENDS = "liboqs openssl"

SRC_URI = "git://github.com/open-quantum-safe/oqs-provider.git;protocol=https;branch=0.11.0"
SRCREV = "a635e341d6a4624d9bba36d158804762f316fe5e"

inherit cmake

CVE_PRODUCT = "openquantumsafe:oqs-provider"

EXTRA_OECMAKE = "-DOPENSSL_MODULES_PATH=${libdir}/ossl-modules"

FILES:${PN} += "${libdir}/ossl-modules/oqsprovider.so"
