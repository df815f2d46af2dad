# The variables of oe-core's recipe that the switch touches, as they stand there.
LICENSE = "curl"
SRC_URI = "https://curl.se/download/${BP}.tar.xz"
PACKAGECONFIG ??= "basic-auth openssl zlib"
PACKAGECONFIG[openssl] = "--with-openssl,--without-openssl,openssl"
EXTRA_OECONF = "--enable-optimize ${@'--without-ssl' if (bb.utils.filter('PACKAGECONFIG', 'gnutls mbedtls openssl schannel', d) == '') else ''}"
