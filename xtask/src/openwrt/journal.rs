//! Carrying a plan out so that it is done whole or not at all, and taking it back.
//!
//! Everything new is put into one staging folder at the top of the tree first. Then the tree's own files are changed
//! one by one, each by a rename, their originals kept; then one rename puts the feed folder in its place, and that is
//! the moment the change counts as made. Whatever an interrupted run left, the next call takes back or tidies up.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use serde::{Deserialize, Serialize};

use super::plan::{Edit, Entry, Plan, sha256};
use crate::user_bail;

/// The folder that holds all of it. OpenWrt scans it as a feed, and its .gitignore leaves it out.
pub(crate) const FEED: &str = "package/feeds/rustcrypto_tree";
const STAGING: &str = ".rustcrypto-staging";
/// Inside the feed folder, and inside the staging folder: what was done.
const STATE: &str = ".apply.json";
const ORIGINALS: &str = ".originals";

/// What `apply` wrote down.
#[derive(Debug, Serialize, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct State {
    pub(crate) fingerprint: String,
    /// Files of the tree that were changed.
    pub(crate) edited: Vec<Edited>,
    /// Folders above the feed folder that were not there before, innermost first.
    pub(crate) made: Vec<PathBuf>,
    /// What was written into the feed folder, with its sha256; links are not in it.
    #[serde(default)]
    pub(crate) files: BTreeMap<PathBuf, String>,
    pub(crate) changes: Vec<(String, String)>,
}

#[derive(Debug, Serialize, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct Edited {
    pub(crate) path: PathBuf,
    pub(crate) sha256_before: String,
    pub(crate) sha256_after: String,
}

/// What stands in the tree, if anything.
pub(crate) fn state(top: &Path) -> Result<Option<State>> {
    let path = top.join(FEED).join(STATE);
    match fs::read(&path) {
        Ok(bytes) => {
            let state = serde_json::from_slice(&bytes).with_context(|| format!("{} is damaged", path.display()))?;
            Ok(Some(state))
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {
            if top.join(FEED).exists() {
                user_bail!("{FEED} is there, but this tool did not make it: move it away");
            }
            Ok(None)
        }
        Err(error) => Err(error).with_context(|| format!("cannot read {}", path.display())),
    }
}

/// The original text of an edited file.
pub(crate) fn original(top: &Path, path: &Path) -> Option<String> {
    fs::read_to_string(top.join(FEED).join(ORIGINALS).join(path)).ok()
}

/// Carry `plan` out. `stop_before` is for tests: pretend the machine died before that step.
pub(crate) fn apply(top: &Path, plan: &Plan, stop_before: Option<Step>) -> Result<()> {
    let staging = top.join(STAGING);
    let made = missing_parents(top);
    let state = State {
        fingerprint: plan.fingerprint(),
        edited: plan.edits.iter().map(edited).collect(),
        made,
        files: plan.feed.iter().filter_map(written).collect(),
        changes: plan.changes.clone(),
    };
    for (path, entry) in &plan.feed {
        write(&staging.join("feed").join(path), entry)?;
    }
    for edit in &plan.edits {
        let entry = Entry::File { bytes: edit.before.clone().into_bytes(), executable: false };
        write(&staging.join("feed").join(ORIGINALS).join(&edit.path), &entry)?;
    }
    let record = Entry::File { bytes: serde_json::to_vec_pretty(&state)?, executable: false };
    write(&staging.join("feed").join(STATE), &record)?;
    for edit in &plan.edits {
        stop(stop_before, Step::Edit)?;
        replace(&top.join(&edit.path), &edit.after)?;
        let now = fs::read_to_string(top.join(&edit.path))?;
        if now != edit.after {
            bail!("{} does not hold what was written to it", edit.path.display());
        }
    }
    stop(stop_before, Step::Commit)?;
    fs::create_dir_all(top.join(FEED).parent().expect("it has one")).context("cannot make package/feeds")?;
    fs::rename(staging.join("feed"), top.join(FEED)).with_context(|| format!("cannot put {FEED} in its place"))?;
    stop(stop_before, Step::Tidy)?;
    remove(&staging)
}

/// The steps at which a run can be cut off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    Edit,
    Commit,
    Tidy,
}

fn stop(stop_before: Option<Step>, step: Step) -> Result<()> {
    match stop_before {
        Some(at) if at == step => bail!("stopped before {step:?}"),
        _ => Ok(()),
    }
}

/// Take back, or finish, what an interrupted run left. Says what it did.
pub(crate) fn recover(top: &Path) -> Result<Option<&'static str>> {
    let staging = top.join(STAGING);
    if !staging.exists() {
        return Ok(None);
    }
    let record = staging.join("feed").join(STATE);
    let took_back = match fs::read(&record) {
        Ok(bytes) => {
            // an unreadable record was being written: nothing in the tree had been touched yet
            if let Ok(state) = serde_json::from_slice::<State>(&bytes) {
                restore(top, &staging.join("feed").join(ORIGINALS), &state)?;
            }
            true
        }
        Err(_) => staging.join("feed").exists(),
    };
    remove(&staging)?;
    Ok(Some(if took_back { "took back an interrupted apply" } else { "tidied up after an interrupted call" }))
}

/// Undo what `apply` did. Refuses, before touching anything, if a file was changed since; with `discard`, such changes in
/// the feed folder are lost.
pub(crate) fn revert(top: &Path, discard: bool) -> Result<bool> {
    let Some(state) = state(top)? else { return Ok(false) };
    let mine = changed(top, &state);
    if !discard && !mine.is_empty() {
        user_bail!(
            "nothing reverted, because this would lose what was changed after apply: {}. Make the change in the tree's own package, \
             or copy it away; then openwrt revert --discard",
            mine.join(", ")
        );
    }
    for edited in &state.edited {
        let now = sha256(
            &fs::read(top.join(&edited.path)).with_context(|| format!("cannot read {}", edited.path.display()))?,
        );
        if now != edited.sha256_after && now != edited.sha256_before {
            user_bail!(
                "{} was changed after apply: nothing reverted; undo your change, or copy the original from {FEED}/{ORIGINALS}",
                edited.path.display()
            );
        }
    }
    restore(top, &top.join(FEED).join(ORIGINALS), &state)?;
    // out of make's sight in one step, then gone
    let staging = top.join(STAGING);
    fs::create_dir_all(&staging).context("cannot make the staging folder")?;
    fs::rename(top.join(FEED), staging.join("old")).with_context(|| format!("cannot move {FEED} away"))?;
    for folder in &state.made {
        // a folder that something else uses by now stays
        let _ = fs::remove_dir(top.join(folder));
    }
    remove(&staging)?;
    Ok(true)
}

fn restore(top: &Path, originals: &Path, state: &State) -> Result<()> {
    for edited in &state.edited {
        let path = top.join(&edited.path);
        let _ = fs::remove_file(replacement(&path));
        let now = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
        if sha256(&now) == edited.sha256_after {
            let text = fs::read_to_string(originals.join(&edited.path))?;
            replace(&path, &text)?;
        }
    }
    Ok(())
}

fn written((path, entry): (&PathBuf, &Entry)) -> Option<(PathBuf, String)> {
    match entry {
        Entry::File { bytes, .. } => Some((path.clone(), sha256(bytes))),
        Entry::Link(_) => None,
    }
}

/// Files of the feed folder that are not as they were written, or were not written by this tool.
fn changed(top: &Path, state: &State) -> Vec<String> {
    let feed = top.join(FEED);
    let entries = walkdir::WalkDir::new(&feed).sort_by_file_name().into_iter().filter_map(Result::ok);
    let files = entries.filter(|entry| entry.file_type().is_file()).filter_map(|entry| {
        let path = entry.path().strip_prefix(&feed).ok()?.to_owned();
        let own = path == Path::new(STATE) || path.starts_with(ORIGINALS);
        let same = || fs::read(entry.path()).is_ok_and(|bytes| state.files.get(&path) == Some(&sha256(&bytes)));
        (!own && !same()).then(|| format!("{FEED}/{}", path.display()))
    });
    // a record of before there was such a list
    if state.files.is_empty() { Vec::new() } else { files.collect() }
}

fn edited(edit: &Edit) -> Edited {
    Edited {
        path: edit.path.clone(),
        sha256_before: sha256(edit.before.as_bytes()),
        sha256_after: sha256(edit.after.as_bytes()),
    }
}

fn missing_parents(top: &Path) -> Vec<PathBuf> {
    let parents = Path::new(FEED).ancestors().skip(1).filter(|path| !path.as_os_str().is_empty());
    parents.filter(|path| !top.join(path).exists()).map(Path::to_owned).collect()
}

fn write(path: &Path, entry: &Entry) -> Result<()> {
    let context = || format!("cannot write {}", path.display());
    fs::create_dir_all(path.parent().expect("it is in a folder")).with_context(context)?;
    match entry {
        Entry::Link(to) => symlink(to, path).with_context(context),
        Entry::File { bytes, executable } => {
            fs::write(path, bytes).with_context(context)?;
            let mode = if *executable { 0o755 } else { 0o644 };
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).with_context(context)
        }
    }
}

/// New content under the old name, with the old mode.
pub(crate) fn replace(path: &Path, text: &str) -> Result<()> {
    let context = || format!("cannot write {}", path.display());
    let mode = fs::metadata(path).with_context(context)?.permissions();
    let new = replacement(path);
    fs::write(&new, text).with_context(context)?;
    fs::set_permissions(&new, mode).with_context(context)?;
    fs::rename(&new, path).with_context(context)
}

/// Where a file's new content is written before it takes the name.
fn replacement(path: &Path) -> PathBuf {
    path.with_file_name(format!(".{}.rustcrypto-new", path.file_name().unwrap_or_default().display()))
}

fn remove(path: &Path) -> Result<()> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove {}", path.display()))
        }
        _ => Ok(()),
    }
}
