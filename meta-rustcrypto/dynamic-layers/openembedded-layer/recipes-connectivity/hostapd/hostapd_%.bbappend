require ${@bb.utils.contains('DISTRO_FEATURES', 'rustcrypto', 'hostapd-rustcrypto.inc', '', d)}
