//! The feed's Makefiles under GNU make, with the smallest stub of OpenWrt's includes.

mod common;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;

use common::root;

/// GNU make in a package folder of the feed.
fn make(package: &str, arguments: &[String]) -> String {
    let output = Command::new("make")
        .arg("--no-print-directory")
        .arg("-C")
        .arg(root().join("openwrt-feed").join(package))
        .arg(format!("TOPDIR={}", root().join("xtask/tests/feed").display()))
        .args(arguments)
        .env_remove("MAKEFLAGS")
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// What `BuildPackage` was called with, by variable name.
fn evaluated(package: &str, arguments: &[&str]) -> BTreeMap<String, String> {
    let arguments: Vec<String> = arguments.iter().map(ToString::to_string).collect();
    make(package, &arguments)
        .lines()
        .filter_map(|line| line.split_once('='))
        .map(|(name, value)| (name.to_string(), value.trim().to_string()))
        .collect()
}

fn packages() -> Vec<PathBuf> {
    let makefiles = walkdir::WalkDir::new(root().join("openwrt-feed"))
        .sort_by_file_name()
        .into_iter()
        .map(|entry| entry.unwrap().into_path());
    makefiles.filter(|path| path.ends_with("Makefile")).collect()
}

fn switch() -> toml::Table {
    toml::from_str(&std::fs::read_to_string(root().join("recipes/switches/openwrt.toml")).unwrap()).unwrap()
}

#[test]
fn the_library_package() {
    let package =
        evaluated("libs/librustcrypto", &["ARCH=aarch64", "CONFIG_USE_MUSL=y", "CONFIG_RUSTCRYPTO_PROFILE_SPEED=y"]);
    assert_eq!(package["PACKAGE"], "librustcrypto");
    assert_eq!(package["ABI_VERSION"], "0");
    assert_eq!(package["PKG_BUILD_DEPENDS"], "!RUSTCRYPTO_HOST_CARGO:rust/host");
    assert_eq!(
        (package["RUST_CLIB_PROFILE"].as_str(), package["RUST_CLIB_FEATURES"].as_str()),
        ("speed", "speed,legacy-eap")
    );
    assert_eq!(PathBuf::from(&package["RUST_CLIB_SOURCE"]), root().canonicalize().unwrap());
    assert!(package["INSTALL"].contains("/usr/lib/librustcrypto.so.0"), "{}", package["INSTALL"]);
    let minimal =
        evaluated("libs/librustcrypto", &["ARCH=mipsel", "CONFIG_USE_MUSL=y", "CONFIG_RUSTCRYPTO_PROFILE_MINIMAL=y"]);
    assert_eq!(minimal["RUST_CLIB_FEATURES"], "minimal,legacy-eap");
}

#[test]
fn each_architecture_gets_the_triple_that_rust_knows() {
    let cases = [
        ("ARCH=aarch64 CONFIG_USE_MUSL=y", "aarch64-unknown-linux-musl"),
        ("ARCH=x86_64 CONFIG_USE_GLIBC=y", "x86_64-unknown-linux-gnu"),
        ("ARCH=mipsel CONFIG_USE_MUSL=y", "mipsel-unknown-linux-musl"),
        ("ARCH=mips CONFIG_USE_MUSL=y", "mips-unknown-linux-musl"),
        ("ARCH=riscv64 CONFIG_USE_MUSL=y", "riscv64gc-unknown-linux-musl"),
        ("ARCH=arm CONFIG_USE_MUSL=y CONFIG_arm_v7=y CONFIG_HAS_FPU=y", "armv7-unknown-linux-musleabihf"),
        ("ARCH=arm CONFIG_USE_MUSL=y", "arm-unknown-linux-musleabi"),
        ("ARCH=arm CONFIG_USE_GLIBC=y CONFIG_arm_v7=y", "armv7-unknown-linux-gnueabi"),
        ("ARCH=i386 CONFIG_USE_MUSL=y CONFIG_TARGET_x86_legacy=y", "i586-unknown-linux-musl"),
    ];
    let known = Command::new("rustc").args(["--print", "target-list"]).output().unwrap();
    let known = String::from_utf8(known.stdout).unwrap();
    for (arguments, triple) in cases {
        let arguments: Vec<&str> = arguments.split(' ').collect();
        assert_eq!(evaluated("libs/librustcrypto", &arguments)["RUST_CLIB_TRIPLE"], triple);
        assert!(known.lines().any(|line| line == triple), "rustc does not know {triple}");
    }
}

#[test]
fn provides_and_conflicts_come_from_the_table() {
    for group in switch()["group"].as_array().unwrap().iter().filter(|group| group["made-by"].as_str() == Some("feed"))
    {
        let ours = group["packages"]["rustcrypto"].as_str().unwrap();
        let makefile = packages().into_iter().find(|path| path.parent().unwrap().ends_with(ours));
        let makefile = makefile.unwrap_or_else(|| panic!("the feed has no package {ours}"));
        let folder =
            makefile.parent().unwrap().strip_prefix(root().join("openwrt-feed")).unwrap().to_str().unwrap().to_string();
        let package = evaluated(&folder, &["ARCH=aarch64", "CONFIG_USE_MUSL=y"]);
        let words = |text: &str| text.split_whitespace().map(str::to_string).collect::<Vec<_>>();
        let list = |key: &str| {
            group[key].as_array().unwrap().iter().map(|name| name.as_str().unwrap().to_string()).collect::<Vec<_>>()
        };
        assert_eq!(words(&package["PROVIDES"]), list("provides"), "{ours}");
        for (backend, other) in
            group["packages"].as_table().unwrap().iter().filter(|(backend, _)| *backend != "rustcrypto")
        {
            let other = other.as_str().unwrap().to_string();
            // luci-ssl selects px5g-mbedtls unless its provider is in; a conflict as well would be a circle in Kconfig
            let provided = list("provides").contains(&other);
            assert_eq!(words(&package["CONFLICTS"]).contains(&other), !provided, "{ours} and its {backend} twin");
        }
        assert!(package["DEPENDS"].contains("+librustcrypto"), "{}", package["DEPENDS"]);
    }
}

#[test]
fn the_switch_selects_every_group() {
    let config = std::fs::read_to_string(root().join("openwrt-feed/libs/librustcrypto/Config.in")).unwrap();
    for group in switch()["group"].as_array().unwrap() {
        let line = format!("\tselect PACKAGE_{}", group["packages"]["rustcrypto"].as_str().unwrap());
        let line =
            group.get("only-with").map_or(line.clone(), |symbol| format!("{line} if {}", symbol.as_str().unwrap()));
        assert!(config.lines().any(|other| other == line), "{line}");
    }
}

/// Build/Prepare copies a source that cargo can read, without the workspace around it.
#[test]
fn prepare_copies_a_complete_source() {
    let scratch = tempfile::tempdir().unwrap();
    let arguments =
        ["ARCH=x86_64".to_string(), format!("PKG_BUILD_DIR={}", scratch.path().display()), "prepare".to_string()];
    make("libs/librustcrypto", &arguments);
    let cargo = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version=1", "--no-deps", "--locked"])
        .current_dir(scratch.path())
        .output()
        .unwrap();
    assert!(cargo.status.success(), "{}", String::from_utf8_lossy(&cargo.stderr));
    assert!(scratch.path().join("crates/rustcrypto-capi/include/rustcrypto.h").is_file());
    assert!(scratch.path().join("LICENSE-MIT").is_file());
}

/// The command line that compiles: frozen, our profile, the target's linker, nothing of what rust-values.mk forces.
#[test]
fn compile_says_what_it_should() {
    let arguments = ["ARCH=aarch64", "CONFIG_USE_MUSL=y", "CONFIG_RUSTCRYPTO_PROFILE_MINIMAL=y", "show-compile"]
        .map(str::to_string);
    let text = make("libs/librustcrypto", &arguments);
    for part in [
        "cargo rustc --lib --crate-type cdylib --frozen --target aarch64-unknown-linux-musl --profile minimal",
        "--package rustcrypto-capi --no-default-features --features \"minimal,legacy-eap\"",
        "CARGO_TARGET_AARCH64_UNKNOWN_LINUX_MUSL_LINKER=target-gcc",
        "-u CARGO_PROFILE_RELEASE_OPT_LEVEL",
        "CARGO_HOME=/staging/host/cargo",
    ] {
        assert!(text.contains(part), "'{part}' is not in:\n{text}");
    }
}
