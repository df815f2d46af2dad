# make -f Makefile -f peer.mk PEER=<this folder> peer: hostap's own objects with our peer program in place of main().
# SPDX-License-Identifier: BSD-3-Clause

PEER_SOURCES = peer.c peer_sae.c peer_owe.c peer_wps.c peer_mesh.c
PEER_MODULES = src/crypto/crypto_module_tests src/common/common_module_tests

PEER_DIR = $(BUILDDIR)/$(PROJ)/peer
# crypto_module_tests calls it even where no method of this build does
ifndef NEED_FIPS186_2_PRF
PEER_MODULES += src/crypto/fips_prf_internal src/crypto/sha1-internal
endif
PEER_OBJS = $(PEER_SOURCES:%.c=$(PEER_DIR)/%.o) $(PEER_MODULES:%=$(PEER_DIR)/%.o)

$(PEER_DIR)/%.o: $(PEER)/%.c $(PEER)/peer.h .config
	@mkdir -p $(dir $@)
	$(CC) -c -o $@ $(CFLAGS) -DCONFIG_MODULE_TESTS -I$(PEER) -I$(ROOTDIR)src/utils -I$(ROOTDIR)wpa_supplicant $<

$(PEER_DIR)/%.o: $(ROOTDIR)%.c .config
	@mkdir -p $(dir $@)
	$(CC) -c -o $@ $(CFLAGS) -DCONFIG_MODULE_TESTS $<

peer: $(PEER_OBJS) $(filter-out %/main.o,$(OBJS))
	$(LDO) $(LDFLAGS) -o $@ $^ $(LIBS)

# hostap's own tests/*.c that call the backend: make ... OWN=<tree>/tests own-tests. The tests' Makefile links them with
# the internal crypto only. Generic helpers that this build has no use for come from an archive, so only what lacks.
OWN_TESTS = test-aes test-md4 test-milenage test-rc4 test-sha1 test-sha256 test-https test-https_server
OWN_GENERIC = aes-cbc aes-ctr aes-eax aes-encblock aes-gcm aes-omac1 aes-siv aes-unwrap aes-wrap milenage

$(PEER_DIR)/own/%.o: $(OWN)/%.c .config
	@mkdir -p $(dir $@)
	$(CC) -c -o $@ $(CFLAGS) $<

$(PEER_DIR)/generic.a: $(OWN_GENERIC:%=$(PEER_DIR)/src/crypto/%.o)
	@rm -f $@
	$(AR) rc $@ $^

own-tests: $(OWN_TESTS:%=$(PEER_DIR)/own/%)

$(PEER_DIR)/own/test-%: $(PEER_DIR)/own/test-%.o $(PEER_DIR)/https_shim.o $(PEER_DIR)/generic.a $(filter-out %/main.o,$(OBJS))
	$(LDO) $(LDFLAGS) -o $@ $(filter-out %.a,$^) $(PEER_DIR)/generic.a $(LIBS)
