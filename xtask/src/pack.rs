//! Bytes as they are on flash: xz and squashfs of a file or a directory.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::sources::{Sources, library_path};

/// Bytes of the file under `xz -9e`.
pub(crate) fn xz_bytes(file: &Path) -> Result<u64> {
    let output = Command::new("xz")
        .args(["-9e", "--stdout", "--keep"])
        .arg(file)
        .output()
        .context("cannot run xz: install xz-utils")?;
    if !output.status.success() {
        bail!("xz {}: {}", file.display(), String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(output.stdout.len() as u64)
}

/// A command for mksquashfs: the machine's, else Debian's package unpacked privately.
pub(crate) fn mksquashfs(sources: &Sources) -> Result<Command> {
    if crate::sources::have("mksquashfs") {
        return Ok(Command::new("mksquashfs"));
    }
    let prefix = sources.bundle("squashfs")?;
    let mut command = Command::new(prefix.join("usr/bin/mksquashfs"));
    command.env("LD_LIBRARY_PATH", library_path(&prefix));
    Ok(command)
}

/// Bytes used by a squashfs (xz, 256 KiB blocks, as OpenWrt packs its root) that holds just this file or directory.
pub(crate) fn squashfs_bytes(sources: &Sources, what: &Path) -> Result<u64> {
    let dir = tempfile::tempdir()?;
    let image = dir.path().join("image");
    let mut command = mksquashfs(sources)?;
    command.arg(what).arg(&image).args([
        "-comp",
        "xz",
        "-b",
        "256K",
        "-no-xattrs",
        "-all-root",
        "-noappend",
        "-quiet",
        "-no-progress",
    ]);
    command.args(["-mkfs-time", "0", "-all-time", "0", "-processors", "1"]);
    let output = command.stdin(Stdio::null()).output().context("cannot run mksquashfs")?;
    if !output.status.success() {
        bail!("mksquashfs {}: {}", what.display(), String::from_utf8_lossy(&output.stderr).trim());
    }
    let bytes = std::fs::read(&image)?;
    // bytes_used of the superblock: the file itself is padded to 4 KiB.
    let used = bytes.get(40..48).and_then(|b| b.try_into().ok()).context("mksquashfs wrote no superblock")?;
    Ok(u64::from_le_bytes(used))
}
