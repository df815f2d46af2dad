//! Which crates the library needs on Linux, and only those: cargo's own answer, over every Linux architecture.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

/// What cargo compiles for our packages on the given targets.
#[derive(Debug)]
pub(super) struct Closure {
    /// (name, version) of every crate from a registry.
    pub(super) registry: BTreeSet<(String, String)>,
    /// Names of our own crates.
    pub(super) local: BTreeSet<String>,
}

impl Closure {
    /// Normal and build dependencies of `packages` with `features` (`crate/feature`), joined over `triples`.
    pub(super) fn of(root: &Path, packages: &[String], features: &[String], triples: &[String]) -> Result<Self> {
        let mut arguments =
            vec!["tree", "--edges", "normal,build", "--prefix", "none", "--format", "{p}", "--no-default-features"];
        for triple in triples {
            arguments.extend(["--target", triple.as_str()]);
        }
        for package in packages {
            arguments.extend(["--package", package.as_str()]);
        }
        let features = features.join(",");
        arguments.extend(["--features", &features]);
        let listing = cargo(root, &arguments)?;
        let mut closure = Self { registry: BTreeSet::new(), local: BTreeSet::new() };
        for line in listing.lines().filter(|line| !line.trim().is_empty()) {
            // "name v1.2.3", "name v1.2.3 (proc-macro)" or "name v0.1.0 (/path/with spaces)", each maybe with " (*)"
            let (name, rest) = line.split_once(" v").with_context(|| format!("cargo tree printed '{line}'"))?;
            let version = rest.split(' ').next().unwrap_or_default();
            if rest.contains(" (/") {
                closure.local.insert(name.to_string());
            } else {
                closure.registry.insert((name.to_string(), version.to_string()));
            }
        }
        Ok(closure)
    }
}

/// Run cargo in `dir` without touching the network; only if that fails, with it. Gives standard output.
pub(super) fn cargo(dir: &Path, arguments: &[&str]) -> Result<String> {
    let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut complaint = String::new();
    for offline in [true, false] {
        let mut command = Command::new(&program);
        command.args(arguments).current_dir(dir);
        if offline {
            command.arg("--offline");
        }
        let output = command.output().with_context(|| format!("cannot run {}", program.display()))?;
        if output.status.success() {
            return String::from_utf8(output.stdout).context("cargo printed something that is not UTF-8");
        }
        complaint = String::from_utf8_lossy(&output.stderr).trim().to_string();
    }
    bail!("`cargo {}` failed in {}:\n{complaint}", arguments.join(" "), dir.display())
}
