//! hostap's own tests: the module tests of every release, and the programs of its tests/ folder that call the backend.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Result, bail, ensure};

use super::super::exec::{self, Server, output};
use super::super::pki::free_port;
use super::peer::last_lines;
use super::{Report, Side};
use crate::consumers::Backend;
use crate::root::root;

/// Without arguments: exit status 0 when every vector holds.
const VECTORS: [&str; 6] = ["test-aes", "test-md4", "test-milenage", "test-rc4", "test-sha1", "test-sha256"];
/// Where the programs look for certificates, from the folder they are started in.
const CA: &str = "hwsim/auth_serv/ca.pem";
const SERVER: &str = "hwsim/auth_serv/server";

pub(super) fn run(sides: &[Side], source: &Path, pki: &Path, work: &Path, report: &mut Report) {
    for side in sides {
        let on = &side.library.backend;
        let result = side.peer.run(&["modules"]).map(|_| "crypto and common module tests".to_owned());
        report.record(format!("hostap's own module tests on {on}"), result);
    }
    let tests = source.join("tests");
    if !tests.join("test-https.c").is_file() {
        report.skipped(
            "hostap's tests/ programs",
            "release tarballs leave tests/ out: give --sources DIR with a clone of git://w1.fi/hostap.git in DIR/hostap",
        );
        return;
    }
    for side in sides {
        let on = &side.library.backend;
        let own = match Own::build(side, &tests, pki, work) {
            Ok(own) => own,
            Err(error) => {
                report.failed(format!("hostap's tests/ programs build on {on}"), format!("{error:#}"));
                continue;
            }
        };
        for name in VECTORS {
            report.record(format!("hostap's {name} on {on}"), own.vectors(name));
        }
        // written for hostap's internal TLS; what they need besides (https_shim.c) fits ours
        if side.library.backend != Backend::RustCrypto {
            continue;
        }
        report.record(format!("hostap's test-https on {on} from openssl s_server, TLS 1.2"), own.client());
        for version in ["-tls1_2", "-tls1_3"] {
            report.record(
                format!("openssl s_client {version} from hostap's test-https_server on {on}"),
                own.server(version),
            );
        }
    }
}

struct Own<'a> {
    side: &'a Side,
    programs: PathBuf,
    /// The folder with the certificates.
    files: PathBuf,
}

impl<'a> Own<'a> {
    /// hostap's own certificates have run out, so `pki` takes their place.
    fn build(side: &'a Side, tests: &Path, pki: &Path, work: &Path) -> Result<Self> {
        let files = work.join("own");
        fs::create_dir_all(files.join("hwsim/auth_serv"))?;
        for name in ["ca.pem", "server.pem", "server.key"] {
            fs::copy(pki.join(name), files.join("hwsim/auth_serv").join(name))?;
        }
        let glue = root().join("patches/hostapd/tests");
        let folder = side.built.tree.join("wpa_supplicant");
        exec::run(
            Command::new("nice")
                .args(["make", "-j2", "-f", "Makefile", "-f"])
                .arg(glue.join("peer.mk"))
                .arg(format!("PEER={}", glue.display()))
                .arg(format!("OWN={}", tests.display()))
                .arg("own-tests")
                .current_dir(&folder),
        )?;
        let programs = side.built.tree.join("build/wpa_supplicant/peer/own");
        Ok(Self { side, programs, files })
    }

    fn command(&self, name: &str) -> Command {
        let mut command = Command::new(self.programs.join(name));
        self.side.environment(&mut command);
        command.current_dir(&self.files).env("CA_CERT", CA).stdin(Stdio::null());
        command
    }

    fn vectors(&self, name: &str) -> Result<String> {
        let done = output(&mut self.command(name))?;
        let said = String::from_utf8_lossy(&done.stdout).into_owned();
        ensure!(done.status.success() && !said.contains("FAIL"), "{}: {}", done.status, last_lines(&said));
        Ok("every vector".into())
    }

    /// Its client reads a page of OpenSSL's server. It throws away what TLS 1.3 has a client send last, so TLS 1.2.
    fn client(&self) -> Result<String> {
        let port = free_port()?;
        let mut command = Command::new("openssl");
        command.args(["s_server", "-www", "-quiet", "-accept", &port.to_string(), "-tls1_2"]).current_dir(&self.files);
        command.args(["-cert", &format!("{SERVER}.pem"), "-key", &format!("{SERVER}.key")]);
        let _server = Server::start(&mut command, port)?;
        let done = output(self.command("test-https").args(["localhost", &port.to_string(), "/"]))?;
        let said = String::from_utf8_lossy(&done.stdout).into_owned();
        // it prints a hex dump with the text beside it
        ensure!(said.contains("HTTP/1.0 200 ok"), "no page: {}", last_lines(&said));
        Ok("page read".into())
    }

    /// OpenSSL's client reads its server's page. A connection without a request makes that server free a pointer it never
    /// set, so nobody may try whether it is up but the client itself; and a request that comes with the end of the handshake is lost
    /// on it, hence the pause.
    fn server(&self, version: &str) -> Result<String> {
        let port = free_port()?;
        let _server = Server::start_blind(self.command("test-https_server").arg(port.to_string()))?;
        let mut why = String::new();
        for _ in 0..50 {
            let mut client = Command::new("timeout");
            client.args([
                "20",
                "sh",
                "-c",
                "(sleep 1; printf 'GET / HTTP/1.0\\r\\n\\r\\n'; sleep 1) | \
                 openssl s_client -quiet -verify_return_error -CAfile \"$0\" -connect \"$1\" \"$2\"",
            ]);
            client.args([CA, &format!("127.0.0.1:{port}"), version]).current_dir(&self.files);
            let done = output(&mut client)?;
            if String::from_utf8_lossy(&done.stdout).contains("HELLO") {
                return Ok("page read".into());
            }
            why = last_lines(&String::from_utf8_lossy(&done.stderr));
            if !why.contains("errno=111") {
                break;
            }
        }
        bail!("no page: {why}")
    }
}
