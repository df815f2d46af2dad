//! What is compiled for an image beside its crypto library: the probe, hostapd and `wpa_supplicant`, the heap tracker.
//!
//! Each result lies in the cache under a key of everything that goes into it. Programs that use a library depend on its
//! headers alone: a rebuilt library with the same headers needs no program rebuilt.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use sha2::{Digest, Sha256};

use super::library::Library;
use crate::consumers::hook::Hook;
use crate::consumers::hostapd::{self, Build, Features};
use crate::consumers::{self, Compiler, libnl};
use crate::root::root;
use crate::sources::{Sources, hex};
use crate::toolchain::{self, Toolchain};

pub(super) const CFLAGS: [&str; 4] =
    ["-Os", "-ffunction-sections", "-fdata-sections", "-fno-asynchronous-unwind-tables"];

/// SHA-256 over the names and contents of all files under the paths.
pub(super) fn fingerprint(paths: &[&Path]) -> Result<String> {
    let mut hash = Sha256::new();
    for path in paths {
        for entry in walkdir::WalkDir::new(path).sort_by_file_name() {
            let entry = entry?;
            if entry.file_type().is_file() {
                let relative = entry.path().strip_prefix(path).unwrap_or(entry.path());
                hash.update(relative.to_string_lossy().as_bytes());
                hash.update(fs::read(entry.path()).with_context(|| format!("cannot read {}", entry.path().display()))?);
            }
        }
    }
    Ok(hex(&hash.finalize()))
}

/// Run a compiler or the like; its last words if it fails.
pub(super) fn run(what: &str, command: &mut Command) -> Result<()> {
    let output = command.stdin(Stdio::null()).output().with_context(|| format!("{what}: cannot run the compiler"))?;
    if !output.status.success() {
        // meson and ninja say it on standard output.
        let said = [output.stdout, output.stderr].concat();
        let text = String::from_utf8_lossy(&said);
        let errors: Vec<&str> = text.lines().filter(|line| line.to_lowercase().contains("error")).take(6).collect();
        bail!("{what} does not build: {}", if errors.is_empty() { text.trim().to_owned() } else { errors.join(" | ") });
    }
    Ok(())
}

/// tlsprobe on one library.
pub(super) fn probe(sources: &Sources, toolchain: &Toolchain, library: &Library) -> Result<PathBuf> {
    let backend = format!("backend_{}.c", library.backend);
    let files = ["main.c", "util.c", "server.c", "client.c", "check.c", &backend];
    program(sources, toolchain, library, "tlsprobe", &root().join("xtask/lab/tlsprobe"), &files)
}

/// px5g, which is a thin program on librustcrypto.
pub(super) fn px5g(sources: &Sources, toolchain: &Toolchain, library: &Library) -> Result<PathBuf> {
    program(sources, toolchain, library, "px5g", &root().join("crates/px5g"), &["px5g.c", "output.c"])
}

/// A small C program of this repository, stripped.
fn program(
    sources: &Sources,
    toolchain: &Toolchain,
    library: &Library,
    name: &str,
    source: &Path,
    files: &[&str],
) -> Result<PathBuf> {
    let key = format!("{}\n{}\n{}", toolchain.c_name, fingerprint(&[source])?, library.key()?);
    let dir = sources.cache.made(name, &key, |part| {
        let mut command = Command::new(&toolchain.cc);
        command.args(CFLAGS).args(["-std=gnu11", "-D_GNU_SOURCE", "-Wall", "-Wl,--gc-sections"]);
        command.args(files.iter().map(|file| source.join(file)));
        command.arg("-I").arg(library.prefix.join("include")).arg("-L").arg(library.prefix.join("lib"));
        command.args(library.links()).arg("-s").arg("-o").arg(part.join(name));
        run(name, &mut command)
    })?;
    Ok(dir.join(name))
}

/// libheapmeter.so for the target.
pub(crate) fn heapmeter(toolchain: &Toolchain) -> Result<PathBuf> {
    let target_dir = root().join("target/cross");
    let mut cargo = Command::new("cargo");
    cargo.current_dir(root()).args(["build", "--quiet", "--locked", "--package", "heapmeter", "--profile", "minimal"]);
    cargo.args(["--target", &toolchain.triple]).arg("--target-dir").arg(&target_dir);
    // The same flags as the library's, so that the standard library is built once.
    let profile = toolchain::lib_profile("minimal")?;
    let mut flags = Vec::new();
    if toolchain.rust.build_std {
        cargo.arg(format!("-Zbuild-std={}", profile.std.join(",")));
        cargo.arg(format!("-Zbuild-std-features={}", profile.std_features.join(",")));
        flags.extend(profile.rustflags.iter().map(String::as_str));
    }
    cargo.envs(toolchain.cargo_env(&flags)).stdin(Stdio::null());
    for key in ["RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS", "CARGO_BUILD_TARGET"] {
        cargo.env_remove(key);
    }
    if !cargo.status().context("cannot run cargo")?.success() {
        bail!("heapmeter does not build for {}: the compiler's words are above", toolchain.triple);
    }
    Ok(target_dir.join(&toolchain.triple).join("minimal/libheapmeter.so"))
}

/// What hostap's own code for a library lacks: lines for its .config, and a sentence for the report.
pub(super) fn without(backend: &str) -> Option<(&'static [&'static str], &'static str)> {
    (backend == "wolfssl").then_some((
        // An empty value is "not defined" to make.
        &["CONFIG_SAE_PK="],
        "hostap's wolfSSL backend has no EC keys to sign with, so hostapd and wpa_supplicant are built without SAE-PK",
    ))
}

/// Stripped hostapd, `wpa_supplicant` and `wpa_cli` on one library, and hostapd's version.
pub(super) struct Wifi {
    pub(super) dir: PathBuf,
    pub(super) version: String,
}

/// A hostap tree, and what identifies it.
pub(super) struct Hostap {
    tree: PathBuf,
    version: String,
    key: String,
    /// It is the locked release, whose wolfSSL code needs a mend (`recipes/baselines/hostap-wolfssl`).
    locked: bool,
}

impl Hostap {
    /// The user's own tree (`--sources DIR`), or the locked release.
    pub(super) fn find(sources: &Sources) -> Result<Self> {
        let (tree, version) = consumers::source::hostap(sources.options())?;
        let locked = tree.starts_with(&sources.cache.dir);
        let key = if locked { sources.identity("wpa")?.to_owned() } else { fingerprint(&[&tree.join("src")])? };
        Ok(Self { tree, version, key, locked })
    }

    /// Has this release code for the backend? Ours is brought along; upstream has none for Mbed TLS.
    pub(super) fn knows(&self, backend: &str) -> bool {
        hostapd::knows(&self.tree, backend)
    }
}

pub(super) fn wifi(sources: &Sources, toolchain: &Toolchain, library: &Library, hostap: &Hostap) -> Result<Wifi> {
    let mut zig = Compiler::of(toolchain);
    zig.ldflags.push("-s".to_owned());
    // Not in the cache: its pkg-config files name absolute paths. Its programs name none: their bytes are the same wherever
    // they are built.
    let libnl = root().join("target/lab").join(&toolchain.triple).join("libnl3");
    fs::create_dir_all(&libnl)?;
    let source = sources.tree("libnl3")?;
    zig.cflags.push(format!("-ffile-prefix-map={}=libnl3", source.display()));
    let pkg_config = libnl::build(&zig, &source, &toolchain.target.zig, &libnl)?;
    let mend = root().join("recipes/baselines").join(format!("hostap-{}", library.backend));
    let mend = Some(mend).filter(|dir| hostap.locked && dir.is_dir());
    let ours: Vec<PathBuf> = [root().join("patches/hostapd")].into_iter().chain(mend.clone()).collect();
    let ours: Vec<&Path> = ours.iter().map(PathBuf::as_path).collect();
    let key = format!(
        "{}\n{}\n{}\n{}\n{:?}\nno paths",
        toolchain.c_name,
        fingerprint(&ours)?,
        library.key()?,
        hostap.key,
        without(&library.backend)
    );
    let dir = sources.cache.made("wifi", &key, |part| {
        let mut compiler = Compiler { pkg_config_libdir: Some(pkg_config), ..zig };
        // hostap's makefile asks pkg-config for the headers only.
        compiler.ldflags.push(format!("-L{}", libnl.join("libnl/lib/.libs").display()));
        let consumer = consumers::Library {
            backend: library.backend.parse()?,
            include: Some(library.prefix.join("include")),
            lib: Some(library.prefix.join("lib")),
        };
        let scratch = part.join("build");
        let mended = part.join("source");
        if let Some(mend) = &mend {
            sources.unpack("wpa", &mended)?;
            Hook::read(mend)?.apply(mend, &mended)?;
        }
        let built = hostapd::build(&Build {
            source: if mend.is_some() { &mended } else { &hostap.tree },
            compiler: &compiler,
            library: &consumer,
            features: Features::Basic,
            extra: without(&library.backend).map_or(&[], |(lines, _)| lines),
            also: &[],
            out: &scratch,
        })?;
        for (from, name) in
            [(&built.hostapd, "hostapd"), (&built.wpa_supplicant, "wpa_supplicant"), (&built.wpa_cli, "wpa_cli")]
        {
            fs::copy(from, part.join(name))?;
        }
        if mend.is_some() {
            fs::remove_dir_all(mended)?;
        }
        Ok(fs::remove_dir_all(scratch)?)
    })?;
    Ok(Wifi { dir, version: hostap.version.clone() })
}
