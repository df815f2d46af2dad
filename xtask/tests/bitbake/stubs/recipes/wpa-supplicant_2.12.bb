# The variables of oe-core's recipe that the switch touches, as they stand there.
LICENSE = "BSD-3-Clause"
DEPENDS = "dbus libnl"
SRC_URI = "https://w1.fi/releases/wpa_supplicant-${PV}.tar.gz"
S = "${UNPACKDIR}/wpa_supplicant-${PV}"
PACKAGECONFIG ?= "openssl"
PACKAGECONFIG[gnutls] = ",,gnutls libgcrypt"
PACKAGECONFIG[openssl] = ",,openssl"
do_configure () {
    echo 'CONFIG_TLS=openssl' >>wpa_supplicant/.config
}
