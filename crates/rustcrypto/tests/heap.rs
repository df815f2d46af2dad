//! How much heap a client and a server take, by an allocator that counts each thread's live bytes.

#![allow(unsafe_code, reason = "a global allocator is unsafe by its trait")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::io::{self, Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::thread;

use rustcrypto::tls::{Config, Progress, Read, Role, Session};

/// Budgets of the design, in bytes.
const CLIENT: isize = 100 * 1024;
const SERVER: isize = 64 * 1024;
const CONNECTIONS: usize = 4;
const DOWNLOAD: usize = 1 << 20;

struct Counting;

thread_local! {
    static LIVE: Cell<isize> = const { Cell::new(0) };
    static PEAK: Cell<isize> = const { Cell::new(0) };
}

fn count(bytes: isize) {
    let live = LIVE.get() + bytes;
    LIVE.set(live);
    PEAK.set(PEAK.get().max(live));
}

// SAFETY: every call goes to the system's allocator as it came; counting touches thread-locals that need no memory.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: the caller's contract, passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        // SAFETY: the caller's contract, passed on.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size as isize - layout.size() as isize);
        // SAFETY: the caller's contract, passed on.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Peak live bytes of what `f` does on this thread.
fn peak(f: impl FnOnce()) -> isize {
    LIVE.set(0);
    PEAK.set(0);
    f();
    PEAK.get()
}

fn pki(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pki").join(name)
}

fn server_config() -> Config {
    let mut config = Config::new(Role::Server);
    config.set_certificate(&std::fs::read(pki("p256.pem")).unwrap()).unwrap();
    config.set_key(&std::fs::read(pki("p256.key")).unwrap()).unwrap();
    config
}

fn client_config(ca: &Path) -> Config {
    let mut config = Config::new(Role::Client);
    config.add_ca_file(ca).unwrap();
    config
}

fn client_session(config: &Config, mut stream: &UnixStream) -> Session {
    let mut session = Session::new(config).unwrap();
    session.set_server_name("test.example").unwrap();
    assert_eq!(session.handshake(&mut stream).unwrap(), Progress::Done);
    session
}

fn download(session: &mut Session, mut stream: &UnixStream) -> usize {
    let mut buf = [0; 4096];
    assert_eq!(session.write(&mut stream, b"GET /").unwrap(), (5, Progress::Done));
    let mut got = 0;
    while let Read::Data(n) = session.read(&mut stream, &mut buf).unwrap() {
        got += n;
    }
    got
}

/// One connection of the server: handshake, request, as many bytes as asked for, close.
struct Connection {
    session: Session,
    stream: UnixStream,
    asked: bool,
    left: usize,
}

impl Connection {
    /// Go as far as the socket allows; false when done.
    fn step(&mut self) -> bool {
        let mut stream = &self.stream;
        if self.session.handshake(&mut stream).unwrap() != Progress::Done {
            return true;
        }
        if !self.asked {
            let mut buf = [0; 64];
            match self.session.read(&mut stream, &mut buf).unwrap() {
                Read::Data(_) => self.asked = true,
                _ => return true,
            }
        }
        let page = [b'x'; 8192];
        while self.left > 0 {
            let (n, _) = self.session.write(&mut stream, &page[..self.left.min(page.len())]).unwrap();
            self.left -= n;
            if n == 0 {
                return true;
            }
        }
        if self.session.flush(&mut stream).unwrap() != Progress::Done {
            return true;
        }
        // A full socket takes the close_notify later.
        if self.session.close(&mut stream).unwrap() != Progress::Done {
            return true;
        }
        let _ = self.stream.shutdown(std::net::Shutdown::Write);
        false
    }
}

fn serve(config: &Config, streams: Vec<UnixStream>, bytes: usize) {
    let mut connections: Vec<Connection> = streams
        .into_iter()
        .map(|stream| {
            stream.set_nonblocking(true).unwrap();
            Connection { session: Session::new(config).unwrap(), stream, asked: false, left: bytes }
        })
        .collect();
    // Nobody leaves before all are done: the peak has all of them.
    let mut done = [false; CONNECTIONS];
    while !done[..connections.len()].iter().all(|done| *done) {
        for (connection, done) in connections.iter_mut().zip(&mut done) {
            *done = *done || !connection.step();
        }
        thread::yield_now();
    }
}

fn report(what: &str, peak: isize, budget: isize) {
    let _ = writeln!(
        io::stderr(),
        "heap | {what:<62} | {:>6.1} KB of {:>5.1} KB",
        peak as f64 / 1024.0,
        budget as f64 / 1024.0
    );
    assert!(peak <= budget, "{what}: {peak} bytes are over the budget of {budget}");
}

/// All the roots of this machine with the tests' own at the end, where a search must come last.
fn full_bundle() -> Option<tempfile::NamedTempFile> {
    let roots = std::fs::read("/etc/ssl/certs/ca-certificates.crt").ok()?;
    let mut bundle = tempfile::NamedTempFile::new().unwrap();
    bundle.write_all(&roots).unwrap();
    bundle.write_all(&std::fs::read(pki("root.pem")).unwrap()).unwrap();
    Some(bundle)
}

#[test]
fn a_client_with_the_full_bundle_downloads_1_mb() {
    let Some(bundle) = full_bundle() else {
        let _ = writeln!(
            io::stderr(),
            "SKIPPED: heap of a client with the full CA bundle: apt-get install ca-certificates"
        );
        return;
    };
    for (tls, version) in [("1.2", 0x0303), ("1.3", 0x0304)] {
        let (ours, theirs) = UnixStream::pair().unwrap();
        let server = thread::spawn(move || {
            let mut config = server_config();
            config.set_record_size(16384).unwrap(); // the worst that a server may do
            serve(&config, vec![theirs], DOWNLOAD);
        });
        let path = bundle.path();
        let bytes = peak(|| {
            let mut config = client_config(path);
            config.set_versions(version, version).unwrap();
            let mut session = client_session(&config, &ours);
            assert_eq!(download(&mut session, &ours), DOWNLOAD);
        });
        server.join().unwrap();
        report(&format!("client, TLS {tls}, full CA bundle, 1 MB in 16 KB records"), bytes, CLIENT);
    }
}

#[test]
fn a_server_holds_four_connections() {
    let (ours, theirs): (Vec<UnixStream>, Vec<UnixStream>) =
        (0..CONNECTIONS).map(|_| UnixStream::pair().unwrap()).unzip();
    let server = thread::spawn(move || peak(|| serve(&server_config(), theirs, DOWNLOAD)));
    let config = client_config(&pki("root.pem"));
    // All connect, all ask, and the server is blocked on each before the first one reads.
    let mut sessions: Vec<Session> = ours.iter().map(|stream| client_session(&config, stream)).collect();
    for (session, mut stream) in sessions.iter_mut().zip(&ours) {
        assert_eq!(session.write(&mut stream, b"GET /").unwrap(), (5, Progress::Done));
    }
    thread::sleep(std::time::Duration::from_millis(300));
    let mut buf = [0; 16384];
    for (session, mut stream) in sessions.iter_mut().zip(&ours) {
        let mut got = 0;
        while let Read::Data(n) = session.read(&mut stream, &mut buf).unwrap() {
            got += n;
        }
        assert_eq!(got, DOWNLOAD);
    }
    report("server, TLS 1.3, 4 connections blocked in a 1 MB answer each", server.join().unwrap(), SERVER);
}

#[test]
fn an_idle_session_is_small() {
    let (ours, theirs) = UnixStream::pair().unwrap();
    let server = thread::spawn(move || {
        let config = server_config();
        let mut session = Session::new(&config).unwrap();
        let _ = session.handshake(&mut &theirs); // the client may hang up before the tickets are sent
        let _ = (&theirs).read(&mut [0; 1]);
    });
    let config = client_config(&pki("root.pem"));
    let mut live = 0;
    peak(|| {
        drop(Session::new(&config).unwrap()); // builds the configuration
        LIVE.set(0);
        let session = client_session(&config, &ours);
        live = LIVE.get();
        drop(session);
    });
    drop(ours);
    server.join().unwrap();
    report("client session after its handshake", live, 16 * 1024);
}
