//! Putting an OpenWrt build's results into the artefact folder, and measuring the root filesystem.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};

use super::build::Build;
use super::proof;
use super::rootfs::{self, Installed};
use crate::catalogue::target::OpenwrtTarget;
use crate::measure::user;
use crate::report::{Measure, PackageSize, Rootfs, SCHEMA, write};
use crate::sources::sha256_file;

/// Copy images, manifest, config and the squashfs to the artefact folder; refuse a second TLS library; measure. With the
/// scenarios that failed.
pub(super) fn collect(build: &Build, top: &Path, openwrt: &OpenwrtTarget) -> Result<(Measure, Vec<String>)> {
    let bin = top.join("bin/targets").join(&openwrt.target).join(&openwrt.subtarget);
    let mut images = Vec::new();
    for entry in fs::read_dir(&bin).with_context(|| format!("no images: cannot read {}", bin.display()))? {
        let path = entry?.path();
        if path.is_file() {
            let to = build.out.join(path.file_name().expect("a file has a name"));
            fs::copy(&path, &to).with_context(|| format!("cannot write {}", to.display()))?;
            images.push(to);
        }
    }
    images.sort();
    let root = find(&top.join("build_dir"), 2, |name| name.starts_with("root-") && !name.contains(".orig"))
        .context("no root filesystem in build_dir: nothing to measure")?;
    let squashfs =
        find(&top.join("build_dir"), 4, |name| name == "root.squashfs" || name.ends_with("squashfs-rootfs.img"));
    let squashfs_bytes = match &squashfs {
        Some(path) => {
            fs::copy(path, build.out.join("rootfs.squashfs")).context("cannot keep the squashfs")?;
            fs::metadata(path)?.len()
        }
        None => 0,
    };
    let installed = rootfs::packages(&root)?;
    let found = rootfs::tls_libraries(&root, &installed, build.catalogue);
    let others: Vec<String> = found
        .iter()
        .filter(|(backend, _, _)| build.tls == "rustcrypto" && backend != build.tls)
        .map(|(backend, file, package)| format!("{} ({backend}) from {package}", file.display()))
        .collect();
    if !others.is_empty() {
        bail!("the image has another TLS library: {}", others.join(", "));
    }
    let mut tls_libraries: Vec<String> = found.into_iter().map(|(backend, _, _)| backend).collect();
    tls_libraries.sort();
    tls_libraries.dedup();
    let mut measure = measure(build, &root, squashfs_bytes, &installed, tls_libraries)?;
    prove(build, top, &root)?;
    manifest(build, &measure, &images)?;
    let failed = match build.run_programs {
        Some(options) => user::heap(options, &root)?.into(&mut measure),
        None => Vec::new(),
    };
    measure.save(&build.out)?;
    Ok((measure, failed))
}

fn measure(
    build: &Build,
    root: &Path,
    squashfs_bytes: u64,
    installed: &BTreeMap<String, Installed>,
    tls_libraries: Vec<String>,
) -> Result<Measure> {
    let bytes = |path: &Path| path.symlink_metadata().ok().filter(fs::Metadata::is_file).map_or(0, |meta| meta.len());
    let mut unpacked_bytes = 0;
    for entry in walkdir::WalkDir::new(root) {
        unpacked_bytes += bytes(entry?.path());
    }
    let mut packages: Vec<PackageSize> = installed
        .iter()
        .map(|(name, package)| {
            let bytes: u64 = package.files.iter().map(|file| bytes(&root.join(file))).sum();
            // by its share of the unpacked bytes: one squashfs has no border between packages
            let squashfs_share =
                u64::try_from(u128::from(squashfs_bytes) * u128::from(bytes) / u128::from(unpacked_bytes.max(1)))
                    .unwrap_or(0);
            PackageSize { name: name.clone(), version: package.version.clone(), bytes, squashfs_share }
        })
        .collect();
    packages.sort_by(|a, b| b.bytes.cmp(&a.bytes).then_with(|| a.name.cmp(&b.name)));
    let mut absent = BTreeMap::from([("time".to_owned(), "cargo xtask measure --ssh on the device".to_owned())]);
    if build.run_programs.is_none() {
        absent.insert("heap".to_owned(), "not run; cargo xtask measure on the rootfs runs its programs".to_owned());
    }
    if squashfs_bytes == 0 {
        absent.insert("squashfs".into(), "this target packs no squashfs".into());
    }
    Ok(Measure {
        schema: SCHEMA,
        target: build.target.name.clone(),
        tls: build.tls.to_owned(),
        profile: if build.tls == "rustcrypto" { build.profile.to_owned() } else { String::new() },
        engine: "openwrt".into(),
        method:
            "Sizes of the root filesystem OpenWrt's own build made; a package's share of the squashfs is in proportion."
                .into(),
        rootfs: Rootfs { squashfs_bytes, unpacked_bytes, packages, ..Rootfs::default() },
        heap: Vec::new(),
        time: Vec::new(),
        tls_libraries,
        absent,
        self_test: None,
    })
}

/// How the library was compiled, into `proof.json`; nothing where an SDK's or another backend's library is in the image.
fn prove(build: &Build, top: &Path, root: &Path) -> Result<()> {
    let library = find(root, 3, |name| name.starts_with("librustcrypto.so."));
    let messages = find(&top.join("build_dir"), 3, |name| name == proof::MESSAGES);
    let (Some(library), Some(messages)) = (library, messages) else { return Ok(()) };
    let proof = proof::read(messages.parent().expect("it is in a folder"), &library)?;
    eprintln!("librustcrypto as built: {}", proof::summary(&proof));
    write(&build.out.join("proof.json"), &format!("{}\n", serde_json::to_string_pretty(&proof)?))
}

/// `manifest.json`: packages and image files, with sizes and hashes.
fn manifest(build: &Build, measure: &Measure, images: &[PathBuf]) -> Result<()> {
    let mut files = Vec::new();
    for path in images {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
        files.push(
            serde_json::json!({ "name": name, "bytes": fs::metadata(path)?.len(), "sha256": sha256_file(path)? }),
        );
    }
    let value = serde_json::json!({ "schema": 1, "target": measure.target, "tls": measure.tls, "engine": "openwrt",
        "packages": measure.rootfs.packages, "files": files });
    write(&build.out.join("manifest.json"), &format!("{}\n", serde_json::to_string_pretty(&value)?))
}

/// Every .apk and .ipk under `from`, flat into `to`; how many.
pub(super) fn copy_packages(from: &Path, to: &Path) -> Result<usize> {
    fs::create_dir_all(to).with_context(|| format!("cannot make {}", to.display()))?;
    let entries = walkdir::WalkDir::new(from).into_iter().filter_map(Result::ok);
    let is_package = |path: &Path| path.extension().is_some_and(|end| end == "apk" || end == "ipk");
    let packages: Vec<PathBuf> = entries.map(walkdir::DirEntry::into_path).filter(|path| is_package(path)).collect();
    for path in &packages {
        fs::copy(path, to.join(path.file_name().expect("a file has a name")))
            .with_context(|| format!("cannot copy {}", path.display()))?;
    }
    Ok(packages.len())
}

/// The newest entry of that name, at most `depth` folders down.
fn find(dir: &Path, depth: usize, is: impl Fn(&str) -> bool) -> Option<PathBuf> {
    let entries = walkdir::WalkDir::new(dir).max_depth(depth).into_iter().filter_map(Result::ok);
    let found = entries.filter(|entry| is(&entry.file_name().to_string_lossy()));
    found
        .max_by_key(|entry| entry.metadata().ok().and_then(|meta| meta.modified().ok()))
        .map(walkdir::DirEntry::into_path)
}
