//! Did our cargo profile survive OpenWrt's environment? Read from what cargo itself said while it built the library
//! (`cargo-messages.json`, written by the feed's rust-clib.mk), and from the shared object.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use serde::{Deserialize, Serialize};

use crate::elf;

pub(super) const MESSAGES: &str = "cargo-messages.json";

#[derive(Debug, Serialize, PartialEq, Eq)]
pub(super) struct Proof {
    /// Crate -> opt-level, as built for the target.
    pub(super) opt_levels: BTreeMap<String, String>,
    /// Crates that were built with overflow checks.
    pub(super) overflow_checks: Vec<String>,
    pub(super) soname: Option<String>,
    pub(super) exported_symbols: usize,
    /// `unwind` or `abort`, by whether the library brings an unwinder's entry.
    pub(super) panic: String,
}

#[derive(Deserialize)]
struct Message {
    reason: String,
    #[serde(default)]
    filenames: Vec<String>,
    target: Option<Target>,
    profile: Option<Profile>,
}

#[derive(Deserialize)]
struct Target {
    name: String,
}

#[derive(Deserialize)]
struct Profile {
    opt_level: String,
    overflow_checks: bool,
}

/// Read both for the build folder of the package and the shared object that was made.
pub(super) fn read(build_dir: &Path, library: &Path) -> Result<Proof> {
    let path = build_dir.join(MESSAGES);
    let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut proof = messages(&text)?;
    let dynamic = elf::dynamic(library)?;
    proof.soname = dynamic.soname;
    proof.exported_symbols = dynamic.exported.len();
    let bytes = fs::read(library).with_context(|| format!("cannot read {}", library.display()))?;
    // the name of the symbol that starts unwinding is in the string table of a library that can
    let unwinds = bytes.windows(RAISE.len()).any(|window| window == RAISE);
    proof.panic = if unwinds { "unwind" } else { "abort" }.into();
    Ok(proof)
}

const RAISE: &[u8] = b"_Unwind_RaiseException";

fn messages(text: &str) -> Result<Proof> {
    let mut opt_levels = BTreeMap::new();
    let mut overflow_checks = Vec::new();
    for line in text.lines().filter(|line| line.starts_with('{')) {
        let message: Message = serde_json::from_str(line).context("not a message of cargo's")?;
        let (Some(target), Some(profile)) = (message.target, message.profile) else { continue };
        // build scripts and procedural macros run on the host: target/PROFILE, without a triple
        let for_target = message.filenames.iter().any(|name| {
            name.rsplit("/target/")
                .next()
                .is_some_and(|rest| rest.split('/').next().is_some_and(|part| part.contains("-linux-")))
        });
        if message.reason != "compiler-artifact" || !for_target {
            continue;
        }
        if profile.overflow_checks {
            overflow_checks.push(target.name.clone());
        }
        opt_levels.insert(target.name, profile.opt_level);
    }
    ensure!(!opt_levels.is_empty(), "cargo built nothing for the target");
    Ok(Proof { opt_levels, overflow_checks, soname: None, exported_symbols: 0, panic: String::new() })
}

/// One line: which levels, how many crates each.
pub(super) fn summary(proof: &Proof) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    proof.opt_levels.values().for_each(|level| *counts.entry(level).or_default() += 1);
    let levels: Vec<String> =
        counts.iter().map(|(level, count)| format!("{count} crates at opt-level {level}")).collect();
    format!(
        "{}; {} with overflow checks; panic={}; {}, {} symbols",
        levels.join(", "),
        proof.overflow_checks.len(),
        proof.panic,
        proof.soname.as_deref().unwrap_or("no SONAME"),
        proof.exported_symbols
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_runs_on_the_target_counts() {
        let line = |name: &str, dir: &str, level: &str, checks: bool| {
            format!(
                "{{\"reason\":\"compiler-artifact\",\"target\":{{\"name\":\"{name}\"}},\"profile\":{{\"opt_level\":\"{level}\",\"overflow_checks\":{checks}}},\"filenames\":[\"/b/target/{dir}/deps/lib.rlib\"]}}\n"
            )
        };
        let triple = "mips-unknown-linux-musl/minimal";
        let text = line("aes", triple, "3", false)
            + &line("rustls", triple, "z", true)
            + &line("syn", "minimal", "0", true)
            + "{\"reason\":\"build-finished\",\"success\":true}\n";
        let proof = messages(&text).unwrap();
        assert_eq!(proof.opt_levels.len(), 2);
        assert_eq!(proof.overflow_checks, ["rustls"]);
        assert!(
            summary(&proof).starts_with("1 crates at opt-level 3, 1 crates at opt-level z; 1 with overflow checks")
        );
        assert!(messages("").is_err());
    }
}
