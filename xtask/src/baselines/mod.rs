//! The libraries that ours is measured against, built from source with a target's toolchain and kept in the cache.

mod recipe;
mod system;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::sources::Sources;
use crate::toolchain::Toolchain;
pub(crate) use recipe::names;

/// A built library: `lib/`, `include/`, `lib/pkgconfig/` under `dir`, which may not be written to.
#[derive(Clone, Debug)]
pub(crate) struct Prefix {
    pub(crate) dir: PathBuf,
    /// For reports: `Mbed TLS`'s source version and how it was built.
    pub(crate) version: String,
    /// Stripped shared objects to install in an image, each under its SONAME.
    pub(crate) files: Vec<PathBuf>,
}

/// Build `name` (a file of recipes/baselines/) for the toolchain's target, or take it from the cache.
pub(crate) fn build(sources: &Sources, name: &str, toolchain: &Toolchain) -> Result<Prefix> {
    let recipe = recipe::load(name)?;
    let identity = sources.identity(&recipe.source)?;
    // The compiler's path holds the hash of all that the toolchain is.
    let key = format!("{identity}\n{recipe:?}\n{}\n{}", toolchain.triple, toolchain.cc.display());
    let kept = sources.cache.made_path("baseline", &key);
    if !kept.is_dir() {
        eprintln!("building {name} {} for {} ...", sources.version(&recipe.source)?, toolchain.triple);
        sources.tree(&recipe.source)?; // fetched before the lock of the build is taken
    }
    let dir = sources.cache.made("baseline", &key, |part| {
        let build = part.join("build");
        sources.unpack(&recipe.source, &build)?;
        let system = system::Build { sources, recipe: &recipe, toolchain, source: &build, install: part, name };
        system.run()?;
        fs::remove_dir_all(&build)?;
        for pc in &recipe.pkg_config {
            if !part.join(format!("lib/pkgconfig/{pc}.pc")).exists() {
                bail!("{name}: the build installed no {pc}.pc, which recipes/baselines/{name}.toml names");
            }
        }
        relocate_pkg_config(&part.join("lib/pkgconfig"))
    })?;
    Ok(Prefix { files: installed(&dir, &recipe.install)?, version: sources.version(&recipe.source)?.to_owned(), dir })
}

/// The real files behind the patterns, each once (a link and its target have one entry: the name the loader asks for).
fn installed(dir: &Path, patterns: &[String]) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for pattern in patterns {
        let path = dir.join(pattern.trim_end_matches('*'));
        let (folder, start) = (path.parent().context("a pattern has a folder")?, path.file_name().unwrap_or_default());
        let entries = fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
        for entry in entries {
            let entry = entry?;
            let name = entry.file_name();
            if !name.to_string_lossy().starts_with(&*start.to_string_lossy()) || name.to_string_lossy().ends_with(".la")
            {
                continue;
            }
            let soname = crate::elf::dynamic(&entry.path())?.soname;
            if soname.is_none_or(|soname| name.to_string_lossy() == soname) {
                files.push(entry.path());
            }
        }
    }
    if files.is_empty() {
        bail!("{} has none of {}", dir.display(), patterns.join(", "));
    }
    files.sort();
    Ok(files)
}

/// Let .pc files find their prefix from where they lie: the directory is renamed into the cache after the build.
pub(crate) fn relocate_pkg_config(dir: &Path) -> Result<()> {
    let Ok(entries) = fs::read_dir(dir) else { return Ok(()) };
    for entry in entries {
        let path = entry?.path();
        let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let lines = text.lines().map(|line| match line.split_once('=') {
            Some(("prefix", _)) => "prefix=${pcfiledir}/../..".to_owned(),
            Some(("exec_prefix", _)) => "exec_prefix=${prefix}".to_owned(),
            Some(("libdir", _)) => "libdir=${prefix}/lib".to_owned(),
            Some(("includedir", _)) => "includedir=${prefix}/include".to_owned(),
            _ => line.to_owned(),
        });
        fs::write(&path, lines.collect::<Vec<_>>().join("\n") + "\n")?;
    }
    Ok(())
}
