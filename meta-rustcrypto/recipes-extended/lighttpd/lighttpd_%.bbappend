require ${@bb.utils.contains('DISTRO_FEATURES', 'rustcrypto', 'lighttpd-rustcrypto.inc', '', d)}
