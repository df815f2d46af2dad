//! `dist/`: the workspace as a distribution builds it.
//!
//! Cargo refuses to build when a package named in Cargo.lock is missing from a vendored folder, even one for Windows that
//! nobody compiles. So distributions get a workspace of their own: our library crates, a lock that is the Linux closure
//! and no more, and under `absent/` an empty crate for each dependency that Linux never compiles.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::Deserialize;
use toml::{Table, Value};

use super::closure::{Closure, cargo};
use super::lock::Lock;

/// The part of `cargo metadata` that says which features are asked of a dependency.
#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Manifest>,
}

#[derive(Deserialize)]
struct Manifest {
    name: String,
    version: String,
    dependencies: Vec<Dependency>,
    features: BTreeMap<String, Vec<String>>,
}

#[derive(Deserialize)]
struct Dependency {
    name: String,
    rename: Option<String>,
    features: Vec<String>,
}

/// An empty crate in the place of one that Linux never compiles.
struct Absent {
    name: String,
    version: String,
    features: BTreeSet<String>,
}

impl Absent {
    fn folder(&self) -> String {
        format!("absent/{}-{}", self.name, self.version)
    }

    fn manifest(&self) -> String {
        let mut text = format!(
            "[package]\nname = \"{}\"\nversion = \"{}\"\nedition = \"2021\"\n\n[features]\n",
            self.name, self.version
        );
        for feature in &self.features {
            text.extend([format!("{feature:?} = []\n")]);
        }
        text
    }
}

/// Every file of `dist/`, by its path there.
pub(super) fn files(root: &Path, closure: &Closure) -> Result<BTreeMap<PathBuf, String>> {
    let lock_path = root.join("Cargo.lock");
    let lock = Lock::read(&lock_path)?;
    let mut absent = absent(root, &lock, closure)?;
    let scratch = tempfile::tempdir().context("cannot make a temporary folder")?;
    std::os::unix::fs::symlink(root.join("crates"), scratch.path().join("crates"))?;
    std::fs::copy(&lock_path, scratch.path().join("Cargo.lock"))?;
    let mut files = write_workspace(root, closure, &absent, scratch.path())?;
    cargo(scratch.path(), &["update", "--workspace", "--quiet"])?;
    // Cargo lists the stand-ins that its resolver never asked for: drop them, so that none is there without need.
    let text = std::fs::read_to_string(scratch.path().join("Cargo.lock"))?;
    let table: Table = toml::from_str(&text)?;
    let unused: Vec<(String, String)> =
        table.get("patch").and_then(|patch| patch.get("unused")).and_then(Value::as_array).map_or(Vec::new(), |list| {
            let text = |value: &Value, key| value.get(key).and_then(Value::as_str).unwrap_or_default().to_string();
            list.iter().map(|value| (text(value, "name"), text(value, "version"))).collect()
        });
    if !unused.is_empty() {
        absent.retain(|stand_in| !unused.contains(&(stand_in.name.clone(), stand_in.version.clone())));
        files = write_workspace(root, closure, &absent, scratch.path())?;
        cargo(scratch.path(), &["update", "--workspace", "--quiet"])?;
    }
    files.insert("Cargo.lock".into(), std::fs::read_to_string(scratch.path().join("Cargo.lock"))?);
    Ok(files)
}

/// Dependencies, by Cargo.lock, of what is in the closure that are not in it themselves.
fn absent(root: &Path, lock: &Lock, closure: &Closure) -> Result<Vec<Absent>> {
    let inside = |name: &str, version: &str, local: bool| {
        if local {
            closure.local.contains(name)
        } else {
            closure.registry.contains(&(name.to_string(), version.to_string()))
        }
    };
    let mut edge = BTreeSet::new();
    for package in
        lock.packages.iter().filter(|package| inside(&package.name, &package.version, package.source.is_none()))
    {
        for dependency in lock.dependencies(package).filter(|dependency| dependency.source.is_some()) {
            if !inside(&dependency.name, &dependency.version, false) {
                edge.insert((dependency.name.clone(), dependency.version.clone()));
            }
        }
    }
    // One platform is enough: the manifests of the closure are the same on all of them.
    let json = cargo(
        root,
        &["metadata", "--format-version=1", "--filter-platform", "x86_64-unknown-linux-gnu", "--all-features"],
    )?;
    let metadata: Metadata = serde_json::from_str(&json).context("cannot read what cargo metadata printed")?;
    let mut features: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for manifest in metadata.packages.iter().filter(|manifest| {
        inside(&manifest.name, &manifest.version, false) || inside(&manifest.name, &manifest.version, true)
    }) {
        for dependency in &manifest.dependencies {
            let asked = features.entry(dependency.name.clone()).or_default();
            asked.extend(dependency.features.iter().cloned());
            let local_name = dependency.rename.as_ref().unwrap_or(&dependency.name);
            for value in manifest.features.values().flatten() {
                if let Some((name, feature)) = value.split_once('/')
                    && name.trim_end_matches('?') == local_name
                {
                    asked.insert(feature.to_string());
                }
            }
        }
    }
    let with_features = |(name, version): (String, String)| {
        let features = features.get(&name).cloned().unwrap_or_default();
        Absent { name, version, features }
    };
    Ok(edge.into_iter().map(with_features).collect())
}

/// Write the manifests into `scratch` for cargo to resolve, and give them back as the files of `dist/`.
fn write_workspace(
    root: &Path,
    closure: &Closure,
    absent: &[Absent],
    scratch: &Path,
) -> Result<BTreeMap<PathBuf, String>> {
    let mut files = BTreeMap::new();
    files.insert(PathBuf::from("Cargo.toml"), manifest(root, closure, absent)?);
    for stand_in in absent {
        files.insert(PathBuf::from(stand_in.folder()).join("Cargo.toml"), stand_in.manifest());
        files.insert(
            PathBuf::from(stand_in.folder()).join("src/lib.rs"),
            "//! Linux never compiles this crate.\n".to_string(),
        );
    }
    for (path, text) in &files {
        let path = scratch.join(path);
        std::fs::create_dir_all(path.parent().expect("it has a folder"))?;
        std::fs::write(path, text)?;
    }
    Ok(files)
}

/// The workspace's own Cargo.toml, reduced to the library and what it names.
fn manifest(root: &Path, closure: &Closure, absent: &[Absent]) -> Result<String> {
    let mut table: Table = toml::from_str(&std::fs::read_to_string(root.join("Cargo.toml"))?)?;
    let mut named = BTreeSet::new();
    for member in &closure.local {
        let manifest: Table =
            toml::from_str(&std::fs::read_to_string(root.join("crates").join(member).join("Cargo.toml"))?)?;
        collect_names(&manifest, &mut named);
    }
    let workspace =
        table.get_mut("workspace").and_then(Value::as_table_mut).context("Cargo.toml has no [workspace]")?;
    workspace.retain(|key, _| matches!(key, "resolver" | "package" | "lints" | "dependencies"));
    workspace.insert(
        "members".into(),
        closure.local.iter().map(|member| Value::from(format!("crates/{member}"))).collect::<Vec<_>>().into(),
    );
    if let Some(dependencies) = workspace.get_mut("dependencies").and_then(Value::as_table_mut) {
        dependencies.retain(|name, _| named.contains(name));
    }
    table.retain(|key, _| matches!(key, "workspace" | "profile"));
    if let Some(profiles) = table.get_mut("profile").and_then(Value::as_table_mut) {
        profiles.retain(|name, _| name != "dev" && name != "test");
        // It speaks of the tool, and an override for a crate that is not in the workspace is a warning at every build.
        if let Some(release) = profiles.get_mut("release").and_then(Value::as_table_mut) {
            release.remove("package");
        }
    }
    if !absent.is_empty() {
        let stand_ins: Table = absent
            .iter()
            .map(|stand_in| {
                let mut at = Table::new();
                at.insert("package".into(), stand_in.name.clone().into());
                at.insert("path".into(), stand_in.folder().into());
                (format!("{}-{}", stand_in.name, stand_in.version.replace(['.', '+'], "-")), at.into())
            })
            .collect();
        let mut patch = Table::new();
        patch.insert("crates-io".into(), stand_ins.into());
        table.insert("patch".into(), patch.into());
    }
    Ok(format!(
        "# Written by `cargo xtask generate`: the workspace as a distribution builds it (see xtask/src/generate/workspace.rs).\n{}",
        toml::to_string(&table)?
    ))
}

/// Every key below a table whose name ends in `dependencies`.
fn collect_names(table: &Table, named: &mut BTreeSet<String>) {
    for (key, value) in table {
        let Some(inner) = value.as_table() else { continue };
        if key.ends_with("dependencies") {
            named.extend(inner.keys().cloned());
        } else {
            collect_names(inner, named);
        }
    }
}
