//! The plan as a series of patches against the tree, in the form `git am` reads.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use super::diff::unified;
use super::plan::{Entry, Plan};
use super::tree::Tree;

/// One patch per package, then one for the tree's own files. The feed's packages are not in it: they are a feed.
pub(crate) fn series(tree: &Tree, plan: &Plan) -> Result<String> {
    let mut patches: Vec<(String, String)> = Vec::new();
    let mut packages: BTreeMap<&Path, Vec<(&Path, &Entry)>> = BTreeMap::new();
    for (path, entry) in &plan.feed {
        let name = Path::new(path.iter().next().expect("no path is empty"));
        if path != name {
            packages.entry(name).or_default().push((path.strip_prefix(name).expect("just split off"), entry));
        }
    }
    for (name, files) in packages {
        let core = core_folder(tree, name)?;
        let mut diff = String::new();
        for (path, entry) in files {
            let Entry::File { bytes, .. } = entry else { continue };
            let old = std::fs::read(tree.top.join(&core).join(path)).ok();
            if old.as_deref() == Some(bytes) {
                continue;
            }
            let new = std::str::from_utf8(bytes).with_context(|| format!("{} is not text", path.display()))?;
            let shown = core.join(path).display().to_string();
            if let Some(old) = old {
                diff += &unified(&shown, &String::from_utf8_lossy(&old), new);
            } else {
                let body = super::glue::new_file(Path::new(&shown), new);
                let _ = write!(diff, "diff --git a/{shown} b/{shown}\nnew file mode 100644\n{body}");
            }
        }
        patches.push((format!("{}: add variants on librustcrypto", name.display()), diff));
    }
    let edits: String = plan
        .edits
        .iter()
        .filter(|edit| !edit.feed_only)
        .map(|edit| unified(&edit.path.display().to_string(), &edit.before, &edit.after))
        .collect();
    if !edits.is_empty() {
        patches.push(("treewide: make the librustcrypto variants the default".into(), edits));
    }
    let total = patches.len();
    let mut out = String::new();
    for (index, (subject, diff)) in patches.iter().enumerate() {
        let _ = write!(
            out,
            "From 0000000000000000000000000000000000000000 Mon Sep 17 00:00:00 2001\nFrom: rustcrypto for distributions <rustcrypto@localhost>\nDate: Thu, 1 Jan 1970 00:00:00 +0000\nSubject: [PATCH {}/{total}] {subject}\n\nMade by cargo xtask openwrt patch; librustcrypto itself comes from its feed.\n---\n{diff}-- \n\n",
            index + 1
        );
    }
    Ok(out)
}

/// Where the core package `name` lies in the tree.
fn core_folder(tree: &Tree, name: &Path) -> Result<PathBuf> {
    let mut found = walkdir::WalkDir::new(tree.top.join("package")).max_depth(5).into_iter().filter_map(Result::ok);
    let package = found.find(|entry| {
        entry.file_name() == name
            && entry.path().join("Makefile").is_file()
            && !entry.path().starts_with(tree.top.join("package/feeds"))
    });
    let package = package.with_context(|| format!("no package {} in the tree", name.display()))?;
    Ok(package.path().strip_prefix(&tree.top).expect("walkdir stays inside").to_owned())
}
