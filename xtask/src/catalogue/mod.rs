//! The catalogue: every package, target and switch, as data in `recipes/` and `images/`.
//!
//! Each file is read into a `RawX` (serde, kebab-case, unknown keys refused) and validated into an `X`. A fault is the
//! user's ([`crate::root::UserError`], exit 2) and names the file, the key and the allowed values.

pub(crate) mod openwrt;
pub(crate) mod package;
mod read;
pub(crate) mod target;
#[cfg(test)]
mod tests;
pub(crate) mod yocto;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use openwrt::OpenwrtSwitch;
use package::Package;
pub(crate) use read::choose;
use target::Target;
use yocto::YoctoSwitch;

/// Everything in `recipes/` and `images/`, checked against itself.
#[derive(Debug, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct Catalogue {
    #[serde(skip)]
    pub(crate) root: PathBuf,
    pub(crate) workspace: Workspace,
    pub(crate) packages: BTreeMap<String, Package>,
    pub(crate) targets: BTreeMap<String, Target>,
    pub(crate) openwrt: OpenwrtSwitch,
    pub(crate) yocto: YoctoSwitch,
}

/// What the workspace's own Cargo.toml says.
#[derive(Debug, Clone, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct Workspace {
    pub(crate) version: String,
    pub(crate) rust_version: String,
    pub(crate) repository: String,
}

impl Catalogue {
    /// Read and check the catalogue of the checkout at `root`.
    pub(crate) fn load(root: &Path) -> Result<Self> {
        let workspace = Workspace::read(&root.join("Cargo.toml"))?;
        let mut packages = BTreeMap::new();
        for (name, path) in read::toml_files(&root.join("recipes"), &[])? {
            let raw = read::read(&path)?;
            packages.insert(
                name.clone(),
                package::validate(&name, raw, &workspace).with_context(|| read::show(root, &path))?,
            );
        }
        let mut targets = BTreeMap::new();
        for (name, path) in read::toml_files(&root.join("images"), &target::NOT_TARGETS)? {
            let raw = read::read(&path)?;
            targets.insert(name.clone(), target::validate(&name, raw).with_context(|| read::show(root, &path))?);
        }
        let path = root.join("recipes/switches/openwrt.toml");
        let openwrt = openwrt::validate(read::read(&path)?, &packages).with_context(|| read::show(root, &path))?;
        let path = root.join("recipes/switches/yocto.toml");
        let yocto = yocto::validate(read::read(&path)?, &packages).with_context(|| read::show(root, &path))?;
        let catalogue = Self { root: root.to_path_buf(), workspace, packages, targets, openwrt, yocto };
        catalogue.check_references()?;
        Ok(catalogue)
    }

    /// The backends: one per package with a `[library]` table, by backend name.
    pub(crate) fn backends(&self) -> BTreeMap<&str, &Package> {
        self.packages
            .values()
            .filter_map(|package| Some((package.library.as_ref()?.backend.as_str(), package)))
            .collect()
    }

    pub(crate) fn target(&self, name: &str) -> Result<&Target> {
        let name = choose("target", name, self.targets.keys().map(String::as_str))?;
        Ok(&self.targets[name])
    }

    pub(crate) fn package(&self, name: &str) -> Result<&Package> {
        let name = choose("package", name, self.packages.keys().map(String::as_str))?;
        Ok(&self.packages[name])
    }

    /// The library package of a backend: `backend("mbedtls")`.
    pub(crate) fn backend(&self, name: &str) -> Result<&Package> {
        let backends = self.backends();
        let name = choose("backend", name, backends.keys().copied())?;
        Ok(backends[name])
    }

    /// Names in one file that must exist in another.
    fn check_references(&self) -> Result<()> {
        let backends = self.backends();
        for package in self.packages.values() {
            let at = || format!("recipes/{}.toml", package.name);
            for (backend, settings) in &package.backends {
                choose("backend", backend, backends.keys().copied()).with_context(at)?;
                for library in &settings.libraries {
                    choose("package", library, self.packages.keys().map(String::as_str))
                        .with_context(|| format!("key backends.{backend}.libraries"))
                        .with_context(at)?;
                }
            }
        }
        let at = || "recipes/switches/openwrt.toml".to_string();
        choose("backend", &self.openwrt.default_backend, backends.keys().copied())
            .context("key default-backend")
            .with_context(at)?;
        for group in &self.openwrt.groups {
            for backend in group.packages.keys() {
                choose("backend", backend, backends.keys().copied())
                    .with_context(|| format!("group '{}', key packages", group.name))
                    .with_context(at)?;
            }
        }
        let at = || "recipes/switches/yocto.toml".to_string();
        choose("backend", &self.yocto.default_backend, backends.keys().copied())
            .context("key default-backend")
            .with_context(at)?;
        for target in self.targets.values() {
            let Some(yocto) = &target.yocto else { continue };
            for layer in &yocto.layers {
                choose("layer", layer, self.yocto.layers.keys().map(String::as_str))
                    .with_context(|| format!("images/{}.toml: key yocto.layers", target.name))?;
            }
        }
        Ok(())
    }
}

impl Workspace {
    fn read(path: &Path) -> Result<Self> {
        let table: toml::Table = read::read(path)?;
        let get = |key: &str| -> Result<String> {
            let value = table
                .get("workspace")
                .and_then(|w| w.get("package"))
                .and_then(|p| p.get(key))
                .and_then(toml::Value::as_str);
            match value {
                Some(value) => Ok(value.to_string()),
                None => crate::user_bail!("{}: missing key workspace.package.{key}", path.display()),
            }
        };
        Ok(Self { version: get("version")?, rust_version: get("rust-version")?, repository: get("repository")? })
    }
}
