//! For each target triple a C compiler and a Rust that can build for it, private to the cache.
//!
//! C: clang and lld from the Python package `ziglang`, with its musl and glibc. Rust: Debian's `rustc-web` with the
//! standard library built from `rust-web-src`; or an installed toolchain that has the target.

mod c;
mod rust;
mod table;

use std::path::PathBuf;

use anyhow::Result;

use crate::sources::Sources;
pub(crate) use rust::{Rust, RustChoice};
pub(crate) use table::{Triple, lib_profile, of_loader};

/// Everything needed to build for one triple.
#[derive(Clone, Debug)]
pub(crate) struct Toolchain {
    /// Rust's name of the target.
    pub(crate) triple: String,
    /// What `images/toolchains.toml` says about it.
    pub(crate) target: Triple,
    /// C compiler and linker driver; plain programs without arguments to add.
    pub(crate) cc: PathBuf,
    pub(crate) cxx: PathBuf,
    pub(crate) ar: PathBuf,
    pub(crate) ranlib: PathBuf,
    /// Compiler and versions, for cache keys and reports.
    pub(crate) c_name: String,
    pub(crate) rust: Rust,
}

/// `-jN` for make, ninja and cmake: as many jobs as there are processors.
pub(crate) fn jobs() -> String {
    format!("-j{}", std::thread::available_parallelism().map_or(1, usize::from))
}

/// The toolchain for `triple`: Debian's Rust where it can be had, else an installed one that has the target.
pub(crate) fn for_target(sources: &Sources, triple: &str) -> Result<Toolchain> {
    for_target_with(sources, triple, RustChoice::Auto)
}

pub(crate) fn for_target_with(sources: &Sources, triple: &str, choice: RustChoice) -> Result<Toolchain> {
    let target = table::load()?.find(triple)?;
    let c = c::compiler(sources, &target)?;
    Ok(Toolchain {
        triple: triple.to_owned(),
        cc: c.cc,
        cxx: c.cxx,
        ar: c.ar,
        ranlib: c.ranlib,
        c_name: c.name,
        rust: rust::find(sources, triple, choice)?,
        target,
    })
}

impl Toolchain {
    /// `musl` or `gnu`, from the triple.
    pub(crate) fn libc(&self) -> &'static str {
        if self.triple.contains("musl") { "musl" } else { "gnu" }
    }

    /// Environment for configure, make, cmake or cargo's cc crate.
    pub(crate) fn c_env(&self) -> Vec<(String, String)> {
        [("CC", &self.cc), ("CXX", &self.cxx), ("AR", &self.ar), ("RANLIB", &self.ranlib)]
            .map(|(key, path)| (key.to_owned(), path.display().to_string()))
            .to_vec()
    }

    /// Environment for cargo: compiler, linker and flags of this target. `flags` are added to the target's own.
    pub(crate) fn cargo_env(&self, flags: &[&str]) -> Vec<(String, String)> {
        let upper = self.triple.to_uppercase().replace(['-', '.'], "_");
        let lower = self.triple.replace('-', "_");
        let mut rustflags = Vec::new();
        if self.libc() == "musl" {
            rustflags.extend(["-Clink-self-contained=no", "-Ctarget-feature=-crt-static"]);
        }
        rustflags.extend(flags);
        let mut env = self.rust.env.clone();
        if self.rust.build_std {
            // Where the target is this machine's own triple, its linker must not link procedural macros: it drops their metadata.
            env.push(("CARGO_UNSTABLE_TARGET_APPLIES_TO_HOST".to_owned(), "true".to_owned()));
            env.push(("CARGO_TARGET_APPLIES_TO_HOST".to_owned(), "false".to_owned()));
        }
        env.push((format!("CARGO_TARGET_{upper}_LINKER"), self.cc.display().to_string()));
        env.push((format!("CARGO_TARGET_{upper}_RUSTFLAGS"), rustflags.join(" ")));
        env.push((format!("CC_{lower}"), self.cc.display().to_string()));
        env.push((format!("AR_{lower}"), self.ar.display().to_string()));
        env
    }
}
