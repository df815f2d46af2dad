//! The package manager in the image: apk-tools from `--sources DIR`, with zlib from Debian's source linked into it.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::library::Library;
use super::rootfs::Package;
use super::userland::{CFLAGS, fingerprint, run};
use crate::baselines::relocate_pkg_config;
use crate::consumers::apk::{MARK, NAME, knows, missing_tools, options};
use crate::consumers::hook::Hook;
use crate::root::root;
use crate::sources::Sources;
use crate::toolchain::{self, Toolchain};

const ZLIB: &str = "zlib";
const LDFLAGS: [&str; 2] = ["-Wl,--gc-sections", "-s"];
/// meson asks a compiler for its linker's name and gives up on "zig ld", which is LLD; and what it gives on standard input is C,
/// which zig has to be told, else clang sees zig's own name of a CPU.
const COMPILER: &str = r#"#!/bin/sh
case " $* " in
*" -Wl,--version "*) echo LLD; exit ;;
*" - ") set -- -x c "$@" ;;
esac
exec "@CC@" "$@"
"#;

/// apk's package and its program; or, as a sentence for the report, why the image has none.
pub(super) fn build(
    sources: &Sources,
    toolchain: &Toolchain,
    library: &Library,
) -> Result<std::result::Result<(Package, PathBuf), String>> {
    let Some(dir) = &sources.options().sources else {
        return Ok(Err(format!("{NAME} is in no registry: give a clone of it with --sources DIR")));
    };
    let tree = dir.join(NAME);
    if let Some(reason) = lacking(&tree, &library.backend) {
        return Ok(Err(reason));
    }
    let version = version(&tree)?;
    let glue = root().join("patches").join(NAME);
    let code = ["src", "portability", "meson.build", "meson_options.txt"].map(|name| tree.join(name));
    let inputs: Vec<&Path> = code.iter().map(PathBuf::as_path).chain([glue.as_path()]).collect();
    let zlib = zlib(sources, toolchain)?;
    let mut options = options(&tree, &library.backend);
    options.extend(["-Dtests=disabled", "-Doptimization=s", "-Ddebug=false"].map(str::to_owned));
    let key = [
        toolchain.c_name.clone(),
        library.key()?,
        version.clone(),
        fingerprint(&inputs)?,
        // It holds the hash of what zlib was made of.
        zlib.display().to_string(),
        format!("{options:?} {CFLAGS:?} {LDFLAGS:?}"),
    ];
    let key = key.join("\n");
    let made = sources.cache.made("apk", &key, |part| {
        let copy = part.join(NAME);
        run(NAME, Command::new("cp").arg("-a").arg(&tree).arg(&copy))?;
        if library.backend == "rustcrypto" {
            Hook::read(&glue)?.apply(&glue, &copy)?;
        }
        let pkg_config = [&zlib, &library.prefix].map(|prefix| prefix.join("lib/pkgconfig"));
        let (cross, cc) = (part.join("cross.ini"), part.join("cc"));
        fs::write(&cc, COMPILER.replace("@CC@", &toolchain.cc.display().to_string()))?;
        fs::set_permissions(&cc, fs::Permissions::from_mode(0o755))?;
        fs::write(&cross, cross_file(toolchain, &cc, &pkg_config)?)?;
        let mut meson = Command::new("meson");
        meson.current_dir(&copy).env("VERSION", &version).args(["setup", "build", "--cross-file"]).arg(&cross);
        run(&format!("{NAME}'s meson"), meson.args(&options))?;
        run(NAME, Command::new("ninja").args(["-C", "build", &toolchain::jobs(), "src/apk"]).current_dir(&copy))?;
        fs::copy(copy.join("build/src/apk"), part.join("apk")).context("ninja left no src/apk")?;
        fs::remove_dir_all(copy)?;
        fs::remove_file(cc)?;
        Ok(fs::remove_file(cross)?)
    });
    match made {
        Ok(dir) => {
            let apk = dir.join("apk");
            let package = Package::new(&format!("apk-{}", library.backend), &version);
            Ok(Ok((package.copy("usr/bin/apk", 0o755, &apk), apk)))
        }
        // Ours has to build; that upstream's code for another library does not fit its release is a fact for the report.
        Err(error) if library.backend != "rustcrypto" => Ok(Err(format!("{error:#}"))),
        Err(error) => Err(error),
    }
}

/// Why apk cannot be built from this tree on this library.
fn lacking(tree: &Path, backend: &str) -> Option<String> {
    let tools = missing_tools();
    if !tree.join(MARK).is_file() {
        Some(format!("{} has no clone of {NAME}", tree.parent().unwrap_or(tree).display()))
    } else if !knows(tree, backend) {
        Some(format!("{NAME} has no {backend} backend"))
    } else if !tools.is_empty() {
        Some(format!("{} missing: apt-get install meson ninja-build pkgconf", tools.join(", ")))
    } else {
        None
    }
}

/// As apk's own build finds it.
fn version(tree: &Path) -> Result<String> {
    let mut command = Command::new("sh");
    let output = command.arg("./get-version.sh").current_dir(tree).output().context("cannot run sh")?;
    let version = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    if !output.status.success() || version.is_empty() {
        bail!("{}: get-version.sh says: {}", tree.display(), String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(version)
}

/// A static libz, the same for every backend: apk is the only program of an image that needs it.
fn zlib(sources: &Sources, toolchain: &Toolchain) -> Result<PathBuf> {
    sources.fetch(ZLIB)?; // before the lock of the build is taken
    sources.cache.made(ZLIB, &format!("{}\n{}", toolchain.c_name, sources.identity(ZLIB)?), |part| {
        let tree = part.join("source");
        sources.unpack(ZLIB, &tree)?;
        let mut configure = Command::new("./configure");
        configure.current_dir(&tree).envs(toolchain.c_env()).env("CFLAGS", CFLAGS.join(" "));
        configure.arg("--static").arg(format!("--prefix={}", part.display()));
        run("zlib's configure", &mut configure)?;
        for what in ["libz.a", "install"] {
            let mut make = Command::new("make");
            run(ZLIB, make.current_dir(&tree).env_remove("MAKEFLAGS").args(["--silent", &toolchain::jobs(), what]))?;
        }
        fs::remove_dir_all(tree)?;
        relocate_pkg_config(&part.join("lib/pkgconfig"))
    })
}

/// What meson has to know of the target.
fn cross_file(toolchain: &Toolchain, cc: &Path, pkg_config: &[PathBuf]) -> Result<String> {
    let paths: Vec<String> = pkg_config.iter().map(|path| path.display().to_string()).collect();
    let (cc, ar) = (cc.display().to_string(), toolchain.ar.display().to_string());
    if let Some(path) = paths.iter().chain([&cc, &ar]).find(|path| path.contains(['\'', '\\'])) {
        bail!("meson's cross file cannot name {path}: no quotes or backslashes in it, please");
    }
    let list = |items: &[&str]| items.iter().map(|item| format!("'{item}'")).collect::<Vec<_>>().join(", ");
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    let (cpu, family, endian) = machine(&toolchain.target.zig);
    Ok(format!(
        "[binaries]\nc = '{cc}'\nar = '{ar}'\npkgconfig = 'pkg-config'\n\n\
         [properties]\npkg_config_libdir = [{}]\nneeds_exe_wrapper = true\n\n\
         [built-in options]\nc_args = [{}]\nc_link_args = [{}]\n\n\
         [host_machine]\nsystem = 'linux'\ncpu_family = '{family}'\ncpu = '{cpu}'\nendian = '{endian}'\n",
        list(&paths),
        list(&CFLAGS),
        list(&LDFLAGS)
    ))
}

/// CPU, meson's family of it and byte order, of a target as zig names it.
fn machine(zig: &str) -> (&str, &str, &'static str) {
    let cpu = zig.split('-').next().unwrap_or(zig);
    match cpu {
        "mipsel" => (cpu, "mips", "little"),
        "mips" => (cpu, "mips", "big"),
        _ => (cpu, cpu, "little"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_named_as_meson_knows_it() {
        assert_eq!(machine("mipsel-linux-musleabi"), ("mipsel", "mips", "little"));
        assert_eq!(machine("mips-linux-musleabi"), ("mips", "mips", "big"));
        assert_eq!(machine("aarch64-linux-musl"), ("aarch64", "aarch64", "little"));
        assert_eq!(machine("riscv64-linux-musl"), ("riscv64", "riscv64", "little"));
    }

    #[test]
    fn what_is_lacking_is_said_in_one_line() {
        let dir = tempfile::tempdir().unwrap();
        let tree = dir.path().join(NAME);
        let said = lacking(&tree, "rustcrypto").unwrap();
        assert_eq!(said, format!("{} has no clone of apk-tools", dir.path().display()));
        fs::create_dir_all(tree.join("src")).unwrap();
        fs::write(tree.join(MARK), "").unwrap();
        assert_eq!(lacking(&tree, "wolfssl").unwrap(), "apk-tools has no wolfssl backend");
    }
}
