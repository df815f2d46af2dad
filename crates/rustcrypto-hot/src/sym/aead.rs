//! AES-GCM, AES-CCM and ChaCha20-Poly1305, in place with a detached tag.

#[cfg(feature = "aes192")]
use aes::Aes192;
use aes::{Aes128, Aes256};
use aes_gcm::aead::{AeadInOut, KeyInit, array::typenum::Unsigned, consts::U12, inout::InOutBuf};
use aes_gcm::{AeadCore, AesGcm};
use chacha20poly1305::ChaCha20Poly1305;

use super::Refused;

/// Longest tag of any algorithm here, in bytes.
pub const MAX_TAG: usize = 16;

/// A key of one algorithm, expanded. Wiped when dropped.
// Not boxed: one lives in each TLS direction, and an allocation per key would cost more than the spread in size.
#[allow(clippy::large_enum_variant)]
pub enum Aead {
    Aes128Gcm(AesGcm<Aes128, U12>),
    #[cfg(feature = "aes192")]
    Aes192Gcm(AesGcm<Aes192, U12>),
    Aes256Gcm(AesGcm<Aes256, U12>),
    ChaCha20Poly1305(ChaCha20Poly1305),
    #[cfg(feature = "ccm")]
    Aes128Ccm(Aes128),
    #[cfg(feature = "ccm")]
    Aes256Ccm(Aes256),
    #[cfg(feature = "ccm")]
    Aes128Ccm8(Aes128),
    #[cfg(feature = "ccm")]
    Aes256Ccm8(Aes256),
}

fn seal<A: AeadCore + AeadInOut>(
    cipher: &A,
    nonce: &[u8],
    aad: &[u8],
    buffer: &mut [u8],
    tag: &mut [u8; MAX_TAG],
) -> Result<usize, Refused> {
    let nonce = nonce.try_into().map_err(|_| Refused)?;
    let made = cipher.encrypt_inout_detached(nonce, aad, InOutBuf::from(buffer)).map_err(|_| Refused)?;
    tag[..made.len()].copy_from_slice(&made);
    Ok(made.len())
}

fn open<A: AeadCore + AeadInOut>(
    cipher: &A,
    nonce: &[u8],
    aad: &[u8],
    buffer: &mut [u8],
    tag: &[u8],
) -> Result<(), Refused> {
    debug_assert_eq!(tag.len(), A::TagSize::USIZE);
    let nonce = nonce.try_into().map_err(|_| Refused)?;
    let tag = tag.try_into().map_err(|_| Refused)?;
    cipher.decrypt_inout_detached(nonce, aad, InOutBuf::from(buffer), tag).map_err(|_| Refused)
}

#[cfg(feature = "ccm")]
mod ccm_at {
    use ccm::consts::{U8, U12, U13, U16};

    // A nonce of N bytes leaves 15 - N for the length (RFC 3610): 12 is TLS's and 13 is Wi-Fi's choice.
    pub(super) type Full12<C> = ccm::Ccm<C, U16, U12>;
    pub(super) type Full13<C> = ccm::Ccm<C, U16, U13>;
    pub(super) type Short12<C> = ccm::Ccm<C, U8, U12>;
    pub(super) type Short13<C> = ccm::Ccm<C, U8, U13>;
}
#[cfg(feature = "ccm")]
use ccm_at::{Full12, Full13, Short12, Short13};

/// Run `$op` on the concrete cipher behind `$self`.
macro_rules! each {
    ($self:expr, $nonce:expr, $op:ident $(, $arg:expr)*) => {
        match $self {
            Aead::Aes128Gcm(c) => $op(c, $nonce $(, $arg)*),
            #[cfg(feature = "aes192")]
            Aead::Aes192Gcm(c) => $op(c, $nonce $(, $arg)*),
            Aead::Aes256Gcm(c) => $op(c, $nonce $(, $arg)*),
            Aead::ChaCha20Poly1305(c) => $op(c, $nonce $(, $arg)*),
            #[cfg(feature = "ccm")]
            Aead::Aes128Ccm(c) if $nonce.len() == 13 => $op(&Full13::from(c), $nonce $(, $arg)*),
            #[cfg(feature = "ccm")]
            Aead::Aes128Ccm(c) => $op(&Full12::from(c), $nonce $(, $arg)*),
            #[cfg(feature = "ccm")]
            Aead::Aes256Ccm(c) if $nonce.len() == 13 => $op(&Full13::from(c), $nonce $(, $arg)*),
            #[cfg(feature = "ccm")]
            Aead::Aes256Ccm(c) => $op(&Full12::from(c), $nonce $(, $arg)*),
            #[cfg(feature = "ccm")]
            Aead::Aes128Ccm8(c) if $nonce.len() == 13 => $op(&Short13::from(c), $nonce $(, $arg)*),
            #[cfg(feature = "ccm")]
            Aead::Aes128Ccm8(c) => $op(&Short12::from(c), $nonce $(, $arg)*),
            #[cfg(feature = "ccm")]
            Aead::Aes256Ccm8(c) if $nonce.len() == 13 => $op(&Short13::from(c), $nonce $(, $arg)*),
            #[cfg(feature = "ccm")]
            Aead::Aes256Ccm8(c) => $op(&Short12::from(c), $nonce $(, $arg)*),
        }
    };
}

macro_rules! constructor {
    ($(#[$cfg:meta])? $name:ident, $variant:ident, $len:literal, $inner:ty) => {
        $(#[$cfg])?
        pub fn $name(key: &[u8; $len]) -> Self {
            Self::$variant(<$inner>::new(key.into()))
        }
    };
}

impl Aead {
    constructor!(aes128_gcm, Aes128Gcm, 16, AesGcm<Aes128, U12>);
    constructor!(
        #[cfg(feature = "aes192")]
        aes192_gcm,
        Aes192Gcm,
        24,
        AesGcm<Aes192, U12>
    );
    constructor!(aes256_gcm, Aes256Gcm, 32, AesGcm<Aes256, U12>);
    constructor!(chacha20_poly1305, ChaCha20Poly1305, 32, ChaCha20Poly1305);
    constructor!(
        #[cfg(feature = "ccm")]
        aes128_ccm,
        Aes128Ccm,
        16,
        Aes128
    );
    constructor!(
        #[cfg(feature = "ccm")]
        aes256_ccm,
        Aes256Ccm,
        32,
        Aes256
    );
    constructor!(
        #[cfg(feature = "ccm")]
        aes128_ccm8,
        Aes128Ccm8,
        16,
        Aes128
    );
    constructor!(
        #[cfg(feature = "ccm")]
        aes256_ccm8,
        Aes256Ccm8,
        32,
        Aes256
    );

    /// Encrypt `buffer` in place; the tag goes to the front of `tag`, its length is returned.
    pub fn seal(&self, nonce: &[u8], aad: &[u8], buffer: &mut [u8], tag: &mut [u8; MAX_TAG]) -> Result<usize, Refused> {
        each!(self, nonce, seal, aad, buffer, tag)
    }

    /// Check `tag` and decrypt `buffer` in place. What `buffer` holds after a refusal is not defined: the caller wipes it.
    pub fn open(&self, nonce: &[u8], aad: &[u8], buffer: &mut [u8], tag: &[u8]) -> Result<(), Refused> {
        each!(self, nonce, open, aad, buffer, tag)
    }
}
