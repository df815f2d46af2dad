require ${@bb.utils.contains('DISTRO_FEATURES', 'rustcrypto', 'uhttpd-rustcrypto.inc', '', d)}
