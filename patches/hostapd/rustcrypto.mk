# CONFIG_TLS=rustcrypto for hostapd/Makefile and wpa_supplicant/Makefile, which include this file.
# SPDX-License-Identifier: BSD-3-Clause
#
# The generic helper objects (HMAC, AES key wrap, CMAC, CBC) come by themselves: this backend is in none of the
# Makefiles' exclusion lists.

CONFIG_CRYPTO=rustcrypto

# RUSTCRYPTO_LIBS may be set in .config, e.g. to a path; the default finds the library as any other.
RUSTCRYPTO_LIBS ?= -lrustcrypto
LIBS += $(RUSTCRYPTO_LIBS)
LIBS_h += $(RUSTCRYPTO_LIBS)
LIBS_n += $(RUSTCRYPTO_LIBS)
LIBS_p += $(RUSTCRYPTO_LIBS)
LIBS_s += $(RUSTCRYPTO_LIBS)

RUSTCRYPTO_OBJS = ../src/crypto/crypto_rustcrypto.o
OBJS += $(RUSTCRYPTO_OBJS)
OBJS_p += $(RUSTCRYPTO_OBJS)
OBJS_priv += $(RUSTCRYPTO_OBJS)
HOBJS += $(RUSTCRYPTO_OBJS)
ifdef NEED_ECC
OBJS += ../src/crypto/crypto_rustcrypto_ec.o
OBJS += ../src/crypto/crypto_rustcrypto_key.o
OBJS += ../src/crypto/crypto_rustcrypto_ecdh.o
endif
SOBJS += $(RUSTCRYPTO_OBJS)
SOBJS += ../src/crypto/crypto_rustcrypto_ec.o
SOBJS += ../src/crypto/crypto_rustcrypto_key.o

ifdef CONFIG_DPP2
OBJS += ../src/crypto/crypto_rustcrypto_csr.o
endif

ifdef TLS_FUNCS
OBJS += ../src/crypto/tls_rustcrypto.o
OBJS += ../src/crypto/tls_rustcrypto_config.o
OBJS += ../src/crypto/tls_rustcrypto_query.o
endif
NEED_TLS_PRF_SHA256=y

# The one generic helper worth replacing: PBKDF2 over hmac_sha1() costs 2.4 times the library's own. The object stays in
# the Makefiles' lists, under a name nobody calls.
%/sha1-pbkdf2.o: CFLAGS += -Dpbkdf2_sha1=rc_unused_pbkdf2_sha1

# WPS: Diffie-Hellman group 5 over crypto_dh_init() and crypto_dh_derive_secret()
CONFIG_INTERNAL_DH_GROUP5=y

# EAP-SIM, EAP-AKA: FIPS 186-2's generator wants SHA-1's bare compression function, which hostap has itself
ifdef NEED_FIPS186_2_PRF
OBJS += ../src/crypto/fips_prf_internal.o
SHA1OBJS += ../src/crypto/sha1-internal.o
endif

# What is not offered fails here, with the reason, and not in the field.
ifdef CONFIG_EAP_FAST
$(error CONFIG_TLS=rustcrypto: EAP-FAST is not offered: it keys from the TLS 1.0/1.1 block and sends its own session tickets. Unset CONFIG_EAP_FAST; PEAP and TTLS do the same work)
endif
ifdef CONFIG_EAP_TEAP
$(error CONFIG_TLS=rustcrypto: EAP-TEAP is not offered: it needs tls-unique and session ticket callbacks. Unset CONFIG_EAP_TEAP)
endif
ifdef CONFIG_EAP_UNAUTH_TLS
$(error CONFIG_TLS=rustcrypto: EAP-UNAUTH-TLS is not offered. Unset CONFIG_EAP_UNAUTH_TLS)
endif
ifdef CONFIG_EAP_IKEV2
$(error CONFIG_TLS=rustcrypto: EAP-IKEv2 is not offered: it needs 3DES and streaming ciphers. Unset CONFIG_EAP_IKEV2)
endif
ifdef CONFIG_DPP3
$(error CONFIG_TLS=rustcrypto: DPP release 3 is not offered: it needs HPKE. Unset CONFIG_DPP3; CONFIG_DPP2=y works)
endif
ifdef CONFIG_FIPS
$(error CONFIG_TLS=rustcrypto: CONFIG_FIPS is not offered: the library has no FIPS validation)
endif

# Part of common defconfigs, so no reason to stop: what they add is refused when a network asks for it.
ifdef TLS_FUNCS
ifdef CONFIG_PKCS12
$(info CONFIG_TLS=rustcrypto: CONFIG_PKCS12 adds nothing: PKCS #12 files are refused with a message, use PEM or DER)
endif
ifdef CONFIG_SMARTCARD
$(info CONFIG_TLS=rustcrypto: CONFIG_SMARTCARD adds nothing: keys in engines and tokens are refused with a message)
endif
endif
