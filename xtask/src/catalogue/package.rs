//! `recipes/NAME.toml`: one package, where it comes from and how each backend builds it.

use std::collections::BTreeMap;

use anyhow::Result;
use serde::{Deserialize, Serialize};

use super::Workspace;
use crate::user_bail;

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct RawPackage {
    summary: String,
    description: Option<String>,
    homepage: String,
    license: String,
    role: Role,
    version: Option<String>,
    why: Option<String>,
    upstream: RawUpstream,
    library: Option<Library>,
    #[serde(default)]
    profiles: BTreeMap<String, Profile>,
    #[serde(default)]
    backends: BTreeMap<String, Backend>,
}

/// What a package is to an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Role {
    /// Our own library.
    Library,
    /// A library that ours is measured against.
    Baseline,
    /// A program that is built once per backend.
    Consumer,
    /// A program or library that is the same for every backend.
    Support,
}

#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
enum RawUpstream {
    Workspace {
        #[serde(rename = "crate")]
        krate: String,
    },
    Git {
        url: String,
        mirror: Option<String>,
        revision: String,
    },
    Tarball {
        url: String,
        sha256: String,
    },
}

/// Where the source comes from.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub(crate) enum Upstream {
    /// A crate of this repository.
    Workspace {
        #[serde(rename = "crate")]
        krate: String,
    },
    /// A git repository at a full commit id; `mirror` holds the same commits elsewhere.
    Git { url: String, mirror: Option<String>, revision: String },
    /// One file, `{version}` in the address already filled in.
    Tarball { url: String, sha256: String },
}

/// A crypto or TLS library: what makes a package a backend.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct Library {
    /// The name that `--tls` takes.
    pub(crate) backend: String,
    /// The name people know.
    pub(crate) title: String,
    /// File names (one `*` each) that give the library away in a root filesystem.
    pub(crate) files: Vec<String>,
    pub(crate) pkg_config: String,
    /// `libNAME.so.ABI`; our own library only.
    pub(crate) soname: Option<String>,
    /// The C header; our own library only.
    pub(crate) header: Option<String>,
    /// Rust triples of the Linux systems that recipes must work on; our own library only.
    #[serde(default)]
    pub(crate) linux: Vec<String>,
}

impl Library {
    /// The number behind `.so.`: `0` of `librustcrypto.so.0`.
    pub(crate) fn abi(&self) -> Option<&str> {
        self.soname.as_deref()?.split_once(".so.").map(|(_, abi)| abi)
    }
}

/// The cargo features a profile of the library is built with.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct Profile {
    pub(crate) features: Vec<String>,
}

/// How a package is built on one backend.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct Backend {
    /// Packages of the catalogue it links to.
    pub(crate) libraries: Vec<String>,
    /// Folder under `patches/` with the glue; None where upstream has the backend.
    pub(crate) patches: Option<String>,
    /// Arguments for the package's own build system (CMake, meson, configure) or lines of its .config.
    #[serde(default)]
    pub(crate) build: Vec<String>,
    /// Options that the backend cannot offer and that a build must leave out.
    #[serde(default)]
    pub(crate) without: Vec<String>,
}

/// One package, checked.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) summary: String,
    pub(crate) description: Option<String>,
    pub(crate) homepage: String,
    pub(crate) license: String,
    pub(crate) role: Role,
    pub(crate) version: String,
    /// What it does with cryptography in an image.
    pub(crate) why: Option<String>,
    pub(crate) upstream: Upstream,
    pub(crate) library: Option<Library>,
    pub(crate) profiles: BTreeMap<String, Profile>,
    pub(crate) backends: BTreeMap<String, Backend>,
}

pub(super) fn validate(name: &str, raw: RawPackage, workspace: &Workspace) -> Result<Package> {
    let version = match (&raw.upstream, raw.version) {
        (RawUpstream::Workspace { .. }, None) => workspace.version.clone(),
        (RawUpstream::Workspace { .. }, Some(_)) => {
            user_bail!("key version: a package of this workspace takes its version from Cargo.toml; remove the key")
        }
        (_, Some(version)) => version,
        (_, None) => user_bail!("missing key version"),
    };
    let upstream = match raw.upstream {
        RawUpstream::Workspace { krate } => Upstream::Workspace { krate },
        RawUpstream::Git { url, mirror, revision } => {
            check_hex("upstream.revision", &revision, 40)?;
            Upstream::Git { url, mirror, revision }
        }
        RawUpstream::Tarball { url, sha256 } => {
            check_hex("upstream.sha256", &sha256, 64)?;
            Upstream::Tarball { url: url.replace("{version}", &version), sha256 }
        }
    };
    let is_library = matches!(raw.role, Role::Library | Role::Baseline);
    if is_library != raw.library.is_some() {
        user_bail!("key library: the roles library and baseline need a [library] table, the others must not have one");
    }
    if (raw.role == Role::Consumer) == raw.backends.is_empty() {
        user_bail!(
            "key backends: a consumer needs at least one [backends.NAME] table, the other roles must not have one"
        );
    }
    if matches!(raw.role, Role::Consumer | Role::Support) && raw.why.is_none() {
        user_bail!(
            "missing key why: one sentence that `cargo xtask explain` prints, on what this package does with cryptography"
        );
    }
    if raw.role == Role::Library {
        let library = raw.library.as_ref().expect("checked above");
        if library.abi().is_none() || library.header.is_none() || library.linux.is_empty() {
            user_bail!("key library: our own library needs soname (libNAME.so.ABI), header and linux (Rust triples)");
        }
    }
    Ok(Package {
        name: name.to_string(),
        summary: raw.summary,
        description: raw.description,
        homepage: raw.homepage,
        license: raw.license,
        role: raw.role,
        version,
        why: raw.why,
        upstream,
        library: raw.library,
        profiles: raw.profiles,
        backends: raw.backends,
    })
}

fn check_hex(key: &str, value: &str, length: usize) -> Result<()> {
    if value.len() == length && value.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')) {
        return Ok(());
    }
    user_bail!(
        "key {key}: expected {length} lower-case hexadecimal digits, found '{value}' ({} characters)",
        value.chars().count()
    )
}
