//! lighttpd on our library: built by its own meson, and asked by this machine's curl, which is on another library.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use anyhow::{Context as _, Result, ensure};

use super::exec::{Server, copy_with_glue, fresh, output, run, text};
use super::library::{self, pkg_config};
use super::pki::{Pki, free_port};
use super::{Consumer, Context, Report};
use crate::consumers::Library;
use crate::sources::{Sources, have};

pub(super) const CONSUMER: Consumer = Consumer { name: "lighttpd", run: check };

/// Bytes of the file that is fetched: more than a socket and the session hold.
const BIG: usize = 8_000_000;

/// What CGI programs are told.
const ENV: &str =
    "#!/bin/sh\nprintf 'Content-Type: text/plain\\r\\n\\r\\n'\nenv | grep ^SSL_\necho \"body $(wc -c)\"\n";

fn check(context: &Context, report: &mut Report) -> Result<()> {
    if let Some(missing) = ["meson", "ninja", "pkg-config", "openssl", "curl"].iter().find(|tool| !have(tool)) {
        report.skipped("lighttpd", format!("no {missing}: apt-get install meson ninja-build pkg-config openssl curl"));
        return Ok(());
    }
    let own = context.sources.sources.as_ref().map(|dir| dir.join("lighttpd"));
    let tree = match own.filter(|tree| tree.join("src/configfile.c").is_file()) {
        Some(tree) => tree,
        None => Sources::open(&context.sources)?.tree("lighttpd")?,
    };
    let work = context.work.join("lighttpd");
    let library = library::rustcrypto(&context.work, &context.profile)?;
    let build = build(&tree, &library, &work)?;
    let lighttpd = Lighttpd { build, lib: library.lib.context("no library")?, dir: work.join("exchange") };
    let version = text(lighttpd.command().arg("-v"))?;
    report.record("lighttpd builds on rustcrypto", Ok(version.lines().next().unwrap_or_default().to_string()));
    exchanges(&lighttpd, report)
}

/// meson and ninja as a distribution does, with no other TLS library and without what needs further ones.
fn build(tree: &Path, library: &Library, work: &Path) -> Result<PathBuf> {
    let copy = work.join("source");
    copy_with_glue(tree, &copy, Some("lighttpd"))?;
    let lib = library.lib.as_deref().context("no library")?;
    pkg_config(library, lib)?;
    let build = copy.join("build");
    run(Command::new("meson")
        .arg("setup")
        .arg(&build)
        .args(["-Dwith_pcre2=false", "-Dwith_pcre=disabled", "-Dwith_zlib=disabled"])
        .env("PKG_CONFIG_PATH", lib.join("pkgconfig"))
        .current_dir(&copy))?;
    run(Command::new("ninja").arg("-C").arg(&build).args([
        "src/lighttpd",
        "src/mod_rustcrypto.so",
        "src/mod_cgi.so",
        "src/mod_h2.so",
    ]))?;
    Ok(build)
}

struct Lighttpd {
    build: PathBuf,
    lib: PathBuf,
    /// Documents, certificates and configuration.
    dir: PathBuf,
}

impl Lighttpd {
    fn command(&self) -> Command {
        let mut command = Command::new(self.build.join("src/lighttpd"));
        command.arg("-m").arg(self.build.join("src")).env("LD_LIBRARY_PATH", &self.lib);
        command
    }

    /// The configuration file with `ssl` in it.
    fn configured(&self, port: u16, ssl: &str) -> Result<PathBuf> {
        let file = self.dir.join(format!("{port}.conf"));
        let dir = self.dir.display();
        let mut text = format!(
            "server.document-root = \"{dir}\"\nserver.bind = \"127.0.0.1\"\nserver.port = {port}\nserver.errorlog = \"{dir}/error.log\"\n"
        );
        text += "server.modules = ( \"mod_rustcrypto\", \"mod_cgi\" )\nssl.engine = \"enable\"\n";
        writeln!(text, "cgi.assign = ( \".sh\" => \"/bin/sh\" )\n{ssl}")?;
        fs::write(&file, text)?;
        Ok(file)
    }

    fn start(&self, ssl: &str) -> Result<Server> {
        let port = free_port()?;
        let file = self.configured(port, ssl)?;
        Server::start(self.command().arg("-D").arg("-f").arg(file), port)
    }

    fn get(&self, port: u16, name: &str, arguments: &[&str]) -> Result<Output> {
        let ca = self.dir.join("pki/ca.crt");
        let mut curl = Command::new("curl");
        curl.args(["-q", "-sS", "--max-time", "60", "--cacert"]).arg(ca).args(arguments);
        output(curl.arg(format!("https://localhost:{port}/{name}")).current_dir(&self.dir))
    }
}

fn exchanges(lighttpd: &Lighttpd, report: &mut Report) -> Result<()> {
    let dir = &lighttpd.dir;
    fresh(dir)?;
    let pki = Pki::make(&dir.join("pki"))?;
    let big: Vec<u8> = (0..BIG).map(|index| (index * 7 + index / 251) as u8).collect();
    fs::write(dir.join("big"), &big)?;
    fs::write(dir.join("env.sh"), ENV)?;
    let path = |file: PathBuf| file.display().to_string();
    let (certificate, key) = (path(pki.crt("server")), path(pki.key("server")));
    let plain = format!("ssl.pemfile = \"{certificate}\"\nssl.privkey = \"{key}\"");
    let server = lighttpd.start(&plain)?;
    let ways: [(&str, &[&str]); 5] = [
        ("HTTP/1.1", &["--http1.1"]),
        ("HTTP/2", &["--http2"]),
        ("TLS 1.2", &["--tls-max", "1.2"]),
        ("TLS 1.3", &["--tlsv1.3"]),
        ("a slow client", &["--limit-rate", "4M"]),
    ];
    for (name, arguments) in ways {
        let got = lighttpd.get(server.port, "big", arguments)?;
        report.record(format!("lighttpd serves {BIG} bytes over {name}"), same(&got, &big));
    }
    let got = lighttpd.get(server.port, "env.sh", &["--data-binary", "@big"])?;
    report.record("lighttpd takes a large upload", says(&got, &format!("body {BIG}")));
    report.record("lighttpd tells CGI the version and the cipher", says(&got, "SSL_CIPHER=TLS_"));
    drop(server);

    let ca = path(pki.path("ca.crt"));
    let asked = format!("{plain}\nssl.verifyclient.activate = \"enable\"\nssl.verifyclient.ca-file = \"{ca}\"\n");
    let (client, client_key) = (path(pki.crt("for clients only")), path(pki.key("for clients only")));
    for (demand, enforce) in [("demanded", "enable"), ("asked for", "disable")] {
        let server = lighttpd.start(&format!("{asked}ssl.verifyclient.enforce = \"{enforce}\""))?;
        let good = lighttpd.get(server.port, "env.sh", &["-d", "x", "--cert", &client, "--key", &client_key])?;
        report.record(
            format!("lighttpd accepts a client certificate that is {demand}"),
            says(&good, "SSL_CLIENT_VERIFY=SUCCESS"),
        );
        let none = lighttpd.get(server.port, "env.sh", &["-d", "x"])?;
        let bad = lighttpd.get(server.port, "env.sh", &["-d", "x", "--cert", &certificate, "--key", &key])?;
        for (name, got, told) in [
            ("without", none, "SSL_CLIENT_VERIFY=NONE"),
            ("with a server's certificate", bad, "SSL_CLIENT_VERIFY=FAILED:"),
        ] {
            let outcome = if enforce == "enable" { refused(&got) } else { says(&got, told) };
            report.record(format!("lighttpd, certificate {demand}: a client {name}"), outcome);
        }
    }
    refusals(lighttpd, &plain, &key, report)
}

/// Configurations that must not start, each with a sentence.
fn refusals(lighttpd: &Lighttpd, plain: &str, key: &str, report: &mut Report) -> Result<()> {
    let faults = [
        ("a key file as its certificate", format!("ssl.pemfile = \"{key}\""), "ssl.pemfile"),
        ("TLS 1.1", format!("{plain}\nssl.openssl.ssl-conf-cmd = ( \"MinProtocol\" => \"TLSv1.1\" )"), "MinProtocol"),
        ("OCSP stapling", format!("{plain}\nssl.stapling-file = \"x\""), "ssl.stapling-file is not supported"),
        (
            "a certificate by host name",
            format!("{plain}\n$HTTP[\"host\"] == \"a\" {{ ssl.pemfile = \"{key}\" }}"),
            "ssl.pemfile is not supported here",
        ),
    ];
    for (name, ssl, told) in faults {
        let file = lighttpd.configured(free_port()?, &ssl)?;
        // -tt: load the modules and stop. The error log is not open yet, so the sentence is on standard error.
        let got = output(lighttpd.command().args(["-tt", "-f"]).arg(file))?;
        let words = String::from_utf8_lossy(&got.stderr).into_owned();
        let holds = !got.status.success() && words.contains(told);
        let outcome = if holds {
            Ok(words.lines().next().unwrap_or_default().to_string())
        } else {
            Err(anyhow::anyhow!("{}: {words}", got.status))
        };
        report.record(format!("lighttpd refuses {name}"), outcome);
    }
    Ok(())
}

fn same(got: &Output, wanted: &[u8]) -> Result<String> {
    ensure!(got.status.success(), "{}: {}", got.status, String::from_utf8_lossy(&got.stderr));
    ensure!(got.stdout == wanted, "{} bytes came, and not the same", got.stdout.len());
    Ok(String::new())
}

fn says(got: &Output, part: &str) -> Result<String> {
    let body = String::from_utf8_lossy(&got.stdout);
    ensure!(got.status.success(), "{}: {}", got.status, String::from_utf8_lossy(&got.stderr));
    let line = body.lines().find(|line| line.contains(part));
    line.map(str::to_string).with_context(|| format!("'{part}' is not in: {body}"))
}

fn refused(got: &Output) -> Result<String> {
    ensure!(!got.status.success(), "it was served: {}", String::from_utf8_lossy(&got.stdout));
    Ok(String::from_utf8_lossy(&got.stderr).trim().to_string())
}
