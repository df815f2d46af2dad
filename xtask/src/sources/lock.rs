//! `images/sources.lock`: what every external source is, and how its bytes are known to be the right ones.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use crate::user_bail;

const HEADER: &str = "# Every external source, by name. `cargo xtask sources add|update` writes this file; the cache checks the sha256.\n\
# A Debian file is fetched from the mirror that the machine's own apt configuration names.\n\n";

/// Where a source comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// A pool file of a Debian suite; `path` starts with `pool/`.
    Debian { suite: String, path: String },
    /// A file of a Python project, fetched by pip under the source's name and version.
    Pypi { file: String },
    /// A revision (full commit id) of a git repository.
    Git { url: String, rev: String },
    /// A plain file of a project's own site; tried last, and only needed for what no registry carries.
    Url { url: String },
}

/// One source, validated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Source {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) place: Place,
    /// Lower-case hex; empty for git, whose revision is its own hash.
    pub(crate) sha256: String,
    /// Bytes; 0 = not known.
    pub(crate) size: u64,
}

impl Source {
    /// The last part of the path: what the file is called in the cache.
    pub(crate) fn file_name(&self) -> &str {
        match &self.place {
            Place::Debian { path, .. } => path.rsplit('/').next().unwrap_or(path),
            Place::Pypi { file } => file,
            Place::Git { .. } => &self.name,
            Place::Url { url } => url.rsplit('/').next().unwrap_or(url),
        }
    }
}

/// The whole file: sources by name, and bundles (Debian packages that are unpacked into one private prefix).
#[derive(Debug, Default)]
pub(crate) struct Lock {
    pub(crate) sources: BTreeMap<String, Source>,
    pub(crate) bundles: BTreeMap<String, Vec<String>>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct RawLock {
    #[serde(default)]
    bundle: BTreeMap<String, RawBundle>,
    #[serde(default)]
    source: Vec<RawSource>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct RawBundle {
    files: Vec<String>,
}

#[derive(Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct RawSource {
    name: String,
    version: String,
    from: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    suite: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rev: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sha256: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<u64>,
}

impl Lock {
    /// The committed lock of this checkout.
    pub(crate) fn path() -> PathBuf {
        crate::root::root().join("images/sources.lock")
    }

    pub(crate) fn load(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        Self::parse(&text, path)
    }

    fn parse(text: &str, path: &Path) -> Result<Self> {
        let raw: RawLock = match toml::from_str(text) {
            Ok(raw) => raw,
            Err(error) => user_bail!("{}: {error}", path.display()),
        };
        let mut lock = Lock::default();
        for raw in raw.source {
            let source = raw.validate(path)?;
            if let Some(twice) = lock.sources.insert(source.name.clone(), source) {
                user_bail!("{}: source '{}' is there twice", path.display(), twice.name);
            }
        }
        for (name, bundle) in raw.bundle {
            for file in &bundle.files {
                if !lock.sources.contains_key(file) {
                    user_bail!(
                        "{}: bundle '{name}' names the source '{file}', which is not in the file",
                        path.display()
                    );
                }
            }
            lock.bundles.insert(name, bundle.files);
        }
        Ok(lock)
    }

    /// Write in a stable order, through a temporary file.
    pub(crate) fn save(&self, path: &Path) -> Result<()> {
        let raw = RawLock {
            source: self.sources.values().map(RawSource::from).collect(),
            bundle: self
                .bundles
                .iter()
                .map(|(name, files)| (name.clone(), RawBundle { files: files.clone() }))
                .collect(),
        };
        let text = format!("{HEADER}{}", toml::to_string_pretty(&raw)?);
        let part = path.with_extension("lock.part");
        std::fs::write(&part, text).with_context(|| format!("cannot write {}", part.display()))?;
        std::fs::rename(&part, path).with_context(|| format!("cannot write {}", path.display()))
    }
}

impl RawSource {
    fn validate(self, file: &Path) -> Result<Source> {
        let name = self.name;
        let need = |value: Option<String>, key: &str| -> Result<String> {
            match value {
                Some(value) if !value.is_empty() => Ok(value),
                _ => user_bail!("{}: source '{name}': from = \"{}\" needs the key '{key}'", file.display(), self.from),
            }
        };
        let place = match self.from.as_str() {
            "debian" => Place::Debian { suite: need(self.suite, "suite")?, path: need(self.path, "path")? },
            "pypi" => Place::Pypi { file: need(self.file, "file")? },
            "git" => Place::Git { url: need(self.url, "url")?, rev: need(self.rev, "rev")? },
            "url" => Place::Url { url: need(self.url, "url")? },
            other => {
                user_bail!("{}: source '{name}': from = \"{other}\" is none of debian, pypi, git, url", file.display())
            }
        };
        let sha256 = if matches!(place, Place::Git { .. }) { String::new() } else { need(self.sha256, "sha256")? };
        if !sha256.is_empty() && (sha256.len() != 64 || !sha256.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f')))
        {
            user_bail!("{}: source '{name}': sha256 must be 64 lower-case hex digits", file.display());
        }
        Ok(Source { name, version: self.version, place, sha256, size: self.size.unwrap_or(0) })
    }
}

impl From<&Source> for RawSource {
    fn from(source: &Source) -> Self {
        let mut raw = RawSource { name: source.name.clone(), version: source.version.clone(), ..Self::default() };
        let from = match &source.place {
            Place::Debian { suite, path } => {
                (raw.suite, raw.path) = (Some(suite.clone()), Some(path.clone()));
                "debian"
            }
            Place::Pypi { file } => {
                raw.file = Some(file.clone());
                "pypi"
            }
            Place::Git { url, rev } => {
                (raw.url, raw.rev) = (Some(url.clone()), Some(rev.clone()));
                "git"
            }
            Place::Url { url } => {
                raw.url = Some(url.clone());
                "url"
            }
        };
        from.clone_into(&mut raw.from);
        raw.sha256 = (!source.sha256.is_empty()).then(|| source.sha256.clone());
        raw.size = (source.size > 0).then_some(source.size);
        raw
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Lock> {
        Lock::parse(text, Path::new("sources.lock"))
    }

    #[test]
    fn committed_lock_is_valid_and_in_the_order_that_save_writes() {
        let path = Lock::path();
        let lock = Lock::load(&path).unwrap();
        let copy = tempfile::tempdir().unwrap();
        lock.save(&copy.path().join("sources.lock")).unwrap();
        let written = std::fs::read_to_string(copy.path().join("sources.lock")).unwrap();
        assert_eq!(written, std::fs::read_to_string(path).unwrap());
    }

    #[test]
    fn mistakes_name_the_source_and_the_key() {
        let base = "[[source]]\nname = \"a\"\nversion = \"1\"\n";
        for (rest, want) in [
            ("from = \"debian\"\n", "needs the key 'suite'"),
            ("from = \"ftp\"\n", "none of debian, pypi, git, url"),
            ("from = \"pypi\"\nfile = \"a.whl\"\nsha256 = \"00\"\n", "64 lower-case hex"),
            ("from = \"git\"\nurl = \"x\"\nrev = \"y\"\nbogus = 1\n", "bogus"),
        ] {
            let error = parse(&format!("{base}{rest}")).unwrap_err();
            assert!(error.to_string().contains(want), "{error}");
            assert!(error.is::<crate::root::UserError>());
        }
    }

    #[test]
    fn bundles_name_known_sources() {
        let error = parse("[bundle.b]\nfiles = [\"nothing\"]\n").unwrap_err();
        assert!(error.to_string().contains("'nothing'"), "{error}");
    }
}
