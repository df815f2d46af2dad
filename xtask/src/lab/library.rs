//! The crypto library of an image: built for the target, and which of its files the image ships.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use super::rootfs::Package;
use super::userland::fingerprint;
use crate::elf;
use crate::sources::Sources;
use crate::toolchain::Toolchain;

/// A library installed in a private prefix.
#[derive(Clone, Debug)]
pub(super) struct Library {
    /// rustcrypto, mbedtls, wolfssl or openssl.
    pub(super) backend: String,
    pub(super) version: String,
    /// Directory with lib/ and include/.
    pub(super) prefix: PathBuf,
}

impl Library {
    /// What a program compiled against it depends on: the headers.
    pub(super) fn key(&self) -> Result<String> {
        let headers = fingerprint(&[&self.prefix.join("include")])?;
        Ok(format!("{} {headers}", self.backend))
    }

    /// Linker arguments for tlsprobe.
    pub(super) fn links(&self) -> &'static [&'static str] {
        match self.backend.as_str() {
            "rustcrypto" => &["-lrustcrypto"],
            "mbedtls" => &["-lmbedtls", "-lmbedx509", "-lmbedcrypto"],
            "wolfssl" => &["-lwolfssl"],
            _ => &["-lssl", "-lcrypto"],
        }
    }

    /// The shared objects that the programs need, under their SONAMEs: the package as an image has it.
    pub(super) fn package(&self, programs: &[&Path]) -> Result<Package> {
        let lib = self.prefix.join("lib");
        let mut package = Package::new(&format!("lib{}", self.backend), &self.version);
        let mut wanted: Vec<String> = Vec::new();
        for program in programs {
            wanted.extend(elf::dynamic(program)?.needed);
        }
        let mut seen = BTreeSet::new();
        while let Some(name) = wanted.pop() {
            let file = lib.join(&name);
            // Not ours: the C library.
            if !file.exists() || !seen.insert(name.clone()) {
                continue;
            }
            wanted.extend(elf::dynamic(&file)?.needed);
            let real = file.canonicalize().with_context(|| format!("cannot read {}", file.display()))?;
            package = package.copy(&format!("usr/lib/{name}"), 0o755, &real);
        }
        if package.files.is_empty() {
            bail!("no program of the image needs a library of {}: is it linked statically?", lib.display());
        }
        Ok(package)
    }
}

/// Build (or find built) the library of a backend and profile.
pub(super) fn build(sources: &Sources, toolchain: &Toolchain, backend: &str, profile: &str) -> Result<Library> {
    if backend == "rustcrypto" {
        let report = crate::build_lib::build(sources, toolchain, profile, &[])?;
        return Ok(Library {
            backend: backend.to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            prefix: report.prefix,
        });
    }
    let name = if profile.is_empty() { backend.to_owned() } else { format!("{backend}-{profile}") };
    let baseline = crate::baselines::build(sources, &name, toolchain)?;
    Ok(Library { backend: backend.to_owned(), version: baseline.version, prefix: baseline.dir })
}

/// File names that give a TLS library away, for the lint and for foreign root filesystems.
const KNOWN: [(&str, &str); 9] = [
    ("librustcrypto.so", "rustcrypto"),
    ("libmbedtls.so", "mbedtls"),
    ("libmbedcrypto.so", "mbedtls"),
    ("libwolfssl.so", "wolfssl"),
    ("libssl.so", "openssl"),
    ("libcrypto.so", "openssl"),
    ("libgnutls.so", "gnutls"),
    ("libnettle.so", "gnutls"),
    ("libgcrypt.so", "libgcrypt"),
];

/// The TLS or crypto library that a file of this path is, if it is one.
pub(crate) fn known(path: &str) -> Option<&'static str> {
    let name = path.rsplit('/').next()?;
    KNOWN.iter().find(|(prefix, _)| name.starts_with(prefix)).map(|(_, backend)| *backend)
}

/// An image on one backend must contain no other TLS library: name the package that brought it.
pub(super) fn lint(backend: &str, packages: &[super::rootfs::ManifestPackage]) -> Result<Vec<String>> {
    let mut found = BTreeSet::new();
    for package in packages {
        for file in &package.files {
            let Some(other) = known(&file.path) else { continue };
            found.insert(other.to_owned());
            if backend == "rustcrypto" && other != backend {
                bail!(
                    "the image is to have rustcrypto alone, but package {} brings /{} ({other})",
                    package.name,
                    file.path
                );
            }
        }
    }
    Ok(found.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::rootfs::{ManifestFile, ManifestPackage};

    fn package(name: &str, path: &str) -> ManifestPackage {
        let files = vec![ManifestFile { path: path.into(), bytes: 1, sha256: String::new() }];
        ManifestPackage { name: name.into(), version: "1".into(), bytes: 1, squashfs_share: 1, files }
    }

    #[test]
    fn a_second_library_is_found_with_the_package_that_brings_it() {
        let packages =
            [package("librustcrypto", "usr/lib/librustcrypto.so.0"), package("curl", "usr/lib/libmbedtls.so.21")];
        let error = lint("rustcrypto", &packages).unwrap_err().to_string();
        assert!(error.contains("package curl brings /usr/lib/libmbedtls.so.21"), "{error}");
        assert_eq!(lint("mbedtls", &packages).unwrap(), ["mbedtls", "rustcrypto"]);
        assert_eq!(lint("rustcrypto", &packages[..1]).unwrap(), ["rustcrypto"]);
    }
}
