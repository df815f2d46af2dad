//! The values that templates may name.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use md5::{Digest, Md5};
use serde_json::{Value, json};

use super::closure::Closure;
use super::lock::Lock;
use crate::catalogue::Catalogue;
use crate::catalogue::openwrt::{Group, MadeBy};
use crate::user_bail;

pub(super) struct Context {
    values: tera::Context,
    version: String,
    /// `dist/Cargo.lock`
    lock: Lock,
}

impl Context {
    pub(super) fn new(catalogue: &Catalogue, closure: &Closure, dist: &BTreeMap<PathBuf, String>) -> Result<Self> {
        let package = catalogue.package("librustcrypto")?;
        let library = package.library.as_ref().context("recipes/librustcrypto.toml has no [library]")?;
        let soname = library.soname.as_deref().context("checked when it was read")?;
        let (link_name, krate) = (
            soname.split_once(".so.").map_or(soname, |(stem, _)| stem),
            match &package.upstream {
                crate::catalogue::package::Upstream::Workspace { krate } => krate,
                _ => user_bail!("recipes/librustcrypto.toml: key upstream.kind: must be workspace"),
            },
        );
        let mut hooks = serde_json::Map::new();
        for recipe in &catalogue.yocto.recipes {
            let ours = catalogue.package(&recipe.package)?.backends.get("rustcrypto");
            let Some(folder) = ours.and_then(|backend| backend.patches.as_deref()) else {
                user_bail!("recipes/{}.toml: key backends.rustcrypto.patches: missing", recipe.package)
            };
            let hook = Hook::read(&catalogue.root, folder)?;
            hooks.insert(folder.to_string(), json!({ "files": hook.files(), "json": hook.json }));
        }
        let wpa = catalogue
            .package("wpa-supplicant")?
            .backends
            .get("rustcrypto")
            .context("wpa-supplicant has no rustcrypto backend")?;
        let default_openwrt = catalogue.backend(&catalogue.openwrt.default_backend)?;
        let default_yocto = catalogue.backend(&catalogue.yocto.default_backend)?;
        let collections = dynamic_layers(&catalogue.root)?;
        let mut link_flags = BTreeMap::new();
        for profile in package.profiles.keys() {
            link_flags.insert(profile, crate::toolchain::lib_profile(profile)?.link_rustflags.join(" "));
        }
        let values = json!({
            "package": package,
            "link_flags": link_flags,
            "library": library,
            "abi": library.abi(),
            "cdylib": format!("lib{}.so", krate.replace('-', "_")),
            "link_name": format!("{link_name}.so"),
            "license_md5": md5_of(&catalogue.root.join("LICENSE-MIT"))?,
            "local_crates": closure.local,
            "source_files": source_files(closure, dist),
            "packages": catalogue.packages,
            "yocto": catalogue.yocto,
            "collections": collections,
            "default_library": default_yocto.library,
            "openwrt": catalogue.openwrt,
            "openwrt_default_library": default_openwrt.library,
            "px5g": group_values(group(catalogue, "px5g")?, catalogue),
            "groups": catalogue.openwrt.groups.iter().map(|group| group_values(group, catalogue)).collect::<Vec<_>>(),
            "feed_groups": catalogue.openwrt.groups.iter().filter(|group| group.made_by == MadeBy::Feed).map(Group::ours).collect::<Vec<_>>(),
            "hooks": hooks,
            "without": wpa.without,
            "build": wpa.build,
        });
        let lock = Lock::parse(&dist[Path::new("Cargo.lock")], Path::new("dist/Cargo.lock"))?;
        let values = tera::Context::from_value(snake(values)).context("the values are a table")?;
        Ok(Self { values, version: package.version.clone(), lock })
    }

    pub(super) fn values(&self) -> &tera::Context {
        &self.values
    }

    /// For `{version}` in file names.
    pub(super) fn version(&self) -> &str {
        &self.version
    }

    /// The files that `bitbake -c update_crates` would write for the recipes of the layer.
    pub(super) fn crates_inc(&self) -> Result<BTreeMap<PathBuf, String>> {
        let path = PathBuf::from("recipes-crypto/rustcrypto/rustcrypto-crates.inc");
        Ok(BTreeMap::from([(path, self.lock.crates_inc("rustcrypto", "Cargo.lock")?)]))
    }
}

/// Keys as tera can name them: `pkg-config` is a subtraction to it.
fn snake(value: Value) -> Value {
    match value {
        Value::Object(map) => map.into_iter().map(|(key, value)| (key.replace('-', "_"), snake(value))).collect(),
        Value::Array(list) => list.into_iter().map(snake).collect(),
        other => other,
    }
}

fn group<'a>(catalogue: &'a Catalogue, name: &str) -> Result<&'a Group> {
    match catalogue.openwrt.groups.iter().find(|group| group.name == name) {
        Some(group) => Ok(group),
        None => user_bail!("recipes/switches/openwrt.toml: no group '{name}', which the feed has a package for"),
    }
}

fn group_values(group: &Group, catalogue: &Catalogue) -> Value {
    let mut value = serde_json::to_value(group).expect("a table of strings");
    value["ours"] = group.ours().into();
    value["conflicts"] = group.conflicts().into();
    value["default"] = group.packages.get(&catalogue.openwrt.default_backend).cloned().into();
    value
}

/// What the recipe fetches from this repository: our crates, the top of `dist/`, the licence.
fn source_files(closure: &Closure, dist: &BTreeMap<PathBuf, String>) -> Vec<String> {
    let mut files: Vec<String> = closure.local.iter().map(|name| format!("crates/{name}")).collect();
    files.push("LICENSE-MIT".into());
    files.extend(dist.keys().filter_map(|path| path.iter().next()).map(|first| first.to_string_lossy().into_owned()));
    files.sort();
    files.dedup();
    files
}

/// Other layers' names in `BBFILE_COLLECTIONS` that the layer's recipes and appends are for, one folder each.
fn dynamic_layers(root: &Path) -> Result<Vec<String>> {
    let folder = root.join("recipes/templates/yocto/dynamic-layers");
    let Ok(entries) = std::fs::read_dir(&folder) else { return Ok(Vec::new()) };
    let mut names = Vec::new();
    for entry in entries {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    names.sort_unstable();
    Ok(names)
}

fn md5_of(path: &Path) -> Result<String> {
    let Ok(bytes) = std::fs::read(path) else { user_bail!("cannot read {}: recipes name its MD5 sum", path.display()) };
    Ok(md5_hex(&bytes))
}

/// MD5 in hexadecimal: `LIC_FILES_CHKSUM` wants no other.
pub(crate) fn md5_hex(bytes: &[u8]) -> String {
    crate::sources::hex(&Md5::digest(bytes))
}

/// `patches/CONSUMER/hook.toml`: which files go where, and edits of the build system.
struct Hook {
    table: toml::Table,
    json: String,
}

impl Hook {
    fn read(root: &Path, consumer: &str) -> Result<Self> {
        let path = root.join("patches").join(consumer).join("hook.toml");
        let Ok(text) = std::fs::read_to_string(&path) else { user_bail!("cannot read {}", path.display()) };
        let table: toml::Table = match toml::from_str(&text) {
            Ok(table) => table,
            Err(error) => user_bail!("{}: {}", path.display(), error.message()),
        };
        // BitBake's quotes cannot be escaped, JSON's letters can
        let json = serde_json::to_string(&table)?.replace('\'', "\\u0027");
        Ok(Self { table, json })
    }

    fn files(&self) -> Vec<&str> {
        let lists = self.table.get("copy").and_then(toml::Value::as_array).into_iter().flatten();
        lists.filter_map(|copy| copy.get("files")?.as_array()).flatten().filter_map(toml::Value::as_str).collect()
    }
}
