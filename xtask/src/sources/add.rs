//! `cargo xtask sources`: list, verify, add to and update images/sources.lock.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;

use super::debian::{Stanza, from_stanza, source_file};
use super::lock::{Lock, Place};
use super::{Options, Sources, sha256_file};
use crate::user_bail;

#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
    #[command(flatten)]
    options: Options,
}

#[derive(clap::Subcommand)]
enum Action {
    /// Show every source and whether it is in the cache
    List,
    /// Fetch sources (all without names) and check their hashes, also of what is in the cache already
    Verify { names: Vec<String> },
    /// Add Debian packages as the suite's signed index has them now
    Add {
        /// Suite to look in; more than one: the first that has the package
        #[arg(long = "suite", required = true)]
        suites: Vec<String>,
        #[arg(long, default_value = "amd64")]
        arch: String,
        /// Add the source package's .orig tarball instead of the binary package
        #[arg(long)]
        source: bool,
        /// Also add what the packages depend on, except what every Debian machine has, and make it a bundle
        #[arg(long)]
        bundle: Option<String>,
        /// Leave this package out of the bundle
        #[arg(long = "without")]
        without: Vec<String>,
        packages: Vec<String>,
    },
    /// Take what the suites have now for these sources
    Update { names: Vec<String> },
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let mut sources = Sources::open(&args.options)?;
    match &args.action {
        Action::List => {
            for source in sources.lock.sources.values() {
                let cached = sources.cache.file(&source.sha256, source.file_name()).exists();
                println!("{:40} {:36} {}", source.name, source.version, if cached { "cached" } else { "-" });
            }
            Ok(())
        }
        Action::Verify { names } => verify(&sources, names),
        Action::Add { suites, arch, source: true, packages, .. } => add_source(&mut sources, suites, arch, packages),
        Action::Add { suites, arch, bundle, without, packages, .. } => {
            add(&mut sources, suites, arch, bundle.as_deref(), without, packages)
        }
        Action::Update { names } => update(&mut sources, names),
    }
}

fn verify(sources: &Sources, names: &[String]) -> Result<()> {
    let all: Vec<String> = sources.lock.sources.keys().cloned().collect();
    let mut bad = 0;
    for name in if names.is_empty() { &all } else { names } {
        let source = sources.source(name)?;
        let file = sources.fetch(name)?;
        if !matches!(source.place, Place::Git { .. }) && sha256_file(&file)? != source.sha256 {
            std::fs::remove_file(&file).map_err(|e| sources.cache.unwritable(&e))?;
            eprintln!("{name}: corrupted in the cache; removed");
            bad += 1;
        }
    }
    anyhow::ensure!(bad == 0, "{bad} sources were corrupted and are removed; run again to fetch them anew");
    Ok(())
}

fn add_source(sources: &mut Sources, suites: &[String], _arch: &str, packages: &[String]) -> Result<()> {
    for package in packages {
        let found = suites.iter().find_map(|suite| {
            let index = sources.debian_index(suite, "source").ok()?;
            let of_name = index.iter().filter(|s| s.get("Package") == Some(package));
            of_name.filter_map(|s| source_file(package, suite, s, ".orig.tar")).next_back()
        });
        let Some(source) = found else { user_bail!("no source package '{package}' in {}", suites.join(", ")) };
        println!("{} {}", source.name, source.version);
        sources.lock.sources.insert(package.clone(), source);
    }
    sources.lock.save(&Lock::path())
}

fn add(
    sources: &mut Sources,
    suites: &[String],
    arch: &str,
    bundle: Option<&str>,
    without: &[String],
    packages: &[String],
) -> Result<()> {
    let mut index: BTreeMap<String, (String, Stanza)> = BTreeMap::new();
    let mut provides: BTreeMap<String, String> = BTreeMap::new();
    for suite in suites {
        for stanza in sources.debian_index(suite, &format!("binary-{arch}"))? {
            let Some(name) = stanza.get("Package").cloned() else { continue };
            for virt in names(stanza.get("Provides").map_or("", String::as_str)).into_iter().flatten() {
                provides.entry(virt).or_insert_with(|| name.clone());
            }
            index.entry(name).or_insert_with(|| (suite.clone(), stanza));
        }
    }
    let mut queue: Vec<String> = packages.to_vec();
    let mut chosen: BTreeSet<String> = BTreeSet::new();
    while let Some(package) = queue.pop() {
        let Some((_, stanza)) = index.get(&package) else {
            user_bail!("no package '{package}' for {arch} in {}", suites.join(", "))
        };
        if without.contains(&package) || (bundle.is_some() && on_every_machine(stanza)) || !chosen.insert(package) {
            continue;
        }
        if bundle.is_some() {
            for field in ["Depends", "Pre-Depends"] {
                for alternatives in names(stanza.get(field).map_or("", String::as_str)) {
                    let real = alternatives.iter().find(|name| index.contains_key(*name));
                    queue.extend(real.or_else(|| alternatives.iter().find_map(|name| provides.get(name))).cloned());
                }
            }
        }
    }
    let mut files = Vec::new();
    for package in &chosen {
        let (suite, stanza) = &index[package];
        let name = if arch == "amd64" { package.clone() } else { format!("{package}:{arch}") };
        // What another bundle has pinned stays; `update` is the verb that changes versions.
        let source = match sources.lock.sources.get(&name) {
            Some(locked) => locked.clone(),
            None => from_stanza(&name, suite, stanza)?,
        };
        println!("{name} {}", source.version);
        sources.lock.sources.insert(name.clone(), source);
        files.push(name);
    }
    if let Some(bundle) = bundle {
        sources.lock.bundles.insert(bundle.to_owned(), files);
    }
    sources.lock.save(&Lock::path())
}

/// Packages that no Debian machine is without, so that a bundle need not bring them.
fn on_every_machine(stanza: &Stanza) -> bool {
    let field = |key: &str| stanza.get(key).map_or("", String::as_str);
    let base =
        ["libc6", "libgcc-s1", "gcc-12-base", "gcc-14-base", "libstdc++6", "zlib1g", "debconf", "perl", "adduser"];
    field("Essential") == "yes" || field("Priority") == "required" || base.contains(&field("Package"))
}

/// `a (>= 1) | b, c:any` -> [[a, b], [c]].
fn names(field: &str) -> Vec<Vec<String>> {
    let clean = |name: &str| name.trim().split([' ', ':', '(', '[']).next().unwrap_or("").to_owned();
    let groups =
        field.split(',').map(|group| group.split('|').map(clean).filter(|name| !name.is_empty()).collect::<Vec<_>>());
    groups.filter(|group| !group.is_empty()).collect()
}

fn update(sources: &mut Sources, names: &[String]) -> Result<()> {
    for name in names {
        let source = sources.source(name)?.clone();
        match sources.debian_lookup(&source)? {
            None => user_bail!("{name}: its suite does not have it any more (or it is not from Debian)"),
            Some(now) if now == source => println!("{name}: {} is the newest", source.version),
            Some(now) => {
                println!("{name}: {} -> {}", source.version, now.version);
                sources.lock.sources.insert(name.clone(), now);
            }
        }
    }
    sources.lock.save(&Lock::path())
}

#[cfg(test)]
mod tests {
    #[test]
    fn dependency_fields_give_names() {
        let groups = super::names("libc6 (>= 2.36), a:any | b [amd64],c");
        assert_eq!(groups, [vec!["libc6"], vec!["a", "b"], vec!["c"]]);
    }
}
