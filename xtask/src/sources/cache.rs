//! One directory that holds everything fetched or built once: content-addressed files, and directories made by a recipe.
//!
//! `files/<sha256>/<name>`, `made/<kind>-<key>/`; each guarded by a lock file, each put in place by a rename, so that two
//! builds at once share the work and a killed one leaves nothing half-made behind.

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use sha2::{Digest, Sha256};

use crate::root::UserError;

/// With less than this many bytes free, a build that failed is taken to have failed for that.
const FULL: u64 = 1 << 20;

#[derive(Clone, Debug)]
pub(crate) struct Cache {
    pub(crate) dir: PathBuf,
}

impl Cache {
    /// `--cache DIR`, else `rustcrypto-distro` in the user's cache directory.
    pub(crate) fn open(dir: Option<&Path>) -> Result<Self> {
        let dir = match dir {
            Some(dir) => std::path::absolute(dir)?,
            None => user_cache_dir()?.join("rustcrypto-distro"),
        };
        Ok(Self { dir })
    }

    /// Where the file with this content lies or will lie.
    pub(crate) fn file(&self, sha256: &str, name: &str) -> PathBuf {
        self.dir.join("files").join(sha256).join(name)
    }

    /// Hold the lock of `name` until the guard is dropped; says so when it has to wait.
    pub(crate) fn lock(&self, name: &str) -> Result<File> {
        let dir = self.dir.join("locks");
        fs::create_dir_all(&dir).map_err(|e| self.unwritable(&e))?;
        let file = File::create(dir.join(name)).map_err(|e| self.unwritable(&e))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                eprintln!("waiting for another build that is making {name} ...");
                file.lock()?;
            }
            Err(TryLockError::Error(error)) => return Err(self.unwritable(&error)),
        }
        Ok(file)
    }

    /// A directory that is made at most once per `key`: `make` fills a scratch directory, which is then renamed.
    /// Paths inside must not be absolute ones into the scratch directory.
    pub(crate) fn made(&self, kind: &str, key: &str, make: impl FnOnce(&Path) -> Result<()>) -> Result<PathBuf> {
        let done = self.made_path(kind, key);
        let name = done.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if done.is_dir() {
            return Ok(done);
        }
        let _guard = self.lock(&name)?;
        if done.is_dir() {
            return Ok(done);
        }
        let part = self.dir.join("made").join(format!("{name}.part"));
        if part.exists() {
            fs::remove_dir_all(&part).map_err(|e| self.unwritable(&e))?; // a build that was killed
        }
        fs::create_dir_all(&part).map_err(|e| self.unwritable(&e))?;
        make(&part).map_err(|error| match super::download::free_bytes(&self.dir) {
            // Whatever a compiler or tar says of it.
            Some(free) if free < FULL => {
                let full = self.unwritable(&std::io::ErrorKind::StorageFull.into());
                anyhow::Error::new(UserError(format!("{full} ({error:#})")))
            }
            _ => error,
        })?;
        fs::rename(&part, &done).map_err(|e| self.unwritable(&e))?;
        Ok(done)
    }

    /// Where [`Self::made`] puts, or has put, its directory.
    pub(crate) fn made_path(&self, kind: &str, key: &str) -> PathBuf {
        self.dir.join("made").join(format!("{kind}-{}", &hex(&Sha256::digest(key.as_bytes()))[..20]))
    }

    /// What to say when the cache cannot be written to.
    pub(crate) fn unwritable(&self, error: &std::io::Error) -> anyhow::Error {
        anyhow::Error::new(UserError(format!(
            "cannot write to the cache {}: {error}; free some space or name another one with --cache DIR",
            self.dir.display()
        )))
    }
}

fn user_cache_dir() -> Result<PathBuf> {
    if let Some(dir) = std::env::var_os("XDG_CACHE_HOME").filter(|dir| Path::new(dir).is_absolute()) {
        return Ok(dir.into());
    }
    match std::env::var_os("HOME") {
        Some(home) => Ok(PathBuf::from(home).join(".cache")),
        None => crate::user_bail!("neither XDG_CACHE_HOME nor HOME is set: name a cache with --cache DIR"),
    }
}

/// SHA-256 of a file as lower-case hex.
pub(crate) fn sha256_file(path: &Path) -> Result<String> {
    let mut file = File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        let n =
            std::io::Read::read(&mut file, &mut buffer).with_context(|| format!("cannot read {}", path.display()))?;
        if n == 0 {
            return Ok(hex(&hash.finalize()));
        }
        hash.update(&buffer[..n]);
    }
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        use std::fmt::Write;
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_is_made_once_and_a_killed_build_is_repaired() {
        let dir = tempfile::tempdir().unwrap();
        let cache = Cache::open(Some(dir.path())).unwrap();
        let failed = cache.made("thing", "key", |part| {
            fs::write(part.join("half"), "x")?;
            anyhow::bail!("killed")
        });
        assert!(failed.is_err());
        let made = cache.made("thing", "key", |part| Ok(fs::write(part.join("whole"), "x")?)).unwrap();
        assert!(made.join("whole").exists() && !made.join("half").exists());
        let again = cache.made("thing", "key", |_| anyhow::bail!("must not run")).unwrap();
        assert_eq!(made, again);
    }

    #[test]
    fn two_builders_at_once_make_it_once() {
        let dir = tempfile::tempdir().unwrap();
        let cache = Cache::open(Some(dir.path())).unwrap();
        let count = std::sync::atomic::AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    cache.made("thing", "key", |_| {
                        count.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
                        std::thread::sleep(std::time::Duration::from_millis(20));
                        Ok(())
                    })
                });
            }
        });
        assert_eq!(count.into_inner(), 1);
    }
}
