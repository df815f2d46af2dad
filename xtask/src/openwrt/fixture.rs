//! Small trees for the tests, in the shapes that OpenWrt's releases have: just enough Makefile for GNU make to evaluate
//! the packages as OpenWrt's `DUMP=1` does. The words are ours.

use std::fs;
use std::path::Path;

/// What differs between releases, as far as this tool is concerned.
pub(super) struct Shape {
    pub(super) version: &'static str,
    /// apk is the default package manager: the package itself asks for that, and it stands in a file of its own,
    /// include/default-packages.mk. Before, eapol-test had no Mbed TLS flavour.
    apk_by_default: bool,
    /// Mbed TLS flavours of hostapd are marked as default variants.
    default_variants: bool,
}

pub(super) const SHAPES: [Shape; 3] = [
    Shape { version: "24.10-SNAPSHOT", apk_by_default: false, default_variants: false },
    Shape { version: "25.12-SNAPSHOT", apk_by_default: true, default_variants: false },
    Shape { version: "SNAPSHOT", apk_by_default: true, default_variants: true },
];

impl Shape {
    /// Write the tree under `top`.
    pub(super) fn write(&self, top: &Path) {
        let put = |path: &str, text: &str| {
            let path = top.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        put("rules.mk", RULES);
        put("scripts/feeds", "#!/bin/sh\nexit 0\n");
        put("include/package.mk", PACKAGE);
        put(
            "package/Makefile",
            "ifneq ($(CONFIG_USE_APK),)\n  $(curdir)//compile += $(curdir)/system/apk/host/compile\nendif\n",
        );
        put(
            "include/version.mk",
            &format!("VERSION_NUMBER:=$(if $(VERSION_NUMBER),$(VERSION_NUMBER),{})\n", self.version),
        );
        let apk =
            if self.apk_by_default { "" } else { "ifdef CONFIG_USE_APK\n  DEFAULT_PACKAGES+=apk-mbedtls\nendif\n" };
        put("include/target.mk", &format!("DEFAULT_PACKAGES:=base-files libustream-mbedtls \\\n\tuci\n{apk}"));
        if self.apk_by_default {
            put("include/default-packages.mk", "DEFAULT_PACKAGES += apk-mbedtls\n");
        }
        put("target/linux/toy/Makefile", "DEFAULT_PACKAGES += wpad-basic-mbedtls kmod-toy\n");
        put(
            "target/linux/toy/image/Makefile",
            "  DEVICE_PACKAGES := -wpad-basic-mbedtls wpad-mesh-mbedtls uencrypt-mbedtls\n",
        );
        put("package/libs/ustream-ssl/Makefile", USTREAM);
        put("package/system/apk/Makefile", &self.apk());
        put("package/system/apk/patches/0010-own.patch", "the tree's own patch\n");
        put("package/network/services/hostapd/Makefile", &self.hostapd());
        put("package/network/services/hostapd/files/toy.config", "CONFIG_EAP_FAST=y\n");
    }

    fn apk(&self) -> String {
        let default = if self.apk_by_default { "  DEFAULT:=y if USE_APK\n" } else { "" };
        APK.replace("@DEFAULT@\n", default)
    }

    fn hostapd(&self) -> String {
        let mark = if self.default_variants { "  DEFAULT_VARIANT:=1\n" } else { "" };
        let mut text = HOSTAPD.replace("@MARK@\n", mark);
        if !self.apk_by_default {
            let start = text.find("define Package/eapol-test-mbedtls").unwrap();
            let end = text.find("# everything after").unwrap();
            text.replace_range(start..end, "");
            text = text.replace("$(eval $(call BuildPackage,eapol-test-mbedtls))\n", "");
        }
        text
    }
}

const RULES: &str = "INCLUDE_DIR:=$(TOPDIR)/include\n";

/// Evaluates packages as OpenWrt does, and prints what the metadata would say.
const PACKAGE: &str = "define Package/Default
  TITLE:=
  DEPENDS:=
  PROVIDES:=
  CONFLICTS:=
  VARIANT:=
  DEFAULT_VARIANT:=
endef
define BuildPackage
  $(eval $(Package/Default))
  $(eval $(call Package/$(1),$(1)))
  $(info $(1)|$(strip $(VARIANT))|$(strip $(DEPENDS))|$(strip $(PROVIDES))|$(strip $(CONFLICTS))|$(if $(Package/$(1)/install),install))
endef
all:
\t@echo 'local=$(LOCAL_VARIANT) ssl=$(SSL_VARIANT) opts=$(strip $(DRIVER_MAKEOPTS) $(CMAKE_OPTIONS) $(MESON_ARGS)) ld=$(strip $(TARGET_LDFLAGS))'
";

const USTREAM: &str = "include $(TOPDIR)/rules.mk
PKG_NAME:=ustream-ssl
include $(INCLUDE_DIR)/package.mk

define Package/libustream/default
  TITLE:=TLS for ustream
  DEPENDS:=+libubox
endef

define Package/libustream-openssl
  $(Package/libustream/default)
  VARIANT:=openssl
  DEPENDS += +libopenssl
endef

define Package/libustream-mbedtls
  $(Package/libustream/default)
  TITLE += (mbedtls)
  DEPENDS += +PACKAGE_libustream-mbedtls:libmbedtls
  CONFLICTS := libustream-openssl
  VARIANT:=mbedtls
  DEFAULT_VARIANT:=1
endef

ifeq ($(BUILD_VARIANT),mbedtls)
  CMAKE_OPTIONS += -DMBEDTLS=on
endif

define Package/libustream/default/install
\tcp x $(1)
endef
Package/libustream-openssl/install = $(Package/libustream/default/install)
Package/libustream-mbedtls/install = $(Package/libustream/default/install)

$(eval $(call BuildPackage,libustream-mbedtls))
$(eval $(call BuildPackage,libustream-openssl))
";

const APK: &str = "include $(TOPDIR)/rules.mk
PKG_NAME:=apk
include $(INCLUDE_DIR)/package.mk

define Package/apk/default
  TITLE:=packages
  DEPENDS:=+zlib
  PROVIDES:=apk
endef

define Package/apk-mbedtls
  $(Package/apk/default)
  DEPENDS +=+libmbedtls
@DEFAULT@
  VARIANT:=mbedtls
  DEFAULT_VARIANT:=1
  CONFLICTS:=apk-openssl
endef

define Package/apk-openssl
  $(Package/apk/default)
  DEPENDS +=+libopenssl
  VARIANT:=openssl
endef

MESON_ARGS += -Dcrypto_backend=$(BUILD_VARIANT)

define Package/apk/default/install
\tcp x $(1)
endef
Package/apk-mbedtls/install = $(Package/apk/default/install)
Package/apk-openssl/install = $(Package/apk/default/install)

$(eval $(call BuildPackage,apk-mbedtls))
$(eval $(call BuildPackage,apk-openssl))
";

const HOSTAPD: &str = "include $(TOPDIR)/rules.mk
PKG_NAME:=hostapd
EAPOL_TEST_PROVIDERS:=eapol-test eapol-test-openssl

HOSTAPD_PROVIDERS:=
SUPPLICANT_PROVIDERS:=

LOCAL_AND_LIB_VARIANT=$(patsubst wpad-%,%,\\
\t\t      $(patsubst supplicant-%,%,\\
\t\t      $(BUILD_VARIANT)\\
\t\t      ))

LOCAL_VARIANT=$(patsubst %-internal,%,\\
\t      $(patsubst %-openssl,%,\\
\t      $(patsubst %-mbedtls,%,\\
\t      $(LOCAL_AND_LIB_VARIANT)\\
\t      )))

SSL_VARIANT=$(strip \\
\t\t$(if $(findstring openssl,$(LOCAL_AND_LIB_VARIANT)),openssl,\\
\t\t$(if $(findstring mbedtls,$(LOCAL_AND_LIB_VARIANT)),mbedtls,\\
\t\tinternal\\
\t\t)))

include $(INCLUDE_DIR)/package.mk

DRIVER_MAKEOPTS= \\
\tCONFIG_ACS=y

ifeq ($(SSL_VARIANT),mbedtls)
  DRIVER_MAKEOPTS += CONFIG_TLS=mbedtls CONFIG_SAE=y
  TARGET_LDFLAGS += -lmbedcrypto -lmbedx509 -lmbedtls

  ifeq ($(LOCAL_VARIANT),basic)
    DRIVER_MAKEOPTS += CONFIG_OWE=y
  endif
endif

define Package/hostapd/Default
  TITLE:=AP
  DEPENDS:=+libnl
  PROVIDES:=hostapd
  CONFLICTS:=$(HOSTAPD_PROVIDERS)
  HOSTAPD_PROVIDERS+=$(1)
endef

define Package/hostapd
$(call Package/hostapd/Default,$(1))
  VARIANT:=full-internal
endef

define Package/hostapd-mbedtls
$(call Package/hostapd/Default,$(1))
  TITLE+= (mbedTLS full)
  VARIANT:=full-mbedtls
@MARK@
  DEPENDS+=+PACKAGE_hostapd-mbedtls:libmbedtls
endef

Package/hostapd-mbedtls/description = $(Package/hostapd/description)

define Package/wpad/Default
  TITLE:=both
  DEPENDS:=+libnl
  PROVIDES:=hostapd wpa-supplicant
  CONFLICTS:=$(HOSTAPD_PROVIDERS) $(SUPPLICANT_PROVIDERS)
  HOSTAPD_PROVIDERS+=$(1)
  SUPPLICANT_PROVIDERS+=$(1)
endef

define Package/wpad-basic-mbedtls
$(call Package/wpad/Default,$(1))
  TITLE+= (mbedTLS, 11r, 11w)
  VARIANT:=wpad-basic-mbedtls
@MARK@
  DEPENDS+=+PACKAGE_wpad-basic-mbedtls:libmbedtls
endef

define Package/wpad-basic-mbedtls/description
 One daemon.
endef

define Package/eapol-test
  TITLE:=test
  VARIANT:=supplicant-full-internal
endef

define Package/eapol-test-mbedtls
  TITLE:=test
  VARIANT:=supplicant-full-mbedtls
  CONFLICTS:=$(filter-out eapol-test-mbedtls ,$(EAPOL_TEST_PROVIDERS))
  DEPENDS+=+PACKAGE_eapol-test-mbedtls:libmbedtls
  PROVIDES:=eapol-test
endef

ifeq ($(BUILD_VARIANT),supplicant-full-mbedtls)
  define Package/eapol-test-mbedtls/install
\tcp x $(1)
  endef
endif

# everything after the definitions
ifeq ($(LOCAL_VARIANT),full)
Package/hostapd-mbedtls/conffiles = $(Package/hostapd-full/conffiles)
endif

define Package/hostapd/install
\tcp x $(1)
endef
Package/hostapd-mbedtls/install = $(Package/hostapd/install)
Package/wpad-basic-mbedtls/install = $(Package/hostapd/install)

$(eval $(call BuildPackage,hostapd-common))
$(eval $(call BuildPackage,hostapd))
$(eval $(call BuildPackage,hostapd-mbedtls))
$(eval $(call BuildPackage,wpad-basic-mbedtls))
$(eval $(call BuildPackage,eapol-test))
$(eval $(call BuildPackage,eapol-test-mbedtls))
";
