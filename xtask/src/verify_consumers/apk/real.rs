//! apk-tools itself, on our library and on OpenSSL: its own tests, and packages made by one and installed by the other.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail, ensure};

use super::super::Report;
use super::super::exec::{copy_with_glue, fresh, output, releases, run, text};
use super::super::library::pkg_config;
use super::missing;
use crate::consumers::{Library, apk};
use crate::sources::{Options, Sources};
use crate::{baselines, toolchain};

const URL: &str = "https://gitlab.alpinelinux.org/alpine/apk-tools.git";

pub(super) fn check(options: &Options, library: &Library, work: &Path, report: &mut Report) -> Result<()> {
    let what = "apk-tools: own tests, sign, index, verify, install";
    match (releases(options, apk::NAME, apk::MARK, URL), missing(options)) {
        (Err(how), _) | (Ok(_), Some(how)) => {
            report.skipped(what, how);
            Ok(())
        }
        (Ok(trees), None) => trees.iter().try_for_each(|tree| release(options, tree, library, work, report)),
    }
}

/// One release, built on both libraries.
fn release(options: &Options, tree: &Path, library: &Library, work: &Path, report: &mut Report) -> Result<()> {
    let version = text(Command::new("sh").arg("./get-version.sh").current_dir(tree))?;
    let lib = library.lib.as_deref().context("no library")?;
    pkg_config(library, lib)?;
    let mut programs = Vec::new();
    for backend in ["rustcrypto", "openssl"] {
        let built = build(tree, lib, backend, work);
        report.record(
            format!("{version} builds on {backend}"),
            built.as_ref().map(|_| "static, with wget".to_owned()).map_err(|error| anyhow::anyhow!("{error:#}")),
        );
        programs.push(built?);
    }
    let [ours, theirs] = &programs[..] else { bail!("two programs were built") };
    let mut rows = Vec::new();
    let mbedtls = on_mbedtls(options, tree, work).with_context(|| format!("{version} on mbedtls, for its size"));
    for (backend, apk) in [("rustcrypto", Ok(ours.clone())), ("openssl", Ok(theirs.clone())), ("mbedtls", mbedtls)] {
        match apk.and_then(|apk| stripped(&apk)) {
            Ok(bytes) => rows.push(vec![backend.to_owned(), bytes.to_string()]),
            Err(error) => report.failed(format!("{version}: size on {backend}"), format!("{error:#}")),
        }
    }
    let title = format!("apk {version} without symbols, without the library, bytes (host)");
    report.table(title, &["backend", "bytes"], rows);
    report.record(format!("{version}: its own tests on rustcrypto"), own_tests(ours, theirs));
    for (name, maker, user) in
        [("made by OpenSSL's, used by ours", theirs, ours), ("made by ours, used by OpenSSL's", ours, theirs)]
    {
        for kind in ["ec", "rsa"] {
            report.record(
                format!("{version}: {kind} packages {name}"),
                packages(maker, user, kind, &work.join("packages")),
            );
        }
    }
    Ok(())
}

fn stripped(apk: &Path) -> Result<u64> {
    let out = apk.with_extension("stripped");
    run(Command::new("strip").arg("-o").arg(&out).arg(apk))?;
    Ok(fs::metadata(&out)?.len())
}

/// On the Mbed TLS that the library is measured against (Debian's is older than apk's backend can be compiled with).
fn on_mbedtls(options: &Options, tree: &Path, work: &Path) -> Result<PathBuf> {
    let sources = Sources::open(options)?;
    let toolchain = toolchain::for_target(&sources, "x86_64-unknown-linux-gnu")?;
    build(tree, &baselines::build(&sources, "mbedtls", &toolchain)?.dir.join("lib"), "mbedtls", work)
}

/// meson as OpenWrt calls it, with the tests; the library's .pc files are in `lib`/pkgconfig, or the system's.
fn build(tree: &Path, lib: &Path, backend: &str, work: &Path) -> Result<PathBuf> {
    let name = tree.file_name().unwrap_or_default().to_string_lossy();
    let copy = work.join(format!("{name}-{backend}"));
    copy_with_glue(tree, &copy, Some(apk::NAME))?;
    // its test scripts want a sh that knows pipefail: busybox's does, Debian's does not
    if !Command::new("sh").args(["-c", "set -o pipefail"]).output()?.status.success() {
        let scripts = copy.join("test");
        run(Command::new("sh")
            .arg("-c")
            .arg("find \"$0\" -name '*.sh' -exec sed -i '1s,^#!/bin/sh,#!/bin/bash,' {} +")
            .arg(scripts))?;
    }
    run(Command::new("meson")
        .args(["setup", "build", "--buildtype=release"])
        .args(apk::options(tree, backend))
        .arg(format!("-Dc_link_args=-Wl,-rpath,{}", lib.display()))
        .env("PKG_CONFIG_PATH", lib.join("pkgconfig"))
        .current_dir(&copy))?;
    run(Command::new("ninja").args(["-C", "build"]).current_dir(&copy))?;
    Ok(copy.join("build/src/apk"))
}

/// apk's tests on ours; what fails on OpenSSL's build too is not the backend's doing, and is named.
fn own_tests(ours: &Path, theirs: &Path) -> Result<String> {
    let (ok, failed) = meson_test(ours)?;
    let (_, failed_there) = meson_test(theirs)?;
    let own: Vec<&String> = failed.iter().filter(|name| !failed_there.contains(name)).collect();
    ensure!(ok > 0 && own.is_empty(), "{ok} ok; failed, and not on OpenSSL: {own:?}");
    Ok(format!("{ok} ok; failed on OpenSSL's build as well: {failed:?}"))
}

/// How many passed, and the names of those that did not.
fn meson_test(apk: &Path) -> Result<(usize, Vec<String>)> {
    let build = apk.ancestors().nth(2).context("it lies in build/src")?;
    let said = output(Command::new("meson").args(["test", "--no-rebuild", "-C"]).arg(build))?;
    let said = String::from_utf8_lossy(&said.stdout).into_owned();
    // "  3/135 apk-tools:shell / user/fetch.sh    OK   0.21s"
    let results = said.lines().filter_map(|line| line.split_once(" / ")).map(|(_, rest)| rest.split_whitespace());
    let (mut ok, mut failed) = (0, Vec::new());
    for mut words in results {
        match (words.next(), words.next()) {
            (Some(_), Some("OK")) => ok += 1,
            (Some(name), Some("FAIL" | "TIMEOUT" | "ERROR")) => failed.push(name.to_owned()),
            _ => {}
        }
    }
    Ok((ok, failed))
}

/// Only root may own what it installs; apk refuses the option to root.
fn unprivileged() -> bool {
    text(Command::new("id").arg("-u")).is_ok_and(|id| id != "0")
}

/// Make, sign and index with `maker`; verify and install with `user`; then the same with everything that can be wrong.
fn packages(maker: &Path, user: &Path, kind: &str, dir: &Path) -> Result<String> {
    fresh(dir)?;
    let at = |name: &str| dir.join(name);
    for name in ["signer", "stranger"] {
        let algorithm: &[&str] = match kind {
            "ec" => &["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:prime256v1"],
            _ => &["-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"],
        };
        run(Command::new("openssl").arg("genpkey").args(algorithm).arg("-out").arg(at(&format!("{name}.pem"))))?;
    }
    fs::create_dir_all(at("keys"))?;
    run(Command::new("openssl")
        .args(["pkey", "-pubout", "-in"])
        .arg(at("signer.pem"))
        .arg("-out")
        .arg(at("keys/signer.pub")))?;
    fs::create_dir_all(at("files/usr/bin"))?;
    // nothing a compressor could shorten: the middle of the package is the middle of this file
    let noise: Vec<u8> = (0..100_000_u32)
        .map(|n| (n.wrapping_mul(2_654_435_761) >> 11) as u8 ^ (n.wrapping_mul(n) >> 7) as u8)
        .collect();
    fs::write(at("files/usr/bin/toy"), noise)?;
    fs::create_dir_all(at("repo"))?;
    let make = |key: &str, out: &str| {
        run(Command::new(maker)
            .args([
                "mkpkg",
                "--info",
                "name:toy",
                "--info",
                "version:1.0-r0",
                "--info",
                "arch:noarch",
                "--info",
                "description:a toy",
                "--files",
            ])
            .arg(at("files"))
            .arg("--output")
            .arg(at(out))
            .arg("--sign-key")
            .arg(at(key)))
    };
    make("signer.pem", "repo/toy-1.0-r0.apk")?;
    make("stranger.pem", "stranger.apk")?;
    let index = |key: &str, out: &str| {
        run(Command::new(maker)
            .args(["--keys-dir"])
            .arg(at("keys"))
            .args(["mkndx", "--allow-untrusted", "--output"])
            .arg(at(out))
            .arg("--sign-key")
            .arg(at(key))
            .arg(at("repo/toy-1.0-r0.apk")))
    };
    index("signer.pem", "repo/packages.adb")?;

    let whole = fs::read(at("repo/toy-1.0-r0.apk"))?;
    fs::write(at("cut.apk"), &whole[..whole.len() - 100])?;
    let mut flipped = whole.clone();
    let middle = flipped.len() / 2;
    flipped[middle] ^= 4;
    fs::write(at("flipped.apk"), flipped)?;

    let verify = |file: &str| output(Command::new(user).arg("--keys-dir").arg(at("keys")).arg("verify").arg(at(file)));
    let good = verify("repo/toy-1.0-r0.apk")?;
    ensure!(good.status.success(), "a good package is refused: {}", String::from_utf8_lossy(&good.stderr));
    for (file, what) in
        [("stranger.apk", "signed with another key"), ("cut.apk", "cut off"), ("flipped.apk", "a flipped bit")]
    {
        ensure!(!verify(file)?.status.success(), "{what}: accepted by verify");
    }
    let install = |root: &str, repository: &str| {
        let mut command = Command::new(user);
        command
            .arg("--root")
            .arg(at(root))
            .args(["--initdb", "--no-cache", "--no-logfile", "--arch", "noarch"])
            .args(unprivileged().then_some("--usermode"))
            .arg("--keys-dir")
            .arg(at("keys"));
        output(command.arg("--repository").arg(at(repository)).args(["add", "toy"]))
    };
    let done = install("root", "repo/packages.adb")?;
    ensure!(
        done.status.success(),
        "install: {}{}",
        String::from_utf8_lossy(&done.stdout),
        String::from_utf8_lossy(&done.stderr)
    );
    ensure!(fs::read(at("root/usr/bin/toy"))? == fs::read(at("files/usr/bin/toy"))?, "the installed file differs");
    index("stranger.pem", "repo/stranger.adb")?;
    ensure!(!install("root2", "repo/stranger.adb")?.status.success(), "an index signed with another key: accepted");
    // a package that is not the one the index names
    fs::copy(at("flipped.apk"), at("repo/toy-1.0-r0.apk"))?;
    ensure!(!install("root3", "repo/packages.adb")?.status.success(), "a package with a flipped bit: installed");
    ensure!(!at("root3/usr/bin/toy").exists(), "a refused package left its file");
    Ok(format!("verified and installed ({} bytes); another key, a cut, a flipped bit: refused", whole.len()))
}
