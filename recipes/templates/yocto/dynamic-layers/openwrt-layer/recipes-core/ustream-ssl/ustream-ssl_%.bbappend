require ${@bb.utils.contains('DISTRO_FEATURES', '{{ yocto.distro_feature }}', 'ustream-ssl-rustcrypto.inc', '', d)}
