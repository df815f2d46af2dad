//! `crates/rustcrypto-capi/bench/targets.toml`: the least ratio to the best of the others that a row has to reach.

use std::fs;

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::root::root;

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Targets {
    target: Vec<Target>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Target {
    rows: Vec<String>,
    /// Of one size only.
    size: Option<usize>,
    /// Least ratio of ours to the best of the others.
    pub(super) least: f64,
    /// What limits the row where it is under 1, and what it would take.
    pub(super) limit: Option<String>,
}

pub(super) fn load() -> Result<Targets> {
    let file = root().join("crates/rustcrypto-capi/bench/targets.toml");
    let text = fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
    toml::from_str(&text).with_context(|| format!("in {}", file.display()))
}

impl Targets {
    /// The first that names the row and fits its size.
    pub(super) fn find(&self, algorithm: &str, size: usize) -> Option<&Target> {
        self.target.iter().find(|target| {
            target.rows.iter().any(|row| row == algorithm) && target.size.is_none_or(|only| only == size)
        })
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_file_is_readable_and_rows_exist() {
        let targets = super::load().unwrap();
        let rows = std::fs::read_to_string(super::root().join("crates/rustcrypto-capi/bench/bench.h")).unwrap();
        for row in targets.target.iter().flat_map(|target| &target.rows) {
            assert!(rows.contains(&format!("{{\"{row}\"")), "bench.h has no row {row}");
        }
    }
}
