//! The C side: wrappers around zig's clang and lld.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::Triple;
use crate::sources::Sources;

pub(super) struct Compiler {
    pub(super) cc: PathBuf,
    pub(super) cxx: PathBuf,
    pub(super) ar: PathBuf,
    pub(super) ranlib: PathBuf,
    pub(super) name: String,
}

/// zig's own linker driver does not know RELR, so a shared object is linked by lld itself, with the C library, unwinder and run-time library that zig links. Everything else goes to `zig cc`.
/// Dropped flags: rustc and libtool pass them, zig refuses them or they belong to the driver.
const WRAPPER: &str = r#"#!/bin/sh
here=$(dirname "$0")
shared=; source=
for arg; do
    case $arg in
    -shared) shared=1 ;;
    -c | -E | -S | *.c | *.cc | *.cpp | *.S | *.s) source=1 ;;
    esac
done
count=$#
if [ -n "$shared" ] && [ -z "$source" ]; then
    while [ $count -gt 0 ]; do
        arg=$1; shift; count=$((count - 1))
        case $arg in
        -Wl,*)
            arg=${arg#-Wl,}
            while :; do
                case $arg in
                *,*) set -- "$@" "${arg%%,*}"; arg=${arg#*,} ;;
                *) set -- "$@" "$arg"; break ;;
                esac
            done ;;
        -o | -soname | -z | -Xlinker)
            [ "$arg" = -Xlinker ] || set -- "$@" "$arg"
            set -- "$@" "$1"; shift; count=$((count - 1)) ;;
        -shared | -s | -L* | -l*) set -- "$@" "$arg" ;;
        -*) ;;
        *) set -- "$@" "$arg" ;;
        esac
    done
    exec "@ZIG@" ld.lld --build-id=none --hash-style=@HASH@ --gc-sections -z relro -z now --as-needed \
        -z max-page-size=@PAGE@ @RELR@ -m @EMULATION@ "$@" -L "$here/../lib" -lgcc_s -lc @NONSHARED@ -lcompiler_rt
fi
while [ $count -gt 0 ]; do
    arg=$1; shift; count=$((count - 1))
    case $arg in
    --target=* | -Wl,--no-undefined-version | -Wl,-z,pack-relative-relocs) ;;
    *) set -- "$@" "$arg" ;;
    esac
done
exec "@ZIG@" @DRIVER@ -target @TARGET@ -fno-sanitize=undefined @FLAGS@ "$@"
"#;

/// Libraries that are part of libc itself (glibc: since 2.34); makefiles name them all the same.
fn in_libc(target: &Triple) -> &'static [&'static str] {
    if target.zig.contains("musl") {
        &["crypt", "dl", "m", "pthread", "resolv", "rt", "util", "xnet"]
    } else {
        &["dl", "pthread", "rt", "util"]
    }
}

pub(super) fn compiler(sources: &Sources, target: &Triple) -> Result<Compiler> {
    let tree = sources.tree("ziglang")?;
    let zig = tree.join("ziglang/zig");
    make_executable(&zig)?;
    let name = format!("zig cc {} -target {} {}", sources.version("ziglang")?, target.zig, target.cflags.join(" "));
    // The wrappers name zig by its absolute path, so that is part of the key.
    let key = format!("{WRAPPER}\n{:?}\n{name}\n{target:?}\n{}", in_libc(target), zig.display());
    let dir = sources.cache.made("cc", &key, |part| {
        let bin = part.join("bin");
        fs::create_dir_all(&bin)?;
        for driver in ["cc", "c++"] {
            script(&bin.join(driver), &fill(driver, &zig, target))?;
        }
        for tool in ["ar", "ranlib", "objcopy"] {
            script(&bin.join(tool), &format!("#!/bin/sh\nexec \"{}\" {tool} \"$@\"\n", zig.display()))?;
        }
        run_time(&zig, target, part)
    })?;
    let bin = dir.join("bin");
    Ok(Compiler {
        cc: bin.join("cc"),
        cxx: bin.join("c++"),
        ar: bin.join("ar"),
        ranlib: bin.join("ranlib"),
        name: name.trim().to_owned(),
    })
}

fn fill(driver: &str, zig: &Path, target: &Triple) -> String {
    let linkage = if target.zig.contains("musl") { "-dynamic " } else { "" }; // else zig links musl statically
    WRAPPER
        .replace("@ZIG@", &zig.display().to_string())
        .replace("@DRIVER@", driver)
        .replace("@TARGET@", &target.zig)
        .replace("@FLAGS@", &format!("{linkage}{}", target.cflags.join(" ")))
        .replace("@PAGE@", &target.page_size.to_string())
        .replace("@HASH@", &target.hash_style)
        .replace("@RELR@", if target.relr { "--pack-dyn-relocs=relr" } else { "" })
        .replace("@EMULATION@", &target.emulation)
        // The part of glibc that is linked into every object (atexit, stat).
        .replace("@NONSHARED@", if target.zig.contains("gnu") { "-lc_nonshared" } else { "" })
}

/// Let zig link a shared object once and keep the C library, unwinder and run-time library that it used.
fn run_time(zig: &Path, target: &Triple, into: &Path) -> Result<()> {
    let lib = into.join("lib");
    fs::create_dir_all(&lib)?;
    let source = into.join("probe.c");
    fs::write(&source, "int probe(int x) { return x; }\n")?;
    let mut command = Command::new(zig);
    command.args(["cc", "-target", &target.zig]).args(&target.cflags);
    if target.zig.contains("musl") {
        command.arg("-dynamic");
    }
    command.args(["-shared", "-fPIC", "-lgcc_s", "-v", "-o"]).arg(into.join("probe.so")).arg(&source);
    let output = command.output().context("cannot run zig")?;
    let log = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        bail!("zig cannot link for {}: {}", target.zig, log.lines().last().unwrap_or("no reason given"));
    }
    let Some(line) = log.lines().rfind(|line| line.starts_with("ld.lld ")) else {
        bail!("zig did not say how it links for {}: its version has changed its -v output", target.zig);
    };
    // The paths are not quoted; a path is whatever starts at a '/' after a space and ends in .a or .so.
    for file in inputs(line) {
        let Some(base) = Path::new(file).file_name().and_then(|n| n.to_str()) else { continue };
        let name = match base {
            "libunwind.a" => "libgcc_s.a".to_owned(), // what rustc asks for
            "libcompiler_rt.a" | "libc_nonshared.a" => base.to_owned(),
            "probe.so" => continue, // what is linked, not what it is linked with
            _ if base.starts_with("libc.so") => "libc.so".to_owned(),
            _ if base.contains(".so") => base.split(".so").next().map(|stem| format!("{stem}.so")).unwrap_or_default(),
            _ => continue,
        };
        fs::copy(file, lib.join(name)).with_context(|| format!("cannot copy {file}"))?;
    }
    for name in in_libc(target) {
        fs::write(lib.join(format!("lib{name}.a")), "!<arch>\n")?;
    }
    for needed in ["libc.so", "libgcc_s.a", "libcompiler_rt.a"] {
        if !lib.join(needed).exists() {
            bail!("zig linked for {} without {needed}: {line}", target.zig);
        }
    }
    for file in ["probe.c", "probe.so"] {
        fs::remove_file(into.join(file))?;
    }
    Ok(())
}

/// Archives and shared objects on lld's command line as zig prints it.
fn inputs(line: &str) -> impl Iterator<Item = &str> {
    line.match_indices(" /").filter_map(move |(at, _)| {
        let rest = &line[at + 1..];
        let end = rest.match_indices(' ').map(|(i, _)| i).chain([rest.len()]).find(|&end| {
            let path = &rest[..end];
            let extension = Path::new(path).extension().and_then(|e| e.to_str()).unwrap_or("");
            extension == "a" || path.rsplit('/').next().unwrap_or("").contains(".so")
        })?;
        Path::new(&rest[..end]).is_file().then_some(&rest[..end])
    })
}

fn script(path: &Path, text: &str) -> Result<()> {
    fs::write(path, text)?;
    make_executable(path)
}

fn make_executable(path: &Path) -> Result<()> {
    let mut mode = fs::metadata(path).with_context(|| format!("cannot read {}", path.display()))?.permissions();
    if mode.mode() & 0o111 == 0 {
        mode.set_mode(0o755);
        fs::set_permissions(path, mode)?;
    }
    Ok(())
}
