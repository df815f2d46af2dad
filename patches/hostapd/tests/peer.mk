# make -f Makefile -f peer.mk PEER=<this folder> peer: hostap's own objects with our peer program in place of main().
# SPDX-License-Identifier: BSD-3-Clause

PEER_SOURCES = peer.c peer_sae.c peer_owe.c
PEER_MODULES = src/crypto/crypto_module_tests src/common/common_module_tests

PEER_DIR = $(BUILDDIR)/$(PROJ)/peer
# crypto_module_tests calls it even where no method of this build does
ifndef NEED_FIPS186_2_PRF
PEER_MODULES += src/crypto/fips_prf_internal src/crypto/sha1-internal
endif
PEER_OBJS = $(PEER_SOURCES:%.c=$(PEER_DIR)/%.o) $(PEER_MODULES:%=$(PEER_DIR)/%.o)

$(PEER_DIR)/%.o: $(PEER)/%.c $(PEER)/peer.h .config
	@mkdir -p $(dir $@)
	$(CC) -c -o $@ $(CFLAGS) -DCONFIG_MODULE_TESTS -I$(PEER) -I$(ROOTDIR)src/utils $<

$(PEER_DIR)/%.o: $(ROOTDIR)%.c .config
	@mkdir -p $(dir $@)
	$(CC) -c -o $@ $(CFLAGS) -DCONFIG_MODULE_TESTS $<

peer: $(PEER_OBJS) $(filter-out %/main.o,$(OBJS))
	$(LDO) $(LDFLAGS) -o $@ $^ $(LIBS)
