//! The one error type: what went wrong, in a sentence a user can act on.

use std::borrow::Cow;
use std::fmt;

/// Why an operation failed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// An argument has the wrong length or value.
    InvalidArgument(&'static str),
    /// The output buffer is too short; `needed` bytes would do.
    BufferTooShort { needed: usize },
    /// Not in this build, or not allowed on this CPU.
    Unsupported(&'static str),
    /// A tag, MAC or signature does not match.
    Authentication,
    /// A key was refused.
    BadKey(Cow<'static, str>),
    /// A certificate or CRL was refused.
    BadCertificate(Cow<'static, str>),
    /// A file or socket failed.
    Io(String),
    /// The TLS protocol failed.
    Tls(String),
    /// Called in the wrong order.
    BadState(&'static str),
    /// The operating system gave no random bytes.
    Entropy,
    /// The connection ended before the peer said so.
    Truncated(&'static str),
}

/// `Result` with this crate's [`Error`].
pub type Result<T> = std::result::Result<T, Error>;

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InvalidArgument(what) => write!(f, "invalid argument: {what}"),
            Self::BufferTooShort { needed } => write!(f, "output buffer too short: {needed} bytes are needed"),
            Self::Unsupported(what) => write!(f, "not supported: {what}"),
            Self::Authentication => f.write_str("authentication failed: tag or signature does not match"),
            Self::BadKey(why) => write!(f, "key refused: {why}"),
            Self::BadCertificate(why) => write!(f, "certificate refused: {why}"),
            Self::Io(why) | Self::Tls(why) => f.write_str(why),
            Self::BadState(why) => write!(f, "called out of order: {why}"),
            Self::Truncated(why) => f.write_str(why),
            Self::Entropy => f.write_str("the operating system gave no random bytes"),
        }
    }
}

impl std::error::Error for Error {}
