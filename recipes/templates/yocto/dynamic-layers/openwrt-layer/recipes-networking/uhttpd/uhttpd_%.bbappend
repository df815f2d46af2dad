require ${@bb.utils.contains('DISTRO_FEATURES', '{{ yocto.distro_feature }}', 'uhttpd-rustcrypto.inc', '', d)}
