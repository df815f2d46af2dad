require ${@bb.utils.contains('DISTRO_FEATURES', '{{ yocto.distro_feature }}', 'hostapd-rustcrypto.inc', '', d)}
