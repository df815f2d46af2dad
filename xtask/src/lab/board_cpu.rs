//! A board whose CPU lacks instructions that the emulator's has: programs are not told of them, and none may be executed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use super::tools::Tool;
use crate::root::root;
use crate::toolchain::Toolchain;

/// `[lab.board-cpu]` of a target; of 64-bit CPUs with 32-bit instructions.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct BoardCpu {
    /// What is missing, for the report.
    pub(super) lacks: String,
    /// Bits of `AT_HWCAP` that the board's kernel does not set.
    pub(super) hidden_hwcaps: u32,
    /// Instructions that the board's CPU does not know: `[mask, value]` of their 32 bits.
    pub(super) unknown: Vec<[u32; 2]>,
}

/// What [`BoardCpu::shim`] makes, for the guest's scripts.
pub(super) const SHIM: &str = "libhidehwcaps.so";

impl BoardCpu {
    /// The library to preload in the guest, into `dir`.
    pub(super) fn shim(&self, toolchain: &Toolchain, dir: &Path) -> Result<()> {
        let mut cc = Command::new(&toolchain.cc);
        cc.args(["-shared", "-fPIC", "-Os", "-s", "-D_GNU_SOURCE"]).arg(format!("-DHIDDEN={}ul", self.hidden_hwcaps));
        compile(cc, "hide_hwcaps.c", &dir.join(SHIM))
    }

    /// QEMU's `-plugin` argument; the plugin is compiled for this machine into `dir`, and writes there.
    pub(super) fn plugin(qemu: &Tool, dir: &Path) -> Result<String> {
        let plugin = dir.join("executed.so");
        let mut cc = Command::new("cc");
        cc.args(["-shared", "-fPIC", "-O2"]).arg(format!("-DPLUGIN_API={}", plugin_api(&qemu.run(["--version"])?)?));
        compile(cc, "executed.c", &plugin)?;
        Ok(format!("{},out={}", plugin.display(), records(dir).display()))
    }

    /// What the guest's programs executed, for the report; an error if the board would have answered with SIGILL.
    pub(super) fn verdict(&self, dir: &Path) -> Result<String> {
        let path = records(dir);
        let executed = read(&fs::read(&path).with_context(|| format!("QEMU's plugin left no {}", path.display()))?)?;
        if let Some((address, word)) = self.first_unknown(&executed) {
            bail!(
                "a program executed {word:#010x} at {address:#x}, which the board's CPU does not know (it lacks {}): SIGILL there",
                self.lacks
            );
        }
        Ok(format!(
            "The emulator's CPU has more than the board's ({}): programs are not told of it, and of the {} different instructions that they executed none is one of those.",
            self.lacks,
            executed.len()
        ))
    }

    fn first_unknown(&self, executed: &[(u64, u32)]) -> Option<(u64, u32)> {
        let unknown = |word: u32| self.unknown.iter().any(|[mask, value]| word & mask == *value);
        executed.iter().copied().find(|(_, word)| unknown(*word))
    }
}

fn records(dir: &Path) -> PathBuf {
    dir.join("executed")
}

/// Records of `executed.c`: address, instruction.
fn read(bytes: &[u8]) -> Result<Vec<(u64, u32)>> {
    let (records, rest) = bytes.as_chunks::<16>();
    if records.is_empty() || !rest.is_empty() {
        bail!("QEMU's plugin wrote {} bytes of records: not whole ones", bytes.len());
    }
    let number = |bytes: &[u8]| bytes.iter().rev().fold(0u64, |sum, &byte| sum << 8 | u64::from(byte));
    Ok(records.iter().map(|record| (number(&record[..8]), number(&record[8..12]) as u32)).collect())
}

/// Version of the plugin interface that this QEMU takes, by what `--version` says.
fn plugin_api(version: &str) -> Result<u32> {
    let number = version.split_whitespace().find_map(|word| {
        let (major, rest) = word.split_once('.')?;
        Some((major.parse::<u32>().ok()?, rest.split('.').next()?.parse::<u32>().ok()?))
    });
    match number {
        Some((..=8, _)) => Ok(1),
        Some((9, 0)) => Ok(2),
        Some(_) => Ok(3),
        None => bail!("cannot tell QEMU's version from '{}'", version.trim()),
    }
}

fn compile(mut cc: Command, source: &str, to: &Path) -> Result<()> {
    let name = cc.get_program().to_owned();
    let output = cc.arg(root().join("xtask/src/lab").join(source)).arg("-o").arg(to).output();
    let output = output.with_context(|| format!("cannot run {}: install a C compiler", name.display()))?;
    if !output.status.success() {
        bail!("{source} does not compile:\n{}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::Catalogue;
    use crate::catalogue::target::Arch;
    use crate::lab::settings::Settings;

    /// Encodings from the Arm Architecture Reference Manual, C7.2.
    #[test]
    fn a_board_without_crypto_instructions_knows_none_of_them() {
        let catalogue = Catalogue::load(&root()).unwrap();
        let boards: Vec<BoardCpu> = catalogue
            .targets
            .values()
            .filter(|target| target.lab.is_some() && !target.crypto_instructions && target.arch == Arch::Aarch64)
            .filter_map(|target| Settings::of(target).unwrap().board_cpu)
            .collect();
        assert!(!boards.is_empty());
        for board in boards {
            for (name, word) in [
                ("aese v0.16b, v1.16b", 0x4e28_4820),
                ("aesd v31.16b, v2.16b", 0x4e28_585f),
                ("aesmc v0.16b, v0.16b", 0x4e28_6800),
                ("pmull v0.1q, v1.1d, v2.1d", 0x0ee2_e020),
                ("pmull2 v0.1q, v1.2d, v2.2d", 0x4ee2_e020),
                ("sha1c q0, s1, v2.4s", 0x5e02_0020),
                ("sha256h q0, q1, v2.4s", 0x5e02_4020),
                ("sha256su0 v0.4s, v1.4s", 0x5e28_2820),
                ("sha512h q0, q1, v2.2d", 0xce62_8020),
                ("eor3 v0.16b, v1.16b, v2.16b, v3.16b", 0xce02_0c20),
            ] {
                assert_eq!(board.first_unknown(&[(4, word)]), Some((4, word)), "{name}");
            }
            for (name, word) in [
                ("ret", 0xd65f_03c0),
                ("pmull v0.8h, v1.8b, v2.8b", 0x0e22_e020),
                ("eor v0.16b, v1.16b, v2.16b", 0x6e22_1c20),
                ("rev64 v0.16b, v1.16b", 0x4e20_0820),
                ("dup v0.4s, w1", 0x4e04_0c20),
            ] {
                assert_eq!(board.first_unknown(&[(4, word)]), None, "{name}");
            }
        }
    }

    #[test]
    fn records_are_whole() {
        let mut bytes = 0x1234u64.to_le_bytes().to_vec();
        bytes.extend(0xd65f_03c0u32.to_le_bytes());
        bytes.extend([0; 4]);
        assert_eq!(read(&bytes).unwrap(), [(0x1234, 0xd65f_03c0)]);
        assert!(read(&bytes[1..]).is_err() && read(&[]).is_err());
    }

    #[test]
    fn the_plugin_interface_follows_the_version() {
        for (said, api) in
            [("QEMU emulator version 7.2.22 (Debian 1:7.2)", 1), ("version 9.0.2", 2), ("version 10.0.3", 3)]
        {
            assert_eq!(plugin_api(said).unwrap(), api, "{said}");
        }
        assert!(plugin_api("no number").is_err());
    }
}
