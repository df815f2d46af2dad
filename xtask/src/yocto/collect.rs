//! From deploy/images and buildhistory to the artefact folder, `manifest.json`, `measure.json` and the image lint.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::json;

use crate::catalogue::Catalogue;
use crate::generate::replace;
use crate::report::{Measure, PackageSize, Rootfs, SCHEMA};
use crate::user_bail;

/// Which image to look for.
#[derive(Debug)]
pub(crate) struct Wanted {
    pub(crate) target: String,
    pub(crate) tls: String,
    pub(crate) machine: String,
    pub(crate) image: String,
}

/// A TLS library that the image should not have.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Find {
    pub(crate) library: String,
    /// The package that carries it.
    pub(crate) package: String,
    /// The packages that need that one.
    pub(crate) pulled_in_by: Vec<String>,
}

impl Find {
    /// Is each that brings it in on the list by name?
    pub(crate) fn allowed(&self, names: &[String]) -> bool {
        let listed = |name: &String| names.contains(name);
        if self.pulled_in_by.is_empty() { listed(&self.package) } else { self.pulled_in_by.iter().all(listed) }
    }
}

impl fmt::Display for Find {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let by = if self.pulled_in_by.is_empty() {
            "nothing else: it is installed by name".to_string()
        } else {
            self.pulled_in_by.join(", ")
        };
        write!(f, "{} is in the image as {}, pulled in by {by}", self.library, self.package)
    }
}

/// Copy the image files, and say what is in them. The lint is empty for backends other than ours.
pub(crate) fn collect(
    catalogue: &Catalogue,
    wanted: &Wanted,
    build_dir: &Path,
    folder: &Path,
) -> Result<(Measure, Vec<Find>)> {
    let deploy =
        first_folder(build_dir, &["tmp", "tmp-glibc", "tmp-musl"], &format!("deploy/images/{}", wanted.machine))?;
    let mut squashfs_bytes = 0;
    let mut files = Vec::new();
    for entry in fs::read_dir(&deploy).with_context(|| format!("cannot list {}", deploy.display()))? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        // The names without a date are links to the newest build.
        if !name.starts_with(&format!("{}-{}", wanted.image, wanted.machine))
            || !path.is_symlink() && name.contains("-20")
        {
            continue;
        }
        if let Some(kind) = ["wic", "wic.bz2", "wic.gz", "wic.zst", "ext4", "squashfs-xz", "manifest"]
            .iter()
            .find(|kind| name.ends_with(&format!(".{kind}")))
        {
            let target = folder.join(&name);
            fs::copy(&path, &target)
                .with_context(|| format!("cannot copy {} to {}", path.display(), target.display()))?;
            let bytes = fs::metadata(&target)?.len();
            if *kind == "squashfs-xz" {
                squashfs_bytes = bytes;
            }
            files.push(json!({ "file": name, "bytes": bytes }));
        }
    }
    if files.is_empty() {
        user_bail!("{} has no files of {}: was it built for {}?", deploy.display(), wanted.image, wanted.machine);
    }
    let history = History::read(build_dir, wanted)?;
    let unpacked: u64 = history.sizes.values().sum();
    let packages: Vec<PackageSize> = history
        .sizes
        .iter()
        .map(|(name, bytes)| PackageSize {
            name: name.clone(),
            version: history.versions.get(name).cloned().unwrap_or_default(),
            bytes: *bytes,
            // squashfs packs across files: a package's share is in proportion to what it unpacks to
            squashfs_share: (squashfs_bytes * bytes).checked_div(unpacked).unwrap_or(0),
        })
        .collect();
    let manifest =
        json!({ "target": wanted.target, "tls": wanted.tls, "engine": "yocto", "files": files, "packages": packages });
    replace(&folder.join("manifest.json"), &serde_json::to_string_pretty(&manifest)?)?;
    let (tls_libraries, finds) = history.lint(catalogue, &wanted.tls);
    let not_booted = "the yocto engine builds and lists; run `cargo xtask measure` on the device".to_string();
    let measure = Measure {
        schema: SCHEMA,
        target: wanted.target.clone(),
        tls: wanted.tls.clone(),
        profile: if wanted.tls == "rustcrypto" { "speed".to_string() } else { String::new() },
        engine: "yocto".to_string(),
        method: "sizes from BitBake's buildhistory and from deploy/images".to_string(),
        rootfs: Rootfs { squashfs_bytes, unpacked_bytes: unpacked, packages, ..Rootfs::default() },
        heap: Vec::new(),
        time: Vec::new(),
        tls_libraries,
        absent: BTreeMap::from([("heap".to_string(), not_booted.clone()), ("time".to_string(), not_booted)]),
        self_test: None,
    };
    Ok((measure, if wanted.tls == "rustcrypto" { finds } else { Vec::new() }))
}

fn first_folder(build_dir: &Path, tops: &[&str], below: &str) -> Result<PathBuf> {
    match tops.iter().map(|top| build_dir.join(top).join(below)).find(|path| path.is_dir()) {
        Some(path) => Ok(path),
        None => user_bail!("{}: no {{{}}}/{below}: nothing was built there", build_dir.display(), tops.join(",")),
    }
}

/// What buildhistory says about one image.
struct History {
    /// Package -> bytes installed.
    sizes: BTreeMap<String, u64>,
    versions: BTreeMap<String, String>,
    /// Paths in the image.
    files: Vec<String>,
    /// (package, what it needs).
    depends: Vec<(String, String)>,
}

impl History {
    fn read(build_dir: &Path, wanted: &Wanted) -> Result<Self> {
        let images = build_dir.join("buildhistory/images").join(wanted.machine.replace('-', "_"));
        let Some(folder) =
            ["glibc", "musl"].iter().map(|libc| images.join(libc).join(&wanted.image)).find(|path| path.is_dir())
        else {
            user_bail!(
                "{}: no buildhistory of {}; set INHERIT += \"buildhistory\" and build the image again",
                images.display(),
                wanted.image
            );
        };
        let read = |name: &str| {
            fs::read_to_string(folder.join(name))
                .with_context(|| format!("cannot read {}", folder.join(name).display()))
        };
        // "123 KiB name"
        let size = |line: &str| {
            let mut words = line.split_whitespace();
            let kib: u64 = words.next()?.parse().ok()?;
            Some((words.nth(1)?.to_string(), kib * 1024))
        };
        // "name_1.0-r0_arch.ipk" and the like: the name is known from the sizes, so look it up from there
        let sizes: BTreeMap<String, u64> = read("installed-package-sizes.txt")?.lines().filter_map(size).collect();
        let mut versions = BTreeMap::new();
        for line in read("installed-packages.txt")?.lines() {
            if let Some((name, rest)) = line.split_once('_')
                && sizes.contains_key(name)
            {
                versions.insert(name.to_string(), rest.split('_').next().unwrap_or_default().to_string());
            }
        }
        // "drwxr-xr-x root root 4096 ./usr/lib" and, for links, " -> target"
        let file = |line: &str| Some(line[line.find(" ./")? + 2..].split(" -> ").next()?.to_string());
        // "a" -> "b" [style=...]
        let edge = |line: &str| {
            let (from, to) = line.split_once("->")?;
            let name =
                |text: &str| Some(text.trim().trim_start_matches('"').split(['"', ' ', ';']).next()?.to_string());
            Some((name(from)?, name(to)?))
        };
        let files = read("files-in-image.txt")?.lines().filter_map(file).collect();
        let depends = read("depends.dot")?.lines().filter_map(edge).collect();
        Ok(Self { sizes, versions, files, depends })
    }

    /// Every TLS library in the image by backend, and of those that are not `tls` the package and who needs it.
    fn lint(&self, catalogue: &Catalogue, tls: &str) -> (Vec<String>, Vec<Find>) {
        let (mut present, mut finds) = (Vec::new(), Vec::new());
        for (backend, package) in catalogue.backends() {
            let Some(library) = &package.library else { continue };
            let stems: Vec<&str> = library.files.iter().filter_map(|pattern| pattern.split('*').next()).collect();
            let base = |path: &'_ String| path.rsplit('/').next().unwrap_or_default().to_string();
            if !self.files.iter().any(|path| stems.iter().any(|stem| base(path).starts_with(stem))) {
                continue;
            }
            present.push(backend.to_string());
            if backend == tls {
                continue;
            }
            // Packages are named after the library file by debian.bbclass (libcrypto.so.3 -> libcrypto3) or after the recipe.
            let names = stems.iter().map(|stem| stem.trim_end_matches(".so")).chain([package.name.as_str()]);
            let names: Vec<&str> = names.collect();
            let carries = |name: &&String| {
                names
                    .iter()
                    .any(|start| name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '-' || c == '.') == *start)
            };
            for name in self.sizes.keys().filter(carries) {
                // the library's own packages need one another: what counts is who needs them from outside
                let mut by: Vec<String> = self
                    .depends
                    .iter()
                    .filter(|(from, to)| to == name && !carries(&from))
                    .map(|(from, _)| from.clone())
                    .collect();
                by.sort();
                by.dedup();
                finds.push(Find { library: library.title.clone(), package: name.clone(), pulled_in_by: by });
            }
        }
        (present, finds)
    }
}
