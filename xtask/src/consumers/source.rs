//! A consumer's source tree: the user's own (`--sources DIR`), or the pinned release from the Debian archive.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use super::hostapd::knows;
use crate::sources::{Options, Sources};

/// Names under which a hostap tree of any release may lie in `--sources DIR`.
const HOSTAP_NAMES: [&str; 3] = ["hostap", "wpa", "hostapd"];

/// A hostap tree (with hostapd/, `wpa_supplicant`/, src/) to read from, and its version.
pub(crate) fn hostap(options: &Options) -> Result<(PathBuf, String)> {
    let own = options.sources.iter().flat_map(|dir| HOSTAP_NAMES.map(|name| dir.join(name)));
    let tree = match own.into_iter().find(|tree| tree.join("src/crypto/crypto.h").is_file()) {
        Some(tree) => tree,
        None => Sources::open(options)?.tree("wpa")?,
    };
    let version = version(&tree)?;
    Ok((tree, version))
}

/// A hostap tree with an Mbed TLS backend, which upstream has not: `hostap-mbedtls` in `--sources DIR`.
pub(crate) fn hostap_mbedtls(options: &Options) -> Option<PathBuf> {
    options.sources.as_ref().map(|dir| dir.join("hostap-mbedtls")).filter(|tree| knows(tree, "mbedtls"))
}

/// `VERSION_STR` of src/common/version.h
fn version(tree: &Path) -> Result<String> {
    let path = tree.join("src/common/version.h");
    let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let quoted = text.lines().find(|line| line.contains("define VERSION_STR ")).and_then(|line| line.split('"').nth(1));
    quoted.map(str::to_owned).with_context(|| format!("no VERSION_STR in {}", path.display()))
}
