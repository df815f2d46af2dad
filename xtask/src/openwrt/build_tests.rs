//! `build-image --engine openwrt` against a fake tree: its make does what a real one does to files and to the log.

use std::fs;
use std::path::{Path, PathBuf};

use super::build::{Build, From};
use super::fixture::SHAPES;
use crate::catalogue::Catalogue;
use crate::root::root;
use crate::sources;

const MAKEFILE: &str = "all:\n\t@sh ./fake.sh build\ndefconfig:\n\t@sh ./fake.sh defconfig\npackage/%:\n\t@sh ./fake.sh package\nimage:\n\t@echo \"$(PACKAGES)\" > asked; sh ./fake.sh build\n";

/// `@TARGET@` is the folder below bin/targets; the file `mode` says what goes wrong.
const FAKE: &str = r#"mode=$(cat mode 2>/dev/null)
case "$1-$mode" in
defconfig-refuse)
  echo CONFIG_PACKAGE_hostapd=y >> .config
  printf 'config PACKAGE_hostapd\nconfig PACKAGE_wpad-basic-rustcrypto\n\tdepends on m || (PACKAGE_hostapd != y)\n' > tmp/.config-package.in
  for p in px5g libustream; do echo CONFIG_PACKAGE_$p-rustcrypto=y; done >> .config
  echo CONFIG_DEFAULT_wpad-basic-mbedtls=y >> .config
  echo CONFIG_PACKAGE_wpad-basic-rustcrypto=m >> .config ;;
defconfig-pulled)
  for p in px5g libustream wpad-basic; do echo CONFIG_PACKAGE_$p-rustcrypto=y; done >> .config
  printf 'CONFIG_PACKAGE_px5g-mbedtls=y\nCONFIG_PACKAGE_toy=y\n' >> .config
  printf 'config PACKAGE_toy\n\tselect PACKAGE_px5g-mbedtls\n' > tmp/.config-package.in ;;
defconfig-apk)
  echo CONFIG_USE_APK=y >> .config ;;
defconfig-opkg) ;;
defconfig-wired)
  for p in px5g libustream; do echo CONFIG_PACKAGE_$p-rustcrypto=y; done >> .config ;;
defconfig-*)
  for p in px5g libustream wpad-basic; do echo CONFIG_PACKAGE_$p-rustcrypto=y; done >> .config ;;
build-fail)
  echo ' make[2] -C package/libs/librustcrypto compile' >&2
  mkdir -p logs/package/libs/librustcrypto
  echo "error[E0463]: can't find crate for \`std\`" > logs/package/libs/librustcrypto/compile.txt
  echo '    ERROR: package/libs/librustcrypto failed to build.'
  exit 2 ;;
build-full)
  echo 'cc1: fatal error: closing dependency file x.d: No space left on device'
  exit 2 ;;
package-*)
  mkdir -p bin/packages/toy && echo package > bin/packages/toy/librustcrypto0-1.apk ;;
build-*)
  mkdir -p bin/targets/@TARGET@ build_dir/target-toy/root-toy/lib/apk/db build_dir/target-toy/root-toy/usr/lib build_dir/target-toy/linux-toy
  echo image > bin/targets/@TARGET@/toy-squashfs-sysupgrade.img.gz
  echo squashfs > build_dir/target-toy/linux-toy/root.squashfs
  cd build_dir/target-toy/root-toy
  printf 'P:librustcrypto0\nV:0.1.0-r1\nF:usr/lib\nR:librustcrypto.so.0\n\n' > lib/apk/db/installed
  echo library > usr/lib/librustcrypto.so.0
  if [ "$mode" = second ]; then
    printf 'P:libmbedtls21\nV:3\nF:usr/lib\nR:libmbedtls.so.21\n\n' >> lib/apk/db/installed
    echo library > usr/lib/libmbedtls.so.21
  fi ;;
esac
"#;

struct Fake {
    dir: tempfile::TempDir,
    catalogue: Catalogue,
}

impl Fake {
    fn new(mode: &str) -> Self {
        let fake = Self { dir: tempfile::tempdir().unwrap(), catalogue: Catalogue::load(&root()).unwrap() };
        for name in ["tree", "imagebuilder"] {
            let top = fake.dir.path().join(name);
            SHAPES[1].write(&top);
            fs::create_dir_all(top.join("tmp")).unwrap();
            fs::write(top.join("Makefile"), MAKEFILE).unwrap();
            let openwrt = fake.catalogue.target("rpi5").unwrap().openwrt.as_ref().unwrap();
            fs::write(
                top.join("fake.sh"),
                FAKE.replace("@TARGET@", &format!("{}/{}", openwrt.target, openwrt.subtarget)),
            )
            .unwrap();
            fs::write(top.join("mode"), mode).unwrap();
        }
        fs::write(fake.dir.path().join("imagebuilder/repositories"), "").unwrap();
        fake
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn build(&self, from: From) -> anyhow::Result<crate::report::Measure> {
        self.build_on("rustcrypto", from)
    }

    fn build_on(&self, tls: &str, from: From) -> anyhow::Result<crate::report::Measure> {
        let target = self.catalogue.target("rpi5").unwrap();
        let out = self.path("out");
        let options = sources::Options::default();
        let build = Build {
            catalogue: &self.catalogue,
            target,
            tls,
            profile: "minimal",
            from,
            jobs: 2,
            feed_rust: false,
            run_programs: Some(&options),
            out,
        };
        build.run().map(|(measure, failed)| {
            assert!(failed.is_empty(), "{failed:?}");
            measure
        })
    }

    fn fails(mode: &str) -> (String, Self) {
        let fake = Self::new(mode);
        let error = format!("{:#}", fake.build(From::Tree(fake.path("tree"))).unwrap_err());
        (error, fake)
    }
}

fn check_artefacts(out: &Path) {
    let manifest: serde_json::Value = serde_json::from_slice(&fs::read(out.join("manifest.json")).unwrap()).unwrap();
    assert_eq!(manifest["files"][0]["name"], "toy-squashfs-sysupgrade.img.gz");
    assert_eq!(manifest["packages"][0]["name"], "librustcrypto0");
    assert!(out.join("measure.json").exists() && out.join("rootfs.squashfs").exists() && out.join("config").exists());
}

#[test]
fn a_tree_is_switched_built_and_collected() {
    let fake = Fake::new("");
    fs::write(fake.path("tree/.config"), "CONFIG_MINE=y\n").unwrap();
    let measure = fake.build(From::Tree(fake.path("tree"))).unwrap();
    assert_eq!((measure.tls_libraries.as_slice(), measure.rootfs.squashfs_bytes), (&["rustcrypto".to_owned()][..], 9));
    assert_eq!(measure.rootfs.packages[0].bytes, 8);
    assert_eq!(measure.absent["uhttpd-4"], "the root filesystem has no uhttpd");
    check_artefacts(&fake.path("out"));
    assert_eq!(fs::read_to_string(fake.path("out/config.before")).unwrap(), "CONFIG_MINE=y\n");
    let config = fs::read_to_string(fake.path("tree/.config")).unwrap();
    for line in [
        "CONFIG_TARGET_bcm27xx_bcm2712_DEVICE_rpi-5=y",
        "CONFIG_USE_RUSTCRYPTO=y",
        "CONFIG_RUSTCRYPTO_PROFILE_MINIMAL=y",
        "CONFIG_RUSTCRYPTO_HOST_CARGO=y",
    ] {
        assert!(config.contains(line), "{line} is not in:\n{config}");
    }
}

#[test]
fn an_sdk_builds_the_packages_and_an_imagebuilder_the_image() {
    for (config, wpad, apk) in [
        ("CONFIG_USE_APK=y\nCONFIG_DEFAULT_wpad-basic-mbedtls=y\n", true, true),
        ("# CONFIG_USE_APK is not set\n", false, false),
    ] {
        let fake = Fake::new("");
        fs::write(fake.path("imagebuilder/.config"), config).unwrap();
        fake.build(From::Sdk { sdk: fake.path("tree"), imagebuilder: fake.path("imagebuilder") }).unwrap();
        check_artefacts(&fake.path("out"));
        assert!(fake.path("imagebuilder/packages/librustcrypto0-1.apk").exists());
        let asked = fs::read_to_string(fake.path("imagebuilder/asked")).unwrap();
        assert!(asked.contains("-libustream-mbedtls") && asked.contains(" libustream-rustcrypto"), "{asked}");
        assert_eq!(asked.contains(" wpad-basic-rustcrypto"), wpad, "{config}: {asked}");
        assert_eq!(asked.contains("apk-"), apk, "a package manager that the release has not: {asked}");
    }
}

#[test]
fn a_target_without_wifi_needs_no_wpad() {
    let fake = Fake::new("wired");
    fake.build(From::Tree(fake.path("tree"))).unwrap();
}

#[test]
fn another_backend_is_chosen_package_by_package() {
    for (mode, with_apk) in [("apk", true), ("opkg", false)] {
        let fake = Fake::new(mode);
        fake.build_on("openssl", From::Tree(fake.path("tree"))).unwrap();
        let config = fs::read_to_string(fake.path("tree/.config")).unwrap();
        assert!(config.contains("CONFIG_PACKAGE_libustream-openssl=y"), "{config}");
        assert_eq!(config.contains("CONFIG_PACKAGE_apk-openssl=y"), with_apk, "{mode}: {config}");
        assert!(!config.contains("RUSTCRYPTO"), "{config}");
    }
}

#[test]
fn a_refusal_of_kconfig_is_explained() {
    let (error, _) = Fake::fails("refuse");
    assert!(error.contains("Kconfig refused what was asked:\n  CONFIG_PACKAGE_wpad-basic-rustcrypto is m\n    because it depends on m || (PACKAGE_hostapd != y)"), "{error}");
    let (error, _) = Fake::fails("pulled");
    assert!(error.ends_with("packages on another library are still =y: px5g-mbedtls (selected by toy)"), "{error}");
}

#[test]
fn a_failing_make_shows_the_packages_log_and_advice() {
    let (error, fake) = Fake::fails("fail");
    assert!(
        error.contains(
            "make -j2 failed in package/libs/librustcrypto:\n  error[E0463]: can't find crate for `std`\nwhat to do: "
        ),
        "{error}"
    );
    assert!(error.contains("rustup target add"), "the doctor's advice: {error}");
    assert!(fs::read_to_string(fake.path("out/build.log")).unwrap().contains("ERROR: package/libs/librustcrypto"));
    let (error, _) = Fake::fails("full");
    assert!(error.contains("No space left on device") && error.contains("what to do: disk full: "), "{error}");
}

#[test]
fn a_second_tls_library_in_the_image_fails_the_build() {
    let (error, _) = Fake::fails("second");
    assert_eq!(error, "the image has another TLS library: usr/lib/libmbedtls.so.21 (mbedtls) from libmbedtls21");
}
