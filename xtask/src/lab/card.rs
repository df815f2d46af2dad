//! A card image made as an ordinary user: partition table, a FAT partition for the board's firmware, the root filesystem.

use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::process::Stdio;

use anyhow::{Context, Result, bail};

use super::settings::Card;
use super::tools::Tool;
use super::{image, kernel};
use crate::sources::Sources;

const MIB: u64 = 1 << 20;
/// First partition's place; flash erases in units up to this.
const START: u64 = 4 * MIB;
const INIT: &str = include_str!("../../lab/guest/card-init");

/// Programs that make a card.
pub(super) struct Makers {
    pub(super) mkfs: Tool,
    pub(super) mcopy: Tool,
    pub(super) sfdisk: Tool,
}

impl Makers {
    pub(super) fn find(sources: &Sources) -> Result<Self> {
        let find = |name| Tool::find(sources, "lab-tools", name);
        Ok(Self { mkfs: find("mkfs.vfat")?, mcopy: find("mcopy")?, sfdisk: find("sfdisk")? })
    }
}

/// Write `sdcard.img` into `dir`; the same inputs give the same bytes.
pub(super) fn build(sources: &Sources, card: &Card, busybox: &Path, squashfs: &Path, dir: &Path) -> Result<()> {
    let makers = Makers::find(sources)?;
    let tree = sources.prefix(&card.kernel)?;
    let scratch = tempfile::tempdir_in(dir)?;
    let boot = scratch.path().join("boot");
    fs::create_dir_all(&boot)?;
    fs::copy(kernel::image(&tree)?, boot.join(&card.kernel_name))?;
    let device_tree = image::find(&tree, |name| name == card.device_tree)?;
    fs::copy(device_tree, boot.join(&card.device_tree))?;
    let modules = kernel::Modules::find(&tree)?.closure(&card.modules)?;
    fs::write(boot.join("initramfs.cpio"), kernel::initramfs(busybox, INIT.as_bytes(), &modules)?)?;
    fs::write(boot.join("config.txt"), card.config.trim_start())?;
    fs::write(boot.join("cmdline.txt"), format!("{}\n", card.cmdline))?;

    let fat = scratch.path().join("fat");
    fs::File::create(&fat)?.set_len(u64::from(card.boot_mib) * MIB)?;
    // --invariant and a fixed time: no serial number or clock in the bytes.
    makers.mkfs.run(["--invariant", "-F", "32", "-n", "BOOT", &fat.display().to_string()])?;
    let mut names: Vec<_> = fs::read_dir(&boot)?.filter_map(|entry| Some(entry.ok()?.path())).collect();
    names.sort();
    for file in names {
        set_time(&file)?;
        let mut mcopy = makers.mcopy.command();
        mcopy.env("MTOOLS_SKIP_CHECK", "1").env("TZ", "UTC").arg("-m").arg("-i").arg(&fat).arg(&file).arg("::");
        let output = mcopy.output().context("cannot run mcopy")?;
        if !output.status.success() {
            bail!("mcopy {}: {}", file.display(), String::from_utf8_lossy(&output.stderr).trim());
        }
    }

    let part = scratch.path().join("card");
    let root_at = START + u64::from(card.boot_mib) * MIB;
    let root_size = fs::metadata(squashfs)?.len().div_ceil(MIB) * MIB;
    let mut out = File::create(&part)?;
    out.set_len(root_at + root_size)?;
    let table = format!(
        "label: dos\nlabel-id: 0x6c616201\nunit: sectors\n{},{},c,*\n{},{},83\n",
        START / 512,
        u64::from(card.boot_mib) * MIB / 512,
        root_at / 512,
        root_size / 512
    );
    let mut sfdisk = makers.sfdisk.command();
    let child = sfdisk.args(["--quiet", "--no-reread", "--no-tell-kernel"]).arg(&part);
    let mut child = child.stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().context("cannot run sfdisk")?;
    child.stdin.take().context("sfdisk takes no input")?.write_all(table.as_bytes())?;
    let output = child.wait_with_output()?;
    if !output.status.success() {
        bail!("sfdisk: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    place(&fat, &mut out, START)?;
    place(squashfs, &mut out, root_at)?;
    out.sync_all()?;
    fs::rename(&part, dir.join("sdcard.img")).context("cannot write sdcard.img")
}

/// FAT stores the time of each file.
fn set_time(file: &Path) -> Result<()> {
    let epoch = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_577_836_800); // 2020, after FAT's first year
    Ok(File::options().write(true).open(file)?.set_modified(epoch)?)
}

/// Copy a file to an offset, leaving holes where it is zero.
fn place(from: &Path, out: &mut File, at: u64) -> Result<()> {
    let mut from = File::open(from)?;
    let mut buffer = vec![0; MIB as usize];
    let mut offset = at;
    loop {
        let n = from.read(&mut buffer)?;
        if n == 0 {
            return Ok(());
        }
        if buffer[..n].iter().any(|&b| b != 0) {
            out.seek(SeekFrom::Start(offset))?;
            out.write_all(&buffer[..n])?;
        }
        offset += n as u64;
    }
}
