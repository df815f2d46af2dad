//! One TLS session. It never blocks by itself: the caller's stream says when it would.

mod facts;

use std::io::{self, ErrorKind, IoSlice, Read as _, Write as _};
use std::sync::Arc;

use rustls::{ClientConnection, Connection, ServerConnection};
use rustls_pki_types::{IpAddr, Ipv4Addr, ServerName};

use super::config::{Built, Config, Side};
use super::verify::{Slot, with_slot};
use super::{Role, Verify, explain};
use crate::{Error, Result};

/// What TLS runs over. `WouldBlock` from either half means: later.
pub trait Stream: io::Read + io::Write {}
impl<T: io::Read + io::Write> Stream for T {}

/// How far an operation came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    Done,
    WantRead,
    WantWrite,
}

/// Outcome of [`Session::read`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Read {
    /// So many bytes.
    Data(usize),
    /// The peer has ended its side properly.
    Closed,
    WantRead,
    WantWrite,
}

const NOT_YET: Error = Error::BadState("the TLS handshake is not done yet");
/// Small pieces of a flight are gathered up to this size, so that they leave in one packet and Nagle has nothing to hold back.
const GATHER: usize = 4096;

/// One session of a [`Config`].
pub struct Session {
    built: Arc<Built>,
    name: Option<ServerName<'static>>,
    /// Made at the first step of the handshake: a client's needs the server's name.
    connection: Option<Connection>,
    slot: Slot,
    first: First,
    pending: usize,
    failure: Option<Error>,
    alert_sent: Option<u8>,
    alert_received: Option<u8>,
}

/// The first bytes from the peer, to tell what it speaks if it is not TLS.
#[derive(Debug, Default)]
struct First {
    bytes: [u8; 8],
    len: usize,
}

/// The caller's stream, watched and with gathered writes.
struct Watched<'a> {
    stream: &'a mut dyn Stream,
    first: &'a mut First,
}

impl io::Read for Watched<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let n = self.stream.read(buf)?;
        let take = (self.first.bytes.len() - self.first.len).min(n);
        self.first.bytes[self.first.len..][..take].copy_from_slice(&buf[..take]);
        self.first.len += take;
        Ok(n)
    }
}

impl io::Write for Watched<'_> {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        self.stream.write(buf)
    }

    fn write_vectored(&mut self, pieces: &[IoSlice<'_>]) -> io::Result<usize> {
        match pieces {
            [] => Ok(0),
            [first, second, ..] if first.len() + second.len() <= GATHER => {
                let mut all = Vec::with_capacity(GATHER);
                for piece in pieces {
                    if all.len() + piece.len() > GATHER {
                        break;
                    }
                    all.extend_from_slice(piece);
                }
                self.stream.write(&all)
            }
            [first, ..] => self.stream.write(first),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Session {
    /// A session; builds the configuration if this is its first.
    pub fn new(config: &Config) -> Result<Self> {
        Ok(Self {
            built: config.build()?,
            name: None,
            connection: None,
            slot: Slot::default(),
            first: First::default(),
            pending: 0,
            failure: None,
            alert_sent: None,
            alert_received: None,
        })
    }

    fn role(&self) -> Role {
        match self.built.side {
            Side::Client(_) => Role::Client,
            Side::Server(_) => Role::Server,
        }
    }

    /// A client's server: sent as SNI (unless it is an IP address) and, by default, what the certificate must be valid for.
    pub fn set_server_name(&mut self, name: &str) -> Result<()> {
        if self.connection.is_some() {
            return Err(Error::BadState("the server name must be set before the handshake"));
        }
        self.name = Some(server_name(name)?);
        Ok(())
    }

    fn connection(&mut self) -> Result<&mut Connection> {
        if self.connection.is_none() {
            let made = match &self.built.side {
                Side::Server(config) => ServerConnection::new(config.clone()).map(Connection::from),
                Side::Client(config) => {
                    let name = match &self.name {
                        Some(name) => name.clone(),
                        None if self.built.verify == Verify::Required && self.built.verify_name => {
                            return Err(Error::BadState(
                                "no server name was set, so the certificate cannot be checked against it: set one, or turn the check of names off",
                            ));
                        }
                        // rustls wants a name; an address is never sent.
                        None => ServerName::IpAddress(IpAddr::V4(Ipv4Addr::from([0; 4]))),
                    };
                    ClientConnection::new(config.clone(), name).map(Connection::from)
                }
            };
            self.connection = Some(made.map_err(|error| Error::Tls(explain::handshake(&error, self.role())))?);
        }
        self.connection.as_mut().ok_or(NOT_YET)
    }

    /// The connection once the handshake is done.
    fn established(&self) -> Result<&Connection> {
        match &self.connection {
            Some(connection) if !connection.is_handshaking() => Ok(connection),
            _ => Err(NOT_YET),
        }
    }

    fn check_failure(&self) -> Result<()> {
        self.failure.clone().map_or(Ok(()), Err)
    }

    /// Remember a fatal error: every later call gives it again.
    fn fail<T>(&mut self, error: Error) -> Result<T> {
        self.failure = Some(error.clone());
        Err(error)
    }

    /// Go on with the handshake.
    pub fn handshake(&mut self, stream: &mut dyn Stream) -> Result<Progress> {
        self.check_failure()?;
        self.connection()?;
        loop {
            if !self.flush_records(stream)? {
                return Ok(Progress::WantWrite);
            }
            if self.established().is_ok() {
                return Ok(Progress::Done);
            }
            match self.receive(stream)? {
                Received::Some => {}
                Received::Later => return Ok(Progress::WantRead),
                Received::End => {
                    return self.fail(Error::Truncated("the peer closed the connection during the TLS handshake"));
                }
            }
        }
    }

    /// Decrypted bytes into `buf`.
    pub fn read(&mut self, stream: &mut dyn Stream, buf: &mut [u8]) -> Result<Read> {
        if self.pending == 0 {
            self.check_failure()?;
        }
        self.established()?;
        if buf.is_empty() {
            return Ok(Read::Data(0));
        }
        loop {
            let connection = self.connection.as_mut().ok_or(NOT_YET)?;
            match connection.reader().read(buf) {
                Ok(0) => return Ok(Read::Closed),
                Ok(n) => {
                    self.pending -= n.min(self.pending);
                    return Ok(Read::Data(n));
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                Err(error) if error.kind() == ErrorKind::UnexpectedEof => {
                    return self.fail(Error::Truncated(
                        "the connection ended without a TLS close_notify: what was received may be cut short",
                    ));
                }
                Err(error) => return self.fail(Error::Tls(format!("TLS failed: {error}"))),
            }
            self.check_failure()?;
            // Answers such as a key update; if they cannot leave now, they leave with the next call.
            self.flush_records(stream)?;
            if matches!(self.receive(stream)?, Received::Later) {
                return Ok(Read::WantRead);
            }
        }
    }

    /// Encrypt and send. Returns the bytes taken; what was taken but could not leave yet leaves with [`Self::flush`].
    pub fn write(&mut self, stream: &mut dyn Stream, data: &[u8]) -> Result<(usize, Progress)> {
        self.check_failure()?;
        self.established()?;
        let mut taken = 0;
        loop {
            if !self.flush_records(stream)? {
                let progress = if taken == 0 && !data.is_empty() { Progress::WantWrite } else { Progress::Done };
                return Ok((taken, progress));
            }
            if taken == data.len() {
                return Ok((taken, Progress::Done));
            }
            let end = data.len().min(taken + self.built.record);
            let connection = self.connection.as_mut().ok_or(NOT_YET)?;
            match connection.writer().write(&data[taken..end]) {
                Ok(n) if n > 0 => taken += n,
                Ok(_) => return Ok((taken, Progress::WantWrite)),
                Err(error) => return self.fail(Error::Tls(format!("TLS failed: {error}"))),
            }
        }
    }

    /// Send what is still waiting.
    pub fn flush(&mut self, stream: &mut dyn Stream) -> Result<Progress> {
        self.check_failure()?;
        Ok(if self.flush_records(stream)? { Progress::Done } else { Progress::WantWrite })
    }

    /// Tell the peer that no more data will come. Call again on `WantWrite`.
    pub fn close(&mut self, stream: &mut dyn Stream) -> Result<Progress> {
        self.check_failure()?;
        self.connection.as_mut().ok_or(NOT_YET)?.send_close_notify();
        self.flush(stream)
    }

    /// True when nothing is left to send.
    fn flush_records(&mut self, stream: &mut dyn Stream) -> Result<bool> {
        let Some(connection) = self.connection.as_mut() else { return Ok(true) };
        let mut watched = Watched { stream, first: &mut self.first };
        while connection.wants_write() {
            match connection.write_tls(&mut watched) {
                Ok(0) => return self.fail(Error::Io("cannot send: the connection takes no data".into())),
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(false),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return self.fail(Error::Io(format!("cannot send: {error}"))),
            }
        }
        Ok(true)
    }

    /// One read from the stream, and work on what came.
    fn receive(&mut self, stream: &mut dyn Stream) -> Result<Received> {
        let connection = self.connection.as_mut().ok_or(NOT_YET)?;
        let received = match connection.read_tls(&mut Watched { stream: &mut *stream, first: &mut self.first }) {
            Ok(0) => Received::End,
            Ok(_) => Received::Some,
            Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(Received::Later),
            Err(error) if error.kind() == ErrorKind::Interrupted => Received::Some,
            Err(error) => return self.fail(Error::Io(format!("cannot receive: {error}"))),
        };
        match with_slot(&mut self.slot, || connection.process_new_packets()) {
            Ok(state) => {
                self.pending = state.plaintext_bytes_to_read();
                Ok(received)
            }
            Err(error) => {
                let failure = self.describe(&error);
                // The alert is a courtesy: what counts is the error.
                let _ = self.flush_records(stream);
                self.fail(failure)
            }
        }
    }

    fn describe(&mut self, error: &rustls::Error) -> Error {
        self.alert_sent = explain::alert_sent(error);
        if let rustls::Error::AlertReceived(alert) = error {
            self.alert_received = Some((*alert).into());
        }
        if let (rustls::Error::InvalidCertificate(_), Some(Err(sentence))) = (error, &self.slot.verdict) {
            return Error::BadCertificate(sentence.clone().into());
        }
        let spoken = match error {
            rustls::Error::InvalidMessage(_) => explain::not_tls(&self.first.bytes[..self.first.len]),
            _ => None,
        };
        Error::Tls(spoken.map_or_else(|| explain::handshake(error, self.role()), str::to_owned))
    }

    /// Decrypted bytes that wait for [`Self::read`].
    pub fn pending(&self) -> usize {
        self.pending
    }
}

enum Received {
    Some,
    Later,
    End,
}

/// A host name or IP address; one trailing dot is allowed, and brackets around an IPv6 address.
fn server_name(name: &str) -> Result<ServerName<'static>> {
    let name = name.strip_suffix('.').unwrap_or(name);
    let name = name.strip_prefix('[').and_then(|inner| inner.strip_suffix(']')).unwrap_or(name);
    ServerName::try_from(name.to_owned()).map_err(|_| Error::InvalidArgument("not a host name or IP address"))
}
