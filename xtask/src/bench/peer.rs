//! Where the libraries come from, and their benchmark programs compiled against them.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::sources::Sources;
use crate::toolchain::{self, RustChoice};
use crate::{baselines, build_lib, root::root, user_bail};

/// Our name among the libraries.
pub(super) const OURS: &str = "rustcrypto";

/// A library to compare with.
struct Peer {
    name: &'static str,
    /// Of its builds in recipes/baselines/, the one that competes on speed.
    recipe: &'static str,
    pkg_config: &'static [&'static str],
    /// Where there is no .pc file.
    libraries: &'static [&'static str],
    /// Debian's package.
    package: &'static str,
}

const PEERS: [Peer; 3] = [
    Peer {
        name: "mbedtls",
        recipe: "mbedtls",
        pkg_config: &["mbedtls", "mbedx509", "mbedcrypto"],
        libraries: &["-lmbedtls", "-lmbedx509", "-lmbedcrypto"],
        package: "libmbedtls-dev",
    },
    Peer {
        name: "wolfssl",
        recipe: "wolfssl-speed",
        pkg_config: &["wolfssl"],
        libraries: &["-lwolfssl"],
        package: "libwolfssl-dev",
    },
    Peer {
        name: "openssl",
        recipe: "openssl",
        pkg_config: &["libssl", "libcrypto"],
        libraries: &["-lssl", "-lcrypto"],
        package: "libssl-dev",
    },
];

/// What `--against` takes.
pub(super) fn names() -> [&'static str; PEERS.len()] {
    PEERS.map(|peer| peer.name)
}

/// A compiled benchmark.
pub(super) struct Program {
    pub(super) name: String,
    pub(super) version: String,
    pub(super) path: PathBuf,
}

pub(super) enum Found {
    Program(Program),
    /// Why not, and how to get it.
    Missing(String),
}

pub(super) struct Finder<'a> {
    pub(super) sources: &'a Sources,
    /// Where programs are compiled to.
    pub(super) scratch: &'a Path,
    pub(super) installed: bool,
    /// A triple that is not this machine's own.
    pub(super) cross: Option<&'a str>,
    /// What runs its programs.
    pub(super) runner: Vec<String>,
}

impl Finder<'_> {
    /// Run the programs of the other triple on this machine; `count` their instructions in place of time.
    pub(super) fn emulate(&mut self, sysroot: &Path, count: bool) -> Result<()> {
        if !sysroot.join("lib").is_dir() {
            user_bail!("{} has no lib/: it should hold the target's dynamic loader", sysroot.display());
        }
        let emulator = self.toolchain()?.target.qemu;
        if !crate::sources::have(&emulator) {
            user_bail!(
                "{emulator} is not here: install qemu-user (qemu-user-static loads no plugins, so it cannot count)"
            );
        }
        self.runner = vec![emulator, "-L".to_owned(), sysroot.display().to_string()];
        if count {
            // One file serves all programs: only the one that is asked runs, and it writes before it reads.
            let (plugin, clock) = (self.plugin()?, self.scratch.join("clock"));
            self.runner.extend(["-plugin".to_owned(), format!("{},out={}", plugin.display(), clock.display())]);
            self.runner.extend(["-E".to_owned(), format!("BENCH_CLOCK={}", clock.display())]);
        }
        Ok(())
    }

    /// The emulator's plugin that counts instructions, compiled for this machine.
    fn plugin(&self) -> Result<PathBuf> {
        let (source, plugin) = (root().join("xtask/src/bench/count.c"), self.scratch.join("libcount.so"));
        let mut cc = Command::new("cc");
        let output = cc.args(["-O2", "-shared", "-fPIC", "-o"]).arg(&plugin).arg(&source).output();
        let output = output.context("cannot run cc: install a C compiler")?;
        if !output.status.success() {
            bail!("{} does not compile:\n{}", source.display(), String::from_utf8_lossy(&output.stderr));
        }
        Ok(plugin)
    }

    /// Ours, from a prefix or built for this machine.
    pub(super) fn ours(&self, prefix: Option<&Path>, profile: &str) -> Result<Program> {
        let prefix = match prefix {
            Some(prefix) if prefix.join("include/rustcrypto.h").is_file() => prefix.to_path_buf(),
            Some(prefix) => {
                user_bail!("{} has no include/rustcrypto.h: is it an installation prefix?", prefix.display())
            }
            None => build_lib::build(self.sources, &self.toolchain()?, profile, &[])?.prefix,
        };
        let path = self.compile(OURS, &prefix_flags(&prefix, &["-lrustcrypto".to_owned()]))?;
        let version = format!("{} ({profile}, {})", env!("CARGO_PKG_VERSION"), prefix.display());
        Ok(Program { name: OURS.to_owned(), version, path: path.context("rustcrypto-bench does not compile")? })
    }

    pub(super) fn peer(&self, name: &str) -> Result<Found> {
        let Some(peer) = PEERS.iter().find(|peer| peer.name == name) else {
            user_bail!("no library '{name}' to compare with; there are {}", PEERS.map(|peer| peer.name).join(", "));
        };
        let (flags, version) = if self.installed {
            (packaged(peer), installed_version(peer))
        } else {
            let built = baselines::build(self.sources, peer.recipe, &self.toolchain()?)?;
            let libraries: Vec<String> = peer.libraries.iter().map(|&flag| flag.to_owned()).collect();
            (prefix_flags(&built.dir, &libraries), format!("{} (built from source: {})", built.version, peer.recipe))
        };
        Ok(match self.compile(name, &flags)? {
            Some(path) => Found::Program(Program { name: name.to_owned(), version, path }),
            None => Found::Missing(format!("its headers or library are not installed: install {}", peer.package)),
        })
    }

    fn toolchain(&self) -> Result<toolchain::Toolchain> {
        let own = format!("{}-unknown-linux-gnu", env::consts::ARCH);
        toolchain::for_target_with(self.sources, self.cross.unwrap_or(&own), RustChoice::default())
    }

    /// None where the library is not there; a program that is wrong in itself is an error.
    fn compile(&self, name: &str, flags: &[String]) -> Result<Option<PathBuf>> {
        let source = root().join("crates/rustcrypto-capi/bench").join(format!("{name}.c"));
        let program = self.scratch.join(format!("{name}-bench"));
        let fixed = ["-std=c99", "-D_POSIX_C_SOURCE=200809L", "-O2", "-o"];
        let cc = if self.cross.is_some() { self.toolchain()?.cc } else { PathBuf::from("cc") };
        let output = Command::new(&cc)
            .args(fixed)
            .arg(&program)
            .arg(&source)
            .args(flags)
            .output()
            .with_context(|| format!("cannot run {}: install a C compiler", cc.display()))?;
        if output.status.success() {
            return Ok(Some(program));
        }
        let words = String::from_utf8_lossy(&output.stderr);
        // What was built here has all that it is said to have: there a missing header is a fault of the program.
        if self.installed && (words.contains("No such file or directory") || words.contains("cannot find -l")) {
            return Ok(None);
        }
        bail!("{} does not compile:\n{words}", source.display());
    }
}

fn prefix_flags(prefix: &Path, libraries: &[String]) -> Vec<String> {
    let lib = prefix.join("lib");
    let mut flags = vec![
        format!("-I{}", prefix.join("include").display()),
        format!("-L{}", lib.display()),
        format!("-Wl,-rpath,{}", lib.display()),
        "-pthread".to_owned(),
    ];
    flags.extend_from_slice(libraries);
    flags
}

/// Flags for what is installed on this machine: pkg-config's, or the plain library names.
fn packaged(peer: &Peer) -> Vec<String> {
    let asked = Command::new("pkg-config").args(["--cflags", "--libs"]).args(peer.pkg_config).output();
    match asked {
        Ok(output) if output.status.success() => {
            String::from_utf8_lossy(&output.stdout).split_whitespace().map(str::to_owned).collect()
        }
        _ => peer.libraries.iter().map(|&flag| flag.to_owned()).collect(),
    }
}

fn installed_version(peer: &Peer) -> String {
    let ask = |command: &str, args: &[&str]| {
        let output = Command::new(command).args(args).output().ok().filter(|output| output.status.success())?;
        Some(String::from_utf8_lossy(&output.stdout).trim().to_owned()).filter(|version| !version.is_empty())
    };
    let version = ask("pkg-config", &["--modversion", peer.pkg_config[0]])
        .or_else(|| ask("dpkg-query", &["--show", "--showformat=${Version}", peer.package]));
    format!("{} (installed)", version.as_deref().unwrap_or("unknown version"))
}
