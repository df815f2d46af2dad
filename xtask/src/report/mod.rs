//! What was measured (`measure.json`), and how it is shown: terminal table, report.md, report.html.

pub(crate) mod charts;
mod html;
mod markdown;
mod table;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

pub(crate) use table::render as table;

use crate::user_bail;

/// Version of the format; docs/measure-schema.md describes it.
pub(crate) const SCHEMA: u32 = 1;

/// One measured image or device.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Measure {
    pub(crate) schema: u32,
    pub(crate) target: String,
    pub(crate) tls: String,
    pub(crate) profile: String,
    pub(crate) engine: String,
    /// How the figures came about, one sentence.
    pub(crate) method: String,
    pub(crate) rootfs: Rootfs,
    pub(crate) heap: Vec<Heap>,
    pub(crate) time: Vec<Time>,
    /// Every TLS library found in the image.
    pub(crate) tls_libraries: Vec<String>,
    /// What was not measured, and why.
    #[serde(default)]
    pub(crate) absent: BTreeMap<String, String>,
    /// What the boot self-test said.
    #[serde(default)]
    pub(crate) self_test: Option<String>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Rootfs {
    pub(crate) squashfs_bytes: u64,
    pub(crate) unpacked_bytes: u64,
    pub(crate) packages: Vec<PackageSize>,
    /// Package -> what the packed image is larger for having it, where that was tried.
    #[serde(default)]
    pub(crate) marginal: BTreeMap<String, u64>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct PackageSize {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) bytes: u64,
    pub(crate) squashfs_share: u64,
}

/// Peak live heap of one process in one scenario.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Heap {
    pub(crate) scenario: String,
    pub(crate) process: String,
    pub(crate) peak_bytes: u64,
    pub(crate) allocations: u64,
}

/// CPU time of one process for one operation.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Time {
    pub(crate) scenario: String,
    /// Which side or process.
    pub(crate) process: String,
    pub(crate) unit: String,
    pub(crate) median: f64,
    pub(crate) runs: u32,
    pub(crate) method: String,
}

impl Measure {
    /// Columns are called so: `wolfssl`, `rustcrypto (speed)`.
    pub(crate) fn label(&self) -> String {
        if self.profile.is_empty() { self.tls.clone() } else { format!("{} ({})", self.tls, self.profile) }
    }

    /// From a measure.json, or from a directory that has one.
    pub(crate) fn load(path: &Path) -> Result<Self> {
        let file = if path.is_dir() { path.join("measure.json") } else { path.to_owned() };
        if !file.is_file() {
            user_bail!(
                "{}: no measure.json here; `cargo xtask build-image` or `cargo xtask measure` write one",
                path.display()
            );
        }
        let text = fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
        let measure: Self = match serde_json::from_str(&text) {
            Ok(measure) => measure,
            Err(error) => user_bail!("{}: not a measure.json: {error}", file.display()),
        };
        if measure.schema != SCHEMA {
            user_bail!("{}: schema {}, this program reads {SCHEMA}: measure again", file.display(), measure.schema);
        }
        Ok(measure)
    }

    pub(crate) fn save(&self, dir: &Path) -> Result<PathBuf> {
        let file = dir.join("measure.json");
        write(&file, &format!("{}\n", serde_json::to_string_pretty(self)?))?;
        Ok(file)
    }
}

/// Through a temporary file, so that a reader never sees half of it.
pub(crate) fn write(file: &Path, text: &str) -> Result<()> {
    let part = file.with_extension("part");
    fs::write(&part, text).with_context(|| format!("cannot write {}", part.display()))?;
    fs::rename(&part, file).with_context(|| format!("cannot write {}", file.display()))
}

/// The rows that every form of the report shows: (section, unit, rows of (label, one value per measure)).
pub(crate) struct Section {
    pub(crate) title: &'static str,
    pub(crate) unit: &'static str,
    pub(crate) rows: Vec<(String, Vec<Option<f64>>)>,
}

/// All sections of a comparison, in the order of the first measure that has a row.
pub(crate) fn sections(measures: &[Measure]) -> Vec<Section> {
    let rows = |keys: &dyn Fn(&Measure) -> Vec<(String, f64)>| -> Vec<(String, Vec<Option<f64>>)> {
        let columns: Vec<Vec<(String, f64)>> = measures.iter().map(keys).collect();
        let mut rows: Vec<(String, Vec<Option<f64>>)> = Vec::new();
        for (key, _) in columns.iter().flatten() {
            if !rows.iter().any(|(known, _)| known == key) {
                let values = columns.iter().map(|c| c.iter().find(|(k, _)| k == key).map(|(_, v)| *v)).collect();
                rows.push((key.clone(), values));
            }
        }
        rows
    };
    // A program that one of the images lacks would make the others look large: without it they compare like with like.
    let uneven = uneven(&measures.iter().collect::<Vec<_>>());
    let size = rows(&|m| {
        // A device: its root filesystem was not seen.
        if m.rootfs.squashfs_bytes == 0 {
            return Vec::new();
        }
        let mut rows = vec![
            ("root filesystem, squashfs".to_owned(), m.rootfs.squashfs_bytes as f64),
            ("root filesystem, unpacked".to_owned(), m.rootfs.unpacked_bytes as f64),
        ];
        if !uneven.is_empty() {
            let extra = m.rootfs.packages.iter().filter(|p| uneven.contains(&p.name)).map(|p| p.squashfs_share);
            let rest = m.rootfs.squashfs_bytes - extra.sum::<u64>().min(m.rootfs.squashfs_bytes);
            rows.push((format!("squashfs without {}", uneven.join(", ")), rest as f64));
        }
        rows
    });
    let packages = rows(&|m| m.rootfs.packages.iter().map(|p| (p.name.clone(), p.squashfs_share as f64)).collect());
    let marginal = rows(&|m| m.rootfs.marginal.iter().map(|(name, bytes)| (name.clone(), *bytes as f64)).collect());
    let heap = rows(&|m| {
        m.heap.iter().map(|h| (format!("{}: {}", h.scenario, h.process), h.peak_bytes as f64 / 1024.0)).collect()
    });
    let time = rows(&|m| m.time.iter().map(|t| (format!("{}: {}", t.scenario, t.process), t.median)).collect());
    [
        Section { title: "Root filesystem", unit: "bytes", rows: size },
        Section { title: "Packages, share of the squashfs", unit: "bytes", rows: packages },
        Section { title: "What the squashfs is larger for having it", unit: "bytes", rows: marginal },
        Section { title: "Heap, peak live", unit: "KiB", rows: heap },
        Section { title: "CPU time per operation, median", unit: "ms", rows: time },
    ]
    .into_iter()
    .filter(|section| !section.rows.is_empty())
    .collect()
}

/// Packages that some of the images have and others have not, the TLS libraries themselves left out.
fn uneven(measures: &[&Measure]) -> Vec<String> {
    let has = |m: &Measure, name: &str| m.rootfs.packages.iter().any(|p| p.name == name);
    let mut names: Vec<String> = measures
        .iter()
        .flat_map(|m| &m.rootfs.packages)
        .filter(|p| !p.name.starts_with("lib") && !measures.iter().all(|m| has(m, &p.name)))
        .map(|p| p.name.clone())
        .collect();
    names.sort();
    names.dedup();
    // Foreign root filesystems have nothing in common: no such row.
    if names.len() > 8 { Vec::new() } else { names }
}

/// `report.md` and `report.html` in `dir`; the files written.
pub(crate) fn write_reports(measures: &[Measure], dir: &Path) -> Result<Vec<PathBuf>> {
    let files = [("report.md", markdown::render(measures)), ("report.html", html::render(measures))];
    files
        .into_iter()
        .map(|(name, text)| {
            let file = dir.join(name);
            write(&file, &text)?;
            Ok(file)
        })
        .collect()
}

/// A figure as people read it: bytes with separators, others with three significant digits.
pub(crate) fn figure(value: f64, unit: &str) -> String {
    if unit == "bytes" {
        return thousands(value as u64);
    }
    let decimals = if value >= 100.0 {
        0
    } else if value >= 10.0 {
        1
    } else {
        2
    };
    format!("{value:.decimals$}")
}

pub(crate) fn thousands(value: u64) -> String {
    let digits = value.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests;
