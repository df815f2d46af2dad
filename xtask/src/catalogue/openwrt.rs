//! `recipes/switches/openwrt.toml`: which OpenWrt package stands for which backend, in one table.

use std::collections::BTreeMap;

use anyhow::Result;
use serde::{Deserialize, Serialize};

use super::choose;
use super::package::Package;
use crate::user_bail;

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct RawSwitch {
    default_backend: String,
    kconfig: String,
    group: Vec<Group>,
}

/// Who makes the rustcrypto package of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum MadeBy {
    /// It is a package of `openwrt-feed/`.
    Feed,
    /// `cargo xtask openwrt apply` derives it from the core package in the user's own tree.
    Tree,
}

/// One function of an image and the packages that can fill it, one per backend.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct Group {
    pub(crate) name: String,
    /// The package of the catalogue.
    pub(crate) package: String,
    pub(crate) made_by: MadeBy,
    /// The folder in OpenWrt's own tree that `made-by = "tree"` starts from.
    pub(crate) core_path: Option<String>,
    /// Virtual names that the rustcrypto package provides.
    pub(crate) provides: Vec<String>,
    /// Backend -> OpenWrt package.
    pub(crate) packages: BTreeMap<String, String>,
    /// Packages outside the table that carry the same files.
    #[serde(default)]
    pub(crate) also_conflicts: Vec<String>,
    /// What the package can do, for its description.
    pub(crate) features: Option<String>,
    /// Files it installs.
    pub(crate) install: Vec<String>,
    /// A Kconfig symbol without which the group is not selected.
    pub(crate) only_with: Option<String>,
}

impl Group {
    /// The package of this group on our library.
    pub(crate) fn ours(&self) -> &str {
        &self.packages["rustcrypto"]
    }

    /// What our package cannot be installed beside: every other package of the group, in name order.
    pub(crate) fn conflicts(&self) -> Vec<&str> {
        let others =
            self.packages.iter().filter(|(backend, _)| *backend != "rustcrypto").map(|(_, package)| package.as_str());
        let mut conflicts: Vec<&str> = others.chain(self.also_conflicts.iter().map(String::as_str)).collect();
        conflicts.sort_unstable();
        conflicts
    }
}

/// The whole table.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct OpenwrtSwitch {
    pub(crate) default_backend: String,
    /// The Kconfig symbol of the switch.
    pub(crate) kconfig: String,
    pub(crate) groups: Vec<Group>,
}

pub(super) fn validate(raw: RawSwitch, packages: &BTreeMap<String, Package>) -> Result<OpenwrtSwitch> {
    for group in &raw.group {
        let name = &group.name;
        if let Err(error) = choose("package", &group.package, packages.keys().map(String::as_str)) {
            return Err(error.context(format!("group '{name}', key package")));
        }
        if !group.packages.contains_key("rustcrypto") {
            user_bail!("group '{name}', key packages: missing key rustcrypto");
        }
        if (group.made_by == MadeBy::Tree) != group.core_path.is_some() {
            user_bail!("group '{name}', key core-path: needed with made-by = \"tree\", and only there");
        }
    }
    Ok(OpenwrtSwitch { default_backend: raw.default_backend, kconfig: raw.kconfig, groups: raw.group })
}
