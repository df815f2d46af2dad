//! Every program in `tests/c/`, compiled by this machine's C compiler against the real header and the built library: once under the
//! address and undefined-behaviour sanitizers, once under valgrind. Drop a file there and it is picked up. It succeeds with exit
//! status 0; with 77 it says on standard error what is missing, and counts as skipped. `/* no valgrind: why */` keeps one from valgrind.

mod support;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use support::{library, program, run, skipped};

fn sources() -> Vec<PathBuf> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/c");
    let mut sources: Vec<PathBuf> = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).collect();
    sources.retain(|path| path.extension().is_some_and(|extension| extension == "c"));
    sources.sort();
    assert!(!sources.is_empty());
    sources
}

/// A directory with the library under the names that the linker and the loader look for.
fn installed() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for name in ["librustcrypto.so", "librustcrypto.so.0"] {
        symlink(library(), dir.path().join(name)).unwrap();
    }
    dir
}

fn compile(cc: &mut Command, source: &Path, dir: &Path, flags: &[&str]) -> PathBuf {
    let exe = dir.join(source.file_stem().unwrap());
    let include = Path::new(env!("CARGO_MANIFEST_DIR")).join("include");
    cc.args(["-std=c99", "-D_POSIX_C_SOURCE=200809L", "-Wall", "-Wextra", "-Werror", "-g", "-pthread"]).args(flags);
    cc.arg("-I").arg(include).arg(source).arg("-o").arg(&exe);
    run(cc.arg("-L").arg(dir).arg("-lrustcrypto").arg(format!("-Wl,-rpath,{}", dir.display())));
    exe
}

/// Run one program within five minutes and panic unless it succeeds or skips.
fn check(command: &mut Command, source: &Path, dir: &Path) {
    let name = source.file_name().unwrap().to_string_lossy();
    command.env("TMPDIR", dir).current_dir(dir);
    if cfg!(feature = "speed") {
        command.env("RUSTCRYPTO_COMPLETE", "1"); // nothing may be missing from this build
    }
    let output = command.output().unwrap_or_else(|error| panic!("{name}: {error}"));
    let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    match output.status.code() {
        Some(0) => {}
        Some(77) => skipped(&name, text.trim()),
        Some(124) => panic!("{name}: not done after five minutes\n{text}"),
        _ => panic!("{name}: {}\n{text}", output.status),
    }
}

#[test]
fn under_sanitizers() {
    let dir = installed();
    for source in sources() {
        let Some(mut cc) = program("cc") else { return skipped("C programs", "install a C compiler") };
        let exe = compile(
            &mut cc,
            &source,
            dir.path(),
            &["-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"],
        );
        check(Command::new("timeout").arg("300").arg(exe), &source, dir.path());
    }
}

#[test]
fn under_valgrind() {
    let dir = installed();
    if program("valgrind").is_none() {
        return skipped("C programs under valgrind", "install valgrind");
    }
    for source in sources() {
        let Some(mut cc) = program("cc") else { return skipped("C programs", "install a C compiler") };
        let text = fs::read_to_string(&source).unwrap();
        if let Some(why) = text.split("/* no valgrind: ").nth(1).and_then(|rest| rest.split(" */").next()) {
            skipped(&format!("{} under valgrind", source.file_name().unwrap().to_string_lossy()), why);
            continue;
        }
        let exe = compile(&mut cc, &source, dir.path(), &["-O1"]);
        let valgrind =
            ["300", "valgrind", "-q", "--error-exitcode=99", "--leak-check=full", "--errors-for-leak-kinds=definite"];
        check(Command::new("timeout").args(valgrind).arg(exe), &source, dir.path());
    }
}
