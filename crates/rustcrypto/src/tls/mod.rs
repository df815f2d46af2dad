//! Layer 4: TLS sessions over caller-supplied I/O.
//!
//! A [`Config`] is made once and shared; [`Session`]s are cheap, never block by themselves and keep little memory. Failures
//! come as sentences: which certificate, since when, what to look at.

mod config;
mod explain;
mod names;
mod resume;
mod session;
mod ticket;
mod trust;
mod verify;

pub use config::Config;
pub use session::{Progress, Read, Session, Stream};

/// Which side of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    Client,
    Server,
}

/// What becomes of the peer's certificate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verify {
    /// Not looked at (a server does not ask for one).
    None,
    /// Checked; a failure does not stop the handshake and is told by [`Session::verify_result`].
    Optional,
    /// Checked; a failure ends the handshake.
    Required,
}
