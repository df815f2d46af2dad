//! A root filesystem as OpenWrt's build leaves it unpacked: its packages, and the TLS libraries in it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use super::tree::read;
use crate::catalogue::Catalogue;

/// An installed package.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Installed {
    pub(super) version: String,
    /// Relative to the root.
    pub(super) files: Vec<PathBuf>,
}

/// By name, from apk's or opkg's own records.
pub(super) fn packages(root: &Path) -> Result<BTreeMap<String, Installed>> {
    let apk = root.join("lib/apk/db/installed");
    if apk.is_file() {
        return Ok(apk_installed(&read(&apk)?));
    }
    let opkg = root.join("usr/lib/opkg");
    let mut packages =
        opkg_status(&read(&opkg.join("status")).context("neither apk nor opkg has a record of this root")?);
    for (name, package) in &mut packages {
        let list = read(&opkg.join("info").join(format!("{name}.list"))).unwrap_or_default();
        package.files = list.lines().map(|line| PathBuf::from(line.trim_start_matches('/'))).collect();
    }
    Ok(packages)
}

/// Blocks of lines `P:name`, `V:version`, `F:folder`, `R:file`.
fn apk_installed(text: &str) -> BTreeMap<String, Installed> {
    let mut packages = BTreeMap::new();
    let (mut name, mut package, mut folder) = (String::new(), Installed::default(), PathBuf::new());
    for line in text.lines().chain([""]) {
        match line.split_once(':') {
            Some(("P", value)) => value.clone_into(&mut name),
            Some(("V", value)) => value.clone_into(&mut package.version),
            Some(("F", value)) => folder = PathBuf::from(value),
            Some(("R", value)) => package.files.push(folder.join(value)),
            None if line.is_empty() && !name.is_empty() => {
                packages.insert(std::mem::take(&mut name), std::mem::take(&mut package));
            }
            _ => {}
        }
    }
    packages
}

fn opkg_status(text: &str) -> BTreeMap<String, Installed> {
    let mut packages: BTreeMap<String, Installed> = BTreeMap::new();
    let mut name = "";
    for line in text.lines() {
        match line.split_once(": ") {
            Some(("Package", value)) => name = value,
            Some(("Version", value)) => value.clone_into(&mut packages.entry(name.to_owned()).or_default().version),
            _ => {}
        }
    }
    packages
}

/// (backend, file, package) of every TLS library in `root`, by the file names the catalogue knows.
pub(super) fn tls_libraries(
    root: &Path,
    packages: &BTreeMap<String, Installed>,
    catalogue: &Catalogue,
) -> Vec<(String, PathBuf, String)> {
    let mut found = Vec::new();
    for entry in walkdir::WalkDir::new(root).sort_by_file_name().into_iter().filter_map(Result::ok) {
        let name = entry.file_name().to_string_lossy();
        for (backend, library) in catalogue.backends() {
            let patterns = library.library.iter().flat_map(|library| &library.files);
            // "libmbedtls.so*": a prefix
            if !entry.file_type().is_dir()
                && patterns.clone().any(|pattern| name.starts_with(pattern.trim_end_matches('*')))
            {
                let file = entry.path().strip_prefix(root).expect("walkdir stays inside").to_owned();
                let owner = packages.iter().find(|(_, package)| package.files.contains(&file));
                found.push((
                    backend.to_owned(),
                    file,
                    owner.map_or_else(|| "no package".to_owned(), |(name, _)| name.clone()),
                ));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::root::root;

    #[test]
    fn both_package_managers_records_are_read() {
        let packages = apk_installed("P:a\nV:1-r0\nF:usr/lib\nR:liba.so\nF:etc\nR:a.conf\n\nP:b\nV:2\n\n");
        assert_eq!(packages["a"].files, [PathBuf::from("usr/lib/liba.so"), PathBuf::from("etc/a.conf")]);
        assert_eq!(packages["b"].version, "2");
        assert_eq!(opkg_status("Package: a\nVersion: 1\n\nPackage: b\nVersion: 2\n")["b"].version, "2");
    }

    #[test]
    fn a_tls_library_is_found_with_its_package() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(dir.path().join("usr/lib")).unwrap();
        std::fs::write(dir.path().join("usr/lib/libmbedtls.so.21"), "").unwrap();
        std::fs::write(dir.path().join("usr/lib/librustcrypto.so.0"), "").unwrap();
        let packages = apk_installed("P:libmbedtls21\nV:1\nF:usr/lib\nR:libmbedtls.so.21\n\n");
        let found = tls_libraries(dir.path(), &packages, &Catalogue::load(&root()).unwrap());
        let told: Vec<_> = found.iter().map(|(backend, _, package)| (backend.as_str(), package.as_str())).collect();
        assert_eq!(told, [("mbedtls", "libmbedtls21"), ("rustcrypto", "no package")]);
    }
}
