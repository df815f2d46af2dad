//! A crate's Cargo.toml with what it inherits from its workspace, and its licence files.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::Deserialize;
use toml::{Table, Value};

use crate::generate::md5_hex;
use crate::user_bail;

/// `[package.metadata.bitbake]`: what a crate's author wants in the recipe.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub(super) struct Bitbake {
    /// Files for `require` lines.
    pub(super) requires: Vec<String>,
    /// Classes to inherit beside cargo's.
    pub(super) inherit: Vec<String>,
    pub(super) depends: Vec<String>,
    pub(super) rdepends: Vec<String>,
    pub(super) section: Option<String>,
    /// In BitBake's spelling, where Cargo's `license` cannot say it.
    pub(super) license: Option<String>,
    /// Licence files relative to the workspace, instead of those found.
    pub(super) license_files: Vec<String>,
}

/// One crate, ready for the template.
#[derive(Debug)]
pub(super) struct Project {
    pub(super) name: String,
    pub(super) version: String,
    pub(super) summary: String,
    pub(super) homepage: Option<String>,
    pub(super) repository: Option<String>,
    /// In BitBake's spelling.
    pub(super) license: String,
    /// `PATH;md5=...`, relative to the workspace.
    pub(super) license_files: Vec<String>,
    pub(super) bitbake: Bitbake,
    /// The folder with Cargo.lock.
    pub(super) workspace: PathBuf,
    /// Whether the crate is one of several.
    pub(super) is_member: bool,
    pub(super) notes: Vec<String>,
}

impl Project {
    pub(super) fn read(crate_dir: &Path) -> Result<Self> {
        let path = crate_dir.join("Cargo.toml");
        let (text, manifest) = read_toml(&path)?;
        let Some(package) = manifest.get("package").and_then(Value::as_table) else {
            user_bail!("{} has no [package]: give the folder of one crate, not of the whole workspace", path.display());
        };
        let (workspace, workspace_manifest) =
            find_workspace(crate_dir, manifest.contains_key("workspace").then_some(&manifest))?;
        let inherited =
            workspace_manifest.as_ref().and_then(|manifest| manifest.get("workspace")?.get("package")?.as_table());
        let get = |key: &str| -> Result<Option<String>> {
            match package.get(key) {
                None => Ok(None),
                Some(Value::String(text)) => Ok(Some(text.split_whitespace().collect::<Vec<_>>().join(" "))),
                Some(Value::Table(table)) if table.get("workspace") == Some(&Value::Boolean(true)) => {
                    match inherited.and_then(|package| package.get(key)?.as_str()) {
                        Some(text) => Ok(Some(text.to_string())),
                        None => user_bail!(
                            "{}: {key}.workspace = true, but {} has no workspace.package.{key}",
                            path.display(),
                            workspace.display()
                        ),
                    }
                }
                Some(_) => user_bail!("{}: key package.{key}: expected a string", path.display()),
            }
        };
        let Some(name) = get("name")? else { user_bail!("{}: missing key package.name", path.display()) };
        let bitbake: Bitbake = match package.get("metadata").and_then(|metadata| metadata.get("bitbake")) {
            None => Bitbake::default(),
            Some(value) => match value.clone().try_into() {
                Ok(bitbake) => bitbake,
                Err(error) => user_bail!("{}: [package.metadata.bitbake]: {}", path.display(), error.message()),
            },
        };
        let mut notes = Vec::new();
        let license = bitbake.license.clone().map_or_else(|| get("license"), |license| Ok(Some(license)))?;
        let license_file = get("license-file")?;
        let license = match (&license, &license_file) {
            (Some(license), _) => bitbake_license(license),
            (None, Some(_)) => "Unknown".to_string(),
            (None, None) => {
                notes.push(format!("{} names no licence: LICENSE is CLOSED", path.display()));
                "CLOSED".to_string()
            }
        };
        let license_files = if license == "CLOSED" {
            Vec::new()
        } else if bitbake.license_files.is_empty() {
            found_licenses(crate_dir, &workspace, license_file.as_deref(), &text)?
        } else {
            bitbake
                .license_files
                .iter()
                .map(|file| checksum(&workspace, &workspace.join(file)))
                .collect::<Result<_>>()?
        };
        Ok(Self {
            version: get("version")?.unwrap_or_else(|| "0.0.0".to_string()),
            summary: get("description")?.unwrap_or_else(|| name.clone()).replace('"', "\\\""),
            homepage: get("homepage")?.map_or_else(|| get("repository"), |homepage| Ok(Some(homepage)))?,
            repository: get("repository")?,
            name,
            license,
            license_files,
            bitbake,
            is_member: workspace_manifest.is_some(),
            workspace,
            notes,
        })
    }
}

fn read_toml(path: &Path) -> Result<(String, Table)> {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) => user_bail!("cannot read {}: {error}", path.display()),
    };
    match toml::from_str(&text) {
        Ok(table) => Ok((text, table)),
        Err(error) => user_bail!("{}: {}", path.display(), error.message()),
    }
}

/// The nearest folder at or above the crate with a [workspace], and its manifest; the crate itself if there is none.
fn find_workspace(crate_dir: &Path, own: Option<&Table>) -> Result<(PathBuf, Option<Table>)> {
    let crate_dir = std::path::absolute(crate_dir)?;
    if let Some(own) = own {
        return Ok((crate_dir, Some(own.clone())));
    }
    // A crate with a lock of its own is built by itself, whatever lies above it.
    if crate_dir.join("Cargo.lock").is_file() {
        return Ok((crate_dir, None));
    }
    for folder in crate_dir.ancestors().skip(1) {
        let path = folder.join("Cargo.toml");
        if path.is_file() {
            let (_, manifest) = read_toml(&path)?;
            if manifest.contains_key("workspace") {
                return Ok((folder.to_path_buf(), Some(manifest)));
            }
        }
    }
    Ok((crate_dir, None))
}

/// SPDX as Cargo writes it -> BitBake's `|` and `&`.
fn bitbake_license(license: &str) -> String {
    license
        .replace('/', " OR ")
        .replace(" OR ", " | ")
        .replace(" AND ", " & ")
        .replace(" WITH ", "-with-")
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}

/// The licence files that lie in the crate or at the top; without one, the line of Cargo.toml that names the licence.
fn found_licenses(
    crate_dir: &Path,
    workspace: &Path,
    license_file: Option<&str>,
    manifest: &str,
) -> Result<Vec<String>> {
    let crate_dir = std::path::absolute(crate_dir)?;
    if let Some(file) = license_file {
        return Ok(vec![checksum(workspace, &crate_dir.join(file))?]);
    }
    for folder in [crate_dir.as_path(), workspace] {
        let mut files = Vec::new();
        for entry in std::fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))? {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().to_uppercase();
            if path.is_file()
                && ["LICENSE", "LICENCE", "COPYING", "UNLICENSE"].iter().any(|start| name.starts_with(start))
            {
                files.push(checksum(workspace, &path)?);
            }
        }
        if !files.is_empty() {
            files.sort();
            return Ok(files);
        }
    }
    let Some((index, line)) =
        manifest.split_inclusive('\n').enumerate().find(|(_, line)| line.trim_start().starts_with("license"))
    else {
        return Ok(Vec::new());
    };
    let (number, path) = (index + 1, relative(workspace, &crate_dir.join("Cargo.toml")));
    Ok(vec![format!("{path};beginline={number};endline={number};md5={}", md5_hex(line.as_bytes()))])
}

fn checksum(workspace: &Path, path: &Path) -> Result<String> {
    match std::fs::read(path) {
        Ok(bytes) => Ok(format!("{};md5={}", relative(workspace, path), md5_hex(&bytes))),
        Err(error) => user_bail!("cannot read the licence file {}: {error}", path.display()),
    }
}

fn relative(workspace: &Path, path: &Path) -> String {
    path.strip_prefix(workspace).unwrap_or(path).display().to_string()
}
