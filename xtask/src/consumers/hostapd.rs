//! hostapd and `wpa_supplicant` from a hostap tree, on any backend, for the host or a target.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail};

use super::hook::Hook;
use super::{Backend, Compiler, Library};
use crate::root::root;
use crate::user_bail;

/// Which of `patches/hostapd/config/*-{basic,full}.config` is built.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Features {
    /// PSK, SAE, SAE-PK, OWE, FT, PMF, mesh
    Basic,
    /// basic, EAP, a RADIUS server, Suite B 192, DPP
    Full,
}

impl Features {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Features::Basic => "basic",
            Features::Full => "full",
        }
    }
}

/// Has this hostap tree code for the backend? Ours is brought along; only forks have one for Mbed TLS.
pub(crate) fn knows(tree: &Path, backend: &str) -> bool {
    backend == "rustcrypto" || tree.join(format!("src/crypto/crypto_{backend}.c")).is_file()
}

/// One build. The source tree is copied first and never changed.
pub(crate) struct Build<'a> {
    /// A hostap tree with hostapd/, `wpa_supplicant`/ and src/.
    pub(crate) source: &'a Path,
    pub(crate) compiler: &'a Compiler,
    pub(crate) library: &'a Library,
    pub(crate) features: Features,
    /// More lines for both .config files.
    pub(crate) extra: &'a [&'a str],
    /// Programs to build besides the usual four, in the `wpa_supplicant` folder (`eapol_test`).
    pub(crate) also: &'a [&'a str],
    /// Folder for the copied tree, the log and the programs. Objects in it are used again.
    pub(crate) out: &'a Path,
}

/// Where the programs are, not stripped.
#[derive(Clone, Debug)]
pub(crate) struct Built {
    /// The copied tree, with our files in it.
    pub(crate) tree: PathBuf,
    pub(crate) hostapd: PathBuf,
    pub(crate) wpa_supplicant: PathBuf,
    pub(crate) wpa_cli: PathBuf,
}

/// Build both programs and their command-line clients.
pub(crate) fn build(build: &Build) -> Result<Built> {
    let backend = build.library.backend;
    if backend == Backend::MbedTls && !knows(build.source, backend.name()) {
        user_bail!(
            "hostapd has no Mbed TLS backend upstream (OpenWrt carries its own patch): choose rustcrypto, openssl or \
             wolfssl"
        );
    }
    let tree = build.out.join("tree");
    copy_tree(build.source, &tree)?;
    if backend == Backend::RustCrypto {
        let patches = root().join("patches/hostapd");
        Hook::read(&patches)?.apply(&patches, &tree)?;
    }
    make(build, &tree, "hostapd", &["hostapd", "hostapd_cli"])?;
    let programs = [&["wpa_supplicant", "wpa_cli", "wpa_passphrase"], build.also].concat();
    make(build, &tree, "wpa_supplicant", &programs)?;
    Ok(Built {
        hostapd: tree.join("hostapd/hostapd"),
        wpa_supplicant: tree.join("wpa_supplicant/wpa_supplicant"),
        wpa_cli: tree.join("wpa_supplicant/wpa_cli"),
        tree,
    })
}

/// `.config` of one of the two programs.
fn config(build: &Build, program: &str) -> Result<String> {
    let file = root().join(format!("patches/hostapd/config/{program}-{}.config", build.features.name()));
    let mut config = fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
    let _ = writeln!(config, "CONFIG_TLS={}", build.library.backend);
    for line in build.extra {
        let _ = writeln!(config, "{line}");
    }
    let mut cflags = build.compiler.cflags.clone();
    let mut ldflags = build.compiler.ldflags.clone();
    cflags.extend(build.library.include.iter().map(|dir| format!("-I{}", dir.display())));
    ldflags.extend(build.library.lib.iter().map(|dir| format!("-L{}", dir.display())));
    let _ = writeln!(config, "CFLAGS += {}", cflags.join(" "));
    let _ = writeln!(config, "LDFLAGS += {}", ldflags.join(" "));
    Ok(config)
}

fn make(build: &Build, tree: &Path, program: &str, targets: &[&str]) -> Result<()> {
    let folder = tree.join(program);
    write_if_changed(&folder.join(".config"), &config(build, program)?)?;
    let log = build.out.join(format!("{program}.log"));
    let out = fs::File::create(&log).with_context(|| format!("cannot write {}", log.display()))?;
    let mut make = Command::new("nice");
    make.args(["make", "-j2", &format!("CC={}", build.compiler.cc), "-C"]).arg(&folder).args(targets);
    make.envs(build.compiler.tools.iter().cloned());
    if let Some(dir) = &build.compiler.pkg_config_libdir {
        make.env("PKG_CONFIG_LIBDIR", dir);
    }
    let status = make.stdout(out.try_clone()?).stderr(out).status().context("cannot run make")?;
    if !status.success() {
        let text = String::from_utf8_lossy(&fs::read(&log)?).into_owned();
        let mut reasons: Vec<&str> =
            text.lines().filter(|line| ["error", "***", "undefined"].iter().any(|word| line.contains(word))).collect();
        reasons.truncate(8);
        bail!("{program} on {} does not build: {}; see {}", build.library.backend, reasons.join(" | "), log.display());
    }
    Ok(())
}

/// A copy that keeps times, so that a second build compiles only what changed.
fn copy_tree(from: &Path, to: &Path) -> Result<()> {
    if to.join("src/crypto/crypto.h").is_file() {
        return Ok(());
    }
    fs::create_dir_all(to).with_context(|| format!("cannot make {}", to.display()))?;
    let status = Command::new("cp").arg("-a").arg(from.join(".")).arg(to).status().context("cannot run cp")?;
    if !status.success() {
        bail!("cannot copy {} to {}", from.display(), to.display());
    }
    Ok(())
}

/// make looks at times, and hostap's objects all depend on .config.
pub(super) fn write_if_changed(path: &Path, text: &str) -> Result<()> {
    if fs::read_to_string(path).is_ok_and(|old| old == text) {
        return Ok(());
    }
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}
