# What hostapd and wpa_supplicant share.
RUSTCRYPTO_GLUE = "{{ hooks.hostapd.files | join(sep=" ") }}"
RUSTCRYPTO_HOOK = '{{ hooks.hostapd.json }}'
inherit rustcrypto_hook

# $1 = the .config: the backend, what it is built with, and out with what it does not offer.
rustcrypto_config[doc] = "Sets the backend in a .config and takes out what it does not offer"
rustcrypto_config() {
    sed -i -E '/^(CONFIG_TLS{% for option in without %}|{{ option }}{% endfor %})=/d' $1
    printf '%s\n' {{ build | join(sep=" ") }} >> $1
}
