//! `recipes/switches/yocto.toml`: what the distro feature changes, and the layers that targets name.

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
    distro_feature: String,
    layer: String,
    layer_priority: u32,
    series: Vec<String>,
    rust_floor: String,
    maintainer: String,
    image: String,
    install: Vec<String>,
    install_rustcrypto: Vec<String>,
    recipe: Vec<YoctoRecipe>,
    keeps: Vec<Keeps>,
    layers: BTreeMap<String, Layer>,
}

/// A recipe of another layer that we append to.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct YoctoRecipe {
    pub(crate) name: String,
    /// The package of the catalogue.
    pub(crate) package: String,
    /// Where our append lies, as in the layer it appends to.
    pub(crate) folder: String,
    /// The `BBFILE_COLLECTIONS` name it needs; None for oe-core, which is always there.
    pub(crate) collection: Option<String>,
}

/// Recipes that cannot be switched.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct Keeps {
    pub(crate) recipes: Vec<String>,
    pub(crate) why: String,
    /// What an image that must not have the library takes in their place.
    pub(crate) instead: String,
}

/// A layer: a folder of a git repository.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct Layer {
    pub(crate) url: String,
    /// Branch per series; a series without one is not supported by the layer.
    pub(crate) branches: BTreeMap<String, String>,
    /// Folder of the layer in its repository; "" is the top.
    pub(crate) path: String,
    /// Its name in `BBFILE_COLLECTIONS`; needed by recipes that we append to and with `claims-series = false`.
    pub(crate) collection: Option<String>,
    /// Whether its `LAYERSERIES_COMPAT` names the series; if not, the build must widen it and say so.
    #[serde(default = "claims_series")]
    pub(crate) claims_series: bool,
}

fn claims_series() -> bool {
    true
}

/// The whole file.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct YoctoSwitch {
    pub(crate) default_backend: String,
    pub(crate) distro_feature: String,
    pub(crate) layer: String,
    pub(crate) layer_priority: u32,
    pub(crate) series: Vec<String>,
    pub(crate) rust_floor: String,
    pub(crate) maintainer: String,
    /// The image that the yocto engine builds.
    pub(crate) image: String,
    /// Packages added to it, for every backend.
    pub(crate) install: Vec<String>,
    /// Packages added to it with our backend.
    pub(crate) install_rustcrypto: Vec<String>,
    pub(crate) recipes: Vec<YoctoRecipe>,
    pub(crate) keeps: Vec<Keeps>,
    pub(crate) layers: BTreeMap<String, Layer>,
}

pub(super) fn validate(raw: RawSwitch, packages: &BTreeMap<String, Package>) -> Result<YoctoSwitch> {
    for recipe in &raw.recipe {
        choose("package", &recipe.package, packages.keys().map(String::as_str))
            .map_err(|error| error.context(format!("recipe '{}', key package", recipe.name)))?;
    }
    if raw.series.is_empty() {
        user_bail!("key series: name at least one");
    }
    for base in ["core", "bitbake"] {
        let complete = raw
            .layers
            .get(base)
            .is_some_and(|layer| raw.series.iter().all(|series| layer.branches.contains_key(series)));
        if !complete {
            user_bail!("layers.{base}: missing, or without a branch for each of: {}", raw.series.join(", "));
        }
    }
    for (name, layer) in &raw.layers {
        if !layer.claims_series && layer.collection.is_none() {
            user_bail!("layer '{name}', missing key collection: claims-series = false needs it");
        }
        for series in layer.branches.keys() {
            choose("series", series, raw.series.iter().map(String::as_str))
                .map_err(|error| error.context(format!("layer '{name}', key branches")))?;
        }
    }
    Ok(YoctoSwitch {
        default_backend: raw.default_backend,
        distro_feature: raw.distro_feature,
        layer: raw.layer,
        layer_priority: raw.layer_priority,
        series: raw.series,
        rust_floor: raw.rust_floor,
        maintainer: raw.maintainer,
        image: raw.image,
        install: raw.install,
        install_rustcrypto: raw.install_rustcrypto,
        recipes: raw.recipe,
        keeps: raw.keeps,
        layers: raw.layers,
    })
}
