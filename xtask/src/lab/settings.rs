//! The `[lab]` table of `images/NAME.toml`: what the lab engine needs to know about a target.

use std::collections::BTreeMap;

use anyhow::Result;
use serde::Deserialize;

use super::board_cpu::BoardCpu;
use crate::catalogue::target::Target;
use crate::user_bail;

/// Names of sources are those of `images/sources.lock`.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct Settings {
    /// Debian kernel package.
    pub(super) kernel: String,
    /// Serial console as the kernel names it.
    pub(super) console: String,
    /// Debian's statically linked busybox.
    pub(super) busybox: String,
    /// Debian's musl package, or musl's source where that is for another ABI: the loader, which is also the C library.
    pub(super) musl: Option<String>,
    /// Bundle (or program on the path) that has the emulator.
    pub(super) qemu_bundle: String,
    /// Guest memory, MiB.
    pub(super) memory: u32,
    /// Modules beside the common ones: bus drivers, the CPU's own cipher modules.
    #[serde(default)]
    pub(super) modules: Vec<String>,
    /// QEMU counts instructions for the guest's clock; not where a machine's timer does not work with that.
    #[serde(default = "yes")]
    pub(super) icount: bool,
    /// More arguments for QEMU.
    #[serde(default)]
    pub(super) qemu_args: Vec<String>,
    /// Environment of the scenarios: what the emulator cannot show of the board.
    #[serde(default)]
    pub(super) environment: BTreeMap<String, String>,
    /// What the board's CPU lacks of the emulator's.
    pub(super) board_cpu: Option<BoardCpu>,
    /// How to make an SD card image, where the board boots from one.
    pub(super) card: Option<Card>,
}

/// A card: a FAT partition that the board's own firmware reads, then the root filesystem.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct Card {
    /// Debian packages to take kernel, modules and device tree from.
    pub(super) kernel: Vec<String>,
    /// File in the unpacked packages whose name ends so.
    pub(super) device_tree: String,
    /// The kernel's name on the partition.
    pub(super) kernel_name: String,
    /// The firmware's configuration file, whole.
    pub(super) config: String,
    pub(super) cmdline: String,
    /// Modules in the initramfs of the card.
    pub(super) modules: Vec<String>,
    /// Size of the FAT partition, MiB.
    pub(super) boot_mib: u32,
}

fn yes() -> bool {
    true
}

impl Settings {
    pub(super) fn of(target: &Target) -> Result<Self> {
        let Some(table) = &target.lab else {
            user_bail!(
                "images/{}.toml has no [lab] table, so the lab engine cannot build this target: try --engine openwrt or yocto",
                target.name
            );
        };
        match table.clone().try_into() {
            Ok(settings) => Ok(settings),
            Err(error) => user_bail!("images/{}.toml: table lab: {error}", target.name),
        }
    }
}
