//! Programs on both sides, started and always ended, and the table of what they did.

use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Read, Write as _};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Mutex, OnceLock};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crate::support::{library, program, run, skipped};

/// Seconds that one program may take.
const LIMIT: &str = "60";

pub(crate) fn pki(name: &str) -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../rustcrypto/tests/pki/");
    format!("{folder}{name}")
}

/// Where compiled programs and the library live while the tests run.
pub(crate) fn place() -> &'static Path {
    static PLACE: OnceLock<tempfile::TempDir> = OnceLock::new();
    PLACE
        .get_or_init(|| {
            let dir = tempfile::tempdir().unwrap();
            for name in ["librustcrypto.so", "librustcrypto.so.0"] {
                symlink(library(), dir.path().join(name)).unwrap();
            }
            dir
        })
        .path()
}

/// Compile C sources; `None` where that is not possible, which is then said.
fn compile(name: &str, sources: &[&str], flags: &[&str]) -> Option<PathBuf> {
    let exe = place().join(name);
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut cc = program("cc")?;
    cc.args(["-std=c11", "-D_GNU_SOURCE", "-O1", "-Wall", "-Wextra", "-I"]).arg(root.join("include"));
    cc.args(sources.iter().map(|source| root.join(source))).arg("-o").arg(&exe).arg("-L").arg(place());
    cc.args(flags).arg(format!("-Wl,-rpath,{}", place().display()));
    let output = cc.output().unwrap();
    if !output.status.success() {
        eprintln!("{}", String::from_utf8_lossy(&output.stderr));
        return None;
    }
    Some(exe)
}

macro_rules! compiled {
    ($($function:ident: $name:literal, $sources:expr;)*) => {
        $(pub(crate) fn $function() -> &'static Path {
            static EXE: OnceLock<PathBuf> = OnceLock::new();
            EXE.get_or_init(|| compile($name, &$sources, &["-Werror", "-lrustcrypto"]).expect("a C compiler and sources that compile"))
        })*
    };
}

compiled! {
    https_get: "https_get", ["examples/https_get.c"];
    https_server: "https_server", ["examples/https_server.c"];
    sign_verify: "sign_verify", ["examples/sign_verify.c"];
    px5g: "px5g", ["../px5g/px5g.c", "../px5g/output.c"];
}

/// A peer program of `peers/` on another library, if its headers are here.
pub(crate) fn peer(library: &str, flags: &[&str]) -> Option<PathBuf> {
    let source = format!("tests/interop/peers/{library}.c");
    compile(&format!("peer-{library}"), &[&source], flags)
}

/// A program that ends with the test.
pub(crate) struct Running {
    child: Child,
    /// Reads standard error to its end, so that the program never waits for a reader.
    said: Option<JoinHandle<String>>,
    pub(crate) port: u16,
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Running {
    /// End it, and everything that it said on standard error.
    pub(crate) fn log(mut self) -> String {
        let _ = self.child.kill();
        self.said.take().and_then(|said| said.join().ok()).unwrap_or_default()
    }

    /// End it at once, without a goodbye to its clients.
    pub(crate) fn kill(self) {
        drop(self);
    }
}

fn read_all(mut stream: impl Read) -> String {
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

/// A port that was free a moment ago, for servers that cannot choose one themselves.
pub(crate) fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// Start a server and wait for a line of its output: a port number, or one with `ready` in it.
pub(crate) fn start(command: &mut Command, port: u16, ready: &str) -> Running {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("a server that starts");
    let mut lines = BufReader::new(child.stdout.take().unwrap());
    let stderr = child.stderr.take().unwrap();
    let mut running = Running { child, said: Some(thread::spawn(|| read_all(stderr))), port };
    let mut line = String::new();
    while lines.read_line(&mut line).unwrap_or(0) > 0 {
        if ready.is_empty() {
            running.port = line.trim().parse().expect("a port number");
        }
        if line.contains(ready) {
            thread::spawn(|| read_all(lines));
            return running;
        }
        line.clear();
    }
    panic!("the server did not start: {command:?}\n{}", running.log());
}

/// Start a server that does not say when it is ready (or says it into a buffer): wait until its port answers.
pub(crate) fn start_and_knock(command: &mut Command, port: u16) -> Running {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("a server that starts");
    let (stdout, stderr) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
    thread::spawn(|| read_all(stdout));
    let running = Running { child, said: Some(thread::spawn(|| read_all(stderr))), port };
    for _ in 0..200 {
        if TcpStream::connect(("127.0.0.1", port)).is_ok() {
            return running;
        }
        thread::sleep(Duration::from_millis(50));
    }
    panic!("the server did not start: {command:?}\n{}", running.log());
}

/// Our server with these options.
pub(crate) fn serve(certificate: &str, key: &str, options: &[&str]) -> Running {
    serve_files(Path::new(&pki(certificate)), Path::new(&pki(key)), options)
}

/// Our server with these files.
pub(crate) fn serve_files(certificate: &Path, key: &Path, options: &[&str]) -> Running {
    let mut command = Command::new(https_server());
    command.arg("--cert").arg(certificate).arg("--key").arg(key).args(options).arg("0");
    start(&mut command, 0, "")
}

/// May this machine's processor serve with an RSA key? A counted skip for `what` where not: the library then refuses such keys.
pub(crate) fn rsa_serves(what: &str) -> bool {
    use rustcrypto::primitives::cpu;
    let serves = cpu::graviola(cpu::Algorithm::Rsa);
    if !serves {
        let why = "RSA private keys serve only where the verified assembly runs (RUSTSEC-2023-0071): take a CPU that has what it needs";
        skipped(&format!("{what} with an RSA key of ours"), why);
    }
    serves
}

/// Our server with the RSA certificate, where that may be.
pub(crate) fn serve_rsa(what: &str, options: &[&str]) -> Option<Running> {
    rsa_serves(what).then(|| serve("rsa.pem", "rsa.key", options))
}

/// Run a client to its end, within bounds, with `input` on its standard input.
pub(crate) fn finish(command: &mut Command, input: &str) -> Output {
    let mut bounded = Command::new("timeout");
    bounded.arg(LIMIT).arg(command.get_program()).args(command.get_args());
    bounded.envs(command.get_envs().filter_map(|(key, value)| Some((key, value?))));
    if let Some(dir) = command.get_current_dir() {
        bounded.current_dir(dir);
    }
    let mut child =
        bounded.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("timeout");
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

/// Our client: exit status, body, and what it said.
pub(crate) fn get(port: u16, options: &[&str]) -> (i32, Vec<u8>, String) {
    let mut command = Command::new(https_get());
    command.args(["--name", "test.example"]).args(options).args(["127.0.0.1", &port.to_string()]);
    let output = finish(&mut command, "");
    (output.status.code().unwrap_or(-1), output.stdout, String::from_utf8_lossy(&output.stderr).into_owned())
}

/// Both streams of a program as text.
pub(crate) fn text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// A command for a peer, or a counted skip.
pub(crate) fn find(name: &str, package: &str) -> Option<Command> {
    let found = program(name);
    if found.is_none() {
        skipped(&format!("interop with {name}"), &format!("apt-get install {package}"));
    }
    found
}

static TABLE: Mutex<String> = Mutex::new(String::new());

/// One line of the table: peer and direction, what was done, how often.
pub(crate) fn row(peer: &str, what: &str, count: usize) {
    assert!(count > 0, "{peer}: {what}: nothing was done");
    let mut line = String::new();
    writeln!(line, "interop | {peer:<28} | {what:<48} | {count:>3} ok").unwrap();
    TABLE.lock().unwrap().push_str(&line);
    let _ = std::io::stderr().write_all(line.as_bytes());
}

/// Version of a program, for the table.
pub(crate) fn version(command: &str, argument: &str) -> String {
    let text = program(command).map(|mut command| run(command.arg(argument))).unwrap_or_default();
    // Name and number: what follows is of no interest.
    text.split(&['(', '\n'][..]).next().unwrap_or_default().split(" built").next().unwrap_or_default().trim().to_owned()
}
