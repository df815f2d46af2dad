//! Every crate in librustcrypto.so can be had under terms that a GPL-2.0-only program may link: MIT, ISC, BSD and their kin.

mod common;

use std::process::Command;

use common::root;
use serde_json::Value;

const ALLOWED: [&str; 9] =
    ["MIT", "MIT-0", "ISC", "BSD-2-Clause", "BSD-3-Clause", "Zlib", "0BSD", "Unlicense", "Unicode-3.0"];

/// Whether an SPDX expression can be met with the allowed licences alone. Cargo's old `/` means OR.
fn allowed(expression: &str) -> bool {
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let tokens: Vec<&str> = spaced.split_whitespace().collect();
    let mut at = 0;
    let result = any(&tokens, &mut at);
    assert_eq!(at, tokens.len(), "cannot read the licence '{expression}'");
    result
}

fn any(tokens: &[&str], at: &mut usize) -> bool {
    let mut result = all(tokens, at);
    while tokens.get(*at) == Some(&"OR") {
        *at += 1;
        result |= all(tokens, at);
    }
    result
}

fn all(tokens: &[&str], at: &mut usize) -> bool {
    let mut result = one(tokens, at);
    while tokens.get(*at) == Some(&"AND") {
        *at += 1;
        result &= one(tokens, at);
    }
    result
}

fn one(tokens: &[&str], at: &mut usize) -> bool {
    let token = tokens[*at];
    *at += 1;
    if token == "(" {
        let result = any(tokens, at);
        assert_eq!(tokens.get(*at), Some(&")"));
        *at += 1;
        return result;
    }
    // `X WITH exception` is its own licence, and none of those is allowed here.
    if tokens.get(*at) == Some(&"WITH") {
        *at += 2;
        return false;
    }
    ALLOWED.contains(&token)
}

#[test]
fn expressions() {
    assert!(allowed("Apache-2.0 OR MIT") && allowed("Unlicense/MIT") && allowed("(MIT OR Apache-2.0) AND Unicode-3.0"));
    assert!(
        !allowed("Apache-2.0") && !allowed("Apache-2.0 AND ISC") && !allowed("MIT AND (GPL-2.0-only OR Apache-2.0)")
    );
    assert!(!allowed("Apache-2.0 WITH LLVM-exception") && allowed("Apache-2.0 WITH LLVM-exception OR MIT"));
}

#[test]
fn the_librarys_closure() {
    let lock: toml::Table = toml::from_str(&std::fs::read_to_string(root().join("dist/Cargo.lock")).unwrap()).unwrap();
    let text = |package: &toml::Value, key: &str| {
        package.get(key).and_then(toml::Value::as_str).unwrap_or_default().to_string()
    };
    let packages = lock["package"].as_array().unwrap();
    let closure: Vec<_> = packages
        .iter()
        .filter(|package| !text(package, "source").is_empty())
        .map(|package| (text(package, "name"), text(package, "version")))
        .collect();
    assert!(closure.len() > 50);
    let output =
        Command::new(env!("CARGO")).args(["metadata", "--format-version=1"]).current_dir(root()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let manifests = metadata["packages"].as_array().unwrap();
    for (name, version) in &closure {
        let manifest = manifests.iter().find(|manifest| manifest["name"] == **name && manifest["version"] == **version);
        let license = manifest.unwrap_or_else(|| panic!("cargo does not know {name} {version}"))["license"]
            .as_str()
            .unwrap_or_default();
        assert!(allowed(license), "{name} {version} is only to be had under '{license}'");
    }
    println!("{} crates, each under MIT, ISC, BSD or their kin", closure.len());
}
