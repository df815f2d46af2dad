//! `cargo xtask openwrt`: switch an OpenWrt tree to librustcrypto, or take it back.
//!
//! `apply` copies the packages that come in one variant per TLS library out of the tree itself, adds the rustcrypto
//! variants, and puts them where OpenWrt looks for feeds: they stand in for the core packages, so versions and patches
//! are always the tree's own. One folder holds all of it; `revert` removes it.

pub(crate) mod build;
#[cfg(test)]
mod build_tests;
mod collect;
mod derive;
mod diff;
#[cfg(test)]
mod fixture;
mod glue;
mod journal;
mod kconfig;
mod makefile;
mod plan;
mod proof;
mod rootfs;
mod series;
#[cfg(test)]
mod tests;
mod tree;
mod twin;

use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::catalogue::Catalogue;
use crate::root::root;
use crate::user_bail;
use journal::FEED;
use plan::Plan;
use tree::Tree;

#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(clap::Subcommand)]
enum Action {
    /// Add the rustcrypto variants to a tree
    Apply {
        #[command(flatten)]
        tree: TreeArg,
        /// Also change the tree's lists of default packages (files that git tracks), as the `ImageBuilder` needs it
        #[arg(long)]
        defaults: bool,
        /// Say what would be done, touch nothing
        #[arg(long)]
        dry_run: bool,
    },
    /// Take everything back
    Revert {
        #[command(flatten)]
        tree: TreeArg,
        /// Also where files in the feed folder were changed since: those changes are lost
        #[arg(long)]
        discard: bool,
    },
    /// Say what stands in the tree, and list every file
    Status {
        #[command(flatten)]
        tree: TreeArg,
        /// As JSON on standard output
        #[arg(long)]
        json: bool,
    },
    /// Print the same change as a series of patches against the tree, for `git am`
    Patch {
        #[command(flatten)]
        tree: TreeArg,
    },
}

#[derive(clap::Args)]
struct TreeArg {
    /// An OpenWrt tree or SDK
    #[arg(long = "tree", value_name = "DIR")]
    dir: PathBuf,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    match &args.action {
        Action::Apply { tree, defaults, dry_run } => {
            let tree = Tree::open(&tree.dir)?;
            let catalogue = Catalogue::load(&root())?;
            if *dry_run {
                print_plan(&tree, &derive::plan(&tree, &catalogue, *defaults)?);
                return Ok(());
            }
            match apply(&tree, &catalogue, *defaults)? {
                Applied::Now => eprintln!("applied: set CONFIG_{}=y, then make defconfig", catalogue.openwrt.kconfig),
                Applied::Before => eprintln!("already applied: nothing to do"),
            }
            Ok(())
        }
        Action::Revert { tree, discard } => {
            let tree = Tree::open(&tree.dir)?;
            let _lock = tree.lock()?;
            recover(&tree)?;
            let done = journal::revert(&tree.top, *discard)? || derive::unfollow(&tree, &Catalogue::load(&root())?)?;
            eprintln!("{}", if done { "reverted" } else { "nothing to revert" });
            Ok(())
        }
        Action::Status { tree, json } => status(&Tree::open(&tree.dir)?, *json),
        Action::Patch { tree } => {
            let tree = Tree::open(&tree.dir)?;
            let plan = derive::plan(&tree, &Catalogue::load(&root())?, true)?;
            print!("{}", series::series(&tree, &plan)?);
            Ok(())
        }
    }
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Applied {
    Now,
    Before,
}

/// Bring `tree` into the state that this checkout would make, from any state this tool knows.
pub(crate) fn apply(tree: &Tree, catalogue: &Catalogue, defaults: bool) -> Result<Applied> {
    if catalogue.root.to_string_lossy().contains(char::is_whitespace) {
        user_bail!("{}: OpenWrt's build cannot use a checkout in a path with white space", catalogue.root.display());
    }
    let _lock = tree.lock()?;
    recover(tree)?;
    let before = journal::state(&tree.top)?;
    let plan = derive::plan(tree, catalogue, defaults)?;
    match before {
        Some(state) if state.fingerprint == plan.fingerprint() => return Ok(Applied::Before),
        Some(_) => drop(journal::revert(&tree.top, false)?),
        None => {}
    }
    journal::apply(&tree.top, &plan, None)?;
    Ok(Applied::Now)
}

fn recover(tree: &Tree) -> Result<()> {
    if let Some(what) = journal::recover(&tree.top)? {
        eprintln!("{what}");
    }
    Ok(())
}

fn print_plan(tree: &Tree, plan: &Plan) {
    eprintln!("{} (OpenWrt {}): would write under {FEED}:", tree.top.display(), tree.version);
    for path in plan.feed.keys() {
        eprintln!("  {}", path.display());
    }
    for edit in &plan.edits {
        eprintln!("would change {}", edit.path.display());
    }
    for (old, new) in &plan.changes {
        eprintln!("{old} -> {new}");
    }
}

fn status(tree: &Tree, json: bool) -> Result<()> {
    let state = journal::state(&tree.top)?;
    let files = files(&tree.top.join(FEED));
    if json {
        let edited: Vec<_> = state.iter().flat_map(|state| &state.edited).map(|edited| &edited.path).collect();
        let changes = state.as_ref().map(|state| &state.changes);
        let value = serde_json::json!({ "schema": 1, "tree": tree.top, "version": tree.version, "applied": state.is_some(),
            "feed": FEED, "files": files, "edited": edited, "changes": changes });
        println!("{}", serde_json::to_string_pretty(&value)?);
        return Ok(());
    }
    let Some(state) = state else {
        eprintln!("{} (OpenWrt {}): not applied", tree.top.display(), tree.version);
        return Ok(());
    };
    eprintln!("{} (OpenWrt {}): applied", tree.top.display(), tree.version);
    for file in &files {
        eprintln!("  added   {FEED}/{}", file.display());
    }
    for edited in &state.edited {
        eprintln!("  changed {}", edited.path.display());
    }
    for (old, new) in &state.changes {
        eprintln!("  {old} -> {new}");
    }
    Ok(())
}

fn files(dir: &Path) -> Vec<PathBuf> {
    let entries = walkdir::WalkDir::new(dir).sort_by_file_name().into_iter().filter_map(Result::ok);
    entries
        .filter(|entry| !entry.file_type().is_dir())
        .filter_map(|entry| entry.path().strip_prefix(dir).ok().map(Path::to_owned))
        .collect()
}
