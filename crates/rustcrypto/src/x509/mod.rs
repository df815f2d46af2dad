//! Layer 2: keys and certificates as files carry them.

mod certificate;
pub(crate) mod der;
pub mod keys;
mod name;
mod self_signed;
mod time;

pub use certificate::Certificate;
pub use self_signed::SelfSigned;
pub(crate) use time::readable as readable_time;

use crate::Result;

/// A private key as certificates and requests need it.
pub trait Signer {
    /// The DER SubjectPublicKeyInfo.
    fn public_key_info(&self) -> Result<Vec<u8>>;
    /// The DER AlgorithmIdentifier of [`Self::sign`].
    fn signature_algorithm(&self) -> Result<Vec<u8>>;
    /// Hash and sign.
    fn sign(&self, message: &[u8]) -> Result<Vec<u8>>;
}
