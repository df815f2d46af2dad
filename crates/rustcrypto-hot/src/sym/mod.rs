//! Symmetric algorithms at concrete types.
//!
//! Lengths are checked here only as far as memory safety and the algorithm need; the callers in `rustcrypto` say why they refuse.

pub mod aead;
pub mod block;
pub mod hash;
pub mod kdf;
pub mod mac;

/// A length or a tag was wrong: the caller knows which.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Refused;
