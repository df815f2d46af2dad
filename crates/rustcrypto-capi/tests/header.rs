//! `include/rustcrypto.h` is what cbindgen writes, valid C99 and C++11, and says what the library exports.

mod support;

use std::fs;
use std::path::Path;

use support::{abi, library, program, run, skipped, update};

fn crate_dir() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The header as cbindgen writes it today.
fn generated() -> String {
    let config = cbindgen::Config::from_file(crate_dir().join("cbindgen.toml")).unwrap();
    let mut text = Vec::new();
    cbindgen::Builder::new().with_crate(crate_dir()).with_config(config).generate().unwrap().write(&mut text);
    String::from_utf8(text).unwrap()
}

#[test]
fn header_is_what_cbindgen_writes() {
    support::matches_file(&crate_dir().join("include/rustcrypto.h"), &generated(), "header");
}

#[test]
fn header_is_valid_c99_and_cpp11() {
    let dir = tempfile::tempdir().unwrap();
    let header = dir.path().join("rustcrypto.h");
    fs::write(&header, generated()).unwrap();
    for (compiler, language, standard) in [("cc", "c", "-std=c99"), ("c++", "c++", "-std=c++11")] {
        let Some(mut command) = program(compiler) else {
            skipped(&format!("the header in {standard}"), &format!("install {compiler}"));
            continue;
        };
        command.args([standard, "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only", "-x", language]);
        run(command.arg(&header));
    }
}

/// Prototypes that are committed stay as they are for the life of the SONAME; new ones are added with UPDATE=1.
#[test]
fn no_symbol_changes_or_vanishes() {
    let file = crate_dir().join("abi/librustcrypto.so.0.symbols");
    let now = abi::prototypes(&generated());
    let committed = fs::read_to_string(&file).unwrap_or_default();
    let broken: Vec<&str> = committed.lines().filter(|line| !now.iter().any(|now| now == line)).collect();
    let may_break = std::env::var("UPDATE").is_ok_and(|how| how == "break");
    assert!(
        broken.is_empty() || may_break,
        "the ABI of librustcrypto.so.0 is broken by a change to:\n{}\nUPDATE=break accepts it, before the first release only",
        broken.join("\n")
    );
    support::matches_file(&file, &(now.join("\n") + "\n"), "header");
}

#[test]
fn the_library_exports_the_prototypes_and_nothing_else() {
    let Some(mut nm) = program("nm") else { return skipped("exported symbols", "install binutils") };
    let listed = run(nm.args(["-D", "--defined-only", "--format=posix"]).arg(library()));
    let mut exported: Vec<&str> = listed.lines().filter_map(|line| line.split(' ').next()).collect();
    exported.sort_unstable();
    let header = generated();
    let mut declared: Vec<String> = abi::prototypes(&header).iter().map(|line| abi::name(line).to_owned()).collect();
    declared.sort_unstable();
    assert_eq!(exported, declared);
}

#[test]
fn the_library_has_its_soname() {
    let Some(mut readelf) = program("readelf") else { return skipped("SONAME", "install binutils") };
    let dynamic = run(readelf.arg("-dW").arg(library()));
    assert!(dynamic.contains("Library soname: [librustcrypto.so.0]"), "{dynamic}");
}

/// Types, enum values and signatures as the header promises them, against the committed dump. The dump is made from a library of
/// C stubs, one per prototype: debug information of the real one describes Rust's types, which are nobody's business outside.
#[test]
fn abidiff_finds_no_change() {
    let (Some(mut cc), Some(mut abidw), Some(mut abidiff)) = (program("cc"), program("abidw"), program("abidiff"))
    else {
        return skipped("the ABI dump", "install abigail-tools and a C compiler");
    };
    let dir = tempfile::tempdir().unwrap();
    let (source, object) = (dir.path().join("stubs.c"), dir.path().join("librustcrypto.so.0"));
    fs::write(dir.path().join("rustcrypto.h"), generated()).unwrap();
    fs::write(&source, abi::stubs(&generated())).unwrap();
    // A relative path, so that no machine's directories get into the dump.
    let flags = ["-std=c99", "-g", "-O0", "-shared", "-fPIC", "-w", "-fno-eliminate-unused-debug-types"];
    run(cc.current_dir(&dir).args(flags).args(["stubs.c", "-o"]).arg(&object));
    let now = dir.path().join("now.abi");
    let args = ["--no-corpus-path", "--no-comp-dir-path", "--short-locs", "--no-show-locs", "--out-file"];
    run(abidw.args(args).arg(&now).arg(&object));
    let committed = crate_dir().join("abi/librustcrypto.so.0.abi");
    if update() {
        fs::copy(&now, &committed).unwrap();
        return;
    }
    let output = abidiff.args(["--no-added-syms", "--no-architecture"]).arg(&committed).arg(&now).output().unwrap();
    assert!(
        output.status.success(),
        "the ABI changed:\n{}\nUPDATE=1 cargo test -p rustcrypto-capi --test header",
        String::from_utf8_lossy(&output.stdout)
    );
}

#[test]
fn pkg_config_reads_the_pc_file() {
    let Some(mut pkg_config) = program("pkg-config") else { return skipped("rustcrypto.pc", "install pkg-config") };
    let dir = tempfile::tempdir().unwrap();
    let template = fs::read_to_string(crate_dir().join("rustcrypto.pc.in")).unwrap();
    let values =
        [("prefix", "/opt"), ("libdir", "${prefix}/lib"), ("includedir", "${prefix}/include"), ("version", "1.2.3")];
    let text = values.iter().fold(template, |text, (name, value)| text.replace(&format!("@{name}@"), value));
    assert!(!text.contains('@'), "{text}");
    fs::write(dir.path().join("rustcrypto.pc"), text).unwrap();
    let flags = run(pkg_config.env("PKG_CONFIG_PATH", dir.path()).args(["--cflags", "--libs", "rustcrypto"]));
    assert_eq!(flags.trim(), "-I/opt/include -L/opt/lib -lrustcrypto");
}
