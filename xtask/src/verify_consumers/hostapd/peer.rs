//! The peer program: hostap's own SAE and key code on one backend, run by itself or against one on another backend.

use std::fs;
use std::io::pipe;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use anyhow::{Context as _, Result, bail};

use crate::consumers::hostapd::Built;
use crate::consumers::{Compiler, Library};
use crate::root::root;

/// `patches/hostapd/tests/peer.c` linked with the objects of one built `wpa_supplicant`.
pub(super) struct Peer {
    pub(super) program: PathBuf,
    libraries: Option<PathBuf>,
}

impl Peer {
    pub(super) fn build(built: &Built, compiler: &Compiler, library: &Library) -> Result<Self> {
        let tests = root().join("patches/hostapd/tests");
        let folder = built.tree.join("wpa_supplicant");
        let output = Command::new("nice")
            .args(["make", "-j2", "-f", "Makefile", "-f"])
            .arg(tests.join("peer.mk"))
            .arg(format!("PEER={}", tests.display()))
            .arg(format!("CC={}", compiler.cc))
            .arg("peer")
            .current_dir(&folder)
            .output()
            .context("cannot run make")?;
        if !output.status.success() {
            let log = folder.join("peer.log");
            fs::write(&log, [output.stdout, output.stderr].concat())?;
            bail!("the peer program does not build on {}: see {}", library.backend, log.display());
        }
        Ok(Peer { program: folder.join("peer"), libraries: library.lib.clone() })
    }

    /// The program, ready to run with its own library.
    pub(super) fn command(&self, args: &[&str]) -> Command {
        self.under(&[], args)
    }

    /// The same under another program (valgrind, perf).
    pub(super) fn under(&self, wrapper: &[&str], args: &[&str]) -> Command {
        let mut command = match wrapper {
            [] => Command::new(&self.program),
            [first, rest @ ..] => {
                let mut command = Command::new(first);
                command.args(rest).arg(&self.program);
                command
            }
        };
        if let Some(dir) = &self.libraries {
            command.env("LD_LIBRARY_PATH", dir);
        }
        command.args(args);
        command
    }

    /// Run to the end; what it tells on stderr.
    pub(super) fn run(&self, args: &[&str]) -> Result<String> {
        told(&self.command(args).stdin(Stdio::null()).output().context("cannot run the peer program")?)
    }
}

/// Two peers with each other's output as input. Both must end well and tell the same.
pub(super) fn exchange(ap: (&Peer, &[&str]), sta: (&Peer, &[&str])) -> Result<String> {
    let (ap_in, sta_out) = pipe()?;
    let (sta_in, ap_out) = pipe()?;
    let start = |(peer, args): (&Peer, &[&str]), stdin, stdout| {
        peer.command(args)
            .stdin::<std::io::PipeReader>(stdin)
            .stdout::<std::io::PipeWriter>(stdout)
            .stderr(Stdio::piped())
            .spawn()
    };
    let ap = start(ap, ap_in, ap_out)?;
    let sta = start(sta, sta_in, sta_out)?;
    let ap = told(&ap.wait_with_output()?).context("access point")?;
    let sta = told(&sta.wait_with_output()?).context("station")?;
    if ap != sta || ap.is_empty() {
        bail!("the two ends have different keys: {ap} and {sta}");
    }
    Ok(ap)
}

fn told(output: &Output) -> Result<String> {
    let text = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    if !output.status.success() {
        bail!("{}: {}", output.status, last_lines(&text));
    }
    Ok(text)
}

pub(super) fn last_lines(text: &str) -> String {
    let lines: Vec<&str> = text.lines().rev().take(3).collect();
    lines.into_iter().rev().collect::<Vec<_>>().join(" | ")
}

/// Size of a program without its symbols, as it would be installed.
pub(super) fn stripped_size(program: &Path) -> Result<u64> {
    let copy = program.with_extension("stripped");
    let status = Command::new("strip").arg("-o").arg(&copy).arg(program).status().context("cannot run strip")?;
    if !status.success() {
        bail!("cannot strip {}", program.display());
    }
    Ok(fs::metadata(&copy)?.len())
}
