//! Putting our files into a consumer's source tree: `patches/<consumer>/hook.toml` says which are copied where and what
//! text is inserted behind which. Described as data, because a patch with context would need one version per release.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct Hook {
    #[serde(default)]
    pub(crate) copy: Vec<Copy>,
    #[serde(default)]
    pub(crate) edit: Vec<Edit>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct Copy {
    pub(crate) files: Vec<String>,
    /// Folder in the consumer's tree.
    pub(crate) to: PathBuf,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct Edit {
    pub(crate) files: Vec<PathBuf>,
    pub(crate) after: String,
    pub(crate) insert: String,
    /// `insert` takes the place of `after`.
    #[serde(default)]
    pub(crate) instead: bool,
}

impl Hook {
    /// Read `dir/hook.toml`.
    pub(crate) fn read(dir: &Path) -> Result<Self> {
        let path = dir.join("hook.toml");
        let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        toml::from_str(&text).with_context(|| format!("{} is not as it should be", path.display()))
    }

    /// Put the files of `dir` into `tree`. A tree that has them already keeps one insertion and gets the newer files.
    pub(crate) fn apply(&self, dir: &Path, tree: &Path) -> Result<()> {
        for copy in &self.copy {
            for file in &copy.files {
                let (from, to) = (dir.join(file), tree.join(&copy.to).join(file));
                fs::copy(&from, &to).with_context(|| format!("cannot copy {} to {}", from.display(), to.display()))?;
            }
        }
        for edit in &self.edit {
            for file in &edit.files {
                edit.apply(&tree.join(file))?;
            }
        }
        Ok(())
    }
}

impl Edit {
    fn apply(&self, path: &Path) -> Result<()> {
        let text = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        fs::write(path, self.edited(&text).with_context(|| format!("cannot edit {}", path.display()))?)
            .with_context(|| format!("cannot write {}", path.display()))
    }

    fn edited(&self, text: &str) -> Result<String> {
        let kept = if self.instead { "" } else { self.after.as_str() };
        let new = format!("{kept}{}", self.insert);
        // Not the insertion alone: a short one may stand elsewhere in the file for another reason.
        if text.contains(&new) {
            return Ok(text.to_owned());
        }
        let Some(at) = text.find(&self.after) else {
            bail!("this text is not in it, so the release is one the hook does not know:\n{}", self.after.trim());
        };
        let (before, from) = text.split_at(at);
        Ok(format!("{before}{new}{}", &from[self.after.len()..]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::root::root;

    #[test]
    fn an_insertion_is_made_once_and_only_where_it_belongs() {
        let edit = Edit { files: vec![], after: "a\n".into(), insert: "b\n".into(), instead: false };
        assert_eq!(edit.edited("x\na\ny\n").unwrap(), "x\na\nb\ny\n");
        assert_eq!(edit.edited("x\na\nb\ny\n").unwrap(), "x\na\nb\ny\n");
        assert_eq!(edit.edited("b\na\ny\n").unwrap(), "b\na\nb\ny\n");
        assert!(edit.edited("x\n").is_err());
        assert_eq!(Edit { instead: true, ..edit }.edited("x\na\ny\n").unwrap(), "x\nb\ny\n");
    }

    #[test]
    fn every_file_that_the_hostapd_hook_copies_exists() {
        let dir = root().join("patches/hostapd");
        let hook = Hook::read(&dir).unwrap();
        let missing: Vec<_> = hook.copy.iter().flat_map(|c| &c.files).filter(|f| !dir.join(f).is_file()).collect();
        assert!(missing.is_empty(), "{missing:?}");
    }
}
