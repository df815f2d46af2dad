# The least of OpenWrt's rules.mk that the feed's Makefiles look at. For tests only.
INCLUDE_DIR := $(TOPDIR)/include
STAGING_DIR := /staging
PKG_BUILD_DIR ?= /build
INSTALL_DIR := install -d -m0755
INSTALL_BIN := install -m0755
INSTALL_DATA := install -m0644
CP := cp -fpR
LN := ln -sf
TARGET_CC_NOCACHE := target-gcc
qstrip = $(strip $(subst ",,$(1)))
