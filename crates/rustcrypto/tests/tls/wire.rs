//! Two sessions on one thread, over buffers.

use std::collections::VecDeque;
use std::io::{self, ErrorKind, Read, Write};
use std::path::PathBuf;

use rustcrypto::tls::{self, Config, Progress, Role, Session};

/// 2030-01-01: within the dates of the test certificates.
pub(crate) const NOW: u64 = 1_893_456_000;

pub(crate) fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/pki").join(name)
}

pub(crate) fn pki(name: &str) -> Vec<u8> {
    std::fs::read(path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// One direction of a connection.
#[derive(Default)]
pub(crate) struct Pipe {
    pub(crate) bytes: VecDeque<u8>,
    /// Bytes that fit before the writer must wait.
    pub(crate) room: Option<usize>,
    pub(crate) closed: bool,
}

/// One end of a connection.
pub(crate) struct End<'a> {
    pub(crate) incoming: &'a mut Pipe,
    pub(crate) outgoing: &'a mut Pipe,
}

impl Read for End<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if self.incoming.bytes.is_empty() && !self.incoming.closed {
            return Err(ErrorKind::WouldBlock.into());
        }
        self.incoming.bytes.read(buf)
    }
}

impl Write for End<'_> {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        let room = self.outgoing.room.map_or(buf.len(), |room| room.saturating_sub(self.outgoing.bytes.len()));
        let n = buf.len().min(room);
        if n == 0 {
            return Err(ErrorKind::WouldBlock.into());
        }
        self.outgoing.bytes.extend(&buf[..n]);
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A client, a server, and what is between them.
pub(crate) struct Pair {
    pub(crate) client: Session,
    pub(crate) server: Session,
    pub(crate) up: Pipe,
    pub(crate) down: Pipe,
}

impl Pair {
    pub(crate) fn new(client: &Config, server: &Config) -> Self {
        let mut session = Session::new(client).expect("a client session");
        session.set_server_name("test.example").expect("a name");
        Self {
            client: session,
            server: Session::new(server).expect("a server session"),
            up: Pipe::default(),
            down: Pipe::default(),
        }
    }

    pub(crate) fn client(&mut self) -> (&mut Session, End<'_>) {
        (&mut self.client, End { incoming: &mut self.down, outgoing: &mut self.up })
    }

    pub(crate) fn server(&mut self) -> (&mut Session, End<'_>) {
        (&mut self.server, End { incoming: &mut self.up, outgoing: &mut self.down })
    }

    /// Both handshakes to their ends: the client's outcome and the server's.
    pub(crate) fn handshake(&mut self) -> (rustcrypto::Result<()>, rustcrypto::Result<()>) {
        let (mut ours, mut theirs) = (None, None);
        for _ in 0..1000 {
            if ours.is_none() {
                let (session, mut end) = self.client();
                ours = settled(session.handshake(&mut end));
            }
            if theirs.is_none() {
                let (session, mut end) = self.server();
                theirs = settled(session.handshake(&mut end));
            }
            // Who failed hangs up.
            self.up.closed |= matches!(ours, Some(Err(_)));
            self.down.closed |= matches!(theirs, Some(Err(_)));
            if let (Some(ours), Some(theirs)) = (&ours, &theirs) {
                return (ours.clone(), theirs.clone());
            }
        }
        panic!("the handshake never ends");
    }

    pub(crate) fn connect(client: &Config, server: &Config) -> Self {
        let mut pair = Self::new(client, server);
        let (ours, theirs) = pair.handshake();
        ours.expect("the client's handshake");
        theirs.expect("the server's handshake");
        pair
    }

    /// Something there and back; also lets tickets arrive.
    pub(crate) fn ping(&mut self) {
        let mut buf = [0; 16];
        let (client, mut end) = self.client();
        assert_eq!(client.write(&mut end, b"ping").unwrap(), (4, Progress::Done));
        let (server, mut end) = self.server();
        assert_eq!(server.read(&mut end, &mut buf).unwrap(), tls::Read::Data(4));
        assert_eq!(server.write(&mut end, b"pong").unwrap(), (4, Progress::Done));
        let (client, mut end) = self.client();
        assert_eq!(client.read(&mut end, &mut buf).unwrap(), tls::Read::Data(4));
        assert_eq!(&buf[..4], b"pong");
    }
}

fn settled(step: rustcrypto::Result<Progress>) -> Option<rustcrypto::Result<()>> {
    match step {
        Ok(Progress::Done) => Some(Ok(())),
        Ok(_) => None,
        Err(error) => Some(Err(error)),
    }
}

/// A client that trusts the test root.
pub(crate) fn client() -> Config {
    let mut config = Config::new(Role::Client);
    config.set_time(Some(NOW));
    config.add_ca_file(&path("root.pem")).expect("the root");
    config
}

/// A server with this certificate and key.
pub(crate) fn server(certificate: &str, key: &str) -> Config {
    let mut config = Config::new(Role::Server);
    config.set_time(Some(NOW));
    config.set_certificate(&pki(certificate)).expect("a certificate");
    config.set_key(&pki(key)).expect("its key");
    config
}
