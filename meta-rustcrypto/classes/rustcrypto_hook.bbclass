# Puts our crypto backend into a hostap source tree: what patches/hostapd/hook.toml says, as a step after do_patch.
# Makefiles differ too much between releases for one .patch, so the edit looks for its anchor and fails if it is not there.
# The files are found by FILESEXTRAPATHS, which the .inc that inherits this sets.
DEPENDS:append = " rustcrypto"
SRC_URI:append = " \
    file://crypto_rustcrypto.c;subdir=rustcrypto-glue \
    file://crypto_rustcrypto_ec.c;subdir=rustcrypto-glue \
    file://crypto_rustcrypto_ecdh.c;subdir=rustcrypto-glue \
    file://crypto_rustcrypto_key.c;subdir=rustcrypto-glue \
    file://rustcrypto.mk;subdir=rustcrypto-glue \
    file://rustcrypto_compat.h;subdir=rustcrypto-glue \
    file://tls_rustcrypto.c;subdir=rustcrypto-glue \
    file://tls_rustcrypto.h;subdir=rustcrypto-glue \
    file://tls_rustcrypto_config.c;subdir=rustcrypto-glue \
"
do_patch[postfuncs] += "rustcrypto_hook"

RUSTCRYPTO_HOOK = '{"copy":[{"files":["crypto_rustcrypto.c","crypto_rustcrypto_ec.c","crypto_rustcrypto_ecdh.c","crypto_rustcrypto_key.c","rustcrypto.mk","rustcrypto_compat.h","tls_rustcrypto.c","tls_rustcrypto.h","tls_rustcrypto_config.c"],"to":"src/crypto"}],"edit":[{"after":"ifndef CONFIG_TLS\nCONFIG_TLS=openssl\nendif\n","files":["hostapd/Makefile","wpa_supplicant/Makefile"],"insert":"\nifeq ($(CONFIG_TLS), rustcrypto)\ninclude ../src/crypto/rustcrypto.mk\nendif\n"}]}'

rustcrypto_hook[doc] = "Copies the backend into the source and includes it from the Makefiles"
python rustcrypto_hook() {
    import json, os, shutil
    hook = json.loads(d.getVar('RUSTCRYPTO_HOOK'))
    source, glue = d.getVar('S'), os.path.join(d.getVar('UNPACKDIR'), 'rustcrypto-glue')
    for copy in hook['copy']:
        for name in copy['files']:
            shutil.copy(os.path.join(glue, name), os.path.join(source, copy['to'], name))
    for edit in hook['edit']:
        for name in filter(lambda name: os.path.exists(os.path.join(source, name)), edit['files']):
            path = os.path.join(source, name)
            with open(path) as file:
                text = file.read()
            if edit['insert'] in text:
                continue
            if edit['after'] not in text:
                bb.fatal('%s: cannot hook librustcrypto in, this text is not there:\n%s' % (path, edit['after']))
            with open(path, 'w') as file:
                file.write(text.replace(edit['after'], edit['after'] + edit['insert'], 1))
}

# $1 = the .config: the backend, what it is built with, and out with what it does not offer.
rustcrypto_config[doc] = "Sets the backend in a .config and takes out what it does not offer"
rustcrypto_config() {
    sed -i -E '/^(CONFIG_TLS|CONFIG_EAP_SIM|CONFIG_EAP_AKA|CONFIG_EAP_AKA_PRIME|CONFIG_EAP_FAST|CONFIG_EAP_TEAP|CONFIG_EAP_UNAUTH_TLS|CONFIG_EAP_IKEV2|CONFIG_DPP2|CONFIG_DPP3|CONFIG_FIPS|CONFIG_PKCS12|CONFIG_SMARTCARD)=/d' $1
    printf '%s\n' CONFIG_TLS=rustcrypto CONFIG_SAE=y CONFIG_OWE=y >> $1
}
