//! `images/toolchains.toml`: the facts about each triple.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::user_bail;

/// One triple's entry; the file's own head says what each key means.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct Triple {
    pub(crate) zig: String,
    #[serde(default)]
    pub(crate) cflags: Vec<String>,
    pub(crate) emulation: String,
    pub(crate) page_size: u32,
    pub(crate) relr: bool,
    pub(crate) hash_style: String,
    pub(crate) openssl: String,
    pub(crate) qemu: String,
    pub(crate) loader: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct Table {
    triple: BTreeMap<String, Triple>,
    profile: BTreeMap<String, LibProfile>,
}

/// What a profile of the library adds to cargo's own.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct LibProfile {
    pub(crate) features: Vec<String>,
    pub(crate) std: Vec<String>,
    pub(crate) std_features: Vec<String>,
    pub(crate) rustflags: Vec<String>,
    #[serde(default)]
    pub(crate) link_rustflags: Vec<String>,
}

/// The library's profile of that name.
pub(crate) fn lib_profile(name: &str) -> Result<LibProfile> {
    let table = load()?;
    match table.profile.get(name) {
        Some(found) => Ok(found.clone()),
        None => user_bail!(
            "no profile '{name}'; images/toolchains.toml has: {}",
            table.profile.keys().cloned().collect::<Vec<_>>().join(", ")
        ),
    }
}

/// The triple of the programs that this dynamic loader starts: its name tells machine, byte order, float ABI and C library.
pub(crate) fn of_loader(loader: &str) -> Result<(String, Triple)> {
    let table = load()?;
    if let Some((name, triple)) = table.triple.iter().find(|(_, triple)| triple.loader == loader) {
        return Ok((name.clone(), triple.clone()));
    }
    let known: Vec<&str> = table.triple.values().map(|triple| triple.loader.as_str()).collect();
    user_bail!("its programs are started by {loader}; images/toolchains.toml has: {}", known.join(", "))
}

pub(super) fn load() -> Result<Table> {
    let path = crate::root::root().join("images/toolchains.toml");
    let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    match toml::from_str(&text) {
        Ok(table) => Ok(table),
        Err(error) => user_bail!("{}: {error}", path.display()),
    }
}

impl Table {
    pub(super) fn find(&self, triple: &str) -> Result<Triple> {
        if let Some(found) = self.triple.get(triple) {
            return Ok(found.clone());
        }
        let known: Vec<_> = self.triple.keys().map(String::as_str).collect();
        user_bail!("no toolchain for '{triple}'; images/toolchains.toml has: {}", known.join(", "))
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_loader_tells_the_triple() {
        assert_eq!(super::of_loader("ld-musl-mips-sf.so.1").unwrap().0, "mips-unknown-linux-musl");
        let error = super::of_loader("ld-musl-arm.so.1").unwrap_err().to_string();
        assert!(error.contains("ld-musl-arm.so.1") && error.contains("ld-musl-armhf.so.1"), "{error}");
        let table = super::load().unwrap();
        let loaders: std::collections::BTreeSet<_> = table.triple.values().map(|triple| &triple.loader).collect();
        assert_eq!(loaders.len(), table.triple.len(), "two triples share a loader");
    }

    #[test]
    fn the_committed_table_is_valid_and_an_unknown_triple_lists_the_known() {
        let table = super::load().unwrap();
        assert!(table.triple.values().all(|t| t.page_size.is_power_of_two()));
        let error = table.find("vax-unknown-netbsd").unwrap_err();
        assert!(
            error.is::<crate::root::UserError>() && error.to_string().contains("aarch64-unknown-linux-musl"),
            "{error}"
        );
    }
}
