//! curl itself on our library: built by its own configure, and run against OpenSSL's server.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use anyhow::{Context as _, Result, ensure};

use super::exec::{Server, copy_with_glue, fresh, output, run, text};
use super::library::{self, pkg_config};
use super::pki::{BAD, Pki, free_port};
use super::{Consumer, Context, Report};
use crate::consumers::Library;
use crate::sources::{Sources, have};

pub(super) const CONSUMER: Consumer = Consumer { name: "curl", run: check };

/// Bytes of the file that is downloaded: many records, and more than any buffer holds.
const BIG: usize = 5_000_000;

fn check(context: &Context, report: &mut Report) -> Result<()> {
    if let Some(missing) = ["autoreconf", "libtoolize", "make", "openssl"].iter().find(|tool| !have(tool)) {
        report.skipped("curl", format!("no {missing}: apt-get install autoconf automake libtool make openssl"));
        return Ok(());
    }
    let own = context.sources.sources.as_ref().map(|dir| dir.join("curl"));
    let tree = match own.filter(|tree| tree.join("lib/vtls/vtls.c").is_file()) {
        Some(tree) => tree,
        None => Sources::open(&context.sources)?.tree("curl")?,
    };
    let work = context.work.join("curl");
    let library = library::rustcrypto(&context.work, &context.profile)?;
    let curl = Curl { program: build(&tree, &library, &work)?, library };
    let version = text(curl.command().arg("-V"))?;
    let first = version.lines().next().unwrap_or_default().to_string();
    report.record("curl builds on rustcrypto", said(&first, "librustcrypto/").map(|()| first.clone()));
    for (name, protocol) in [("HTTPS", "https"), ("FTPS", "ftps"), ("SMTPS", "smtps")] {
        report.record(format!("curl offers {name}"), said(&version, protocol).map(|()| String::new()));
    }
    exchanges(&curl, &work.join("exchange"), report)
}

/// configure and make as a distribution does, without what needs other libraries.
fn build(tree: &Path, library: &Library, work: &Path) -> Result<PathBuf> {
    let copy = work.join("source");
    copy_with_glue(tree, &copy, Some("curl"))?;
    let lib = library.lib.as_deref().context("no library")?;
    pkg_config(library, lib)?;
    run(Command::new("autoreconf").arg("-fi").current_dir(&copy))?;
    let without =
        ["libpsl", "brotli", "zstd", "libidn2", "nghttp2", "libssh2", "zlib"].map(|name| format!("--without-{name}"));
    run(Command::new("./configure")
        .args([
            "--quiet",
            "--with-rustcrypto",
            "--disable-shared",
            "--disable-ldap",
            "--disable-manual",
            "--disable-docs",
        ])
        .args(without)
        .env("PKG_CONFIG_PATH", lib.join("pkgconfig"))
        .current_dir(&copy))?;
    run(Command::new("make").args(["-s", "-j2", "-C", "lib"]).current_dir(&copy))?;
    run(Command::new("make").args(["-s", "-j2", "-C", "src"]).current_dir(&copy))?;
    Ok(copy.join("src/curl"))
}

struct Curl {
    program: PathBuf,
    library: Library,
}

impl Curl {
    /// curl, told nothing by the user's own configuration.
    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.arg("-q");
        if let Some(lib) = &self.library.lib {
            command.env("LD_LIBRARY_PATH", lib);
        }
        command
    }

    fn get(&self, url: &str, arguments: &[&str]) -> Result<Output> {
        output(self.command().args(["-sSv", "--max-time", "30", url]).args(arguments))
    }
}

/// `openssl s_server` that hands out the files of `dir`.
fn serve(dir: &Path, pki: &Pki, certificate: &str, more: &[&str]) -> Result<Server> {
    let port = free_port()?;
    let mut command = Command::new("openssl");
    command.args(["s_server", "-quiet", "-WWW", "-accept", &port.to_string()]).current_dir(dir);
    command.arg("-cert").arg(pki.crt(certificate)).arg("-key").arg(pki.key(certificate)).args(more);
    Server::start(&mut command, port)
}

fn exchanges(curl: &Curl, dir: &Path, report: &mut Report) -> Result<()> {
    fresh(dir)?;
    let pki = Pki::make(&dir.join("pki"))?;
    let big: Vec<u8> = (0..BIG).map(|index| (index * 7 + index / 251) as u8).collect();
    fs::write(dir.join("big"), &big)?;
    let ca = pki.crt("ca").display().to_string();
    let trust = ["--cacert", ca.as_str()];
    for (version, flag, speaks) in [("TLS 1.2", "-tls1_2", "TLSv1.2"), ("TLS 1.3", "-tls1_3", "TLSv1.3")] {
        let server = serve(dir, &pki, "server", &[flag])?;
        for host in ["localhost", "127.0.0.1"] {
            let got = curl.get(&format!("https://{host}:{}/big", server.port), &trust)?;
            report.record(format!("curl gets {BIG} bytes from {host} over {version}"), whole(&got, &big, speaks));
        }
    }
    let server = serve(dir, &pki, "server", &[])?;
    let url = format!("https://localhost:{}/big", server.port);
    let refused = [
        ("without a CA", vec!["--cacert", "/dev/null"], 77),
        ("with TLS 1.1 as the most", vec!["--cacert", &ca, "--tls-max", "1.1"], 66),
        ("with a cipher nobody knows", vec!["--cacert", &ca, "--ciphers", "NONSENSE"], 59),
    ];
    for (name, arguments, status) in refused {
        report
            .record(format!("curl {name} says why it does not connect"), refuses(&curl.get(&url, &arguments)?, status));
    }
    report.record(
        "curl -k connects all the same",
        whole(&curl.get(&url, &["-k", "--cacert", "/dev/null"])?, &big, "librustcrypto"),
    );
    drop(server);
    for bad in &BAD {
        // OpenSSL's own server would not even load a certificate signed with SHA-1.
        let mut more = vec!["-cipher", "DEFAULT@SECLEVEL=0"];
        let chain = pki.path(&format!("{}.chain", bad.name)).display().to_string();
        if Path::new(&chain).is_file() {
            more.extend(["-cert_chain", &chain]);
        }
        let server = serve(dir, &pki, bad.name, &more)?;
        let got = curl.get(&format!("https://localhost:{}/big", server.port), &trust)?;
        report.record(format!("curl refuses a certificate {}", bad.name), refuses(&got, 60));
    }
    // -Verify 1 without -verify_return_error: a client must show a certificate, and any will do.
    let server = serve(dir, &pki, "server", &["-Verify", "1"])?;
    let url = format!("https://localhost:{}/big", server.port);
    let (certificate, key) = (pki.crt("server").display().to_string(), pki.key("server").display().to_string());
    let with = curl.get(&url, &["--cacert", &ca, "--cert", &certificate, "--key", &key])?;
    report.record("curl sends its client certificate", whole(&with, &big, "librustcrypto"));
    let without = curl.get(&url, &trust)?;
    let failed = ensure_that(!without.status.success(), "a server that demands a certificate served without one");
    report.record("curl without a client certificate is turned away", failed);
    Ok(())
}

fn said(text: &str, part: &str) -> Result<()> {
    ensure!(text.contains(part), "'{part}' is not in: {text}");
    Ok(())
}

fn ensure_that(holds: bool, why: &str) -> Result<String> {
    ensure!(holds, "{why}");
    Ok(String::new())
}

/// Everything arrived, and the trace names what was spoken.
fn whole(got: &Output, wanted: &[u8], speaks: &str) -> Result<String> {
    let trace = String::from_utf8_lossy(&got.stderr);
    ensure!(got.status.success(), "{}: {}", got.status, trace.lines().last().unwrap_or_default());
    ensure!(got.stdout == wanted, "{} bytes came, and not the same", got.stdout.len());
    said(&trace, speaks)?;
    let line = trace.lines().find(|line| line.starts_with("* librustcrypto: TLS")).unwrap_or_default();
    Ok(line.trim_start_matches("* librustcrypto: ").to_string())
}

/// curl's exit status, and a sentence from our library.
fn refuses(got: &Output, status: i32) -> Result<String> {
    let trace = String::from_utf8_lossy(&got.stderr);
    ensure!(
        got.status.code() == Some(status),
        "exit {:?} instead of {status}: {}",
        got.status.code(),
        trace.lines().last().unwrap_or_default()
    );
    let line = trace.lines().find(|line| line.starts_with("curl: ")).unwrap_or_default();
    said(line, "librustcrypto")?;
    Ok(line.to_string())
}
