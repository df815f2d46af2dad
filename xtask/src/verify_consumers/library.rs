//! librustcrypto for the host, laid out as a consumer's compiler expects it: include/ and lib/ with the links of a SONAME.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail};

use crate::consumers::{Backend, Library};
use crate::root::root;

/// The name in the shared object's own header (crates/rustcrypto-capi/build.rs).
const SONAME: &str = "librustcrypto.so.0";
/// Build it (cargo makes that quick the second time) and lay it out under `work/librustcrypto`.
///
/// `profile` is cargo's: release is quick to build, speed and minimal are what ships.
pub(crate) fn rustcrypto(work: &Path, profile: &str) -> Result<Library> {
    eprintln!("building librustcrypto ({profile})");
    let status = Command::new("cargo")
        .args(["build", "--quiet", "--package", "rustcrypto-capi", "--profile", profile])
        .current_dir(root())
        .status()
        .context("cannot run cargo")?;
    if !status.success() {
        bail!("librustcrypto does not build");
    }
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from);
    let place = work.join("librustcrypto");
    let (include, lib) = (place.join("include"), place.join("lib"));
    fs::create_dir_all(&include).with_context(|| format!("cannot make {}", include.display()))?;
    fs::create_dir_all(&lib).with_context(|| format!("cannot make {}", lib.display()))?;
    let header = root().join("crates/rustcrypto-capi/include/rustcrypto.h");
    copy(&header, &include.join("rustcrypto.h"))?;
    copy(&target.join(profile).join("librustcrypto_capi.so"), &lib.join(SONAME))?;
    let link = lib.join("librustcrypto.so");
    if !link.exists() {
        std::os::unix::fs::symlink(SONAME, &link).with_context(|| format!("cannot link {}", link.display()))?;
    }
    Ok(Library { backend: Backend::RustCrypto, include: Some(include), lib: Some(lib) })
}

/// Only if it differs: make looks at times. A new file, because a program may have the old one mapped.
fn copy(from: &Path, to: &Path) -> Result<()> {
    let bytes = fs::read(from).with_context(|| format!("cannot read {}", from.display()))?;
    if fs::read(to).is_ok_and(|old| old == bytes) {
        return Ok(());
    }
    let part = to.with_extension("part");
    fs::write(&part, bytes).with_context(|| format!("cannot write {}", part.display()))?;
    fs::rename(&part, to).with_context(|| format!("cannot write {}", to.display()))
}

/// `rustcrypto.pc` in `lib/pkgconfig`, as the packages install it.
pub(super) fn pkg_config(library: &Library, lib: &Path) -> Result<()> {
    let include = library.include.as_deref().context("no headers")?;
    let dir = lib.join("pkgconfig");
    fs::create_dir_all(&dir)?;
    let template = root().join("crates/rustcrypto-capi/rustcrypto.pc.in");
    let text = fs::read_to_string(&template).with_context(|| format!("cannot read {}", template.display()))?;
    let filled = text
        .replace("@prefix@", &lib.parent().unwrap_or(lib).display().to_string())
        .replace("@libdir@", &lib.display().to_string())
        .replace("@includedir@", &include.display().to_string())
        .replace("@version@", env!("CARGO_PKG_VERSION"));
    fs::write(dir.join("rustcrypto.pc"), filled).context("cannot write rustcrypto.pc")
}
