//! Heap of a root filesystem's own programs: scenarios under qemu-user, without a board, as an ordinary user.
//!
//! qemu's `-L` looks for every absolute path in the root filesystem first, so a program finds its loader, its libraries and what it
//! opens by name there. The other end of a connection is this machine's openssl(1).

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use super::scenarios::{SCENARIOS, Scenario};
use crate::elf;
use crate::lab::{results, userland};
use crate::report::{Heap, Measure};
use crate::sources::{Options, Sources, have};
use crate::toolchain::{self, of_loader};

const PROGRAMS: [&str; 4] = ["usr/sbin", "usr/bin", "sbin", "bin"];
const LIBRARIES: [&str; 4] = ["usr/lib", "lib", "usr/lib64", "lib64"];
/// Opened by uhttpd and uclient-fetch while they run.
pub(super) const USTREAM: &str = "libustream-ssl.so";
/// A program that hangs is ended: emulated, the slowest step takes half a minute on a busy machine.
pub(super) const SECONDS: &str = "300";

/// What came of the scenarios.
#[derive(Default)]
pub(crate) struct Outcome {
    heap: Vec<Heap>,
    /// Scenario -> why there is no figure.
    absent: BTreeMap<String, String>,
    /// Scenarios that ran and went wrong.
    failed: Vec<String>,
    /// The emulator, once it was used.
    emulator: Option<String>,
}

/// The emulator for a triple, and what counts the heap there.
pub(super) struct Emulator {
    pub(super) qemu: String,
    pub(super) heapmeter: PathBuf,
}

/// Run every scenario that `root` has the program for; say on standard error what is skipped, and why.
pub(crate) fn heap(options: &Options, root: &Path) -> Result<Outcome> {
    heap_with(root, |loader| {
        let (triple, facts) = of_loader(loader)?;
        let names = [facts.qemu.clone(), format!("{}-static", facts.qemu)];
        let Some(qemu) = names.into_iter().find(|name| have(name)) else {
            bail!("{} is not here: apt-get install qemu-user-static", facts.qemu);
        };
        let toolchain = toolchain::for_target(&Sources::open(options)?, &triple)?;
        Ok(Emulator { qemu, heapmeter: userland::heapmeter(&toolchain)? })
    })
}

pub(super) fn heap_with(root: &Path, emulator: impl FnOnce(&str) -> Result<Emulator>) -> Result<Outcome> {
    let root = root.canonicalize().with_context(|| format!("cannot read {}", root.display()))?;
    let mut outcome = Outcome::default();
    let mut ready = Vec::new();
    for scenario in &SCENARIOS {
        match scenario.program(&root) {
            Ok(program) => ready.push((scenario, program)),
            Err(error) => outcome.skip(scenario.name, &format!("{error:#}")),
        }
    }
    if ["wpad", "hostapd"].iter().any(|name| find(&root, &PROGRAMS, name).is_some()) {
        outcome.skip(
            "sae",
            "two radios are needed, and mac80211_hwsim is a kernel's module: measure a booted image or --ssh a device",
        );
    }
    if ready.is_empty() {
        return Ok(outcome);
    }
    let prepared = loader(&ready[0].1).and_then(|name| {
        ensure!(have("openssl"), "openssl(1) is not here: apt-get install openssl");
        emulator(&name)
    });
    let emulator = match prepared {
        Ok(emulator) => emulator,
        Err(error) => {
            for (scenario, _) in ready {
                outcome.skip(scenario.name, &format!("{error:#}"));
            }
            return Ok(outcome);
        }
    };
    for (scenario, program) in ready {
        match measured(&emulator, &root, scenario, &program) {
            Ok(heap) => outcome.heap.push(heap),
            Err(error) => {
                eprintln!("heap of {}: FAILED: {error:#}", scenario.name);
                outcome.absent.insert(scenario.name.to_owned(), format!("failed: {error:#}"));
                outcome.failed.push(scenario.name.to_owned());
            }
        }
    }
    outcome.emulator = Some(version(&emulator.qemu)?);
    Ok(outcome)
}

impl Outcome {
    fn skip(&mut self, scenario: &str, why: &str) {
        eprintln!("heap of {scenario}: SKIPPED: {why}");
        self.absent.insert(scenario.to_owned(), why.to_owned());
    }

    /// Put the figures into the record of the root filesystem.
    pub(crate) fn into(self, measure: &mut Measure) -> Vec<String> {
        eprintln!(
            "heap: {} scenarios measured, {} failed, {} skipped",
            self.heap.len(),
            self.failed.len(),
            self.absent.len() - self.failed.len()
        );
        measure.heap = self.heap;
        measure.absent.extend(self.absent);
        if let Some(emulator) = self.emulator {
            measure.method = format!(
                "{} Heap: this root filesystem's programs under qemu-user ({emulator}), peak live bytes that the program requested \
                 (heapmeter), allocator overhead not counted.",
                measure.method
            );
        }
        self.failed
    }
}

/// The build or the measurement is there, but not all of it went well.
pub(crate) fn report(failed: &[String]) -> Result<()> {
    ensure!(failed.is_empty(), "scenarios that failed under qemu-user: {} (the reasons are above)", failed.join(", "));
    Ok(())
}

/// One scenario at work.
pub(super) struct Run<'a> {
    emulator: &'a Emulator,
    pub(super) root: &'a Path,
    program: &'a Path,
    /// A folder of its own.
    pub(super) work: &'a Path,
}

impl Run<'_> {
    /// The scenario's program under the emulator.
    fn emulated(&self, mut command: Command, preload: &[String]) -> Command {
        let path = LIBRARIES.map(|dir| format!("/{dir}")).join(":");
        command.arg(&self.emulator.qemu).arg("-L").arg(self.root);
        // Before glibc's cache: where the root filesystem has none, this machine's would be found.
        command.args(["-E", &format!("LD_LIBRARY_PATH={path}")]).args(preload).arg(self.program);
        // Of this machine's environment (a proxy, for instance) only what finds the emulator.
        command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default()).current_dir(self.work);
        command
    }

    fn preload(&self) -> Vec<String> {
        let (meter, out) = (self.emulator.heapmeter.display(), self.record());
        vec!["-E".into(), format!("LD_PRELOAD={meter}"), "-E".into(), format!("HEAPMETER_OUT={}", out.display())]
    }

    fn record(&self) -> PathBuf {
        self.work.join("heap.jsonl")
    }

    /// Its heap is counted; it has to end by itself.
    pub(super) fn metered(&self) -> Command {
        self.emulated(limited(), &self.preload())
    }

    /// Its heap is counted; the caller ends it. `env`, so that it keeps the process that a signal is sent to.
    pub(super) fn metered_server(&self) -> Command {
        self.emulated(Command::new("env"), &self.preload())
    }

    pub(super) fn unmetered(&self) -> Command {
        self.emulated(limited(), &[])
    }
}

/// Ends what it runs after a time, and passes signals on.
pub(super) fn limited() -> Command {
    let mut command = Command::new("timeout");
    command.args(["--foreground", SECONDS]);
    command
}

fn measured(emulator: &Emulator, root: &Path, scenario: &Scenario, program: &Path) -> Result<Heap> {
    let work = tempfile::tempdir()?;
    let work = work.path().canonicalize()?;
    let run = Run { emulator, root, program, work: &work };
    (scenario.run)(&run)?;
    let record = fs::read_to_string(run.record()).context("heapmeter left no record")?;
    let largest = results::largest(scenario.name, &record)?.context("heapmeter's record is empty")?;
    Ok(Heap {
        scenario: scenario.name.to_owned(),
        process: scenario.program.to_owned(),
        peak_bytes: largest.peak_bytes,
        allocations: largest.allocations,
    })
}

impl Scenario {
    /// The program, with every library that it needs and what it opens, all of them in the root filesystem.
    fn program(&self, root: &Path) -> Result<PathBuf> {
        let missing = |name: &str| format!("the root filesystem has no {name}");
        let program = find(root, &PROGRAMS, self.program).with_context(|| missing(self.program))?;
        for path in self.files {
            ensure!(root.join(path).is_file(), missing(&format!("/{path}")));
        }
        let loader = loader(&program)?;
        let mut wanted: Vec<String> = self.opens.iter().map(|&name| name.to_owned()).collect();
        wanted.extend(elf::dynamic(&program)?.needed);
        let mut seen = BTreeSet::new();
        while let Some(name) = wanted.pop() {
            // musl's loader is its C library.
            if name == loader || (loader.starts_with("ld-musl-") && name == "libc.so") || !seen.insert(name.clone()) {
                continue;
            }
            // Else the emulator would go on to this machine's.
            let library = find(root, &LIBRARIES, &name).with_context(|| missing(&name))?;
            wanted.extend(elf::dynamic(&library)?.needed);
        }
        Ok(program)
    }
}

fn find(root: &Path, dirs: &[&str], name: &str) -> Option<PathBuf> {
    dirs.iter().map(|dir| root.join(dir).join(name)).find(|path| path.is_file())
}

/// The file name of the dynamic loader that the program asks for.
fn loader(program: &Path) -> Result<String> {
    let found = elf::dynamic(program)?.loader;
    let path =
        found.with_context(|| format!("{} is linked statically: its heap cannot be counted", program.display()))?;
    Ok(path.rsplit('/').next().unwrap_or(&path).to_owned())
}

/// "qemu-aarch64 version 7.2.22": the first line up to the packager's words.
fn version(qemu: &str) -> Result<String> {
    let output = Command::new(qemu).arg("--version").output().with_context(|| format!("cannot run {qemu}"))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    Ok(text.lines().next().unwrap_or(qemu).split(" (").next().unwrap_or(qemu).to_owned())
}
