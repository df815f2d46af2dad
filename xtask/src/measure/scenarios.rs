//! What is done with the programs of a root filesystem while their heap is counted: the lab's scenarios of the same names.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

use super::user::{Run, USTREAM, limited};
use crate::root::root;
use crate::verify_consumers::exec::{output, run, text};
use crate::verify_consumers::pki::free_port;

pub(super) struct Scenario {
    pub(super) name: &'static str,
    pub(super) program: &'static str,
    /// Libraries that it opens while it runs.
    pub(super) opens: &'static [&'static str],
    /// Other files of the root filesystem.
    pub(super) files: &'static [&'static str],
    pub(super) run: fn(&Run) -> Result<()>,
}

const BUNDLE: &str = "etc/ssl/certs/ca-certificates.crt";

pub(super) const SCENARIOS: [Scenario; 5] = [
    Scenario { name: "certificate", program: "px5g", opens: &[], files: &[], run: certificate },
    Scenario { name: "uhttpd-1", program: "uhttpd", opens: &[USTREAM], files: &[], run: |run| uhttpd(run, 1) },
    Scenario { name: "uhttpd-4", program: "uhttpd", opens: &[USTREAM], files: &[], run: |run| uhttpd(run, 4) },
    Scenario { name: "uclient-fetch", program: "uclient-fetch", opens: &[USTREAM], files: &[BUNDLE], run: fetch },
    Scenario { name: "apk-verify", program: "apk", opens: &[], files: &[], run: apk },
];

/// As OpenWrt's own start script asks for it; openssl has to take what came.
fn certificate(it: &Run) -> Result<()> {
    let ask = "selfsigned -days 730 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -keyout px5g.key -out px5g.crt";
    run(it.metered().args(ask.split(' ')).args(["-subj", "/C=ZZ/ST=Somewhere/L=Unknown/O=OpenWrt/CN=OpenWrt"]))?;
    let openssl = |args: &str| text(Command::new("openssl").args(args.split(' ')).current_dir(it.work));
    openssl("verify -CAfile px5g.crt px5g.crt")?;
    let same = openssl("x509 -in px5g.crt -noout -pubkey")? == openssl("pkey -in px5g.key -pubout")?;
    ensure!(same, "px5g's certificate is not for its key");
    Ok(())
}

/// As many handshakes, and only then as many requests for 64 KiB: the server holds all connections at a time.
fn uhttpd(it: &Run, connections: usize) -> Result<()> {
    let page = page(64 << 10);
    fs::write(it.work.join("index.html"), &page)?;
    let (port, log) = (free_port()?, it.work.join("uhttpd.log"));
    let mut command = it.metered_server();
    command.args(["-f", "-k", "0", "-s", &format!("127.0.0.1:{port}"), "-h"]).arg(it.work);
    command.arg("-C").arg(fixture("server.pem")).arg("-K").arg(fixture("server.key"));
    let server = Served::start(&mut command, port, &log)?;
    crowd(port, connections, &page).with_context(|| format!("uhttpd said: {}", tail(&log)))?;
    server.end()
}

/// 1 MiB over HTTPS, with the root filesystem's own roots and the fixtures' one.
fn fetch(it: &Run) -> Result<()> {
    let (file, port, log) = (page(1 << 20), free_port()?, it.work.join("server.log"));
    // With its length: openssl ends a connection without the word that would tell the end of an answer.
    let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", file.len());
    fs::write(it.work.join("file"), [head.as_bytes(), &file].concat())?;
    let roots = [fs::read(it.root.join(BUNDLE))?, fs::read(fixture("root.pem"))?].concat();
    fs::write(it.work.join("bundle.pem"), roots)?;
    let mut command = Command::new("openssl");
    command.args(["s_server", "-HTTP", "-accept", &format!("127.0.0.1:{port}"), "-cert"]).arg(fixture("server.pem"));
    command.arg("-cert_chain").arg(fixture("server.pem")).arg("-key").arg(fixture("server.key"));
    let _server = Served::start(command.current_dir(it.work), port, &log)?;
    let url = format!("https://localhost:{port}/file");
    run(it.metered().args(["-q", "--ca-certificate=bundle.pem", "-O", "fetched", &url]))
        .with_context(|| format!("the server said: {}", tail(&log)))?;
    ensure!(fs::read(it.work.join("fetched"))? == file, "another file came");
    Ok(())
}

/// The signature of a feed's index; one with a changed octet has to be refused.
fn apk(it: &Run) -> Result<()> {
    let given = root().join("xtask/lab/index");
    let keys = it.work.join("keys");
    fs::create_dir_all(&keys)?;
    fs::copy(given.join("signer.pub"), keys.join("signer.pub"))?;
    run(it.metered().arg("--keys-dir").arg(&keys).arg("verify").arg(given.join("packages.adb")))?;
    // A changed octet of the compressed index would be refused for what it unpacks to. This one is not compressed.
    let fixtures = root().join("xtask/lab/fixtures");
    fs::copy(fixtures.join("apk.pub"), keys.join("apk.pub"))?;
    let mut index = fs::read(fixtures.join("toy.adb"))?;
    for (name, flip, said) in [("whole.adb", 0, "OK"), ("changed.adb", 1, "UNTRUSTED signature")] {
        index[60] ^= flip;
        fs::write(it.work.join(name), &index)?;
        let output = output(it.unmetered().arg("--keys-dir").arg(&keys).args(["verify", name]))?;
        let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        ensure!(
            output.status.success() == (flip == 0) && text.contains(said),
            "{name}: apk does not say {said}: {text}"
        );
    }
    Ok(())
}

/// `connections` of openssl's clients.
pub(super) fn crowd(port: u16, connections: usize, page: &[u8]) -> Result<()> {
    let mut clients = Vec::new();
    for _ in 0..connections {
        let mut command = limited();
        command.args(["openssl", "s_client", "-verify_return_error", "-verify_hostname", "lab.test", "-CAfile"]);
        command.arg(fixture("root.pem")).args(["-servername", "lab.test", "-connect", &format!("127.0.0.1:{port}")]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        clients.push(Client::new(command.spawn().context("cannot run openssl")?));
    }
    clients.iter_mut().try_for_each(Client::shake)?;
    for client in &mut clients {
        // It stays open: at its end openssl would close the connection before the answer is there.
        client.child.stdin.as_mut().context("no input")?.write_all(b"GET / HTTP/1.0\r\n\r\n")?;
    }
    clients.iter_mut().try_for_each(|client| client.receive(page))
}

struct Client {
    child: Child,
    said: Option<BufReader<ChildStdout>>,
}

impl Client {
    fn new(mut child: Child) -> Self {
        let said = child.stdout.take().map(BufReader::new);
        Self { child, said }
    }

    fn said(&mut self) -> Result<&mut BufReader<ChildStdout>> {
        self.said.as_mut().context("openssl gave no output")
    }

    /// Read until openssl has told everything about the handshake.
    fn shake(&mut self) -> Result<()> {
        let mut line = Vec::new();
        while self.said()?.read_until(b'\n', &mut line)? > 0 {
            if line.trim_ascii().starts_with(b"Verify return code: 0 ") {
                return Ok(());
            }
            line.clear();
        }
        bail!("no handshake with openssl s_client")
    }

    fn receive(&mut self, page: &[u8]) -> Result<()> {
        let mut answer = Vec::new();
        self.said()?.read_to_end(&mut answer)?;
        ensure!(answer.windows(page.len()).any(|part| part == page), "another page came ({} bytes)", answer.len());
        Ok(())
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // Without its input, and with nobody who reads its output, openssl ends, and with it what limits its time.
        drop((self.child.stdin.take(), self.said.take()));
        let _ = self.child.wait();
    }
}

/// A server that ends with its scope.
pub(super) struct Served(Child);

impl Served {
    pub(super) fn start(command: &mut Command, port: u16, log: &Path) -> Result<Self> {
        let file = fs::File::create(log)?;
        let child = command.stdin(Stdio::null()).stdout(file.try_clone()?).stderr(file).spawn();
        let mut served = Self(child.with_context(|| format!("cannot run {}", command.get_program().display()))?);
        let deadline = Instant::now() + Duration::from_secs(60);
        // No trial connection: its heap would count.
        while !listens(port)? {
            if let Some(status) = served.0.try_wait()? {
                bail!("the server ended at once ({status}): {}", tail(log));
            }
            ensure!(Instant::now() < deadline, "the server does not listen: {}", tail(log));
            std::thread::sleep(Duration::from_millis(50));
        }
        Ok(served)
    }

    /// Asked to, so that heapmeter writes its record.
    fn end(mut self) -> Result<()> {
        run(Command::new("kill").arg(self.0.id().to_string()))?;
        let deadline = Instant::now() + Duration::from_secs(60);
        while self.0.try_wait()?.is_none() {
            ensure!(Instant::now() < deadline, "the server does not end when asked to");
            std::thread::sleep(Duration::from_millis(50));
        }
        Ok(())
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Does anybody listen on the port? By the kernel's list: " 0: 0100007F:1F90 00000000:0000 0A ...", 0A for listening.
fn listens(port: u16) -> Result<bool> {
    let sockets = fs::read_to_string("/proc/net/tcp").context("cannot read /proc/net/tcp")?;
    let port = format!(":{port:04X}");
    Ok(sockets.lines().any(|line| {
        let words: Vec<&str> = line.split_whitespace().take(4).collect();
        words.len() == 4 && words[1].ends_with(&port) && words[3] == "0A"
    }))
}

/// Octets that are easy to tell from what openssl prints.
pub(super) fn page(bytes: usize) -> Vec<u8> {
    (0..bytes).map(|at| b'a' + (at % 23) as u8).collect()
}

pub(super) fn fixture(name: &str) -> std::path::PathBuf {
    root().join("xtask/lab/fixtures").join(name)
}

fn tail(log: &Path) -> String {
    let mut text = String::new();
    let _ = fs::File::open(log).and_then(|mut file| file.read_to_string(&mut text));
    let lines: Vec<&str> = text.trim().lines().collect();
    lines[lines.len().saturating_sub(5)..].join("; ")
}
