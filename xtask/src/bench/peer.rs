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

/// Name here, build in recipes/baselines/ that competes on speed, names for pkg-config, libraries where there is no .pc file,
/// Debian's package.
const PEERS: [(&str, &str, &[&str], &[&str], &str); 3] = [
    (
        "mbedtls",
        "mbedtls",
        &["mbedtls", "mbedx509", "mbedcrypto"],
        &["-lmbedtls", "-lmbedx509", "-lmbedcrypto"],
        "libmbedtls-dev",
    ),
    ("wolfssl", "wolfssl-speed", &["wolfssl"], &["-lwolfssl"], "libwolfssl-dev"),
    ("openssl", "openssl", &["libssl", "libcrypto"], &["-lssl", "-lcrypto"], "libssl-dev"),
];

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
}

impl Finder<'_> {
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
        let Some((_, recipe, pkg_config, libraries, package)) = PEERS.iter().find(|(known, ..)| *known == name) else {
            let known: Vec<&str> = PEERS.iter().map(|(known, ..)| *known).collect();
            user_bail!("no library '{name}' to compare with; there are {}", known.join(", "));
        };
        let (flags, version) = if self.installed {
            (packaged(pkg_config, libraries), installed_version(pkg_config[0], package))
        } else {
            let built = baselines::build(self.sources, recipe, &self.toolchain()?)?;
            let libraries: Vec<String> = libraries.iter().map(|&flag| flag.to_owned()).collect();
            (prefix_flags(&built.dir, &libraries), format!("{} (built from source: {recipe})", built.version))
        };
        Ok(match self.compile(name, &flags)? {
            Some(path) => Found::Program(Program { name: name.to_owned(), version, path }),
            None => Found::Missing(format!("its headers or library are not installed: install {package}")),
        })
    }

    /// This machine's own target.
    fn toolchain(&self) -> Result<toolchain::Toolchain> {
        let triple = format!("{}-unknown-linux-gnu", env::consts::ARCH);
        toolchain::for_target_with(self.sources, &triple, RustChoice::default())
    }

    /// None where the library is not there; a program that is wrong in itself is an error.
    fn compile(&self, name: &str, flags: &[String]) -> Result<Option<PathBuf>> {
        let source = root().join("crates/rustcrypto-capi/bench").join(format!("{name}.c"));
        let program = self.scratch.join(format!("{name}-bench"));
        let fixed = ["-std=c99", "-D_POSIX_C_SOURCE=200809L", "-O2", "-o"];
        let output = Command::new("cc")
            .args(fixed)
            .arg(&program)
            .arg(&source)
            .args(flags)
            .output()
            .context("cannot run cc: install a C compiler")?;
        if output.status.success() {
            return Ok(Some(program));
        }
        let words = String::from_utf8_lossy(&output.stderr);
        if words.contains("No such file or directory") || words.contains("cannot find -l") {
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
fn packaged(names: &[&str], libraries: &[&str]) -> Vec<String> {
    let asked = Command::new("pkg-config").args(["--cflags", "--libs"]).args(names).output();
    match asked {
        Ok(output) if output.status.success() => {
            String::from_utf8_lossy(&output.stdout).split_whitespace().map(str::to_owned).collect()
        }
        _ => libraries.iter().map(|&flag| flag.to_owned()).collect(),
    }
}

fn installed_version(pkg_config: &str, package: &str) -> String {
    let ask = |command: &str, args: &[&str]| {
        let output = Command::new(command).args(args).output().ok().filter(|output| output.status.success())?;
        Some(String::from_utf8_lossy(&output.stdout).trim().to_owned()).filter(|version| !version.is_empty())
    };
    let version = ask("pkg-config", &["--modversion", pkg_config])
        .or_else(|| ask("dpkg-query", &["--show", "--showformat=${Version}", package]));
    format!("{} (installed)", version.as_deref().unwrap_or("unknown version"))
}
