# SPDX-License-Identifier: Apache-2.0 OR MIT
# Written by `cargo xtask generate` from recipes/templates/openwrt/: change that.
#
# Builds Rust crates of this repository into C libraries and programs. Include it after package.mk and set
#   RUST_CLIB_CRATE     the cargo package
#   RUST_CLIB_PROFILE   the cargo profile
#   RUST_CLIB_FEATURES  its features, comma separated
#   RUST_CLIB_LINK_FLAGS  for rustc at the link, which optimises the whole
# `$(RUST_CLIB_OUT)` is then the folder that cargo leaves its results in.

# The repository, found from this file: openwrt-feed/.. (feeds are symbolic links, so resolve them).
RUST_CLIB_SOURCE := $(realpath $(dir $(realpath $(lastword $(MAKEFILE_LIST))))..)

# OpenWrt's ARCH -> the first word of Rust's triple.
RUST_CLIB_CPU := $(strip \
	$(if $(filter riscv64,$(ARCH)),riscv64gc, \
	$(if $(filter i386,$(ARCH)),$(if $(CONFIG_TARGET_x86_geode)$(CONFIG_TARGET_x86_legacy),i586,i686), \
	$(if $(filter arm,$(ARCH)),$(if $(CONFIG_arm_v7),armv7,arm), \
	$(ARCH)))))
RUST_CLIB_LIBC := $(if $(CONFIG_USE_GLIBC),gnu,musl)
RUST_CLIB_FLOAT := $(if $(filter arm,$(ARCH)),eabi$(if $(CONFIG_HAS_FPU),hf))
RUST_CLIB_TRIPLE := $(RUST_CLIB_CPU)-$(if $(filter mips64,$(ARCH)),openwrt,unknown)-linux-$(RUST_CLIB_LIBC)$(RUST_CLIB_FLOAT)
RUST_CLIB_DEPENDS := @(aarch64||arm||i386||mips||mipsel||mips64||mips64el||powerpc||powerpc64||riscv64||x86_64)

RUST_CLIB_OUT = $(PKG_BUILD_DIR)/target/$(RUST_CLIB_TRIPLE)/$(RUST_CLIB_PROFILE)

rust_clib_upper = $(shell echo '$(1)' | tr 'a-z-' 'A-Z_')

# Linker and flags by environment; our profiles set everything else, so what rust-values.mk forces on others is undone here.
RUST_CLIB_ENV = \
	env -u CARGO_PROFILE_RELEASE_OPT_LEVEL -u CARGO_PROFILE_RELEASE_PANIC -u CARGO_PROFILE_RELEASE_OVERFLOW_CHECKS \
	$(if $(CONFIG_RUSTCRYPTO_HOST_CARGO),,CARGO_HOME=$(STAGING_DIR)/host/cargo) \
	CARGO_TARGET_DIR=$(PKG_BUILD_DIR)/target \
	CARGO_TARGET_$(call rust_clib_upper,$(RUST_CLIB_TRIPLE))_LINKER=$(TARGET_CC_NOCACHE) \
	CARGO_TARGET_$(call rust_clib_upper,$(RUST_CLIB_TRIPLE))_RUSTFLAGS="-Ctarget-feature=-crt-static"

define RustClib/Prepare
	$(INSTALL_DIR) $(PKG_BUILD_DIR)/crates
	$(CP) $(RUST_CLIB_SOURCE)/dist/* $(RUST_CLIB_SOURCE)/LICENSE-* $(PKG_BUILD_DIR)/
	$(CP) $(RUST_CLIB_SOURCE)/crates/rustcrypto $(PKG_BUILD_DIR)/crates/
	$(CP) $(RUST_CLIB_SOURCE)/crates/rustcrypto-capi $(PKG_BUILD_DIR)/crates/
	$(CP) $(RUST_CLIB_SOURCE)/crates/rustcrypto-hot $(PKG_BUILD_DIR)/crates/
endef

# cargo reads .cargo/config.toml from the current folder, so go there. The network is used only if a crate is not there yet.
define RustClib/Compile
	cd $(PKG_BUILD_DIR) && { $(RUST_CLIB_ENV) cargo fetch --locked --offline --target $(RUST_CLIB_TRIPLE) || \
		$(RUST_CLIB_ENV) cargo fetch --locked --target $(RUST_CLIB_TRIPLE); }
	+cd $(PKG_BUILD_DIR) && $(RUST_CLIB_ENV) cargo rustc --lib --crate-type cdylib --frozen --target $(RUST_CLIB_TRIPLE) --profile $(RUST_CLIB_PROFILE) \
		--package $(RUST_CLIB_CRATE) --no-default-features --features "$(RUST_CLIB_FEATURES)" \
		--message-format json-render-diagnostics $(call qstrip,$(CONFIG_RUSTCRYPTO_CARGO_ARGS)) \
		-- $(RUST_CLIB_LINK_FLAGS) > cargo-messages.json
endef
