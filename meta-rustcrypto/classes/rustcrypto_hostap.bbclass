# What hostapd and wpa_supplicant share.
RUSTCRYPTO_GLUE = "crypto_rustcrypto.c crypto_rustcrypto_ec.c crypto_rustcrypto_ecdh.c crypto_rustcrypto_key.c crypto_rustcrypto_csr.c rustcrypto.mk rustcrypto_compat.h tls_rustcrypto.c tls_rustcrypto.h tls_rustcrypto_config.c tls_rustcrypto_query.c"
RUSTCRYPTO_HOOK = '{"copy":[{"files":["crypto_rustcrypto.c","crypto_rustcrypto_ec.c","crypto_rustcrypto_ecdh.c","crypto_rustcrypto_key.c","crypto_rustcrypto_csr.c","rustcrypto.mk","rustcrypto_compat.h","tls_rustcrypto.c","tls_rustcrypto.h","tls_rustcrypto_config.c","tls_rustcrypto_query.c"],"to":"src/crypto"}],"edit":[{"after":"ifndef CONFIG_TLS\nCONFIG_TLS=openssl\nendif\n","files":["hostapd/Makefile","wpa_supplicant/Makefile"],"insert":"\nifeq ($(CONFIG_TLS), rustcrypto)\ninclude ../src/crypto/rustcrypto.mk\nendif\n"}]}'
inherit rustcrypto_hook

# $1 = the .config: the backend, what it is built with, and out with what it does not offer.
rustcrypto_config[doc] = "Sets the backend in a .config and takes out what it does not offer"
rustcrypto_config() {
    sed -i -E '/^(CONFIG_TLS|CONFIG_EAP_FAST|CONFIG_EAP_TEAP|CONFIG_EAP_UNAUTH_TLS|CONFIG_EAP_IKEV2|CONFIG_DPP3|CONFIG_FIPS|CONFIG_PKCS12|CONFIG_SMARTCARD)=/d' $1
    printf '%s\n' CONFIG_TLS=rustcrypto CONFIG_SAE=y CONFIG_OWE=y >> $1
}
