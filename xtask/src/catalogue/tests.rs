//! The catalogue of this checkout is sound, and each kind of fault gives one clear error.

use std::path::Path;

use super::Catalogue;
use crate::root::{UserError, root};

#[test]
fn the_checkout_is_sound() {
    let catalogue = Catalogue::load(&root()).unwrap();
    assert_eq!(
        catalogue.yocto.rust_floor, catalogue.workspace.rust_version,
        "recipes/switches/yocto.toml and Cargo.toml must agree"
    );
    assert_eq!(catalogue.packages["librustcrypto"].version, catalogue.workspace.version);
    assert_eq!(catalogue.packages["librustcrypto"].library.as_ref().unwrap().abi(), Some("0"));
    let build_rs = std::fs::read_to_string(root().join("crates/rustcrypto-capi/build.rs")).unwrap();
    assert!(build_rs.contains("-soname,librustcrypto.so.0\""), "the catalogue and the crate must agree on the SONAME");
    assert!(catalogue.targets.len() >= 6 && catalogue.backends().len() >= 4);
    for group in &catalogue.openwrt.groups {
        assert!(!group.conflicts().is_empty() && !group.conflicts().contains(&group.ours()));
    }
}

/// A copy of the catalogue with one replacement; gives the error chain as printed.
fn fault(file: &str, from: &str, to: &str) -> String {
    let copy = tempfile::tempdir().unwrap();
    let top = copy.path().join("Kopie für später"); // spaces and letters outside ASCII
    for part in ["recipes", "recipes/switches", "images"] {
        std::fs::create_dir_all(top.join(part)).unwrap();
        for entry in
            std::fs::read_dir(root().join(part)).unwrap().map(Result::unwrap).filter(|entry| entry.path().is_file())
        {
            std::fs::copy(entry.path(), top.join(part).join(entry.file_name())).unwrap();
        }
    }
    std::fs::copy(root().join("Cargo.toml"), top.join("Cargo.toml")).unwrap();
    Catalogue::load(&top).expect("the unchanged copy is sound");
    edit(&top.join(file), from, to);
    let error = Catalogue::load(&top).expect_err("the fault is found");
    assert!(error.chain().any(<dyn std::error::Error + 'static>::is::<UserError>), "not exit 2: {error:#}");
    format!("{error:#}")
}

fn edit(path: &Path, from: &str, to: &str) {
    let text = std::fs::read_to_string(path).unwrap();
    assert!(text.contains(from), "{} has no '{from}'", path.display());
    std::fs::write(path, text.replacen(from, to, 1)).unwrap();
}

#[track_caller]
fn says(error: &str, parts: &[&str]) {
    for part in parts {
        assert!(error.contains(part), "'{part}' is not in: {error}");
    }
}

#[test]
fn unknown_key_names_file_line_key_and_guess() {
    let error = fault("recipes/curl.toml", "license", "licence");
    says(&error, &["curl.toml:3", "`licence`", "did you mean 'license'", "`homepage`"]);
}

#[test]
fn missing_key() {
    says(&fault("images/rpi5.toml", "cpu = \"cortex-a76\"\n", ""), &["rpi5.toml", "cpu"]);
}

#[test]
fn wrong_value_lists_the_allowed_ones() {
    let error = fault("images/malta.toml", "float = \"soft\"", "float = \"sotf\"");
    says(&error, &["malta.toml:6", "sotf", "did you mean 'soft'", "`hard`"]);
}

#[test]
fn wrong_type() {
    says(
        &fault("images/rpi5.toml", "crypto-instructions = true", "crypto-instructions = \"yes\""),
        &["rpi5.toml", "crypto-instructions", "boolean"],
    );
}

#[test]
fn unknown_backend() {
    let error = fault("recipes/curl.toml", "[backends.mbedtls]", "[backends.mbedtsl]");
    says(&error, &["recipes/curl.toml", "mbedtsl", "did you mean 'mbedtls'", "allowed:", "wolfssl"]);
}

#[test]
fn unknown_package_in_a_switch() {
    says(
        &fault("recipes/switches/openwrt.toml", "package = \"px5g\"", "package = \"px6g\""),
        &["openwrt.toml", "group 'px5g'", "did you mean 'px5g'"],
    );
}

#[test]
fn unknown_layer() {
    says(
        &fault("images/rpi5.toml", "\"meta-raspberrypi\"", "\"meta-rasperrypi\""),
        &["images/rpi5.toml", "yocto.layers", "did you mean 'meta-raspberrypi'"],
    );
}

#[test]
fn hash_of_the_wrong_form() {
    says(
        &fault("recipes/curl.toml", "sha256 = \"aa1b", "sha256 = \"AA1"),
        &["recipes/curl.toml", "upstream.sha256", "64 lower-case"],
    );
}

#[test]
fn not_toml_at_all() {
    says(&fault("images/rpi4.toml", "summary =", "summary"), &["rpi4.toml:2"]);
}
