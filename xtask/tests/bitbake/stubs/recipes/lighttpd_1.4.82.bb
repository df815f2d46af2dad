# The variables of oe-core's recipe that the switch touches, as they stand there.
LICENSE = "BSD-3-Clause"
SRC_URI = "http://download.lighttpd.net/lighttpd/releases-1.4.x/lighttpd-${PV}.tar.xz"
DEPENDS = "virtual/crypt"
PACKAGECONFIG ??= "openssl pcre zlib"
PACKAGECONFIG[openssl] = "-Dwith_openssl=true,-Dwith_openssl=false,openssl"
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
