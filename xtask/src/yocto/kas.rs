//! The kas file: which repositories, which layers, which settings.

use std::path::Path;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::collect::Wanted;
use crate::catalogue::yocto::Layer;
use crate::catalogue::{Catalogue, choose};
use crate::generate::render_one;
use crate::user_bail;

/// What one build needs, looked up in the catalogue.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) machine: String,
    pub(super) image: String,
    pub(super) series: String,
    /// The distro feature; None for every backend but ours.
    pub(super) feature: Option<String>,
    pub(super) install: Vec<String>,
    /// (name, layer) in the order of BBLAYERS, oe-core first.
    pub(super) layers: Vec<(String, Layer)>,
}

impl Plan {
    pub(super) fn new(catalogue: &Catalogue, target: &str, tls: &str, series: Option<&str>) -> Result<Self> {
        let table = &catalogue.yocto;
        let target = catalogue.target(target)?;
        catalogue.backend(tls)?;
        let Some(yocto) = &target.yocto else {
            user_bail!("images/{}.toml has no [yocto] table: no layer that we know has this machine", target.name);
        };
        if tls != "rustcrypto" && tls != table.default_backend {
            user_bail!(
                "the yocto engine builds rustcrypto or {}; set PACKAGECONFIG yourself for {tls}",
                table.default_backend
            );
        }
        let names: Vec<&String> = yocto.layers.iter().collect();
        let complete = |release: &str| names.iter().all(|name| table.layers[*name].branches.contains_key(release));
        let series = match series {
            Some(series) => choose("series", series, table.series.iter().map(String::as_str))?,
            None => match table.series.iter().find(|series| complete(series)) {
                Some(series) => series,
                None => user_bail!("no series has a branch of all of: {}", yocto.layers.join(", ")),
            },
        };
        if let Some(name) = names.iter().find(|name| !table.layers[**name].branches.contains_key(series)) {
            user_bail!("the layer {name} has no branch for {series} in recipes/switches/yocto.toml");
        }
        let ours = tls == "rustcrypto";
        let mut install = table.install.clone();
        install.extend(table.install_rustcrypto.iter().filter(|_| ours).cloned());
        let layers = std::iter::once("core").chain(yocto.layers.iter().map(String::as_str));
        Ok(Self {
            machine: yocto.machine.clone(),
            image: table.image.clone(),
            series: series.to_string(),
            feature: ours.then(|| table.distro_feature.clone()),
            install,
            layers: layers.map(|name| (name.to_string(), table.layers[name].clone())).collect(),
        })
    }

    /// What `collect` must know.
    pub(super) fn collected(&self, target: &str, tls: &str) -> Wanted {
        Wanted {
            target: target.to_string(),
            tls: tls.to_string(),
            machine: self.machine.clone(),
            image: self.image.clone(),
        }
    }

    /// The kas file's text; `file` is where it will lie.
    pub(super) fn text(&self, catalogue: &Catalogue, file: &Path) -> Result<String> {
        let bitbake = ("bitbake".to_string(), catalogue.yocto.layers["bitbake"].clone());
        let mut repos: Vec<Value> = Vec::new();
        for (name, layer) in std::iter::once(&bitbake).chain(&self.layers) {
            let repo = layer.url.trim_end_matches(".git").rsplit('/').next().unwrap_or(name);
            let path = if layer.path.is_empty() { "." } else { &layer.path };
            let is_layer = name != "bitbake";
            match repos.iter_mut().find(|other| other["url"] == layer.url.as_str()) {
                Some(other) => other["layers"].as_array_mut().context("a list")?.push(path.into()),
                None => repos.push(json!({
                    "name": repo,
                    "url": layer.url,
                    "branch": layer.branches[&self.series],
                    "layers": if is_layer { vec![path] } else { vec![] },
                })),
            }
        }
        let widened: Vec<Value> = self
            .layers
            .iter()
            .filter(|(_, layer)| !layer.claims_series)
            .map(|(name, layer)| json!({ "name": name, "collection": layer.collection }))
            .collect();
        let path = catalogue.root.join("recipes/templates/kas/image.yml");
        let Ok(template) = std::fs::read_to_string(&path) else { user_bail!("cannot read {}", path.display()) };
        let values = json!({
            "file_name": file.file_name().unwrap_or_default().to_string_lossy(),
            "machine": self.machine,
            "image": self.image,
            // JSON strings are YAML strings: a path with spaces or other letters stays one value.
            "repository": serde_json::to_string(&std::path::absolute(&catalogue.root)?)?,
            "layer": catalogue.yocto.layer,
            "repos": repos,
            "feature": self.feature,
            "install": self.install,
            "series": self.series,
            "widened": widened,
        });
        render_one(&path, &template, &tera::Context::from_value(values)?)
    }
}
