require ${@bb.utils.contains('DISTRO_FEATURES', '{{ yocto.distro_feature }}', 'wpa-supplicant-rustcrypto.inc', '', d)}
