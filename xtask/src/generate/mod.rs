//! `cargo xtask generate`: Write the Yocto layer and the OpenWrt feed from the catalogue.
//!
//! Everything is made in memory first, so a fault in the catalogue or in a template leaves the disk as it was; then each
//! file that differs is replaced whole. `--check` only compares.

mod closure;
mod context;
pub(crate) mod lock;
mod render;
#[cfg(test)]
mod tests;
mod workspace;
mod write;

use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::catalogue::Catalogue;
use crate::catalogue::package::Upstream;
use crate::root::root;
use crate::user_bail;
use closure::Closure;
use write::{Stale, Tree};

pub(crate) use context::md5_hex;
pub(crate) use render::one as render_one;
pub(crate) use write::replace;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Write nothing; say which file is stale and why (exit 2 if one is)
    #[arg(long)]
    check: bool,
    /// Print the files that changed, or would, as JSON
    #[arg(long)]
    json: bool,
    /// The checkout to work on, if not the one this tool was built in
    #[arg(long)]
    root: Option<PathBuf>,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let root = args.root.clone().unwrap_or_else(root);
    let trees = trees(&root)?;
    let mut stale: Vec<Stale> = Vec::new();
    for tree in &trees {
        stale.extend(if args.check { tree.compare(&root)? } else { tree.write(&root)? });
    }
    if args.json {
        println!("{}", serde_json::to_string_pretty(&stale)?);
    }
    for Stale { path, why } in &stale {
        eprintln!("{}: {why}", path.display());
    }
    if args.check && !stale.is_empty() {
        user_bail!("{} generated files are stale; run `cargo xtask generate` and commit what it writes", stale.len());
    }
    if !args.json {
        let files: usize = trees.iter().map(|tree| tree.files.len()).sum();
        println!("{files} generated files, {} {}", stale.len(), if args.check { "stale" } else { "written" });
    }
    Ok(())
}

/// Every generated folder of the checkout at `root`.
fn trees(root: &Path) -> Result<Vec<Tree>> {
    let catalogue = Catalogue::load(root)?;
    // Before cargo reads it: its complaint would be longer and less to the point.
    lock::Lock::read(&root.join("Cargo.lock"))?;
    let closure = library_closure(&catalogue)?;
    let dist = workspace::files(root, &closure)?;
    let context = context::Context::new(&catalogue, &closure, &dist)?;
    let mut layer = render::folder(root, "yocto", &context)?;
    layer.extend(context.crates_inc()?);
    let feed = render::folder(root, "openwrt", &context)?;
    Ok(vec![
        Tree { folder: "dist", files: dist },
        Tree { folder: "meta-rustcrypto", files: layer },
        Tree { folder: "openwrt-feed", files: feed },
    ])
}

/// The crates that our packages need on Linux, with every profile's features.
fn library_closure(catalogue: &Catalogue) -> Result<Closure> {
    let mut crates = Vec::new();
    let mut features = Vec::new();
    let mut triples = Vec::new();
    for package in catalogue.packages.values() {
        let Upstream::Workspace { krate } = &package.upstream else { continue };
        for profile in package.profiles.values() {
            features.extend(profile.features.iter().map(|feature| format!("{krate}/{feature}")));
        }
        triples.extend(package.library.iter().flat_map(|library| library.linux.iter().cloned()));
        // A package of this repository that cargo does not know is built by other means (C on the shared object).
        if catalogue.root.join("crates").join(krate).join("Cargo.toml").is_file() {
            crates.push(krate.clone());
        }
    }
    Closure::of(&catalogue.root, &crates, &features, &triples)
}
