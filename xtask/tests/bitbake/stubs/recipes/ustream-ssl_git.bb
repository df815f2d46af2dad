# The variables of meta-openwrt's recipe that the switch touches, as they stand there.
LICENSE = "0BSD"
DEPENDS = "libubox openssl"
SRC_URI = "git://git.openwrt.org/project/ustream-ssl.git;protocol=https;branch=master"
SRCREV = "868fd8812f477c110f9c6c5252c0bd172167b94c"
RDEPENDS:${PN} += "libcrypto libssl"
addtask do_patch
addtask do_configure after do_patch
addtask do_compile after do_configure
addtask do_install after do_compile
do_patch() {
    :
}
do_configure() {
    :
}
do_compile() {
    :
}
do_install() {
    :
}
