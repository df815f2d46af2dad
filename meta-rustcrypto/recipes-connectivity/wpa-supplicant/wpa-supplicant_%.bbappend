require ${@bb.utils.contains('DISTRO_FEATURES', 'rustcrypto', 'wpa-supplicant-rustcrypto.inc', '', d)}
