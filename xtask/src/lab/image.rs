//! One image: its packages, its squashfs, its manifest.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::apk;
use super::library::{self, Library};
use super::musl;
use super::programs;
use super::rootfs::{self, ManifestPackage, Package};
use super::settings::Settings;
use super::tools::Tool;
use super::userland::{self, Hostap, Wifi};
use crate::report::{self, PackageSize, Rootfs};
use crate::sources::{Sources, sha256_file};
use crate::toolchain::Toolchain;
use crate::user_bail;

/// What an image is made of.
pub(super) struct Parts<'a> {
    pub(super) sources: &'a Sources,
    pub(super) settings: &'a Settings,
    pub(super) toolchain: &'a Toolchain,
}

/// A packed image.
pub(super) struct Image {
    pub(super) squashfs: PathBuf,
    pub(super) sha256: String,
    pub(super) rootfs: Rootfs,
    pub(super) tls_libraries: Vec<String>,
    /// hostapd and its friends, if this backend has them.
    pub(super) wifi: Result<Wifi, String>,
    /// Packages that the image would have if they could be built here, and why they are not in it.
    pub(super) missing: Vec<(String, String)>,
}

/// Debian's package of Mozilla's roots; the same for all architectures.
const ROOTS: &str = "ca-certificates:arm64";
const PASSWD: &str = "root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/var:/bin/false\n";
const INITTAB: &str = "::sysinit:/etc/init.d/rcS\nconsole::respawn:/bin/sh\n::shutdown:/bin/umount -a -r\n";
const RCS: &str = "#!/bin/sh\nmount -t proc proc /proc\nmount -t sysfs sys /sys\nmount -t tmpfs tmpfs /tmp\nbusybox ip link set lo up\n";

/// The file of that name anywhere in an unpacked package.
pub(super) fn find(tree: &Path, matches: impl Fn(&str) -> bool) -> Result<PathBuf> {
    for entry in walkdir::WalkDir::new(tree).sort_by_file_name() {
        let entry = entry?;
        if !entry.file_type().is_dir() && entry.file_name().to_str().is_some_and(&matches) {
            return Ok(entry.into_path());
        }
    }
    anyhow::bail!("{}: the file that the lab looks for is not in this package", tree.display())
}

pub(super) fn busybox(sources: &Sources, settings: &Settings) -> Result<PathBuf> {
    find(&sources.tree(&settings.busybox)?, |name| name == "busybox")
}

/// Mozilla's roots as one PEM file, in the order of their names.
fn bundle(tree: &Path) -> Result<String> {
    let mut bundle = String::new();
    for entry in walkdir::WalkDir::new(tree.join("usr/share/ca-certificates")).sort_by_file_name() {
        let entry = entry?;
        if entry.path().extension().is_some_and(|e| e == "crt") {
            let text =
                fs::read_to_string(entry.path()).with_context(|| format!("cannot read {}", entry.path().display()))?;
            let _ = writeln!(bundle, "{}", text.trim_end());
        }
    }
    Ok(bundle)
}

fn base(parts: &Parts) -> Result<Vec<Package>> {
    let sources = parts.sources;
    let mut packages = vec![
        Package::new("base-files", env!("CARGO_PKG_VERSION"))
            .text("etc/passwd", 0o644, PASSWD)
            .text("etc/group", 0o644, "root:x:0:\nnogroup:x:65534:\n")
            .text("etc/hostname", 0o644, "lab\n")
            .text("etc/inittab", 0o644, INITTAB)
            .text("etc/init.d/rcS", 0o755, RCS),
    ];
    let mut busybox_package = Package::new("busybox", sources.version(&parts.settings.busybox)?).copy(
        "bin/busybox",
        0o755,
        &busybox(sources, parts.settings)?,
    );
    for link in ["bin/sh", "bin/mount", "bin/umount", "bin/false", "sbin/init"] {
        busybox_package = busybox_package.link(link, "/bin/busybox");
    }
    packages.push(busybox_package);
    if let Some(name) = &parts.settings.musl {
        let loader = musl::loader(sources, parts.toolchain, name)?;
        let path = format!("lib/{}", loader.file_name().context("the loader has a name")?.to_string_lossy());
        let file = loader.canonicalize().with_context(|| format!("{}: a link to nowhere", loader.display()))?;
        packages.push(Package::new("musl", sources.version(name)?).copy(&path, 0o755, &file));
    }
    packages.push(Package::new("ca-certificates", sources.version(ROOTS)?).text(
        "etc/ssl/certs/ca-certificates.crt",
        0o644,
        &bundle(&sources.tree(ROOTS)?)?,
    ));
    Ok(packages)
}

/// Build everything and pack it into `dir`; unchanged inputs leave the packed file as it is.
pub(super) fn build(
    parts: &Parts,
    library: &Library,
    mksquashfs: &Tool,
    dir: &Path,
    say: &dyn Fn(&str),
) -> Result<Image> {
    let (sources, toolchain) = (parts.sources, parts.toolchain);
    say("tlsprobe");
    let probe = userland::probe(sources, toolchain, library)?;
    say("hostapd, wpa_supplicant");
    let wifi = wifi(parts, library)?;
    let mut missing = Vec::new();
    let mut programs: Vec<PathBuf> = vec![probe.clone()];
    let mut packages = base(parts)?;
    let base = packages.len();
    packages.push(Package::new("tlsprobe", env!("CARGO_PKG_VERSION")).copy("usr/bin/tlsprobe", 0o755, &probe));
    if library.backend == "rustcrypto" {
        let px5g = userland::px5g(sources, toolchain, library)?;
        packages.push(Package::new("px5g", env!("CARGO_PKG_VERSION")).copy("usr/sbin/px5g", 0o755, &px5g));
        programs.push(px5g);
    } else {
        missing.push(("certificate".to_owned(), "px5g here is a program on librustcrypto".to_owned()));
    }
    if let Some((_, reason)) = userland::without(&library.backend) {
        missing.push(("SAE-PK".to_owned(), reason.to_owned()));
    }
    match &wifi {
        Ok(wifi) => {
            for (package, program) in [("hostapd", "hostapd"), ("wpa-supplicant", "wpa_supplicant")] {
                let file = wifi.dir.join(program);
                packages.push(Package::new(package, &wifi.version).copy(&format!("usr/sbin/{program}"), 0o755, &file));
                programs.push(file);
            }
        }
        Err(reason) => missing.push(("hostapd, wpa_supplicant".to_owned(), reason.clone())),
    }
    say("uhttpd, uclient-fetch");
    match programs::build(sources, toolchain, library)? {
        Ok(built) => {
            packages.extend(built.packages);
            programs.extend(built.binaries);
        }
        Err(reason) => missing.push(("uhttpd, uclient-fetch".to_owned(), reason)),
    }
    say("apk");
    match apk::build(sources, toolchain, library)? {
        Ok((package, program)) => {
            packages.push(package);
            programs.push(program);
        }
        Err(reason) => missing.push(("apk".to_owned(), reason)),
    }
    let scratch = tempfile::tempdir_in(dir)?;
    let programs: Vec<&Path> = programs.iter().map(PathBuf::as_path).collect();
    packages.push(library.package(&programs)?);
    say("squashfs");
    let root = scratch.path().join("root");
    rootfs::stage(&packages, &root)?;
    let squashfs = dir.join("rootfs.squashfs");
    let stamp_file = dir.join("rootfs.stamp");
    let stamp = userland::fingerprint(&[&root])?;
    if !squashfs.exists()
        || !dir.join("marginal.json").exists()
        || fs::read_to_string(&stamp_file).unwrap_or_default() != stamp
    {
        let _ = fs::remove_file(&stamp_file);
        rootfs::squash(mksquashfs, &root, &squashfs)?;
        let manifest = rootfs::manifest(&packages, &root, fs::metadata(&squashfs)?.len())?;
        report::write(&dir.join("manifest.json"), &format!("{}\n", serde_json::to_string_pretty(&manifest)?))?;
        say("squashfs without each program");
        let consumers: Vec<&Package> = packages[base..].iter().collect();
        let bytes = fs::metadata(&squashfs)?.len();
        let marginal = rootfs::marginal(mksquashfs, &consumers, &root, bytes, scratch.path())?;
        report::write(&dir.join("marginal.json"), &format!("{}\n", serde_json::to_string_pretty(&marginal)?))?;
        fs::write(&stamp_file, &stamp)?;
    }
    let manifest: Vec<ManifestPackage> = serde_json::from_str(&fs::read_to_string(dir.join("manifest.json"))?)?;
    let marginal = serde_json::from_str(&fs::read_to_string(dir.join("marginal.json"))?)?;
    let tls_libraries = library::lint(&library.backend, &manifest)?;
    Ok(Image {
        sha256: sha256_file(&squashfs)?,
        rootfs: Rootfs {
            squashfs_bytes: fs::metadata(&squashfs)?.len(),
            unpacked_bytes: manifest.iter().map(|package| package.bytes).sum(),
            packages: manifest
                .into_iter()
                .map(|p| PackageSize {
                    name: p.name,
                    version: p.version,
                    bytes: p.bytes,
                    squashfs_share: p.squashfs_share,
                })
                .collect(),
            marginal,
        },
        squashfs,
        tls_libraries,
        wifi,
        missing,
    })
}

/// hostapd has no Mbed TLS backend upstream; that is a fact for the report, anything else is a failure.
fn wifi(parts: &Parts, library: &Library) -> Result<Result<Wifi, String>> {
    let hostap = Hostap::find(parts.sources)?;
    if !hostap.knows(&library.backend) {
        return Ok(Err(format!(
            "hostapd has no {} backend upstream (OpenWrt carries its own patch; a hostap tree with one can be given as --sources DIR/hostap)",
            library.backend
        )));
    }
    if parts.toolchain.libc() != "musl" {
        user_bail!("the lab builds its programs on musl; {} is another C library", parts.toolchain.triple);
    }
    Ok(Ok(userland::wifi(parts.sources, parts.toolchain, library, &hostap)?))
}
