//! ustream-ssl: its backend on our library, driven by a harness of our own everywhere, and by uhttpd and uclient-fetch
//! where their sources are given.

mod others;
mod peers;
mod real;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail, ensure};

use super::exec::{Server, fresh, output, run, text};
use super::fault::{Shim, valgrind};
use super::pki::{self, BAD, Pki};
use super::{Consumer, Context, Report, library};
use crate::consumers::Library;
use crate::root::root;
use crate::sources::have;

pub(super) const CONSUMER: Consumer = Consumer { name: "ustream", run: check };

/// Handshakes of the leak check.
const HANDSHAKES: &str = "10000";
/// Of the check with a hostile peer, half of them of each TLS version.
const CHANGED: &str = "10000";
const SEED: &str = "20261130";

fn check(context: &Context, report: &mut Report) -> Result<()> {
    let library = library::rustcrypto(&context.work, &context.profile)?;
    let work = context.work.join("ustream");
    fresh(&work)?;
    if !have("openssl") {
        report.skipped("everything", "openssl(1) is not here: apt-get install openssl");
        return Ok(());
    }
    let pki = Pki::make(&work.join("pki"))?;
    let harness = Harness { program: build(&library, &work, true)?, pki: &pki };
    report.record(
        "the interface, both sides in memory, under ASan and UBSan (libubox is a stand-in of the test's)",
        harness.contract(),
    );
    report.record("against openssl s_server", harness.clients());
    report.record("openssl s_client against us", harness.server());
    for bad in BAD {
        report.record(
            format!("certificate {}: refused with a reason, taken when asked not to look", bad.name),
            harness.bad(bad.name),
        );
    }
    report.record(
        format!("{CHANGED} handshakes changed on their way, under ASan and UBSan: refused, or nothing is lost"),
        text(Command::new(&harness.program).arg("fuzz").args(pki.server_files()).args([CHANGED, SEED]))
            .map(|told| told.replace('\n', "; ")),
    );
    let plain = build(&library, &work, false)?;
    harm(&plain, &pki, &work, report);
    report.record(
        format!("no leak over {HANDSHAKES} handshakes"),
        text(Command::new(plain).arg("leak").args(pki.server_files()).arg(HANDSHAKES)),
    );
    real::check(context, &library, &pki, &work, report)
}

/// No entropy, no memory; and valgrind's opinion.
fn harm(program: &Path, pki: &Pki, work: &Path, report: &mut Report) {
    let once = || {
        let mut command = Command::new(program);
        command.arg("once").args(pki.server_files());
        command
    };
    match Shim::build("cc", work) {
        Err(error) => report.failed("fault injection", format!("{error:#}")),
        Ok(shim) => {
            // the last one is for a session ticket
            report.record("no entropy: no connection, and a reason", shim.without_entropy(once, ".c:", 1));
            report.record("no memory: an error or the end of the process", shim.without_memory(once));
        }
    }
    let under = |wrapper: &[&str]| {
        let mut command = Command::new(wrapper[0]);
        command.args(&wrapper[1..]).arg(program).arg("once").args(pki.server_files());
        command
    };
    match valgrind(under) {
        Some(result) => report.record("valgrind, both ends of a connection", result),
        None => report.skipped("valgrind, both ends of a connection", "not installed: apt-get install valgrind"),
    }
}

/// Compile the glue with the harness (patches/ustream-ssl/test).
fn build(library: &Library, work: &Path, sanitize: bool) -> Result<PathBuf> {
    let glue = root().join("patches/ustream-ssl");
    let program = work.join(if sanitize { "harness-asan" } else { "harness" });
    let (include, lib) =
        (library.include.as_deref().context("no headers")?, library.lib.as_deref().context("no library")?);
    let mut cc = Command::new("cc");
    // the flags of ustream-ssl's own CMakeLists
    cc.args(["-std=gnu99", "-g", "-Os", "-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter", "-D_GNU_SOURCE"]);
    if sanitize {
        cc.arg("-fsanitize=address,undefined");
    }
    cc.arg("-I").arg(glue.join("test")).arg("-I").arg(&glue).arg("-I").arg(include);
    cc.arg(glue.join("ustream-rustcrypto.c"))
        .args(["pipe.c", "harness.c", "harm.c"].map(|file| glue.join("test").join(file)));
    cc.arg("-o").arg(&program).arg("-L").arg(lib).arg(format!("-Wl,-rpath,{}", lib.display())).arg("-lrustcrypto");
    run(&mut cc)?;
    Ok(program)
}

struct Harness<'a> {
    program: PathBuf,
    pki: &'a Pki,
}

impl Harness<'_> {
    fn contract(&self) -> Result<String> {
        let said = text(
            Command::new(&self.program).arg("contract").args(self.pki.server_files()).arg(self.pki.path("other.key")),
        )?;
        ensure!(said.lines().count() == 3, "it tells three reasons: {said}");
        Ok(said.replace('\n', "; "))
    }

    /// Our client, each version, both kinds of server key, a cipher list.
    fn clients(&self) -> Result<String> {
        let mut told = Vec::new();
        for version in ["-tls1_2", "-tls1_3"] {
            for kind in ["server", "rsa"] {
                let server = self.s_server(kind, &[version])?;
                let (status, out, err) = self.fetch(&server, "ca.crt", "localhost", &[])?;
                ensure!(status == Some(0) && out.contains("200"), "{version} {kind}: {err}");
                told.push(err.lines().next().unwrap_or_default().to_owned());
            }
        }
        let server = self.s_server("server", &["-tls1_2"])?;
        let (_, _, err) = self.fetch(&server, "ca.crt", "localhost", &["ECDHE-ECDSA-CHACHA20-POLY1305"])?;
        ensure!(err.contains("CHACHA20"), "the cipher list is not kept: {err}");
        Ok(told.join("; "))
    }

    fn bad(&self, name: &str) -> Result<String> {
        // OpenSSL's own bar is higher than what is to be served here
        let server = self.s_server(name, &["-cipher", "DEFAULT:@SECLEVEL=0"])?;
        let (status, _, reason) = self.fetch(&server, "ca.crt", "localhost", &[])?;
        ensure!(status == Some(5), "exit status {status:?}: {reason}");
        let (status, out, err) = self.fetch(&server, "-", "localhost", &[])?;
        ensure!(status == Some(0) && out.contains("200"), "not to be looked at, exit status {status:?}: {err}");
        Ok(reason.lines().last().unwrap_or_default().to_owned())
    }

    fn server(&self) -> Result<String> {
        let mut told = Vec::new();
        for (kind, version) in [("server", "-tls1_2"), ("server", "-tls1_3"), ("rsa", "-tls1_3")] {
            let port = pki::free_port()?;
            let mut command = Command::new(&self.program);
            command.arg("serve").arg(port.to_string()).arg(self.pki.crt(kind)).arg(self.pki.key(kind));
            let _server = Server::start_blind(&mut command)?;
            let (mut request, mut said) = (self.pki.path("request"), String::new());
            fs::write(&request, "GET / HTTP/1.0\r\n\r\n")?;
            request = request.canonicalize()?;
            // the server takes one connection, so there is no trying whether it is up yet
            for _ in 0..50 {
                let mut client = Command::new("openssl");
                client
                    .args(["s_client", "-quiet", "-verify_return_error", "-connect"])
                    .arg(format!("127.0.0.1:{port}"));
                client
                    .args([version, "-servername", "localhost", "-verify_hostname", "localhost", "-CAfile"])
                    .arg(self.pki.path("ca.crt"));
                let done = output(client.stdin(fs::File::open(&request)?))?;
                said = String::from_utf8_lossy(&done.stdout).into_owned() + &String::from_utf8_lossy(&done.stderr);
                if !said.contains("onnection refused") {
                    break;
                }
                std::thread::sleep(std::time::Duration::from_millis(100));
            }
            ensure!(said.contains("hello from the backend"), "{version} {kind}: {said}");
            told.push(format!("{kind} {version}"));
        }
        Ok(told.join(", "))
    }

    fn s_server(&self, certificate: &str, args: &[&str]) -> Result<Server> {
        let port = pki::free_port()?;
        let mut command = Command::new("openssl");
        command.args(["s_server", "-www", "-quiet", "-accept"]).arg(port.to_string()).args(args);
        command.arg("-cert").arg(self.pki.crt(certificate)).arg("-key").arg(self.pki.key(certificate));
        if self.pki.path(&format!("{certificate}.chain")).exists() {
            command.arg("-cert_chain").arg(self.pki.path(&format!("{certificate}.chain")));
        }
        Server::start(&mut command, port)
    }

    fn fetch(&self, server: &Server, ca: &str, name: &str, more: &[&str]) -> Result<(Option<i32>, String, String)> {
        let ca = if ca == "-" { PathBuf::from(ca) } else { self.pki.path(ca) };
        let done =
            output(Command::new(&self.program).arg("fetch").arg(server.port.to_string()).arg(ca).arg(name).args(more))?;
        if done.status.code().is_none() {
            bail!("the harness was killed: {}", done.status);
        }
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Ok((done.status.code(), text(&done.stdout), text(&done.stderr)))
    }
}
