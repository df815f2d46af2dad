//! `images/NAME.toml`: one board or machine to build for.

use anyhow::Result;
use serde::{Deserialize, Serialize};

use crate::user_bail;

/// TOML files in `images/` that are not targets.
pub(super) const NOT_TARGETS: [&str; 2] = ["budgets", "toolchains"];

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct RawTarget {
    summary: String,
    arch: Arch,
    endian: Endian,
    cpu: String,
    float: Float,
    crypto_instructions: bool,
    rust: PerLibc,
    c: PerLibc,
    qemu: Qemu,
    openwrt: Option<OpenwrtTarget>,
    yocto: Option<YoctoTarget>,
    lab: Option<toml::Table>,
}

/// The processor architecture, by the name that the kernel's `uname -m` class and Debian's tools use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Arch {
    Aarch64,
    #[serde(rename = "x86_64")]
    X86_64,
    Mipsel,
    Mips,
    Riscv64,
    Armv7,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Endian {
    Little,
    Big,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Float {
    Hard,
    Soft,
}

/// A triple for each C library; at least one is there.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct PerLibc {
    pub(crate) gnu: Option<String>,
    pub(crate) musl: Option<String>,
}

/// How QEMU stands in for the board: programs (`user`) and whole systems (`system`).
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct Qemu {
    pub(crate) system: String,
    pub(crate) user: String,
    pub(crate) machine: String,
    pub(crate) cpu: String,
}

/// The board's names in OpenWrt's menus.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct OpenwrtTarget {
    pub(crate) target: String,
    pub(crate) subtarget: String,
    pub(crate) profile: String,
    pub(crate) package_arch: String,
}

/// The board's MACHINE in Yocto and the layers it needs beside oe-core, in the order of BBLAYERS.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct YoctoTarget {
    pub(crate) machine: String,
    pub(crate) layers: Vec<String>,
}

/// One target, checked.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct Target {
    pub(crate) name: String,
    pub(crate) summary: String,
    pub(crate) arch: Arch,
    pub(crate) endian: Endian,
    /// As GCC's and LLVM's `-mcpu` spell it.
    pub(crate) cpu: String,
    pub(crate) float: Float,
    /// Whether the CPU has AES and SHA-2 instructions: what decides if the verified assembly runs.
    pub(crate) crypto_instructions: bool,
    pub(crate) rust: PerLibc,
    pub(crate) c: PerLibc,
    pub(crate) qemu: Qemu,
    pub(crate) openwrt: Option<OpenwrtTarget>,
    pub(crate) yocto: Option<YoctoTarget>,
    /// The lab engine's own settings, read by the lab.
    pub(crate) lab: Option<toml::Table>,
}

pub(super) fn validate(name: &str, raw: RawTarget) -> Result<Target> {
    for (key, triples) in [("rust", &raw.rust), ("c", &raw.c)] {
        if triples.gnu.is_none() && triples.musl.is_none() {
            user_bail!("key {key}: give a triple for gnu, for musl or for both");
        }
    }
    if raw.rust.gnu.is_some() != raw.c.gnu.is_some() || raw.rust.musl.is_some() != raw.c.musl.is_some() {
        user_bail!("keys rust and c: name the same C libraries in both");
    }
    Ok(Target {
        name: name.to_string(),
        summary: raw.summary,
        arch: raw.arch,
        endian: raw.endian,
        cpu: raw.cpu,
        float: raw.float,
        crypto_instructions: raw.crypto_instructions,
        rust: raw.rust,
        c: raw.c,
        qemu: raw.qemu,
        openwrt: raw.openwrt,
        yocto: raw.yocto,
        lab: raw.lab,
    })
}
