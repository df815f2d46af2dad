//! Known failures in a build log.

use std::path::Path;

use anyhow::{Context, Result};
use serde::Deserialize;

use super::{Engine, Finding};
use crate::user_bail;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Failures {
    failure: Vec<Failure>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Failure {
    name: String,
    builds: Vec<Engine>,
    /// Any of these, and of that every text, in one line.
    lines: Vec<Vec<String>>,
    why: String,
    mend: String,
}

fn known() -> Result<Vec<Failure>> {
    let failures: Failures = toml::from_str(include_str!("failures.toml")).context("xtask/src/doctor/failures.toml")?;
    Ok(failures.failure)
}

/// The known failures in the log at `path`, each with the first line that shows it.
pub(super) fn read(path: &Path) -> Result<Vec<Finding>> {
    match std::fs::read(path) {
        Ok(bytes) => find(&String::from_utf8_lossy(&bytes)),
        Err(error) => user_bail!("cannot read {}: {error}", path.display()),
    }
}

/// The same for text at hand.
pub(super) fn find(log: &str) -> Result<Vec<Finding>> {
    let mut findings = Vec::new();
    for failure in known()? {
        let shows =
            |line: &str| failure.lines.iter().any(|texts| texts.iter().all(|text| line.contains(text.as_str())));
        if let Some((number, line)) = log.lines().enumerate().find(|(_, line)| shows(line)) {
            findings.push(Finding {
                what: failure.name,
                ok: false,
                engines: failure.builds,
                why: format!("{} (line {}: {})", failure.why, number + 1, line.trim()),
                mend: failure.mend,
            });
        }
    }
    Ok(findings)
}

#[cfg(test)]
mod tests {
    use super::{find, known};

    /// One line as the real tool prints it, and the failure it must be taken for.
    const LOGS: &[(&str, &str)] = &[
        (
            "  downloading https://ci-artifacts.rust-lang.org/rustc-builds/abc/rust-dev.tar.xz\ncurl: (22) The requested URL returned error: 404\nerror: failed to download llvm from ci\n",
            "rust/host: the prebuilt LLVM is gone",
        ),
        (" ERROR: package/feeds/packages/rust [host] failed to build.\n", "rust/host does not build"),
        ("ERROR: hello_1.0.bb: Using S = ${WORKDIR} is no longer supported\n", "S = WORKDIR"),
        (
            "ERROR: x-1.0-r0 do_fetch: No checksum specified for '/dl/cfg-if-1.0.0.crate', please add at least one to the recipe: crates.io\n",
            "a crate has no sha256",
        ),
        (
            "error: no matching package named `base64` found\nlocation searched: directory source `/b/cargo_home/bitbake`\n",
            "a crate is missing from the recipe",
        ),
        ("warning: spurious network error: Could not resolve host: crates.io\n", "network in do_compile"),
        (
            "error: the lock file /s/Cargo.lock needs to be updated but --frozen was passed to prevent this\n",
            "the lock file would change",
        ),
        ("Please use a locale setting which supports UTF-8 (such as LANG=en_US.UTF-8).\n", "missing locale"),
        ("fatal error: error writing to /tmp/x.s: No space left on device\n", "disk full"),
        ("ERROR: No recipes in default available for:\n  /l/foo_%.bbappend\n", "dangling bbappend"),
        (
            "ERROR: Nothing PROVIDES 'rustcrypto'\nrustcrypto was skipped: librustcrypto needs Rust 1.89 or newer and this build has 1.75.0\n",
            "Rust is too old",
        ),
        ("error[E0463]: can't find crate for `std`\n", "standard library of the target is missing"),
    ];

    #[test]
    fn each_known_failure_is_found_by_its_own_line() {
        for (log, name) in LOGS {
            let findings = find(&format!("make[1]: Entering directory\n{log}")).unwrap();
            assert!(
                findings.iter().any(|finding| finding.what == *name && !finding.mend.is_empty()),
                "{name} is not found in:\n{log}"
            );
        }
    }

    #[test]
    fn a_clean_log_has_none() {
        assert!(
            find("NOTE: Tasks Summary: Attempted 812 tasks of which 800 didn't need to be rerun and all succeeded.\n")
                .unwrap()
                .is_empty()
        );
    }

    #[test]
    fn the_table_is_sound() {
        for failure in known().unwrap() {
            assert!(
                !failure.lines.is_empty() && failure.lines.iter().all(|texts| !texts.is_empty()),
                "{}",
                failure.name
            );
        }
    }
}
