//! What a device is, from /sys and /proc, and whether it may be overwritten.

use std::fs;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::user_bail;

pub(super) struct Device {
    path: PathBuf,
    size: u64,
    /// None for a regular file, which nobody can lose a system with.
    block: Option<Block>,
}

struct Block {
    model: String,
    removable: bool,
    read_only: bool,
    /// Where it or its partitions are mounted, or what holds them (RAID, LVM, encryption).
    used_by: Vec<String>,
}

impl Device {
    /// `sys` is /sys/class/block and `mounts` /proc/self/mounts.
    pub(super) fn look(path: &Path, sys: &Path, mounts: &Path) -> Result<Self> {
        let Ok(real) = path.canonicalize() else {
            user_bail!("{}: no such device", path.display());
        };
        let meta = real.metadata().with_context(|| format!("cannot read {}", real.display()))?;
        if meta.is_file() {
            return Ok(Self { path: path.into(), size: meta.len(), block: None });
        }
        if !meta.file_type().is_block_device() {
            user_bail!("{}: neither a block device nor a regular file", path.display());
        }
        let name = real.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let (size, block) = Block::look(&name, sys, &fs::read_to_string(mounts).unwrap_or_default())?;
        Ok(Self { path: path.into(), size, block: Some(block) })
    }

    /// Refuse what cannot work, and what would hurt unless the user insists.
    pub(super) fn check(&self, image: u64, insist: bool) -> Result<()> {
        let path = self.path.display();
        if self.size < image {
            user_bail!("{path} is too small: it has {} bytes, the image {image}", self.size);
        }
        let Some(block) = &self.block else { return Ok(()) };
        if block.read_only {
            user_bail!("{path} is write-protected: look for the lock on the card");
        }
        if insist {
            return Ok(());
        }
        if block.used_by.iter().any(|place| place == "/" || place == "/boot" || place == "/usr") {
            user_bail!("{path} is the disk that this system runs from ({})", block.used_by.join(", "));
        }
        if !block.used_by.is_empty() {
            user_bail!(
                "{path} is in use at {}: unmount it first (`umount`), or name --device twice",
                block.used_by.join(", ")
            );
        }
        if !block.removable {
            user_bail!("{path} ({}) is not removable: if it is what you mean, name --device twice", block.model);
        }
        Ok(())
    }

    pub(super) fn describe(&self) -> String {
        let gigabytes = self.size as f64 / 1e9;
        match &self.block {
            None => format!("{}: regular file, {gigabytes:.2} GB", self.path.display()),
            Some(block) => format!("{}: {}, {gigabytes:.2} GB", self.path.display(), block.model),
        }
    }
}

impl Block {
    fn look(name: &str, sys: &Path, mounts: &str) -> Result<(u64, Self)> {
        let dir = sys.join(name);
        let read = |file: &str| fs::read_to_string(dir.join(file)).map(|text| text.trim().to_owned());
        if dir.join("partition").exists() {
            user_bail!("/dev/{name} is a partition: name the whole device");
        }
        let sectors: u64 = read("size").with_context(|| format!("the kernel knows no block device {name}"))?.parse()?;
        let model =
            read("device/model").or_else(|_| read("device/name")).unwrap_or_else(|_| "unknown model".to_owned());
        let mut parts = vec![name.to_owned()];
        for entry in fs::read_dir(&dir)?.filter_map(Result::ok) {
            if entry.path().join("partition").exists() {
                parts.push(entry.file_name().to_string_lossy().into_owned());
            }
        }
        let mut used_by = Vec::new();
        for part in &parts {
            let place = format!("/dev/{part}");
            let lines = mounts.lines().filter_map(|line| line.split_once(' '));
            let mounted = lines.filter(|(device, _)| *device == place).filter_map(|(_, rest)| rest.split(' ').next());
            used_by.extend(mounted.map(str::to_owned));
            let holders = if part == name { dir.join("holders") } else { dir.join(part).join("holders") };
            used_by.extend(
                fs::read_dir(holders)
                    .into_iter()
                    .flatten()
                    .filter_map(|entry| Some(entry.ok()?.file_name().to_string_lossy().into_owned())),
            );
        }
        let removable = read("removable").is_ok_and(|text| text == "1")
            // A card in a reader slot is not "removable" to the kernel, but is called mmcblk and is an SD card.
            || name.starts_with("mmcblk") && read("device/type").is_ok_and(|text| text == "SD");
        Ok((sectors * 512, Self { model, removable, read_only: read("ro").is_ok_and(|text| text == "1"), used_by }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A made-up /sys/class/block with one disk of 1 GiB and one partition.
    fn disk(removable: &str, ro: &str) -> tempfile::TempDir {
        let sys = tempfile::tempdir().unwrap();
        let dir = sys.path().join("sdx");
        fs::create_dir_all(dir.join("device")).unwrap();
        fs::create_dir_all(dir.join("sdx1")).unwrap();
        for (file, text) in [
            ("size", "2097152\n"),
            ("removable", removable),
            ("ro", ro),
            ("device/model", "Card Reader \n"),
            ("sdx1/partition", "1"),
        ] {
            fs::write(dir.join(file), text).unwrap();
        }
        sys
    }

    fn device(sys: &tempfile::TempDir, mounts: &str) -> Device {
        let (size, block) = Block::look("sdx", sys.path(), mounts).unwrap();
        Device { path: "/dev/sdx".into(), size, block: Some(block) }
    }

    fn refusal(device: &Device, image: u64, insist: bool) -> String {
        device.check(image, insist).map_or_else(|error| error.to_string(), |()| String::new())
    }

    #[test]
    fn a_removable_card_of_the_right_size_is_taken() {
        let card = device(&disk("1", "0"), "/dev/sda1 / ext4 rw 0 0\n");
        assert_eq!(refusal(&card, 1 << 30, false), "");
        assert_eq!(card.describe(), "/dev/sdx: Card Reader, 1.07 GB");
        assert!(refusal(&card, (1 << 30) + 1, true).contains("too small"));
    }

    #[test]
    fn what_would_hurt_needs_insisting() {
        let fixed = device(&disk("0", "0"), "");
        let mounted = device(&disk("1", "0"), "/dev/sdx1 /media/card vfat rw 0 0\n");
        let system = device(&disk("0", "0"), "/dev/sdx1 / ext4 rw 0 0\n");
        for (device, want) in [(&fixed, "not removable"), (&mounted, "/media/card"), (&system, "this system runs from")]
        {
            assert!(refusal(device, 1, false).contains(want), "{}", refusal(device, 1, false));
            assert_eq!(refusal(device, 1, true), "");
        }
        let locked = device(&disk("1", "1"), "");
        assert!(refusal(&locked, 1, true).contains("write-protected"));
    }

    #[test]
    fn a_partition_is_not_a_device() {
        let sys = disk("1", "0");
        fs::rename(sys.path().join("sdx/sdx1"), sys.path().join("sdx1")).unwrap();
        let error = Block::look("sdx1", sys.path(), "").err().unwrap().to_string();
        assert!(error.contains("whole device"), "{error}");
    }
}
