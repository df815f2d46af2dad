//! The Rust side: Debian's rustc-web with the standard library built for the target, or what is installed.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::sources::{Sources, library_path};
use crate::user_bail;

/// Which Rust to build with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum RustChoice {
    /// Debian's where it can be had, else an installed one that has the target
    #[default]
    Auto,
    /// Debian's rustc-web, unpacked privately, standard library built for the target
    Private,
    /// The rustc on the search path
    Installed,
}

/// A rustc, and how cargo is told to use it.
#[derive(Clone, Debug)]
pub(crate) struct Rust {
    /// For reports: version and where it is from.
    pub(crate) name: String,
    /// The standard library is built for the target (`-Zbuild-std`), else the prebuilt one is linked.
    pub(crate) build_std: bool,
    /// Environment for cargo.
    pub(crate) env: Vec<(String, String)>,
}

pub(super) fn find(sources: &Sources, triple: &str, choice: RustChoice) -> Result<Rust> {
    match choice {
        RustChoice::Private => private(sources),
        RustChoice::Installed => installed(triple),
        RustChoice::Auto => private(sources).or_else(|why| {
            installed(triple)
                .inspect(|_| eprintln!("using the installed Rust: {why:#}"))
                .with_context(|| format!("{why:#}; and"))
        }),
    }
}

/// Debian's packages of the bundle `rust`, behind a wrapper that finds their shared libraries.
fn private(sources: &Sources) -> Result<Rust> {
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        user_bail!("the private Rust is for x86_64 Linux machines; use an installed one: `rustup target add`");
    }
    let prefix = sources.bundle("rust")?;
    let version = sources.version("rustc-web")?.to_owned();
    let key = format!("{}\n{version}", prefix.display());
    let dir = sources.cache.made("rustc", &key, |part| {
        let wrapper = part.join("rustc");
        let libraries = library_path(&prefix);
        let text = format!(
            "#!/bin/sh\nLD_LIBRARY_PATH=\"{libraries}\" exec \"{}\" \"$@\"\n",
            prefix.join("usr/bin/rustc").display()
        );
        fs::write(&wrapper, text)?;
        fs::set_permissions(&wrapper, fs::Permissions::from_mode(0o755))?;
        // Fails here, with its own words, rather than in the middle of a build.
        let output = Command::new(&wrapper).arg("--version").output()?;
        if !output.status.success() {
            let text = String::from_utf8_lossy(&output.stderr);
            bail!("Debian's rustc does not run on this machine: {}", text.lines().next().unwrap_or("no reason given"));
        }
        Ok(())
    })?;
    let rustc = dir.join("rustc");
    Ok(Rust {
        name: format!("rustc-web {version} from Debian, std built for the target"),
        build_std: true,
        env: vec![
            ("RUSTC".to_owned(), rustc.display().to_string()),
            // Debian's release build, allowed its unstable options: build-std and the panic strategies.
            ("RUSTC_BOOTSTRAP".to_owned(), "1".to_owned()),
        ],
    })
}

/// The rustc on the search path, if it can build for `triple`: with `rust-src`, or with the target's prebuilt std.
fn installed(triple: &str) -> Result<Rust> {
    let ask = |args: &[&str]| -> Result<String> {
        let output = Command::new("rustc").args(args).stderr(Stdio::null()).output().context("cannot run rustc")?;
        Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let version = ask(&["--version"])?;
    let library = Path::new(&ask(&["--print", "sysroot"])?).join("lib/rustlib/src/rust/library");
    let bootstrap = ("RUSTC_BOOTSTRAP".to_owned(), "1".to_owned());
    if library.join("std/Cargo.toml").exists() {
        let name = format!("{version}, installed, std built for the target");
        return Ok(Rust { name, build_std: true, env: vec![bootstrap] });
    }
    if Path::new(&ask(&["--print", "target-libdir", "--target", triple])?).is_dir() {
        let name = format!("{version}, installed, with its prebuilt std");
        return Ok(Rust { name, build_std: false, env: Vec::new() });
    }
    user_bail!(
        "the installed {version} cannot build for {triple}: `rustup target add {triple}` or `rustup component add rust-src`"
    )
}
