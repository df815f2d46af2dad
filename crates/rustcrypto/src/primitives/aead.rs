//! Authenticated encryption in place, without allocations: AES-GCM (SP 800-38D), AES-CCM (RFC 3610), ChaCha20-Poly1305 (RFC 8439).

use rustcrypto_hot::sym::aead as portable;
use zeroize::Zeroize;

#[cfg(not(feature = "aes192"))]
use super::cipher;
#[cfg(accelerated)]
use super::cpu;
use crate::{Error, Result};

/// Longest tag, in bytes.
pub const MAX_TAG: usize = portable::MAX_TAG;

/// An AEAD. Every name exists in every build; one that is off answers [`Error::Unsupported`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Algorithm {
    Aes128Gcm,
    Aes192Gcm,
    Aes256Gcm,
    ChaCha20Poly1305,
    Aes128Ccm,
    Aes256Ccm,
    /// CCM with an 8-byte tag.
    Aes128Ccm8,
    /// CCM with an 8-byte tag.
    Aes256Ccm8,
}
use Algorithm as A;

impl Algorithm {
    /// Bytes of the key.
    pub const fn key_len(self) -> usize {
        match self {
            A::Aes128Gcm | A::Aes128Ccm | A::Aes128Ccm8 => 16,
            A::Aes192Gcm => 24,
            A::Aes256Gcm | A::ChaCha20Poly1305 | A::Aes256Ccm | A::Aes256Ccm8 => 32,
        }
    }

    /// Bytes of the tag.
    pub const fn tag_len(self) -> usize {
        if matches!(self, A::Aes128Ccm8 | A::Aes256Ccm8) { 8 } else { 16 }
    }

    const fn is_ccm(self) -> bool {
        matches!(self, A::Aes128Ccm | A::Aes256Ccm | A::Aes128Ccm8 | A::Aes256Ccm8)
    }

    /// 12 bytes everywhere; CCM also takes 13, as Wi-Fi uses it.
    const fn takes_nonce(self, len: usize) -> bool {
        len == 12 || (len == 13 && self.is_ccm())
    }

    /// A 13-byte CCM nonce leaves two bytes for the length.
    const fn takes_message(self, nonce_len: usize, len: usize) -> bool {
        !self.is_ccm() || nonce_len != 13 || len <= 0xffff
    }
}

// Not boxed: an AEAD key lives in each TLS direction, and an allocation per key would cost more than the spread in size.
#[allow(clippy::large_enum_variant)]
enum Key {
    Portable(portable::Aead),
    #[cfg(accelerated)]
    AesGcm(graviola::aead::AesGcm),
    #[cfg(accelerated)]
    ChaCha20Poly1305(graviola::aead::ChaCha20Poly1305),
}

/// A key ready for use; wiped when dropped.
pub struct Aead {
    algorithm: Algorithm,
    key: Key,
}

impl Aead {
    pub fn new(algorithm: Algorithm, key: &[u8]) -> Result<Self> {
        if key.len() != algorithm.key_len() {
            return Err(Error::InvalidArgument("the AEAD's key has another length"));
        }
        #[cfg(accelerated)]
        if let Some(key) = accelerated(algorithm, key) {
            return Ok(Self { algorithm, key });
        }
        Ok(Self { algorithm, key: Key::Portable(portable(algorithm, key)?) })
    }

    pub fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// Encrypt `buffer` in place; `tag` is [`Algorithm::tag_len`] bytes long.
    pub fn seal_in_place(&self, nonce: &[u8], aad: &[u8], buffer: &mut [u8], tag: &mut [u8]) -> Result<()> {
        self.check(nonce, buffer, tag.len())?;
        let mut made = [0; MAX_TAG];
        match &self.key {
            Key::Portable(key) => {
                key.seal(nonce, aad, buffer, &mut made).map_err(|_| TOO_LONG)?;
            }
            #[cfg(accelerated)]
            Key::AesGcm(key) => key.encrypt(twelve(nonce)?, aad, buffer, &mut made),
            #[cfg(accelerated)]
            Key::ChaCha20Poly1305(key) => key.encrypt(twelve(nonce)?, aad, buffer, &mut made),
        }
        tag.copy_from_slice(&made[..tag.len()]);
        Ok(())
    }

    /// Check `tag` and decrypt `buffer` in place. On failure `buffer` is zero.
    pub fn open_in_place(&self, nonce: &[u8], aad: &[u8], buffer: &mut [u8], tag: &[u8]) -> Result<()> {
        self.check(nonce, buffer, tag.len())?;
        let opened = match &self.key {
            Key::Portable(key) => key.open(nonce, aad, buffer, tag).is_ok(),
            #[cfg(accelerated)]
            Key::AesGcm(key) => key.decrypt(twelve(nonce)?, aad, buffer, tag).is_ok(),
            #[cfg(accelerated)]
            Key::ChaCha20Poly1305(key) => key.decrypt(twelve(nonce)?, aad, buffer, tag).is_ok(),
        };
        if opened {
            return Ok(());
        }
        buffer.zeroize();
        Err(Error::Authentication)
    }

    fn check(&self, nonce: &[u8], message: &[u8], tag_len: usize) -> Result<()> {
        if !self.algorithm.takes_nonce(nonce.len()) {
            return Err(Error::InvalidArgument("an AEAD nonce is 12 bytes long (CCM: 12 or 13)"));
        }
        if tag_len != self.algorithm.tag_len() {
            return Err(Error::InvalidArgument("the AEAD's tag has another length"));
        }
        if self.algorithm.takes_message(nonce.len(), message.len()) { Ok(()) } else { Err(TOO_LONG) }
    }
}

const TOO_LONG: Error = Error::InvalidArgument("the message is too long for this AEAD");

#[cfg(accelerated)]
fn twelve(nonce: &[u8]) -> Result<&[u8; 12]> {
    nonce.try_into().map_err(|_| Error::InvalidArgument("an AEAD nonce is 12 bytes long"))
}

#[cfg(accelerated)]
fn accelerated(algorithm: Algorithm, key: &[u8]) -> Option<Key> {
    match algorithm {
        A::Aes128Gcm | A::Aes256Gcm if cpu::graviola(cpu::Algorithm::AesGcm) => {
            Some(Key::AesGcm(graviola::aead::AesGcm::new(key)))
        }
        A::ChaCha20Poly1305 if cpu::graviola(cpu::Algorithm::ChaCha20Poly1305) => {
            Some(Key::ChaCha20Poly1305(graviola::aead::ChaCha20Poly1305::new(key.try_into().ok()?)))
        }
        _ => None,
    }
}

fn portable(algorithm: Algorithm, key: &[u8]) -> Result<portable::Aead> {
    use portable::Aead as P;
    /// The key's length was checked against the algorithm's.
    fn sized<const N: usize>(key: &[u8]) -> Result<&[u8; N]> {
        key.try_into().map_err(|_| Error::InvalidArgument("the AEAD's key has another length"))
    }
    Ok(match algorithm {
        A::Aes128Gcm => P::aes128_gcm(sized(key)?),
        #[cfg(feature = "aes192")]
        A::Aes192Gcm => P::aes192_gcm(sized(key)?),
        #[cfg(not(feature = "aes192"))]
        A::Aes192Gcm => return Err(cipher::NO_AES192),
        A::Aes256Gcm => P::aes256_gcm(sized(key)?),
        A::ChaCha20Poly1305 => P::chacha20_poly1305(sized(key)?),
        #[cfg(feature = "ccm")]
        A::Aes128Ccm => P::aes128_ccm(sized(key)?),
        #[cfg(feature = "ccm")]
        A::Aes256Ccm => P::aes256_ccm(sized(key)?),
        #[cfg(feature = "ccm")]
        A::Aes128Ccm8 => P::aes128_ccm8(sized(key)?),
        #[cfg(feature = "ccm")]
        A::Aes256Ccm8 => P::aes256_ccm8(sized(key)?),
        #[cfg(not(feature = "ccm"))]
        _ => return Err(Error::Unsupported("AES-CCM is not in this build")),
    })
}
