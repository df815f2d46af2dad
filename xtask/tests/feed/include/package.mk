# Prints what a package says instead of building it; `make prepare` runs its Build/Prepare, `make show-compile` prints Build/Compile.
SHOWN := SECTION CATEGORY TITLE DEPENDS ABI_VERSION PROVIDES CONFLICTS VARIANT
define BuildPackage
$(eval $(Package/$(1)))
$(info PACKAGE=$(1))
$(foreach name,$(SHOWN),$(info $(name)=$($(name))))
$(foreach name,PKG_NAME PKG_VERSION PKG_BUILD_DEPENDS RUST_CLIB_TRIPLE RUST_CLIB_PROFILE RUST_CLIB_FEATURES RUST_CLIB_SOURCE,$(info $(name)=$($(name))))
$(info INSTALL=$(subst $(newline), ; ,$(Package/$(1)/install)))
endef
define newline


endef
all: ; @:
prepare: ; $(Build/Prepare)
show-compile: ; @: $(info $(Build/Compile))
