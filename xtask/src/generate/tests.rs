//! The committed trees are fresh, and what they promise holds.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::lock::Lock;
use super::write::Tree;
use super::{library_closure, trees};
use crate::catalogue::Catalogue;
use crate::root::root;

#[test]
fn the_generated_trees_are_fresh() {
    for tree in trees(&root()).unwrap() {
        let stale = tree.compare(&root()).unwrap();
        assert!(stale.is_empty(), "run `cargo xtask generate` and commit what it writes: {stale:#?}");
    }
}

#[test]
fn generation_is_deterministic_to_the_byte() {
    let files = |trees: Vec<Tree>| trees.into_iter().map(|tree| tree.files).collect::<Vec<_>>();
    assert_eq!(files(trees(&root()).unwrap()), files(trees(&root()).unwrap()));
}

/// Cargo's cache of unpacked crates, where everything of the closure lies once this test could be compiled.
fn unpacked(name: &str, version: &str) -> Option<PathBuf> {
    let home = std::env::var_os("CARGO_HOME")
        .map_or_else(|| PathBuf::from(std::env::var_os("HOME").unwrap()).join(".cargo"), PathBuf::from);
    let registries = fs::read_dir(home.join("registry/src")).ok()?;
    registries
        .filter_map(Result::ok)
        .map(|registry| registry.path().join(format!("{name}-{version}")))
        .find(|path| path.is_dir())
}

/// What a distribution does: the crates of the closure in a vendored folder, nothing else, no network, `--frozen`.
#[test]
fn cargo_accepts_dist_with_only_the_crates_that_the_recipes_list() {
    let lock = Lock::read(&root().join("dist/Cargo.lock")).unwrap();
    let scratch = tempfile::tempdir().unwrap();
    let top = scratch.path();
    for package in lock.packages.iter().filter(|package| package.is_crates_io()) {
        let Some(from) = unpacked(&package.name, &package.version) else {
            println!(
                "SKIPPED: dist resolves offline: {} {} is not in cargo's cache; `cargo fetch` brings it",
                package.name, package.version
            );
            return;
        };
        let to = top.join("vendor").join(from.file_name().unwrap());
        fs::create_dir_all(&to).unwrap();
        for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
            symlink(entry.path(), to.join(entry.file_name())).unwrap();
        }
        let checksum = format!("{{\"files\":{{}},\"package\":\"{}\"}}", package.checksum.as_ref().unwrap());
        fs::write(to.join(".cargo-checksum.json"), checksum).unwrap();
    }
    copy_tree(&root().join("dist"), &top.join("source"));
    symlink(root().join("crates"), top.join("source/crates")).unwrap();
    fs::create_dir_all(top.join("home")).unwrap();
    let config = format!(
        "[source.vendor]\ndirectory = {:?}\n[source.crates-io]\nreplace-with = \"vendor\"\nlocal-registry = \"/nonexistent\"\n",
        top.join("vendor")
    );
    fs::write(top.join("home/config.toml"), config).unwrap();
    let cargo = Command::new(env!("CARGO"))
        .args(["tree", "--frozen", "--package", "rustcrypto-capi", "--edges", "normal,build", "--target", "all"])
        .current_dir(top.join("source"))
        .env("CARGO_HOME", top.join("home"))
        .output()
        .unwrap();
    assert!(cargo.status.success(), "{}", String::from_utf8_lossy(&cargo.stderr));
}

fn copy_tree(from: &Path, to: &Path) {
    for entry in walkdir::WalkDir::new(from).into_iter().map(Result::unwrap).filter(|entry| entry.file_type().is_file())
    {
        let target = to.join(entry.path().strip_prefix(from).unwrap());
        fs::create_dir_all(target.parent().unwrap()).unwrap();
        fs::copy(entry.path(), target).unwrap();
    }
}

/// The lock of `dist/` is the Linux closure and nothing else, with the workspace lock's own checksums.
#[test]
fn dist_lock_is_exactly_the_linux_closure() {
    let closure = library_closure(&Catalogue::load(&root()).unwrap()).unwrap();
    let main = Lock::read(&root().join("Cargo.lock")).unwrap();
    let dist = Lock::read(&root().join("dist/Cargo.lock")).unwrap();
    let listed: std::collections::BTreeSet<_> = dist
        .packages
        .iter()
        .filter(|package| package.is_crates_io())
        .map(|package| (package.name.clone(), package.version.clone()))
        .collect();
    assert_eq!(listed, closure.registry);
    for package in dist.packages.iter().filter(|package| package.is_crates_io()) {
        let same = main
            .packages
            .iter()
            .find(|other| (&other.name, &other.version) == (&package.name, &package.version))
            .unwrap();
        assert_eq!(package.checksum, same.checksum, "{} {}", package.name, package.version);
    }
}
