//! `cargo xtask recipe`: Write a BitBake recipe and crates.inc for any cargo project.
//!
//! Takes the place of cargo-bitbake: every crate with its sha256, lock formats 3 and 4, members of workspaces, no network,
//! no git remote needed. The crates are those of the whole Cargo.lock, as `bitbake -c update_crates` writes them: cargo
//! refuses a lock with a package missing, so a shorter list would not build.

mod manifest;
mod source;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use anyhow::Result;
use serde_json::json;

use crate::generate::lock::Lock;
use crate::generate::{render_one, replace};
use crate::user_bail;
use manifest::Project;
use source::{Git, bitbake_uri};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Folder of the crate (with its Cargo.toml)
    crate_dir: PathBuf,
    /// Where to write `NAME_VERSION.bb` and NAME-crates.inc
    #[arg(long, short, default_value = ".")]
    output: PathBuf,
    /// Print what was written as JSON
    #[arg(long)]
    json: bool,
}

/// What one crate became.
#[derive(Debug, serde::Serialize)]
struct Written {
    name: String,
    version: String,
    recipe: PathBuf,
    crates_inc: PathBuf,
    crates: usize,
    /// What a person must look at.
    notes: Vec<String>,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let written = write(&args.crate_dir, &args.output)?;
    for note in &written.notes {
        eprintln!("note: {note}");
    }
    if args.json {
        println!("{}", serde_json::to_string_pretty(&written)?);
    } else {
        println!("{}\n{} ({} crates)", written.recipe.display(), written.crates_inc.display(), written.crates);
    }
    Ok(())
}

fn write(crate_dir: &Path, output: &Path) -> Result<Written> {
    let project = Project::read(crate_dir)?;
    let lock_path = project.workspace.join("Cargo.lock");
    if !lock_path.is_file() {
        user_bail!(
            "{} has no Cargo.lock; run `cargo generate-lockfile` there and commit it",
            project.workspace.display()
        );
    }
    let lock = Lock::read(&lock_path)?;
    if !lock.packages.iter().any(|package| package.name == project.name && package.source.is_none()) {
        user_bail!(
            "{} does not name the crate {}; run `cargo update --workspace` there",
            lock_path.display(),
            project.name
        );
    }
    let mut notes = project.notes.clone();
    let git = Git::of(&project.workspace, crate_dir, project.repository.as_deref());
    if git.is_none() {
        notes.push(
            "no git remote and no .cargo_vcs_info.json: the recipe builds from this folder (externalsrc)".to_string(),
        );
    }
    let mut dependencies = Vec::new();
    for package in lock.packages.iter().filter(|package| !package.is_crates_io()) {
        let Some(source) = package.git_source() else {
            if package.source.is_some() {
                user_bail!(
                    "{}: {} comes from another registry, which BitBake cannot fetch",
                    lock_path.display(),
                    package.name
                );
            }
            continue;
        };
        let (uri, revision) = source.trim_start_matches("git+").split_once('#').unwrap_or((source, ""));
        let uri = bitbake_uri(uri.split('?').next().unwrap_or(uri), None);
        if dependencies.iter().any(|other: &serde_json::Value| other["uri"] == uri.as_str()) {
            notes.push(format!(
                "{} shares a git repository with another crate: add ;subdir= to its SRC_URI",
                package.name
            ));
        }
        dependencies.push(json!({ "name": package.name, "uri": uri, "revision": revision }));
    }
    let prefix = git.as_ref().map_or(String::new(), |git| git.prefix.clone());
    let pn = project.name.replace('_', "-");
    let values = json!({
        "pn": pn,
        "summary": project.summary,
        "homepage": project.homepage,
        "section": project.bitbake.section,
        "license": project.license,
        "license_files": project.license_files.iter().map(|file| format!("{prefix}{file}")).collect::<Vec<_>>(),
        "git": git,
        "folder": std::path::absolute(&project.workspace)?,
        "git_dependencies": dependencies,
        "inherit": project.bitbake.inherit,
        "requires": project.bitbake.requires,
        "source_folder": prefix.trim_end_matches('/'),
        "member": project.is_member.then_some(&project.name),
        "depends": project.bitbake.depends,
        "rdepends": project.bitbake.rdepends,
    });
    let template = include_str!("../../../recipes/templates/importer/recipe.bb");
    let recipe =
        render_one(Path::new("recipes/templates/importer/recipe.bb"), template, &tera::Context::from_value(values)?)?;
    let crates_inc = lock.crates_inc(&pn, &format!("{prefix}Cargo.lock"))?;
    let written = Written {
        recipe: output.join(format!("{pn}_{}.bb", project.version)),
        crates_inc: output.join(format!("{pn}-crates.inc")),
        crates: lock.packages.iter().filter(|package| package.is_crates_io()).count(),
        name: pn,
        version: project.version,
        notes,
    };
    replace(&written.crates_inc, &crates_inc)?;
    replace(&written.recipe, &recipe)?;
    Ok(written)
}
