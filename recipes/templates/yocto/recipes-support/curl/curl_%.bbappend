require ${@bb.utils.contains('DISTRO_FEATURES', '{{ yocto.distro_feature }}', 'curl-rustcrypto.inc', '', d)}
