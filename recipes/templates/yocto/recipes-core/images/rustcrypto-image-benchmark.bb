SUMMARY = "Small image to measure crypto libraries side by side on one board"
DESCRIPTION = "core-image-minimal with OpenSSL, wolfSSL, liboqs (where present) and librustcrypto; for measuring, not for products."
BUGTRACKER = "{{ package.homepage }}/issues"
SECTION = "images"
LICENSE = "MIT"
CVE_PRODUCT = ""

inherit core-image

IMAGE_FEATURES += "ssh-server-dropbear"
IMAGE_INSTALL:append = " packagegroup-rustcrypto-benchmark"
