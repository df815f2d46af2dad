//! `cargo xtask generate` on a copy of the checkout whose path has spaces and letters outside ASCII: what an edit changes, and each
//! fault: one clear line, exit 2, nothing half-written.

mod common;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use common::root;

/// What generate reads and writes.
const PARTS: [&str; 10] = [
    "Cargo.toml",
    "Cargo.lock",
    "LICENSE-MIT",
    "crates",
    "dist",
    "images",
    "meta-rustcrypto",
    "openwrt-feed",
    "patches",
    "recipes",
];

struct Copy {
    _scratch: tempfile::TempDir,
    top: PathBuf,
}

impl Copy {
    fn new() -> Self {
        let scratch = tempfile::tempdir().unwrap();
        let top = scratch.path().join("eine größere Kopie");
        let skip = |entry: &walkdir::DirEntry| entry.file_name() != "target" && entry.file_name() != ".git";
        for part in PARTS.iter().copied().chain(["xtask"]) {
            for entry in walkdir::WalkDir::new(root().join(part)).into_iter().filter_entry(skip).map(Result::unwrap) {
                let target = top.join(entry.path().strip_prefix(root()).unwrap());
                if entry.file_type().is_file() {
                    std::fs::create_dir_all(target.parent().unwrap()).unwrap();
                    std::fs::copy(entry.path(), target).unwrap();
                }
            }
        }
        Self { _scratch: scratch, top }
    }

    fn generate(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
        command
            .arg("generate")
            .args(arguments)
            .arg("--root")
            .arg(&self.top)
            .env("CARGO_TARGET_DIR", self.top.join("target"));
        command.output().unwrap()
    }

    /// The files that `generate` says it changed.
    fn changed(&self) -> BTreeSet<String> {
        let output = self.generate(&["--json"]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let list: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        list.as_array().unwrap().iter().map(|stale| stale["path"].as_str().unwrap().to_string()).collect()
    }

    fn edit(&self, file: &str, from: &str, to: &str) {
        let path = self.top.join(file);
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.contains(from), "{file} has no '{from}'");
        std::fs::write(path, text.replacen(from, to, 1)).unwrap();
    }

    /// Exit 2, one error line with each part in it, and the generated trees as they were.
    #[track_caller]
    fn refuses(&self, parts: &[&str]) {
        let before = self.trees();
        let output = self.generate(&[]);
        let text = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{text}");
        let error =
            text.lines().find(|line| line.starts_with("error: ")).unwrap_or_else(|| panic!("no error line: {text}"));
        for part in parts {
            assert!(error.contains(part), "'{part}' is not in: {error}");
        }
        assert_eq!(self.trees(), before, "something was written");
    }

    fn trees(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let files = |folder: &str| {
            let walk =
                walkdir::WalkDir::new(self.top.join(folder)).sort_by_file_name().into_iter().filter_map(Result::ok);
            walk.filter(|entry| entry.file_type().is_file())
                .map(|entry| (entry.path().to_path_buf(), std::fs::read(entry.path()).unwrap()))
                .collect::<Vec<_>>()
        };
        ["dist", "meta-rustcrypto", "openwrt-feed"].iter().flat_map(|folder| files(folder)).collect()
    }
}

fn set(paths: &[&str]) -> BTreeSet<String> {
    paths.iter().map(ToString::to_string).collect()
}

#[test]
fn an_edit_changes_exactly_the_files_that_carry_it() {
    let copy = Copy::new();
    assert_eq!(copy.changed(), set(&[]), "the checkout is fresh");
    copy.edit("recipes/switches/yocto.toml", "layer-priority = 6", "layer-priority = 7");
    assert_eq!(copy.changed(), set(&["meta-rustcrypto/conf/layer.conf"]));
    copy.edit("recipes/switches/openwrt.toml", "also-conflicts = [\"px5g-standalone\"]", "also-conflicts = []");
    assert_eq!(copy.changed(), set(&["openwrt-feed/utils/px5g-rustcrypto/Makefile"]));
    copy.edit("Cargo.toml", "\nversion = \"0.1.0\"", "\nversion = \"0.1.1\"");
    let bumped = copy.changed();
    let expected = set(&[
        "dist/Cargo.lock",
        "dist/Cargo.toml",
        "meta-rustcrypto/dynamic-layers/networking-layer/recipes-crypto/crypto-bench-wolfssl/crypto-bench-wolfssl_0.1.0.bb",
        "meta-rustcrypto/dynamic-layers/networking-layer/recipes-crypto/crypto-bench-wolfssl/crypto-bench-wolfssl_0.1.1.bb",
        "meta-rustcrypto/recipes-crypto/px5g/px5g-rustcrypto_0.1.0.bb",
        "meta-rustcrypto/recipes-crypto/px5g/px5g-rustcrypto_0.1.1.bb",
        "meta-rustcrypto/recipes-crypto/rustcrypto/rustcrypto_0.1.0.bb",
        "meta-rustcrypto/recipes-crypto/rustcrypto/rustcrypto_0.1.1.bb",
        "meta-rustcrypto/recipes-crypto/rustcrypto-bench/crypto-bench-openssl_0.1.0.bb",
        "meta-rustcrypto/recipes-crypto/rustcrypto-bench/crypto-bench-openssl_0.1.1.bb",
        "meta-rustcrypto/recipes-crypto/rustcrypto-bench/rustcrypto-bench_0.1.0.bb",
        "meta-rustcrypto/recipes-crypto/rustcrypto-bench/rustcrypto-bench_0.1.1.bb",
        "openwrt-feed/libs/librustcrypto/Makefile",
        "openwrt-feed/utils/px5g-rustcrypto/Makefile",
    ]);
    assert_eq!(bumped, expected);
    assert!(!copy.top.join("meta-rustcrypto/recipes-crypto/rustcrypto/rustcrypto_0.1.0.bb").exists());
    let check = copy.generate(&["--check"]);
    assert!(check.status.success(), "{}", String::from_utf8_lossy(&check.stderr));
}

#[test]
fn check_says_which_file_is_stale_and_why() {
    let copy = Copy::new();
    copy.edit("meta-rustcrypto/conf/layer.conf", "= \"6\"", "= \"9\"");
    std::fs::write(copy.top.join("openwrt-feed/stray.txt"), "x").unwrap();
    let output = copy.generate(&["--check"]);
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2));
    for part in [
        "meta-rustcrypto/conf/layer.conf: line",
        "= \"9\"'",
        "openwrt-feed/stray.txt: not generated",
        "2 generated files are stale",
    ] {
        assert!(text.contains(part), "'{part}' is not in: {text}");
    }
    assert_eq!(copy.changed(), set(&["meta-rustcrypto/conf/layer.conf", "openwrt-feed/stray.txt"]));
    assert!(!copy.top.join("openwrt-feed/stray.txt").exists());
}

#[test]
fn faults_in_catalogue_and_templates() {
    let copy = Copy::new();
    let fault = |file: &str, from: &str, to: &str, parts: &[&str]| {
        let before = std::fs::read(copy.top.join(file)).unwrap();
        copy.edit(file, from, to);
        copy.refuses(parts);
        std::fs::write(copy.top.join(file), before).unwrap();
    };
    fault("recipes/px5g.toml", "role = \"consumer\"\n", "", &["recipes/px5g.toml", "missing field `role`"]);
    fault(
        "recipes/px5g.toml",
        "[backends.mbedtls]",
        "[backends.gnutls]",
        &["recipes/px5g.toml", "unknown backend 'gnutls'", "allowed:"],
    );
    fault("recipes/curl.toml", "sha256 = \"", "sha256 = \"x", &["recipes/curl.toml", "upstream.sha256"]);
    let template = "recipes/templates/yocto/conf/layer.conf";
    fault(
        template,
        "yocto.layer_priority",
        "yocto.layer_prority",
        &["templates/yocto/conf/layer.conf", "layer_prority"],
    );
    fault(template, "{%- endfor %}", "", &["templates/yocto/conf/layer.conf"]);
    fault("Cargo.lock", "version = 4", "version = 2", &["Cargo.lock"]);
}

#[test]
fn a_folder_that_cannot_be_written() {
    let copy = Copy::new();
    // A file where a folder must be stops even root, for whom permissions are no obstacle.
    std::fs::remove_dir_all(copy.top.join("openwrt-feed")).unwrap();
    std::fs::write(copy.top.join("openwrt-feed"), "not a folder").unwrap();
    let output = copy.generate(&[]);
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(text.contains("openwrt-feed") && text.contains("größere Kopie"), "{text}");
    assert!(is_whole(&copy.top.join("meta-rustcrypto")), "the other trees are whole");
}

/// No file of ours that was left behind half-written.
fn is_whole(folder: &Path) -> bool {
    walkdir::WalkDir::new(folder)
        .into_iter()
        .map(Result::unwrap)
        .all(|entry| !entry.file_name().to_string_lossy().starts_with(".writing-"))
}
