require ${@bb.utils.contains('DISTRO_FEATURES', 'rustcrypto', 'curl-rustcrypto.inc', '', d)}
