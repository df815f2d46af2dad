//! Sizes side by side: our profiles, the baseline libraries, and what each feature of ours adds.

use std::path::PathBuf;

use anyhow::{Context, Result};
use serde::Serialize;

use super::{Report, build};
use crate::sources::Sources;
use crate::toolchain::Toolchain;
use crate::{baselines, pack, root::root};

/// One line: a library for one target.
#[derive(Debug, Serialize)]
pub(super) struct Row {
    library: String,
    version: String,
    stripped_bytes: u64,
    squashfs_bytes: u64,
}

impl From<&Report> for Row {
    fn from(report: &Report) -> Self {
        Row {
            library: format!("rustcrypto {}", report.profile),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            stripped_bytes: report.stripped_bytes,
            squashfs_bytes: report.squashfs_bytes,
        }
    }
}

/// Our two profiles beside every baseline, built by the same compiler for the same target.
pub(super) fn compare(sources: &Sources, toolchain: &Toolchain) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for profile in ["minimal", "speed"] {
        rows.push(Row::from(&build(sources, toolchain, profile, &[])?));
    }
    for name in baselines::names()? {
        let prefix = baselines::build(sources, &name, toolchain)?;
        let dir = tempfile::tempdir()?;
        let mut stripped = 0;
        for file in &prefix.files {
            stripped += std::fs::copy(file, dir.path().join(file.file_name().context("a library has a name")?))?;
        }
        let squashfs_bytes = pack::squashfs_bytes(sources, dir.path())?;
        rows.push(Row { library: name, version: prefix.version, stripped_bytes: stripped, squashfs_bytes });
    }
    Ok(rows)
}

/// The profile without one of its features at a time, and with one more of `speed`'s: what the feature adds is the difference.
/// Each row is also told on standard error as soon as it is known: a build takes a minute or two.
pub(super) fn marginal(sources: &Sources, toolchain: &Toolchain, profile: &str) -> Result<Vec<Row>> {
    let whole = build(sources, toolchain, profile, &[])?;
    let mut rows = vec![Row::from(&whole)];
    let all = features_of(profile)?;
    let builds = all.iter().map(|feature| (feature, "of it", without(&all, feature)));
    let more = features_of("speed")?;
    let more = more.iter().filter(|feature| !all.contains(feature));
    let more = more.map(|feature| (feature, "not in it", [&all[..], std::slice::from_ref(feature)].concat()));
    for (feature, place, features) in builds.chain(more) {
        let other = match build(sources, toolchain, profile, &features) {
            Ok(other) => other,
            Err(error) => {
                eprintln!("SKIPPED: size of {feature}: no such library can be built: {error:#}");
                continue;
            }
        };
        let (less, with) = if place == "of it" { (&other, &whole) } else { (&whole, &other) };
        let row = Row {
            library: format!("+ {}", feature.trim_start_matches("rustcrypto/")),
            version: place.to_owned(),
            stripped_bytes: with.stripped_bytes.saturating_sub(less.stripped_bytes),
            squashfs_bytes: with.squashfs_bytes.saturating_sub(less.squashfs_bytes),
        };
        eprintln!("{} ({place}): {} bytes, {} in squashfs", row.library, row.stripped_bytes, row.squashfs_bytes);
        rows.push(row);
    }
    Ok(rows)
}

/// The single features that a profile of the library turns on, as the C ABI's crate names them to cargo.
fn features_of(profile: &str) -> Result<Vec<String>> {
    let table = |krate: &str| -> Result<toml::Table> {
        let path = root().join("crates").join(krate).join("Cargo.toml");
        let manifest: toml::Table = std::fs::read_to_string(&path)?.parse()?;
        manifest
            .get("features")
            .and_then(|f| f.as_table())
            .cloned()
            .with_context(|| format!("{} has no features", path.display()))
    };
    let (capi, library) = (table("rustcrypto-capi")?, table("rustcrypto")?);
    let mut open = vec![profile.to_owned()];
    let mut single = Vec::new();
    while let Some(feature) = open.pop() {
        let (of, prefix, name) = match feature.strip_prefix("rustcrypto/") {
            Some(name) => (&library, "rustcrypto/", name),
            None => (&capi, "", feature.as_str()),
        };
        // Profiles contain others; what a single feature turns on is its own business.
        if name == "minimal" || name == "speed" {
            let values = of.get(name).and_then(|v| v.as_array()).into_iter().flatten().filter_map(|v| v.as_str());
            open.extend(values.map(|v| if v.contains('/') { v.to_owned() } else { format!("{prefix}{v}") }));
        } else if !single.contains(&feature) {
            single.push(feature);
        }
    }
    single.sort();
    Ok(single)
}

/// The list without a feature and what would turn it on again.
fn without(all: &[String], feature: &str) -> Vec<String> {
    let implied =
        |f: &str| (feature == "rustcrypto/tls" && f == "rustcrypto/tls12") || (feature == "arith" && f == "dh");
    all.iter().filter(|f| *f != feature && !implied(f)).cloned().collect()
}

pub(super) fn print(target: &str, rows: &[Row], json: bool) -> Result<()> {
    if json {
        println!("{}", serde_json::to_string_pretty(&serde_json::json!({ "target": target, "rows": rows }))?);
        return Ok(());
    }
    println!("{target}\n{:24} {:16} {:>12} {:>18}", "", "version", "stripped", "squashfs-xz 256K");
    for row in rows {
        println!("{:24} {:16} {:>12} {:>18}", row.library, row.version, row.stripped_bytes, row.squashfs_bytes);
    }
    Ok(())
}

/// Build the baselines alone and say where they are.
pub(super) fn build_baselines(sources: &Sources, toolchain: &Toolchain, names: &[String]) -> Result<Vec<PathBuf>> {
    names.iter().map(|name| Ok(baselines::build(sources, name, toolchain)?.dir)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_profile_opens_into_single_features() {
        let speed = features_of("speed").unwrap();
        for feature in ["rustcrypto/tls12", "rustcrypto/graviola", "arith"] {
            assert!(speed.iter().any(|f| f == feature), "{speed:?}");
        }
        assert!(!speed.iter().any(|f| f.ends_with("minimal")));
        assert!(!without(&speed, "rustcrypto/tls").iter().any(|f| f == "rustcrypto/tls12"));
    }
}
