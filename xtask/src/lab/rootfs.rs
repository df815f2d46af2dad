//! The root filesystem: packages of files, staged in a directory and packed as squashfs, the same bytes every time.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};

use super::tools::Tool;
use crate::sources::sha256_file;

/// Where a file's content comes from.
#[derive(Clone, Debug)]
pub(super) enum Content {
    Copy(PathBuf),
    Text(String),
    Link(String),
}

/// One package of the image.
#[derive(Clone, Debug)]
pub(super) struct Package {
    pub(super) name: String,
    pub(super) version: String,
    /// Path in the image (no leading slash) -> mode and content.
    pub(super) files: BTreeMap<String, (u32, Content)>,
}

impl Package {
    pub(super) fn new(name: &str, version: &str) -> Self {
        Self { name: name.to_owned(), version: version.to_owned(), files: BTreeMap::new() }
    }

    pub(super) fn copy(mut self, path: &str, mode: u32, from: &Path) -> Self {
        self.files.insert(path.to_owned(), (mode, Content::Copy(from.to_owned())));
        self
    }

    pub(super) fn text(mut self, path: &str, mode: u32, text: &str) -> Self {
        self.files.insert(path.to_owned(), (mode, Content::Text(text.to_owned())));
        self
    }

    pub(super) fn link(mut self, path: &str, to: &str) -> Self {
        self.files.insert(path.to_owned(), (0o777, Content::Link(to.to_owned())));
        self
    }
}

/// A file as it is in an image.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct ManifestFile {
    pub(crate) path: String,
    pub(crate) bytes: u64,
    pub(crate) sha256: String,
}

/// A package as it is in an image.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct ManifestPackage {
    pub(crate) name: String,
    pub(crate) version: String,
    /// Sum of its files.
    pub(crate) bytes: u64,
    /// Its part of the packed image: the whole shared out by how small xz makes each package alone.
    pub(crate) squashfs_share: u64,
    pub(crate) files: Vec<ManifestFile>,
}

/// Write the packages' files under `root`; two packages with the same file is a mistake in the image.
pub(super) fn stage(packages: &[Package], root: &Path) -> Result<()> {
    for dir in ["dev", "proc", "sys", "tmp", "run", "root", "etc", "share", "rom", "overlay"] {
        fs::create_dir_all(root.join(dir))?;
    }
    for package in packages {
        for (path, (mode, content)) in &package.files {
            let to = root.join(path);
            if to.symlink_metadata().is_ok() {
                bail!("package {}: file /{path} is in another package too", package.name);
            }
            fs::create_dir_all(to.parent().context("a file has a directory")?)?;
            match content {
                Content::Copy(from) => {
                    fs::copy(from, &to).with_context(|| format!("package {}: {}", package.name, from.display()))?;
                }
                Content::Text(text) => fs::write(&to, text)?,
                Content::Link(target) => {
                    symlink(target, &to)?;
                    continue;
                }
            }
            fs::set_permissions(&to, fs::Permissions::from_mode(*mode))?;
        }
    }
    Ok(())
}

/// Pack `root`: owners 0:0 and times 0, so that the bytes depend on the content alone.
pub(super) fn squash(mksquashfs: &Tool, root: &Path, out: &Path) -> Result<()> {
    squash_without(mksquashfs, root, out, &[])
}

/// The same without some paths of it.
fn squash_without(mksquashfs: &Tool, root: &Path, out: &Path, without: &[&str]) -> Result<()> {
    let part = out.with_extension("part");
    let _ = fs::remove_file(&part);
    let mut command = mksquashfs.command();
    command.env_remove("SOURCE_DATE_EPOCH").arg(root).arg(&part);
    command.args("-comp xz -b 256K -all-root -no-xattrs -all-time 0 -mkfs-time 0 -noappend -no-progress".split(' '));
    // One processor: the order of blocks is then the order of files, whatever the machine.
    command.args(["-processors", "1", "-quiet"]);
    if !without.is_empty() {
        command.arg("-e").args(without.iter().map(|path| root.join(path)));
    }
    let output = command.output().context("cannot run mksquashfs")?;
    if !output.status.success() {
        bail!("mksquashfs failed on {}: {}", root.display(), String::from_utf8_lossy(&output.stderr).trim());
    }
    fs::rename(&part, out).with_context(|| format!("cannot write {}", out.display()))
}

/// List what was staged, and share out the packed size.
pub(super) fn manifest(packages: &[Package], root: &Path, squashfs_bytes: u64) -> Result<Vec<ManifestPackage>> {
    let mut list = Vec::new();
    let mut packed = Vec::new();
    for package in packages {
        let mut files = Vec::new();
        for path in package.files.keys() {
            let at = root.join(path);
            let meta = at.symlink_metadata().with_context(|| format!("cannot read {}", at.display()))?;
            let sha256 = if meta.is_file() { sha256_file(&at)? } else { String::new() };
            files.push(ManifestFile { path: path.clone(), bytes: meta.len(), sha256 });
        }
        packed.push(xz_bytes(files.iter().map(|file| root.join(&file.path)))?);
        list.push(ManifestPackage {
            name: package.name.clone(),
            version: package.version.clone(),
            bytes: files.iter().map(|file| file.bytes).sum(),
            squashfs_share: 0,
            files,
        });
    }
    let total: u64 = packed.iter().sum();
    for (package, packed) in list.iter_mut().zip(&packed) {
        package.squashfs_share = squashfs_bytes * packed / total.max(1);
    }
    list.sort_by_key(|package| std::cmp::Reverse(package.squashfs_share));
    Ok(list)
}

/// What the packed image is larger for having each of the packages: packed again without it, and without all of them.
pub(super) fn marginal(
    mksquashfs: &Tool,
    packages: &[&Package],
    root: &Path,
    squashfs_bytes: u64,
    scratch: &Path,
) -> Result<BTreeMap<String, u64>> {
    let one = |name: &str, packages: &[&Package]| -> Result<(String, u64)> {
        let out = scratch.join(format!("without-{name}.squashfs"));
        let files: Vec<&str> = packages.iter().flat_map(|package| package.files.keys().map(String::as_str)).collect();
        squash_without(mksquashfs, root, &out, &files)?;
        Ok((name.to_owned(), squashfs_bytes.saturating_sub(fs::metadata(&out)?.len())))
    };
    // Each run uses one processor.
    std::thread::scope(|scope| {
        let one = &one;
        let all = scope.spawn(move || one("all of these", packages));
        let mut sizes =
            packages.iter().map(|package| one(&package.name, &[package])).collect::<Result<BTreeMap<_, _>>>()?;
        sizes.extend([all.join().expect("packing does not panic")?]);
        Ok(sizes)
    })
}

/// Size of these files' contents, one after another, under xz with squashfs's block size.
fn xz_bytes(files: impl Iterator<Item = PathBuf>) -> Result<u64> {
    let mut child = Command::new("xz")
        .args(["-6", "--check=none", "--block-size=262144", "-T1", "-c"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .context("cannot run xz: install xz-utils")?;
    let mut input = child.stdin.take().context("xz takes no input")?;
    let files: Vec<PathBuf> = files.filter(|path| path.symlink_metadata().is_ok_and(|m| m.is_file())).collect();
    let writer = std::thread::spawn(move || -> std::io::Result<()> {
        for file in files {
            std::io::copy(&mut fs::File::open(file)?, &mut input)?;
        }
        Ok(())
    });
    let output = child.wait_with_output()?;
    writer.join().expect("the writer does not panic").context("cannot hand a file to xz")?;
    Ok(output.stdout.len() as u64)
}
