# The variables of meta-oe's recipe that the switch touches, as they stand there.
LICENSE = "BSD-3-Clause"
DEPENDS = "libnl openssl"
SRC_URI = "https://w1.fi/releases/hostapd-${PV}.tar.gz file://defconfig"
do_configure:append() {
    install -m 0644 ${UNPACKDIR}/defconfig ${B}/hostapd/.config
}
