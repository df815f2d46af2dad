//! Programs of the build machine: those on the path, else unpacked privately from locked Debian packages.

use std::ffi::OsStr;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Result, bail};

use crate::sources::{Sources, have, library_path};

/// A program and where its libraries and data are, if it is one of ours.
pub(super) struct Tool {
    program: PathBuf,
    prefix: Option<PathBuf>,
}

impl Tool {
    /// `name` from the path, else from the bundle.
    pub(super) fn find(sources: &Sources, bundle: &str, name: &str) -> Result<Self> {
        if have(name) {
            return Ok(Self { program: name.into(), prefix: None });
        }
        let prefix = sources.bundle(bundle)?;
        for dir in ["usr/bin", "usr/sbin", "sbin", "bin"] {
            let program = prefix.join(dir).join(name);
            if program.exists() {
                return Ok(Self { program, prefix: Some(prefix) });
            }
        }
        bail!("bundle '{bundle}' of images/sources.lock has no program '{name}': install it, or mend the bundle");
    }

    pub(super) fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        if let Some(prefix) = &self.prefix {
            command.env("LD_LIBRARY_PATH", library_path(prefix));
        }
        command
    }

    /// The emulator's firmware directory, for `-L`.
    pub(super) fn firmware(&self) -> Option<PathBuf> {
        Some(self.prefix.as_ref()?.join("usr/share/qemu"))
    }

    /// Run to the end; what it said if it failed.
    pub(super) fn run(&self, args: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Result<String> {
        let output = self.command().args(args).output();
        let output = output.map_err(|error| anyhow::anyhow!("cannot run {}: {error}", self.program.display()))?;
        if !output.status.success() {
            let text = String::from_utf8_lossy(&output.stderr);
            bail!("{} failed ({}): {}", self.program.display(), output.status, text.trim());
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }
}
