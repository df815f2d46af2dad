//! libnl 3 for a target: the core and generic-netlink parts that hostapd's nl80211 driver needs, as static libraries.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail};

use super::Compiler;

/// Build from an unpacked release in `source` (of the locked `libnl3`) and return a folder for `PKG_CONFIG_LIBDIR`.
/// `host` is autoconf's name of the target, e.g. `aarch64-linux-musl`.
pub(crate) fn build(compiler: &Compiler, source: &Path, host: &str, out: &Path) -> Result<PathBuf> {
    let pkg_config = out.join("pkgconfig");
    if pkg_config.join("libnl-genl-3.0.pc").is_file() {
        return Ok(pkg_config);
    }
    let build = out.join("libnl");
    fs::create_dir_all(&build).with_context(|| format!("cannot make {}", build.display()))?;
    let mut configure = Command::new(source.join("configure"));
    configure
        .args(["--quiet", "--disable-shared", "--enable-static", "--disable-cli", "--disable-debug"])
        .arg(format!("--host={host}"))
        .env("CC", &compiler.cc)
        .env("CFLAGS", compiler.cflags.join(" "))
        .env("LDFLAGS", compiler.ldflags.join(" "))
        // configure insists on both; only the routing library, which is not made here, has a grammar
        .envs([("FLEX", "false"), ("YACC", "false")])
        .envs(compiler.tools.iter().cloned());
    run(configure.current_dir(&build), "configure", out)?;
    let mut make = Command::new("nice");
    make.args(["make", "-j2", "lib/libnl-3.la", "lib/libnl-genl-3.la"]);
    run(make.current_dir(&build), "make", out)?;

    fs::create_dir_all(&pkg_config)?;
    let (include, generated, lib) = (source.join("include"), build.join("include"), build.join("lib/.libs"));
    for (name, library, requires) in [("libnl-3.0", "nl-3", ""), ("libnl-genl-3.0", "nl-genl-3", "libnl-3.0")] {
        let text = format!(
            "Name: {name}\nDescription: static libnl\nVersion: 3\nRequires: {requires}\nCflags: -I{} -I{}\nLibs: -L{} -l{library}\n",
            include.display(),
            generated.display(),
            lib.display()
        );
        fs::write(pkg_config.join(format!("{name}.pc")), text)?;
    }
    Ok(pkg_config)
}

fn run(command: &mut Command, step: &str, out: &Path) -> Result<()> {
    let output = command.output().with_context(|| format!("cannot run {step} of libnl"))?;
    if !output.status.success() {
        let log = out.join("libnl.log");
        fs::write(&log, [output.stdout, output.stderr].concat())?;
        bail!("libnl: {step} failed: see {}", log.display());
    }
    Ok(())
}
