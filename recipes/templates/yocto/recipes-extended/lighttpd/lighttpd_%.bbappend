require ${@bb.utils.contains('DISTRO_FEATURES', '{{ yocto.distro_feature }}', 'lighttpd-rustcrypto.inc', '', d)}
