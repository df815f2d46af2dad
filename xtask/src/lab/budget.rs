//! `images/budgets.toml`, tables `image.TARGET.VARIANT`: more bytes than that fail the build.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::report::{Measure, thousands};
use crate::user_bail;

/// The part of the file that is about images; the others belong to `cargo xtask lib`.
#[derive(Default, Deserialize)]
struct Budgets {
    #[serde(default)]
    image: BTreeMap<String, BTreeMap<String, Limits>>,
}

#[derive(Clone, Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Limits {
    /// Bytes of rootfs.squashfs.
    squashfs: Option<u64>,
    /// Scenario -> peak live bytes of its largest process.
    #[serde(default)]
    heap: BTreeMap<String, u64>,
}

/// What is over its budget (an error if anything), and what is so far under that the budget should follow.
pub(super) fn check(file: &Path, variant: &str, measure: &Measure) -> Result<Vec<String>> {
    let text = match std::fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error).with_context(|| format!("cannot read {}", file.display())),
    };
    let budgets: Budgets = match toml::from_str(&text) {
        Ok(budgets) => budgets,
        Err(error) => user_bail!("{}: {error}", file.display()),
    };
    let Some(limits) = budgets.image.get(&measure.target).and_then(|t| t.get(variant)) else { return Ok(Vec::new()) };
    let mut figures: Vec<(String, u64, u64)> = Vec::new();
    if let Some(limit) = limits.squashfs {
        figures.push(("squashfs".to_owned(), measure.rootfs.squashfs_bytes, limit));
    }
    for (scenario, limit) in &limits.heap {
        // Not measured (--no-boot): nothing to hold against the limit.
        if let Some(peak) = measure.heap.iter().filter(|h| h.scenario == *scenario).map(|h| h.peak_bytes).max() {
            figures.push((format!("heap.{scenario}"), peak, *limit));
        }
    }
    let at = format!("image.{}.{variant}", measure.target);
    let over: Vec<String> = figures
        .iter()
        .filter(|(_, value, limit)| value > limit)
        .map(|(key, value, limit)| format!("{key} is {} bytes, {} over", thousands(*value), thousands(value - limit)))
        .collect();
    if !over.is_empty() {
        anyhow::bail!(
            "over the budget {at} in images/budgets.toml: {}; the report says which package the bytes are in",
            over.join("; ")
        );
    }
    Ok(figures
        .iter()
        .filter(|(_, value, limit)| value * 100 < limit * 95)
        .map(|(key, value, limit)| format!("{at}: {key} could be {} instead of {}", value * 102 / 100, limit))
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{Heap, Rootfs};

    fn measure(squashfs_bytes: u64, peak_bytes: u64) -> Measure {
        Measure {
            schema: crate::report::SCHEMA,
            target: "board".into(),
            tls: "rustcrypto".into(),
            profile: "minimal".into(),
            engine: "lab".into(),
            method: String::new(),
            rootfs: Rootfs { squashfs_bytes, ..Rootfs::default() },
            heap: vec![Heap { scenario: "https-download".into(), process: "p".into(), peak_bytes, allocations: 1 }],
            time: Vec::new(),
            tls_libraries: Vec::new(),
            absent: BTreeMap::new(),
            self_test: None,
        }
    }

    #[test]
    fn over_fails_far_under_suggests_and_without_a_budget_all_is_well() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("budgets.toml");
        assert!(check(&file, "x", &measure(1, 1)).unwrap().is_empty());
        std::fs::write(&file, "[image.board.x]\nsquashfs = 1000\nheap = { https-download = 500 }\n[other]\na = 1\n")
            .unwrap();
        assert!(check(&file, "x", &measure(990, 490)).unwrap().is_empty());
        let error = check(&file, "x", &measure(1100, 600)).unwrap_err().to_string();
        assert!(
            error.contains("squashfs is 1,100 bytes, 100 over") && error.contains("heap.https-download"),
            "{error}"
        );
        let hints = check(&file, "x", &measure(500, 490)).unwrap();
        assert_eq!(hints, ["image.board.x: squashfs could be 510 instead of 1000"]);
        assert!(check(&file, "y", &measure(5000, 5000)).unwrap().is_empty());
    }
}
