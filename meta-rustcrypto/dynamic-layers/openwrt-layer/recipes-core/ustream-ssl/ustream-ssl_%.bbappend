require ${@bb.utils.contains('DISTRO_FEATURES', 'rustcrypto', 'ustream-ssl-rustcrypto.inc', '', d)}
