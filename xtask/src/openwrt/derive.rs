//! Working out the plan for a tree: its own packages with the rustcrypto variants added, and links to the feed's.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};

use super::journal::FEED;
use super::plan::{Edit, Entry, Plan};
use super::tree::{Tree, read};
use super::{glue, journal, twin};
use crate::catalogue::Catalogue;
use crate::catalogue::openwrt::{Group, MadeBy};

/// Behind everything a tree's own package carries.
const PATCH: &str = "patches/990-rustcrypto.patch";
const CHANGES: &str = "package-changes.json";

/// The plan for `tree`. With `defaults`, the tree's own lists of default packages change too.
pub(crate) fn plan(tree: &Tree, catalogue: &Catalogue, defaults: bool) -> Result<Plan> {
    let mut plan = Plan::default();
    let from_tree: Vec<&Group> =
        catalogue.openwrt.groups.iter().filter(|group| group.made_by == MadeBy::Tree).collect();
    let mut done: Vec<&str> = Vec::new();
    for group in &from_tree {
        let core_path = group.core_path.as_deref().expect("the catalogue checks it");
        if done.contains(&core_path) {
            continue;
        }
        done.push(core_path);
        let groups: Vec<&Group> =
            from_tree.iter().copied().filter(|other| other.core_path == group.core_path).collect();
        variant(tree, catalogue, core_path, &groups, &mut plan)?;
    }
    feed_links(&catalogue.root.join("openwrt-feed"), &mut plan)?;
    for group in catalogue.openwrt.groups.iter().filter(|group| group.made_by == MadeBy::Feed) {
        if let Some(old) = group.packages.get(&catalogue.openwrt.default_backend) {
            plan.changes.push((old.clone(), group.ours().to_owned()));
        }
    }
    plan.file(CHANGES, changes_json(&plan.changes)?);
    plan.edits.extend(followed(tree, catalogue));
    if defaults {
        plan.edits.extend(default_lists(tree, &plan.changes)?);
    }
    Ok(plan)
}

/// OpenWrt finds packages by name, but its own package/Makefile asks for the apk of the build host by folder. The feed's
/// copy hides that folder, so the line must follow it; without this nothing builds where apk is the package manager.
fn followed(tree: &Tree, catalogue: &Catalogue) -> Option<Edit> {
    let path = PathBuf::from(FOLLOWS);
    let now = read(&tree.top.join(&path)).ok()?;
    let folders = folders(catalogue);
    let before = folders.iter().fold(now, |text, (core, feed)| text.replace(feed, core));
    let after = folders.iter().fold(before.clone(), |text, (core, feed)| text.replace(core, feed));
    (before != after).then_some(Edit { path, before, after, feed_only: true })
}

const FOLLOWS: &str = "package/Makefile";

/// How make names the folder of each core package, and of the copy in the feed.
fn folders(catalogue: &Catalogue) -> Vec<(String, String)> {
    let named = |folder: &str| format!("$(curdir)/{}/", folder.trim_start_matches("package/"));
    let paths = catalogue.openwrt.groups.iter().filter_map(|group| group.core_path.as_deref());
    let copy = |core: &str| format!("{FEED}/{}", core.rsplit('/').next().expect("a path has a last part"));
    paths.map(|core| (named(core), named(&copy(core)))).collect()
}

/// `scripts/feeds clean` removes the feed folder and all that it recorded. The line that followed it is put back from
/// its own shape; says whether there was one.
pub(crate) fn unfollow(tree: &Tree, catalogue: &Catalogue) -> Result<bool> {
    let path = tree.top.join(FOLLOWS);
    let Ok(now) = read(&path) else { return Ok(false) };
    let before = folders(catalogue).iter().fold(now.clone(), |text, (core, feed)| text.replace(feed, core));
    if now != before {
        journal::replace(&path, &before)?;
    }
    Ok(now != before)
}

/// One core package: copied whole, its Makefile with the variants, its patches with the glue.
fn variant(tree: &Tree, catalogue: &Catalogue, core_path: &str, groups: &[&Group], plan: &mut Plan) -> Result<()> {
    let package = tree.package(core_path)?;
    let name = PathBuf::from(package.file_name().expect("it is a package's folder"));
    copy(&tree.top.join(&package), &name, plan)?;

    let makefile = tree.top.join(&package).join("Makefile");
    let shown = package.join("Makefile");
    let consumer = catalogue.package(&groups[0].package)?;
    let glue_name = consumer.backends.get("rustcrypto").and_then(|backend| backend.patches.clone());
    let glue_name =
        glue_name.with_context(|| format!("recipes/{}.toml names no patches for rustcrypto", consumer.name))?;
    let glue_dir = catalogue.root.join("patches").join(glue_name);
    let extra = refused(&glue_dir)?;
    let provides: Vec<String> = groups.iter().flat_map(|group| group.provides.clone()).collect();
    let derived = twin::derive(&read(&makefile)?, &provides, &extra).with_context(|| {
        format!("{}: nothing was changed. This tool does not know the shape of this file", shown.display())
    })?;
    for group in groups {
        ensure!(
            derived.packages.iter().any(|(_, ours)| ours == group.ours()),
            "{}: nothing was changed. It has no package that {} could be derived from",
            shown.display(),
            group.ours()
        );
    }
    plan.file(name.join("Makefile"), derived.text);
    plan.file(name.join(PATCH), glue::patch(&glue_dir)?);
    plan.changes.extend(derived.packages);
    Ok(())
}

/// What the backend refuses at configure time, as make arguments that switch it off: OpenWrt's full variants ask for
/// some of it. Read from the refusals themselves: `$(error ...: Unset CONFIG_X and CONFIG_Y; ...)`.
fn refused(glue_dir: &Path) -> Result<Vec<String>> {
    let path = glue_dir.join("rustcrypto.mk");
    if !path.exists() {
        return Ok(Vec::new());
    }
    let text = read(&path)?;
    let unset = text.lines().filter(|line| line.starts_with("$(error ")).filter_map(|line| line.split_once("Unset "));
    let words = unset.flat_map(|(_, list)| list.split([';', '.', ')']).next().unwrap_or_default().split([' ', ',']));
    Ok(words.filter(|word| word.starts_with("CONFIG_")).map(|word| format!("{word}=")).collect())
}

fn copy(from: &Path, to: &Path, plan: &mut Plan) -> Result<()> {
    for entry in walkdir::WalkDir::new(from).sort_by_file_name() {
        let entry = entry.with_context(|| format!("cannot read {}", from.display()))?;
        let relative = to.join(entry.path().strip_prefix(from).expect("walkdir stays inside"));
        let kind = entry.file_type();
        if kind.is_symlink() {
            plan.feed.insert(relative, Entry::Link(fs::read_link(entry.path())?));
        } else if kind.is_file() {
            let bytes = fs::read(entry.path()).with_context(|| format!("cannot read {}", entry.path().display()))?;
            let executable = entry.metadata()?.permissions().mode() & 0o111 != 0;
            plan.feed.insert(relative, Entry::File { bytes, executable });
        }
    }
    Ok(())
}

/// The feed's own packages, linked as `scripts/feeds install` links them: they find their source by their real place.
fn feed_links(feed: &Path, plan: &mut Plan) -> Result<()> {
    for entry in walkdir::WalkDir::new(feed).sort_by_file_name() {
        let entry = entry.with_context(|| format!("cannot read {}: run cargo xtask generate", feed.display()))?;
        let path = entry.path();
        if entry.file_type().is_dir() && path.join("Makefile").is_file() {
            plan.feed.insert(entry.file_name().into(), Entry::Link(path.to_owned()));
        }
    }
    Ok(())
}

/// The map that attended sysupgrade (asu, owut) reads: which package stands for which.
fn changes_json(changes: &[(String, String)]) -> Result<String> {
    let list: Vec<_> = changes
        .iter()
        .map(|(old, new)| serde_json::json!({ "source": old, "target": new, "mandatory": true }))
        .collect();
    Ok(serde_json::to_string_pretty(&serde_json::json!({ "package_changes": list }))? + "\n")
}

/// Every list of default packages in the tree, with the new names.
fn default_lists(tree: &Tree, changes: &[(String, String)]) -> Result<Vec<Edit>> {
    let mut edits = Vec::new();
    for folder in ["include", "config", "target/linux"] {
        for entry in walkdir::WalkDir::new(tree.top.join(folder)).sort_by_file_name().into_iter().filter_map(Result::ok)
        {
            let name = entry.file_name().to_string_lossy();
            let is_list = name == "Makefile" || [".mk", ".in"].iter().any(|end| name.ends_with(end));
            if !entry.file_type().is_file() || !is_list {
                continue;
            }
            let path = entry.path().strip_prefix(&tree.top).expect("walkdir stays inside").to_owned();
            // an earlier apply may stand: plan from what was there before it
            let before = match journal::original(&tree.top, &path) {
                Some(text) => text,
                None => read(entry.path())?,
            };
            let after = changes.iter().fold(before.clone(), |text, (old, new)| replace_word(&text, old, new));
            if before != after {
                edits.push(Edit { path, before, after, feed_only: false });
            }
        }
    }
    Ok(edits)
}

/// `old` as a whole package name, alone or behind `PACKAGE_`.
fn replace_word(text: &str, old: &str, new: &str) -> String {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(old) {
        let (before, from) = rest.split_at(at);
        let behind = &from[old.len()..];
        out.push_str(before);
        let whole = !out.ends_with(is_name) && !behind.starts_with(is_name);
        out.push_str(if whole { new } else { old });
        rest = behind;
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::root::root;

    #[test]
    fn only_whole_names_are_replaced() {
        let text = "a-mbedtls xa-mbedtls a-mbedtls-y\n\timply PACKAGE_a-mbedtls\n";
        assert_eq!(replace_word(text, "a-mbedtls", "N"), "N xa-mbedtls a-mbedtls-y\n\timply PACKAGE_N\n");
    }

    #[test]
    fn what_hostapd_refuses_is_switched_off() {
        let off = refused(&root().join("patches/hostapd")).unwrap();
        for name in ["CONFIG_EAP_FAST=", "CONFIG_EAP_TEAP=", "CONFIG_DPP3="] {
            assert!(off.iter().any(|flag| flag == name), "{name} is not in {off:?}");
        }
        assert!(!off.iter().any(|flag| ["CONFIG_DPP=", "CONFIG_DPP2="].contains(&flag.as_str())), "DPP itself works");
    }
}
