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
