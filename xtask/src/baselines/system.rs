//! The three ways of building: Mbed TLS's makefile, autotools, OpenSSL's Configure.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use super::recipe::{Recipe, System};
use crate::sources::{Sources, have, library_path};
use crate::toolchain::{self, Toolchain};
use crate::user_bail;

pub(super) struct Build<'a> {
    pub(super) sources: &'a Sources,
    pub(super) recipe: &'a Recipe,
    pub(super) toolchain: &'a Toolchain,
    /// Unpacked source, ours to write to.
    pub(super) source: &'a Path,
    /// Gets `lib/` and `include/`.
    pub(super) install: &'a Path,
    pub(super) name: &'a str,
}

impl Build<'_> {
    pub(super) fn run(&self) -> Result<()> {
        match self.recipe.system {
            System::Mbedtls => self.mbedtls(),
            System::Autotools => self.autotools(),
            System::Openssl => self.openssl(),
        }
    }

    fn cflags(&self) -> String {
        self.recipe.cflags.join(" ")
    }

    fn mbedtls(&self) -> Result<()> {
        let config = self.source.join("include/mbedtls/mbedtls_config.h");
        let text = fs::read_to_string(&config).with_context(|| format!("cannot read {}", config.display()))?;
        fs::write(&config, switch(&text, &self.recipe.set, &self.recipe.unset)?)?;
        let mut make = Command::new("make");
        make.arg("-C").arg(self.source.join("library")).args([&toolchain::jobs(), "shared", "SHARED=1", "GEN_FILES="]);
        make.arg(format!("CFLAGS={}", self.cflags())).arg("LDFLAGS=-Wl,-s");
        self.step(make, "make")?;
        let lib = self.install.join("lib");
        fs::create_dir_all(lib.join("pkgconfig"))?;
        self.copy(&["library/libmbedcrypto.so*", "library/libmbedx509.so*", "library/libmbedtls.so*"], &lib)?;
        let include = self.install.join("include");
        fs::create_dir_all(&include)?;
        self.copy(&["include/mbedtls", "include/psa"], &include)?;
        for (name, needs, library) in [
            ("mbedtls", "mbedx509, mbedcrypto", "mbedtls"),
            ("mbedx509", "mbedcrypto", "mbedx509"),
            ("mbedcrypto", "", "mbedcrypto"),
        ] {
            let version = self.sources.version(&self.recipe.source)?;
            let text = format!(
                "prefix=\nlibdir=\nincludedir=\n\nName: {name}\nDescription: Mbed TLS\nVersion: {version}\n\
                 Requires: {needs}\nCflags: -I${{includedir}}\nLibs: -L${{libdir}} -l{library}\n"
            );
            fs::write(lib.join(format!("pkgconfig/{name}.pc")), text)?;
        }
        Ok(())
    }

    fn autotools(&self) -> Result<()> {
        if !self.source.join("configure").exists() {
            let mut autoreconf = self.autoreconf()?;
            autoreconf.args(["--install", "--force"]).current_dir(self.source);
            self.step(autoreconf, "autoreconf")?;
        }
        let mut configure = Command::new("./configure");
        configure.current_dir(self.source).arg("--prefix=/usr").arg(format!("--host={}", host(&self.toolchain.triple)));
        configure.args(&self.recipe.configure);
        let arch = self.toolchain.triple.split('-').next().unwrap_or_default();
        configure.args(self.recipe.configure_arch.get(arch).into_iter().flatten());
        configure.env("CFLAGS", self.cflags()).env("LDFLAGS", "-Wl,-s");
        self.step(configure, "configure")?;
        let mut make = Command::new("make");
        make.arg(toolchain::jobs()).current_dir(self.source);
        self.step(make, "make")?;
        let mut install = Command::new("make");
        install.args(["install", &format!("DESTDIR={}/dest", self.source.display())]).current_dir(self.source);
        self.step(install, "make install")?;
        self.copy(&["dest/usr/lib", "dest/usr/include"], self.install)
    }

    fn openssl(&self) -> Result<()> {
        if !have("perl") {
            user_bail!("to build OpenSSL this machine needs perl: `apt-get install perl`");
        }
        let mut configure = Command::new("perl");
        configure.current_dir(self.source).args([
            "Configure",
            &self.toolchain.target.openssl,
            "--prefix=/usr",
            "--libdir=lib",
        ]);
        configure.arg("--openssldir=/etc/ssl").args(&self.recipe.configure).args(&self.recipe.cflags).arg("-Wl,-s");
        self.step(configure, "Configure")?;
        let mut make = Command::new("make");
        make.args([&toolchain::jobs(), "build_libs"]).current_dir(self.source);
        self.step(make, "make")?;
        let mut install = Command::new("make");
        install.args(["install_dev", &format!("DESTDIR={}/dest", self.source.display())]).current_dir(self.source);
        self.step(install, "make install_dev")?;
        self.copy(&["dest/usr/lib", "dest/usr/include"], self.install)
    }

    /// autoreconf of this machine, else Debian's autotools in a private copy that knows where it lies.
    fn autoreconf(&self) -> Result<Command> {
        if ["autoreconf", "automake", "libtoolize"].iter().all(|tool| have(tool)) {
            return Ok(Command::new("autoreconf"));
        }
        let prefix = self.sources.bundle("autotools")?;
        let kept = self.sources.cache.made_path("autotools", &prefix.display().to_string());
        self.sources.cache.made("autotools", &prefix.display().to_string(), |part| {
            // Scripts in Perl and sh with their own places written in: move those, but not the interpreters.
            let script = "cp -a \"$1/.\" \"$2\" && cd \"$2\" && grep -rlI -e /usr/share -e /usr/bin usr/bin usr/share/autoconf usr/share/automake* \
                usr/share/aclocal* usr/share/libtool | xargs sed -i -e \"s#/usr/share/#$3/usr/share/#g\" -e \"s#/usr/bin/\\(auto\\|m4\\|aclocal\\|libtool\\|ifnames\\)#$3/usr/bin/\\1#g\" \
                -e \"s#prefix=\\(.\\)/usr\\b#prefix=\\1$3/usr#\"";
            let mut sh = Command::new("sh");
            sh.args(["-ec", script, "sh"]).arg(&prefix).arg(part).arg(&kept);
            self.step(sh, "copy autotools")
        })?;
        let bin = kept.join("usr/bin");
        let mut command = Command::new(bin.join("autoreconf"));
        let path = std::env::var("PATH").unwrap_or_default();
        command.env("PATH", format!("{}:{path}", bin.display()));
        command.env("LD_LIBRARY_PATH", library_path(&kept));
        for (key, dir) in [
            ("autom4te_perllibdir", "autoconf"),
            ("AC_MACRODIR", "autoconf"),
            ("AUTOMAKE_LIBDIR", "automake-1.16"),
            ("ACLOCAL_AUTOMAKE_DIR", "aclocal-1.16"),
            ("PERL5LIB", "automake-1.16"),
            ("_lt_pkgdatadir", "libtool"),
        ] {
            command.env(key, kept.join("usr/share").join(dir));
        }
        // Debian makes the plain names at install time; here only those with a version exist.
        for (key, tool) in [("ACLOCAL", "aclocal-"), ("AUTOMAKE", "automake-")] {
            let entries = fs::read_dir(&bin)?.filter_map(Result::ok).map(|entry| entry.path());
            let mut found =
                entries.filter(|path| path.file_name().is_some_and(|n| n.to_string_lossy().starts_with(tool)));
            command.env(key, found.next().with_context(|| format!("{} has no {tool}*", bin.display()))?);
        }
        command.env("AUTOM4TE_CFG", kept.join("usr/share/autoconf/autom4te.cfg"));
        command.env("M4", bin.join("m4"));
        command.env("ACLOCAL_PATH", kept.join("usr/share/aclocal"));
        Ok(command)
    }

    /// Run one step quietly; if it fails, keep its whole output and show the end.
    fn step(&self, mut command: Command, what: &str) -> Result<()> {
        command.envs(self.toolchain.c_env()).env_remove("MAKEFLAGS").stdin(Stdio::null());
        command.env("SOURCE_DATE_EPOCH", "0");
        let output = command.output().with_context(|| format!("{}: cannot run {what}", self.name))?;
        if output.status.success() {
            return Ok(());
        }
        let log = self.sources.cache.dir.join(format!("failed-{}-{}.log", self.name, self.toolchain.triple));
        let text = [output.stdout, output.stderr].concat();
        fs::write(&log, &text)?;
        let text = String::from_utf8_lossy(&text);
        let end: Vec<&str> = text.lines().rev().take(12).collect();
        let end: Vec<&str> = end.into_iter().rev().collect();
        bail!(
            "{} for {}: {what} failed; all of its output is in {}:\n{}",
            self.name,
            self.toolchain.triple,
            log.display(),
            end.join("\n")
        )
    }

    fn copy(&self, what: &[&str], into: &Path) -> Result<()> {
        let mut sh = Command::new("sh");
        // Unquoted on purpose: patterns are ours and relative.
        sh.arg("-ec").arg(format!("cp -a {} \"$1\"", what.join(" "))).arg("sh").arg(into).current_dir(self.source);
        self.step(sh, "copy")
    }
}

/// GNU's name of the machine for `--host`.
fn host(triple: &str) -> String {
    let arch = triple.split('-').next().unwrap_or_default().replace("riscv64gc", "riscv64").replace("armv7", "arm");
    let system = if triple.contains("musl") { "musl" } else { "gnu" };
    let abi = if triple.ends_with("eabihf") { "eabihf" } else { "" };
    format!("{arch}-linux-{system}{abi}")
}

/// Turn `#define NAME` lines of Mbed TLS's configuration on and off.
fn switch(text: &str, set: &[String], unset: &[String]) -> Result<String> {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for (name, on) in set.iter().map(|n| (n, true)).chain(unset.iter().map(|n| (n, false))) {
        let found = lines.iter_mut().find(|line| {
            let rest = line.trim_start_matches("//").trim_start();
            rest.strip_prefix("#define ").is_some_and(|rest| rest.split_whitespace().next() == Some(name))
        });
        let Some(line) = found else { bail!("mbedtls_config.h has no option {name}: its version may have dropped it") };
        let bare = line.trim_start_matches("//").trim_start().to_owned();
        *line = if on { bare } else { format!("//{bare}") };
    }
    Ok(lines.join("\n") + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_switched_and_an_unknown_one_is_an_error() {
        let text = "//#define A\n#define B\n#define AB 1\n";
        let names = |list: &[&str]| list.iter().map(|&s| s.to_owned()).collect::<Vec<_>>();
        assert_eq!(switch(text, &names(&["A"]), &names(&["B"])).unwrap(), "#define A\n//#define B\n#define AB 1\n");
        assert!(switch(text, &names(&["C"]), &[]).unwrap_err().to_string().contains("option C"));
    }

    #[test]
    fn hosts_are_gnus_names() {
        assert_eq!(host("riscv64gc-unknown-linux-musl"), "riscv64-linux-musl");
        assert_eq!(host("armv7-unknown-linux-musleabihf"), "arm-linux-musleabihf");
    }
}
