//! What `apply` is going to do, worked out before anything is touched.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use crate::sources::hex;

/// One entry of the feed folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Entry {
    File {
        bytes: Vec<u8>,
        executable: bool,
    },
    /// To an absolute path, or as the tree's own package had it.
    Link(PathBuf),
}

/// A change to a file of the tree itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Edit {
    /// Relative to the top of the tree.
    pub(crate) path: PathBuf,
    pub(crate) before: String,
    pub(crate) after: String,
    /// It makes sense only while the feed folder stands in for a core package: not for a series against the tree.
    pub(crate) feed_only: bool,
}

#[derive(Debug, Default)]
pub(crate) struct Plan {
    /// The whole content of the feed folder, by path relative to it.
    pub(crate) feed: BTreeMap<PathBuf, Entry>,
    /// Files of the tree that change.
    pub(crate) edits: Vec<Edit>,
    /// (old package, new package), for people and for asu.
    pub(crate) changes: Vec<(String, String)>,
}

impl Plan {
    pub(crate) fn file(&mut self, path: impl AsRef<Path>, bytes: impl Into<Vec<u8>>) {
        self.feed.insert(path.as_ref().into(), Entry::File { bytes: bytes.into(), executable: false });
    }

    /// One number for everything: two plans with the same one do the same.
    pub(crate) fn fingerprint(&self) -> String {
        let mut hash = Sha256::new();
        for (path, entry) in &self.feed {
            hash.update(format!("{}\n", path.display()));
            match entry {
                Entry::File { bytes, executable } => {
                    hash.update([u8::from(*executable)]);
                    hash.update(Sha256::digest(bytes));
                }
                Entry::Link(to) => hash.update(format!("-> {}\n", to.display())),
            }
        }
        for edit in &self.edits {
            hash.update(format!("{}\n", edit.path.display()));
            hash.update(Sha256::digest(&edit.after));
        }
        hex(&hash.finalize())
    }
}

pub(crate) fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}
