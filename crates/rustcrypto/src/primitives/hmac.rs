//! HMAC (RFC 2104, FIPS 198-1) over MD5 (`legacy-eap`), SHA-1 and SHA-2.

use rustcrypto_hot::sym::mac;
use subtle::ConstantTimeEq;

use super::digest::{Digest, Output};
use crate::{Error, Result};

/// A running HMAC; its key is wiped when dropped.
#[derive(Clone)]
pub struct Hmac {
    digest: Digest,
    state: mac::Hmac,
}

impl Hmac {
    /// A key of any length.
    pub fn new(digest: Digest, key: &[u8]) -> Result<Self> {
        use mac::Hmac as M;
        let state = match digest {
            Digest::Sha1 => M::sha1(key),
            Digest::Sha224 => M::sha224(key),
            Digest::Sha256 => M::sha256(key),
            Digest::Sha384 => M::sha384(key),
            Digest::Sha512 => M::sha512(key),
            #[cfg(feature = "legacy-eap")]
            Digest::Md5 => M::md5(key),
            _ => return Err(Error::Unsupported("HMAC over this hash function")),
        };
        Ok(Self { digest, state })
    }

    pub fn digest(&self) -> Digest {
        self.digest
    }

    pub fn update(&mut self, data: &[u8]) {
        self.state.update(data);
    }

    /// The MAC of everything since the start; the context starts over with the same key.
    pub fn finish(&mut self) -> Output {
        Output::with(self.digest.output_len(), |out| self.state.finish(out))
    }
}

/// The HMAC of the concatenation of `parts`.
pub fn hmac(digest: Digest, key: &[u8], parts: &[&[u8]]) -> Result<Output> {
    let mut mac = Hmac::new(digest, key)?;
    for part in parts {
        mac.update(part);
    }
    Ok(mac.finish())
}

/// Compare a MAC in constant time. A shorter `expected` is a truncated MAC; an empty one never matches.
pub fn verify(digest: Digest, key: &[u8], parts: &[&[u8]], expected: &[u8]) -> Result<()> {
    let mac = hmac(digest, key, parts)?;
    let fits = !expected.is_empty() && expected.len() <= mac.len();
    if fits && bool::from(mac[..expected.len()].ct_eq(expected)) { Ok(()) } else { Err(Error::Authentication) }
}
