//! The C library of an image: Debian's, or built from musl's source where Debian builds for another ABI (MIPS: hard float).

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use super::image::find;
use super::userland::run;
use crate::sources::Sources;
use crate::toolchain::Toolchain;

/// The dynamic loader, which is musl's C library too, under the name that programs ask for. `name` is a Debian package or a
/// source tarball of the lock.
pub(super) fn loader(sources: &Sources, toolchain: &Toolchain, name: &str) -> Result<PathBuf> {
    let tree = sources.tree(name)?;
    let dir = if tree.join("configure").is_file() { build(sources, toolchain, name)? } else { tree };
    let found = find(&dir, |name| name.starts_with("ld-musl-") && name.ends_with(".so.1"))?;
    Ok(found)
}

fn build(sources: &Sources, toolchain: &Toolchain, name: &str) -> Result<PathBuf> {
    let key = format!("{}\n{}", sources.identity(name)?, toolchain.c_name);
    sources.cache.made("musl", &key, |part| {
        eprintln!("building musl {} for {} ...", sources.version(name)?, toolchain.triple);
        let tree = part.join("source");
        sources.unpack(name, &tree)?;
        let mut configure = Command::new("./configure");
        configure.current_dir(&tree).arg(format!("--target={}", toolchain.target.zig.replace("musleabi", "musl")));
        configure.args(["--disable-static", "CFLAGS=-Os -g0"]).envs(toolchain.c_env());
        run("musl's configure", &mut configure)?;
        let mut make = Command::new("make");
        // The compiler's driver keeps zig's own options for shared objects; those that musl's check of it refused are given to
        // the linker itself. dynamic.list: what a program (or heapmeter) may replace, malloc for one.
        let style = if toolchain.target.relr { "gnu" } else { "sysv" };
        let flags = format!("LDFLAGS=-Wl,--hash-style={style},--dynamic-list=./dynamic.list -s");
        let jobs = std::thread::available_parallelism().map_or(1, usize::from);
        make.current_dir(&tree).arg(format!("-j{jobs}")).args(["--silent", "LIBCC=", &flags, "lib/libc.so"]);
        run("musl", make.env_remove("MAKEFLAGS"))?;
        fs::copy(tree.join("lib/libc.so"), part.join(loader_name(&tree)?))
            .context("musl's make left no lib/libc.so")?;
        Ok(fs::remove_dir_all(&tree)?)
    })
}

/// As musl's own Makefile puts it together: `/lib/ld-musl-$(ARCH)$(SUBARCH).so.1`.
fn loader_name(tree: &Path) -> Result<String> {
    let config = fs::read_to_string(tree.join("config.mak")).context("musl's configure left no config.mak")?;
    let value = |key: &str| {
        let line = config.lines().find_map(|line| line.strip_prefix(key)?.trim_start().strip_prefix('='));
        line.unwrap_or_default().trim().to_owned()
    };
    Ok(format!("ld-musl-{}{}.so.1", value("ARCH"), value("SUBARCH")))
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_loader_is_named_as_programs_ask_for_it() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("config.mak"), "AR = ar\nARCH = mips\nSUBARCH = el-sf\nASMSUBARCH = \n")
            .unwrap();
        assert_eq!(super::loader_name(dir.path()).unwrap(), "ld-musl-mipsel-sf.so.1");
        std::fs::write(dir.path().join("config.mak"), "ARCH = x86_64\nSUBARCH = \n").unwrap();
        assert_eq!(super::loader_name(dir.path()).unwrap(), "ld-musl-x86_64.so.1");
    }
}
