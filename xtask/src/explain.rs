//! `cargo xtask explain`: Say which packages a switch changes, from what to what, and why.

use anyhow::Result;
use serde::Serialize;

use crate::catalogue::Catalogue;
use crate::catalogue::package::{Package, Role};
use crate::root::root;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The board or machine, as `cargo xtask list targets` names it
    #[arg(long)]
    target: String,
    /// The backend to switch to
    #[arg(long, default_value = "rustcrypto")]
    tls: String,
    /// Print the same as JSON
    #[arg(long)]
    json: bool,
}

/// What one build system changes.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
struct Switch {
    engine: &'static str,
    /// The line that turns it on.
    how: String,
    changes: Vec<Change>,
    /// Packages that use cryptography and stay the same binary.
    unchanged: Vec<Change>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
struct Change {
    from: String,
    to: String,
    why: String,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let catalogue = Catalogue::load(&root())?;
    let switches = explain(&catalogue, &args.target, &args.tls)?;
    if args.json {
        println!("{}", serde_json::to_string_pretty(&switches)?);
        return Ok(());
    }
    if switches.is_empty() {
        println!("{} has neither an OpenWrt nor a Yocto entry: only the lab engine builds for it.", args.target);
    }
    for switch in &switches {
        println!("{} ({})", switch.engine, switch.how);
        for change in &switch.changes {
            println!("  {} -> {}\n      {}", change.from, change.to, change.why);
        }
        for change in &switch.unchanged {
            println!("  {} stays\n      {}", change.from, change.why);
        }
        println!();
    }
    Ok(())
}

fn explain(catalogue: &Catalogue, target: &str, tls: &str) -> Result<Vec<Switch>> {
    let target = catalogue.target(target)?;
    let to = catalogue.backend(tls)?;
    let mut switches = Vec::new();
    if target.openwrt.is_some() {
        switches.push(openwrt(catalogue, tls, to)?);
    }
    if let Some(target_yocto) = &target.yocto {
        switches.push(yocto(catalogue, tls, to, &target_yocto.layers)?);
    }
    Ok(switches)
}

fn title(package: &Package) -> String {
    package.library.as_ref().map_or_else(|| package.name.clone(), |library| library.title.clone())
}

fn openwrt(catalogue: &Catalogue, tls: &str, to: &Package) -> Result<Switch> {
    let table = &catalogue.openwrt;
    let from = catalogue.backend(&table.default_backend)?;
    let mut changes = Vec::new();
    let mut keep = Vec::new();
    for group in &table.groups {
        let why = catalogue.package(&group.package)?.why.clone().unwrap_or_default();
        let Some(old) = group.packages.get(&table.default_backend) else { continue };
        match group.packages.get(tls) {
            Some(new) if new == old => {}
            Some(new) => {
                let why = group.features.as_ref().map_or(why.clone(), |features| format!("{why} ({features})"));
                changes.push(Change { from: old.clone(), to: new.clone(), why });
            }
            None => {
                let why = format!("{why}; it has no {} variant, so {} stays in the image", title(to), title(from));
                keep.push(Change { from: old.clone(), to: old.clone(), why });
            }
        }
    }
    if tls != table.default_backend {
        let why = if keep.is_empty() {
            "nothing else in the default image needs it"
        } else {
            "only the packages above still need the old one"
        };
        let old = if keep.is_empty() { title(from) } else { format!("{} alone", title(from)) };
        let new = if keep.is_empty() { title(to) } else { format!("{} and {}", title(to), title(from)) };
        changes.push(Change { from: old, to: new, why: why.to_string() });
    }
    for package in catalogue.packages.values().filter(|package| package.role == Role::Support) {
        keep.push(Change {
            from: package.name.clone(),
            to: package.name.clone(),
            why: package.why.clone().unwrap_or_default(),
        });
    }
    let how = match tls {
        "rustcrypto" => format!("CONFIG_{}=y", table.kconfig),
        _ => "the packages below in .config".to_string(),
    };
    Ok(Switch { engine: "openwrt", how, changes, unchanged: keep })
}

fn yocto(catalogue: &Catalogue, tls: &str, to: &Package, layers: &[String]) -> Result<Switch> {
    let table = &catalogue.yocto;
    let from = catalogue.backend(&table.default_backend)?;
    let mut changes = Vec::new();
    let mut keep = Vec::new();
    for recipe in &table.recipes {
        let package = catalogue.package(&recipe.package)?;
        let why = package.why.clone().unwrap_or_default();
        let here = recipe.collection.is_none()
            || layers.iter().any(|layer| catalogue.yocto.layers[layer].collection == recipe.collection);
        let name = format!("{} on {}", recipe.name, title(from));
        if !here {
            let layer = recipe.collection.as_deref().unwrap_or_default();
            keep.push(Change {
                from: name.clone(),
                to: name,
                why: format!("{why}; only where a build has the layer {layer}"),
            });
        } else if tls == "rustcrypto" {
            changes.push(Change { from: name, to: format!("{} on {}", recipe.name, title(to)), why });
        } else if tls != table.default_backend {
            keep.push(Change {
                from: name.clone(),
                to: name,
                why: format!("{why}; set its PACKAGECONFIG yourself for {}", title(to)),
            });
        }
    }
    if tls != table.default_backend {
        for kept in &table.keeps {
            let name = format!("{} on {}", kept.recipes.join(", "), title(from));
            let why = format!("{}; instead: {}; else the image lint's allow-list names it", kept.why, kept.instead);
            keep.push(Change { from: name.clone(), to: name, why });
        }
    }
    let how = match tls {
        "rustcrypto" => format!("DISTRO_FEATURES:append = \" {}\"", table.distro_feature),
        _ => "PACKAGECONFIG of each recipe".to_string(),
    };
    Ok(Switch { engine: "yocto", how, changes, unchanged: keep })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rpi5_changes_every_group_and_recipe() {
        let catalogue = Catalogue::load(&root()).unwrap();
        let switches = explain(&catalogue, "rpi5", "rustcrypto").unwrap();
        let engines: Vec<_> = switches.iter().map(|switch| switch.engine).collect();
        assert_eq!(engines, ["openwrt", "yocto"]);
        // every group, and the library itself
        assert_eq!(switches[0].changes.len(), catalogue.openwrt.groups.len() + 1);
        assert!(
            switches[0]
                .changes
                .iter()
                .any(|change| change.from == "libustream-mbedtls" && change.to == "libustream-rustcrypto")
        );
        assert!(switches.iter().flat_map(|switch| &switch.changes).all(|change| !change.why.is_empty()));
    }

    #[test]
    fn what_only_speaks_openssl_is_named_with_a_reason() {
        let catalogue = Catalogue::load(&root()).unwrap();
        let switches = explain(&catalogue, "am62l", "rustcrypto").unwrap();
        let kept = &switches[0].unchanged;
        for name in ["openssh", "nginx", "python3"] {
            assert!(
                kept.iter().any(|one| one.from.contains(name) && one.why.contains("instead: ")),
                "{name}: {kept:?}"
            );
        }
        assert!(switches[0].changes.iter().any(|change| change.from == "lighttpd on OpenSSL"));
    }

    #[test]
    fn a_backend_without_a_variant_is_said_to_stay() {
        let catalogue = Catalogue::load(&root()).unwrap();
        let switches = explain(&catalogue, "rpi5", "wolfssl").unwrap();
        assert!(
            switches[0]
                .unchanged
                .iter()
                .any(|change| change.from == "apk-mbedtls" && change.why.contains("no wolfSSL variant"))
        );
    }

    #[test]
    fn the_default_backend_changes_nothing() {
        let catalogue = Catalogue::load(&root()).unwrap();
        assert!(explain(&catalogue, "malta", "mbedtls").unwrap()[0].changes.is_empty());
    }

    #[test]
    fn unknown_names_list_the_known_ones() {
        let catalogue = Catalogue::load(&root()).unwrap();
        let error = format!("{:#}", explain(&catalogue, "rp5", "rustcrypto").unwrap_err());
        assert!(error.contains("unknown target 'rp5'; did you mean 'rpi5'?") && error.contains("polarfire"), "{error}");
        let error = format!("{:#}", explain(&catalogue, "rpi5", "gnutls").unwrap_err());
        assert!(error.contains("unknown backend 'gnutls'") && error.contains("openssl"), "{error}");
    }
}
