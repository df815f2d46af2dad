//! `recipes/baselines/NAME.toml`: how one baseline library is configured.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::user_bail;

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub(super) enum System {
    Mbedtls,
    Autotools,
    Openssl,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct Recipe {
    /// Name in images/sources.lock.
    pub(super) source: String,
    pub(super) system: System,
    pub(super) pkg_config: Vec<String>,
    /// Files of an image; one `*` at the end.
    pub(super) install: Vec<String>,
    pub(super) cflags: Vec<String>,
    #[serde(default)]
    pub(super) configure: Vec<String>,
    #[serde(default)]
    pub(super) configure_arch: BTreeMap<String, Vec<String>>,
    #[serde(default)]
    pub(super) set: Vec<String>,
    #[serde(default)]
    pub(super) unset: Vec<String>,
}

/// Names of all baselines, sorted.
pub(crate) fn names() -> Result<Vec<String>> {
    let dir = crate::root::root().join("recipes/baselines");
    let entries = std::fs::read_dir(&dir).with_context(|| format!("cannot read {}", dir.display()))?;
    let mut names: Vec<String> = entries
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.strip_suffix(".toml").map(str::to_owned))
        .collect();
    names.sort();
    Ok(names)
}

pub(super) fn load(name: &str) -> Result<Recipe> {
    let known = names()?;
    if !known.iter().any(|k| k == name) {
        user_bail!("no baseline '{name}'; recipes/baselines has: {}", known.join(", "));
    }
    let path = crate::root::root().join(format!("recipes/baselines/{name}.toml"));
    match toml::from_str(&std::fs::read_to_string(&path)?) {
        Ok(recipe) => Ok(recipe),
        Err(error) => user_bail!("{}: {error}", path.display()),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn committed_recipes_are_valid_and_their_sources_locked() {
        let options = crate::sources::Options::default();
        let sources = crate::sources::Sources::open(&options).unwrap();
        for name in super::names().unwrap() {
            let recipe = super::load(&name).unwrap();
            sources.source(&recipe.source).unwrap();
        }
        assert!(super::load("nss").unwrap_err().to_string().contains("mbedtls, openssl, wolfssl"));
    }
}
