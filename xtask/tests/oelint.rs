//! oelint-adv on the generated layer: no finding that is not explained, and no explanation without a finding.

mod common;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Command;

use common::{python, root};

#[test]
fn every_finding_is_explained() {
    let Some(python) = python("oelint-adv on the layer") else { return };
    let layer = root().join("meta-rustcrypto");
    let files: Vec<PathBuf> = walkdir::WalkDir::new(&layer)
        .sort_by_file_name()
        .into_iter()
        .map(|entry| entry.unwrap().into_path())
        .filter(|path| {
            path.extension().is_some_and(|end| end == "bb" || end == "bbappend") || path.ends_with("layer.conf")
        })
        .collect();
    let config = root().join("xtask/tests/bitbake");
    let output = Command::new(python.with_file_name("oelint-adv"))
        .args([
            "--mode=all",
            "--quiet",
            "--exit-zero",
            "--release=wrynose",
            "--messageformat={id}@{path}:{line}: {msg}",
        ])
        .arg(format!("--constantmods=+{}", config.join("oelint-constants.json").display()))
        .arg("--")
        .args(&files)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout);
    let findings: Vec<(&str, &str)> = text.lines().filter_map(|line| line.split_once('@')).collect();
    assert!(findings.iter().all(|(id, _)| id.starts_with("oelint.")) && !findings.is_empty(), "{text}");
    let table: toml::Table = toml::from_str(&std::fs::read_to_string(config.join("oelint.toml")).unwrap()).unwrap();
    let explained: BTreeSet<&str> = table["exceptions"].as_table().unwrap().keys().map(String::as_str).collect();
    let unexplained: Vec<_> = findings.iter().filter(|(id, _)| !explained.contains(id)).collect();
    assert!(unexplained.is_empty(), "{unexplained:#?}");
    let found: BTreeSet<&str> = findings.iter().map(|(id, _)| *id).collect();
    // Whether a homepage answers depends on the network of the day.
    let unneeded: Vec<_> = explained.difference(&found).filter(|id| **id != "oelint.vars.homepageping").collect();
    assert!(unneeded.is_empty(), "explained but not found: {unneeded:?}");
}
