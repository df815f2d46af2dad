//! The user's OpenWrt tree: is it one, which release, where are its packages?

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use crate::user_bail;

/// What every tree, SDK included, has at its top.
const MARKS: [&str; 3] = ["rules.mk", "include/package.mk", "scripts/feeds"];
/// Where a core package lies: in a tree, and in an SDK after `scripts/feeds update base`.
const ROOTS: [&str; 2] = ["", "feeds/base/"];

#[derive(Debug)]
pub(crate) struct Tree {
    pub(crate) top: PathBuf,
    /// As in include/version.mk: "24.10-SNAPSHOT", "SNAPSHOT".
    pub(crate) version: String,
}

impl Tree {
    /// Look at `dir`. A mistake of the caller's (not a tree, a path with white space) is said before anything is touched.
    pub(crate) fn open(dir: &Path) -> Result<Self> {
        let Ok(top) = dir.canonicalize() else { user_bail!("{}: no such directory", dir.display()) };
        if top.as_os_str().to_string_lossy().contains(char::is_whitespace) {
            user_bail!("{}: OpenWrt cannot be built in a path with white space: move the tree", top.display());
        }
        if let Some(missing) = MARKS.iter().find(|mark| !top.join(mark).exists()) {
            user_bail!("{}: not an OpenWrt tree or SDK: {missing} is missing", top.display());
        }
        let version = read(&top.join("include/version.mk")).map(|text| version(&text)).unwrap_or_default();
        Ok(Self { top, version })
    }

    /// Keep other calls of this tool away from the tree until the result is dropped. Nothing is written: the lock is on
    /// the folder itself.
    pub(crate) fn lock(&self) -> Result<File> {
        let folder = File::open(&self.top).with_context(|| format!("cannot open {}", self.top.display()))?;
        match folder.try_lock() {
            Ok(()) => Ok(folder),
            Err(TryLockError::WouldBlock) => {
                user_bail!("{}: another call is changing this tree: wait for it", self.top.display())
            }
            Err(TryLockError::Error(error)) => {
                Err(error).with_context(|| format!("cannot lock {}", self.top.display()))
            }
        }
    }

    /// The folder of a core package, for instance of `package/libs/ustream-ssl`, relative to the top.
    pub(crate) fn package(&self, core_path: &str) -> Result<PathBuf> {
        let mut tried = ROOTS.iter().map(|root| PathBuf::from(format!("{root}{core_path}")));
        match tried.find(|path| self.top.join(path).join("Makefile").is_file()) {
            Some(path) => Ok(path),
            None => user_bail!(
                "{}: no {core_path}/Makefile (in an SDK: run ./scripts/feeds update base first)",
                self.top.display()
            ),
        }
    }
}

/// The default of `VERSION_NUMBER`: `VERSION_NUMBER:=$(if $(VERSION_NUMBER),$(VERSION_NUMBER),24.10-SNAPSHOT)`.
fn version(text: &str) -> String {
    let values = text.lines().filter_map(|line| line.strip_prefix("VERSION_NUMBER:=$(if "));
    let mut last = values.filter_map(|value| value.strip_suffix(')')?.rsplit(',').next());
    last.next().unwrap_or("unknown release").to_owned()
}

pub(crate) fn read(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_release_is_the_default_in_version_mk() {
        let text = "VERSION_NUMBER:=$(call qstrip,$(CONFIG_VERSION_NUMBER))\nVERSION_NUMBER:=$(if $(VERSION_NUMBER),$(VERSION_NUMBER),24.10-SNAPSHOT)\n";
        assert_eq!(super::version(text), "24.10-SNAPSHOT");
        assert_eq!(super::version(""), "unknown release");
    }
}
