//! AES (FIPS 197) block by block and in the modes CBC and CTR (SP 800-38A), key wrap (RFC 3394), CMAC (SP 800-38B), SIV (RFC 5297).

use rustcrypto_hot::sym::block;
use zeroize::Zeroize;

use crate::{Error, Result};

/// Bytes of an AES block.
pub const BLOCK: usize = block::BLOCK;

/// An expanded AES key; wiped when dropped.
#[derive(Clone)]
pub struct Aes(block::Aes);

impl Aes {
    /// `key` is 16, 24 (where the build has AES-192) or 32 bytes long.
    pub fn new(key: &[u8]) -> Result<Self> {
        #[cfg(not(feature = "aes192"))]
        if key.len() == 24 {
            return Err(NO_AES192);
        }
        block::Aes::new(key).map(Self).map_err(|_| Error::InvalidArgument("an AES key is 16, 24 or 32 bytes long"))
    }

    pub fn encrypt_block(&self, block: &mut [u8; BLOCK]) {
        self.0.encrypt_block(block);
    }

    pub fn decrypt_block(&self, block: &mut [u8; BLOCK]) {
        self.0.decrypt_block(block);
    }

    /// CBC in place, whole blocks, no padding.
    pub fn cbc_encrypt(&self, iv: &[u8; BLOCK], data: &mut [u8]) -> Result<()> {
        self.0.cbc_encrypt(iv, data).map_err(|_| WHOLE_BLOCKS)
    }

    /// CBC in place, whole blocks, no padding.
    pub fn cbc_decrypt(&self, iv: &[u8; BLOCK], data: &mut [u8]) -> Result<()> {
        self.0.cbc_decrypt(iv, data).map_err(|_| WHOLE_BLOCKS)
    }

    /// CTR in place (encryption and decryption are the same), 128-bit big-endian counter starting at `iv`.
    pub fn ctr(&self, iv: &[u8; BLOCK], data: &mut [u8]) {
        self.0.ctr(iv, data);
    }

    /// Key wrap: `plain` is a multiple of 8 bytes and at least 16, `out` is 8 bytes longer.
    pub fn wrap(&self, plain: &[u8], out: &mut [u8]) -> Result<()> {
        if !plain.len().is_multiple_of(8) || plain.len() < 16 || out.len() != plain.len() + 8 {
            return Err(Error::InvalidArgument(
                "key wrap: whole 8-byte blocks, two at least, and 8 bytes more as output",
            ));
        }
        self.0.wrap(plain, out).map_err(|_| Error::InvalidArgument("key wrap: wrong length"))
    }

    /// Unwrap into `out`, 8 bytes shorter than `wrapped`. On failure `out` is zero.
    pub fn unwrap(&self, wrapped: &[u8], out: &mut [u8]) -> Result<()> {
        if !wrapped.len().is_multiple_of(8) || wrapped.len() < 24 || out.len() != wrapped.len() - 8 {
            return Err(Error::InvalidArgument(
                "key unwrap: whole 8-byte blocks, three at least, and 8 bytes less as output",
            ));
        }
        self.0.unwrap(wrapped, out).map_err(|_| {
            out.zeroize();
            Error::Authentication
        })
    }

    /// CMAC of the concatenation of `parts`.
    pub fn cmac(&self, parts: &[&[u8]]) -> [u8; BLOCK] {
        let mut mac = [0; BLOCK];
        self.0.cmac(parts, &mut mac);
        mac
    }
}

#[cfg(not(feature = "aes192"))]
pub(crate) const NO_AES192: Error = Error::Unsupported("AES with keys of 192 bits is not in this build");

const WHOLE_BLOCKS: Error = Error::InvalidArgument("CBC works on whole 16-byte blocks");

/// AES-SIV: encrypt `data` in place and return the tag that stands before it. `key` is 32, 48 or 64 bytes long.
#[cfg(feature = "siv")]
pub fn siv_seal(key: &[u8], headers: &[&[u8]], data: &mut [u8]) -> Result<[u8; BLOCK]> {
    check_siv(key, headers)?;
    block::siv::seal(key, headers, data).map_err(|_| Error::InvalidArgument("AES-SIV: wrong length"))
}

/// AES-SIV: check `tag` and decrypt `data` in place. On failure `data` is zero.
#[cfg(feature = "siv")]
pub fn siv_open(key: &[u8], headers: &[&[u8]], data: &mut [u8], tag: &[u8; BLOCK]) -> Result<()> {
    check_siv(key, headers)?;
    block::siv::open(key, headers, data, tag).map_err(|_| {
        data.zeroize();
        Error::Authentication
    })
}

#[cfg(feature = "siv")]
fn check_siv(key: &[u8], headers: &[&[u8]]) -> Result<()> {
    match (key.len(), headers.len()) {
        (32 | 48 | 64, ..=126) => Ok(()),
        (32 | 48 | 64, _) => Err(Error::InvalidArgument("AES-SIV takes at most 126 headers")),
        _ => Err(Error::InvalidArgument("an AES-SIV key is 32, 48 or 64 bytes long")),
    }
}

#[cfg(not(feature = "siv"))]
pub fn siv_seal(_: &[u8], _: &[&[u8]], _: &mut [u8]) -> Result<[u8; BLOCK]> {
    Err(Error::Unsupported("AES-SIV is not in this build"))
}

#[cfg(not(feature = "siv"))]
pub fn siv_open(_: &[u8], _: &[&[u8]], _: &mut [u8], _: &[u8; BLOCK]) -> Result<()> {
    Err(Error::Unsupported("AES-SIV is not in this build"))
}
