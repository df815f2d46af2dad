//! Apply and revert on small trees in the shapes of three releases.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::fixture::SHAPES;
use super::journal::{FEED, Step};
use super::tree::Tree;
use super::{Applied, apply, derive, journal, series};
use crate::catalogue::Catalogue;
use crate::root::{UserError, root};

fn catalogue() -> Catalogue {
    Catalogue::load(&root()).unwrap()
}

/// Every path with its kind, mode and content: two trees with the same are the same.
fn snapshot(top: &Path) -> BTreeMap<PathBuf, (u32, Vec<u8>)> {
    let entries = walkdir::WalkDir::new(top).into_iter().map(Result::unwrap);
    entries
        .map(|entry| {
            let mode = entry.path().symlink_metadata().unwrap().permissions().mode();
            let bytes = match entry.file_type() {
                kind if kind.is_file() => fs::read(entry.path()).unwrap(),
                kind if kind.is_symlink() => fs::read_link(entry.path()).unwrap().into_os_string().into_encoded_bytes(),
                _ => Vec::new(),
            };
            (entry.path().strip_prefix(top).unwrap().to_owned(), (mode, bytes))
        })
        .collect()
}

fn each_shape(check: impl Fn(&Tree, &Catalogue)) {
    let catalogue = catalogue();
    for shape in &SHAPES {
        let dir = tempfile::tempdir().unwrap();
        shape.write(dir.path());
        let tree = Tree::open(dir.path()).unwrap();
        assert_eq!(tree.version, shape.version);
        check(&tree, &catalogue);
    }
}

/// `name|variant|depends|provides|conflicts|install` lines, and the last line: what the build would be given.
fn evaluate(top: &Path, package: &str, variant: &str) -> (BTreeMap<String, Vec<String>>, String) {
    let output = Command::new("make")
        .args(["-s", "-C"])
        .arg(top.join(FEED).join(package))
        .args([format!("TOPDIR={}", top.display()), format!("BUILD_VARIANT={variant}")])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let fields = text.lines().filter_map(|line| line.split_once('|'));
    let packages = fields.map(|(name, rest)| (name.to_owned(), rest.split('|').map(str::to_owned).collect())).collect();
    (packages, text.lines().last().unwrap().to_owned())
}

#[test]
fn applied_and_reverted_is_the_same_tree() {
    each_shape(|tree, catalogue| {
        let before = snapshot(&tree.top);
        for defaults in [false, true] {
            assert_eq!(apply(tree, catalogue, defaults).unwrap(), Applied::Now);
            let applied = snapshot(&tree.top);
            assert_eq!(apply(tree, catalogue, defaults).unwrap(), Applied::Before);
            assert!(applied == snapshot(&tree.top), "a second apply changes nothing");
            let outside: Vec<_> = applied.keys().filter(|path| !path.starts_with("package/feeds")).collect();
            let changed = outside.iter().filter(|path| before.get(**path) != applied.get(**path)).count();
            assert_eq!(changed > 1, defaults, "only --defaults changes more files of the tree than package/Makefile");
            let follows = fs::read_to_string(tree.top.join("package/Makefile")).unwrap();
            assert!(follows.contains("$(curdir)/feeds/rustcrypto_tree/apk/host/compile"), "{follows}");
            assert_eq!(outside.len(), before.len(), "nothing new outside the feed folder");
        }
        assert!(journal::revert(&tree.top, false).unwrap());
        assert!(before == snapshot(&tree.top));
        assert!(!journal::revert(&tree.top, false).unwrap(), "nothing left to revert");
    });
}

#[test]
fn make_evaluates_the_variants() {
    each_shape(|tree, catalogue| {
        apply(tree, catalogue, false).unwrap();
        let (packages, given) = evaluate(&tree.top, "hostapd", "wpad-basic-rustcrypto");
        let [variant, depends, provides, conflicts, install] = &packages["wpad-basic-rustcrypto"][..] else { panic!() };
        assert_eq!((variant.as_str(), install.as_str()), ("wpad-basic-rustcrypto", "install"));
        assert_eq!(depends, "+libnl +PACKAGE_wpad-basic-rustcrypto:librustcrypto");
        assert_eq!(provides, "hostapd wpa-supplicant wpad-basic-mbedtls");
        assert!(!conflicts.contains("mbedtls"), "ours goes first: {conflicts}");
        assert!(packages["wpad-basic-mbedtls"][3].contains("wpad-basic-rustcrypto"));
        assert!(given.contains("local=basic ssl=rustcrypto"), "{given}");
        assert!(
            given.contains("CONFIG_TLS=rustcrypto CONFIG_SAE=y CONFIG_OWE=y") && given.contains("CONFIG_EAP_FAST="),
            "{given}"
        );
        assert!(given.ends_with("ld=-lrustcrypto"), "{given}");
        let (_, theirs) = evaluate(&tree.top, "hostapd", "wpad-basic-mbedtls");
        assert!(
            theirs.contains("local=basic ssl=mbedtls") && theirs.ends_with("-lmbedtls"),
            "theirs is as it was: {theirs}"
        );

        let (packages, given) = evaluate(&tree.top, "ustream-ssl", "rustcrypto");
        assert_eq!(packages["libustream-rustcrypto"][3], "");
        assert_eq!(packages["libustream-rustcrypto"][2], "libustream-mbedtls libustream-ssl");
        assert!(
            packages
                .iter()
                .filter(|(name, _)| !name.contains("rustcrypto"))
                .all(|(_, fields)| fields[3].contains("libustream-rustcrypto"))
        );
        assert!(given.contains("-DRUSTCRYPTO=on"), "{given}");
        let (packages, given) = evaluate(&tree.top, "apk", "rustcrypto");
        assert!(packages["apk-openssl"][3].contains("apk-rustcrypto") && given.contains("-Dcrypto_backend=rustcrypto"));
        let own = fs::read(tree.top.join(FEED).join("apk/patches/0010-own.patch")).unwrap();
        assert_eq!(own, b"the tree's own patch\n");
    });
}

#[test]
fn an_interrupted_apply_is_finished_or_taken_back() {
    each_shape(|tree, catalogue| {
        let before = snapshot(&tree.top);
        let plan = derive::plan(tree, catalogue, true).unwrap();
        for step in [Step::Edit, Step::Commit, Step::Tidy] {
            journal::apply(&tree.top, &plan, Some(step)).unwrap_err();
            assert!(before != snapshot(&tree.top), "{step:?} leaves something behind");
            assert!(journal::recover(&tree.top).unwrap().is_some());
            let made = journal::state(&tree.top).unwrap().is_some();
            assert_eq!(made, step == Step::Tidy, "after the last rename it counts as made");
            assert!(made || before == snapshot(&tree.top), "{step:?}");
            assert_eq!(apply(tree, catalogue, true).unwrap() == Applied::Before, made);
            journal::revert(&tree.top, false).unwrap();
            assert!(before == snapshot(&tree.top), "{step:?}");
        }
    });
}

#[test]
fn an_unknown_shape_changes_nothing() {
    each_shape(|tree, catalogue| {
        for (file, from, to) in [
            (
                "package/libs/ustream-ssl/Makefile",
                "ifeq ($(BUILD_VARIANT),mbedtls)",
                "MODE = mbedtls\nifeq ($(BUILD_VARIANT),x)",
            ),
            (
                "package/network/services/hostapd/Makefile",
                "),mbedtls,\\\n",
                "),mbedtls,\\\n\t\t$(if $(mbedtls),mbedtls,\\\n",
            ),
            ("package/system/apk/Makefile", "VARIANT:=mbedtls", "VARIANT:=other"),
        ] {
            let path = tree.top.join(file);
            let text = fs::read_to_string(&path).unwrap();
            fs::write(&path, text.replace(from, to)).unwrap();
            let before = snapshot(&tree.top);
            let result = apply(tree, catalogue, true);
            assert!(before == snapshot(&tree.top), "{file}");
            let error = format!("{:#}", result.expect_err(file));
            assert!(error.starts_with(file) && error.contains("nothing was changed"), "{error}");
            fs::write(&path, text).unwrap();
        }
    });
}

#[test]
fn a_file_changed_since_is_not_overwritten() {
    each_shape(|tree, catalogue| {
        apply(tree, catalogue, true).unwrap();
        let file = tree.top.join("include/target.mk");
        fs::write(&file, "mine\n").unwrap();
        let before = snapshot(&tree.top);
        let error = journal::revert(&tree.top, false).unwrap_err();
        assert!(error.is::<UserError>() && error.to_string().starts_with("include/target.mk was changed after apply"));
        assert!(before == snapshot(&tree.top));
    });
}

#[test]
fn what_was_changed_in_the_feed_folder_is_not_lost() {
    each_shape(|tree, catalogue| {
        let before = snapshot(&tree.top);
        apply(tree, catalogue, false).unwrap();
        fs::write(tree.top.join(FEED).join("apk/Makefile"), "mine\n").unwrap();
        fs::write(tree.top.join(FEED).join("hostapd/patches/999-mine.patch"), "mine\n").unwrap();
        fs::write(tree.top.join("package/system/apk/patches/0020-pulled.patch"), "a new state to derive from\n")
            .unwrap();
        let applied = snapshot(&tree.top);
        for error in [journal::revert(&tree.top, false).unwrap_err(), apply(tree, catalogue, false).unwrap_err()] {
            assert!(error.is::<UserError>(), "{error}");
            for name in ["apk/Makefile", "hostapd/patches/999-mine.patch"] {
                assert!(error.to_string().contains(&format!("{FEED}/{name}")), "{error}");
            }
            assert!(applied == snapshot(&tree.top));
        }
        fs::remove_file(tree.top.join("package/system/apk/patches/0020-pulled.patch")).unwrap();
        assert!(journal::revert(&tree.top, true).unwrap());
        assert!(before == snapshot(&tree.top));
    });
}

#[test]
fn a_feed_folder_that_feeds_clean_removed_leaves_a_tree_that_can_be_mended() {
    each_shape(|tree, catalogue| {
        let before = snapshot(&tree.top);
        for again in [true, false] {
            apply(tree, catalogue, false).unwrap();
            fs::remove_dir_all(tree.top.join("package/feeds")).unwrap();
            if again {
                assert_eq!(apply(tree, catalogue, false).unwrap(), Applied::Now);
                assert!(journal::revert(&tree.top, false).unwrap());
            } else {
                assert!(derive::unfollow(tree, catalogue).unwrap());
                assert!(!derive::unfollow(tree, catalogue).unwrap());
            }
            assert!(before == snapshot(&tree.top), "again: {again}");
        }
    });
}

#[test]
fn two_calls_at_a_time_do_not_meet() {
    each_shape(|tree, catalogue| {
        let before = snapshot(&tree.top);
        let lock = tree.lock().unwrap();
        let error = apply(tree, catalogue, false).unwrap_err();
        assert!(error.is::<UserError>() && error.to_string().contains("another call"), "{error}");
        assert!(before == snapshot(&tree.top));
        drop(lock);
        // A child that another test is just starting keeps a copy of the lock until it has become its program.
        let applied = (0..200).any(|_| match apply(tree, catalogue, false) {
            Err(error) if error.to_string().contains("another call") => {
                std::thread::sleep(Duration::from_millis(25));
                false
            }
            result => result.map(|_| true).unwrap(),
        });
        assert!(applied);
    });
}

#[test]
fn the_series_makes_the_same_files() {
    each_shape(|tree, catalogue| {
        let plan = derive::plan(tree, catalogue, true).unwrap();
        let mbox = series::series(tree, &plan).unwrap();
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), mbox).unwrap();
        let git = |args: &[&str]| {
            let output = Command::new("git")
                .current_dir(&tree.top)
                .args(["-c", "user.name=t", "-c", "user.email=t@localhost"])
                .args(args)
                .output()
                .unwrap();
            assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
        };
        git(&["init", "-q"]);
        git(&["add", "-A"]);
        git(&["commit", "-q", "-m", "tree"]);
        git(&["am", "-q", &file.path().to_string_lossy()]);
        for (feed, core) in
            [("ustream-ssl", "libs/ustream-ssl"), ("apk", "system/apk"), ("hostapd", "network/services/hostapd")]
        {
            for name in ["Makefile", "patches/990-rustcrypto.patch"] {
                let made = fs::read(tree.top.join("package").join(core).join(name)).unwrap();
                assert!(
                    plan.feed[&Path::new(feed).join(name)]
                        == super::plan::Entry::File { bytes: made, executable: false },
                    "{feed} {name}"
                );
            }
        }
        for edit in plan.edits.iter().filter(|edit| !edit.feed_only) {
            assert_eq!(fs::read_to_string(tree.top.join(&edit.path)).unwrap(), edit.after);
        }
    });
}

#[test]
fn what_is_not_a_tree_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    assert!(
        Tree::open(dir.path()).unwrap_err().to_string().contains("not an OpenWrt tree or SDK: rules.mk is missing")
    );
    let spaced = dir.path().join("my tree");
    SHAPES[0].write(&spaced);
    let before = snapshot(&spaced);
    let error = Tree::open(&spaced).unwrap_err();
    assert!(error.is::<UserError>() && error.to_string().contains("white space"));
    assert!(before == snapshot(&spaced));
}
