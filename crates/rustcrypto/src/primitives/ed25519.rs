//! Ed25519 (RFC 8032 section 5.1).

#[cfg(all(accelerated, feature = "ed25519"))]
use super::cpu;
#[cfg(feature = "ed25519")]
use ed25519_dalek::{Signature, Signer, Verifier, VerifyingKey};

use crate::{Error, Result};

#[cfg(feature = "ed25519")]
const BAD_SEED: Error = Error::InvalidArgument("an Ed25519 seed is 32 bytes");

/// Does graviola serve it here?
#[cfg(all(accelerated, feature = "ed25519"))]
fn fast() -> bool {
    cpu::graviola(cpu::Algorithm::Ed25519)
}

/// Public key of a 32-byte seed.
#[cfg(feature = "ed25519")]
pub fn public(seed: &[u8]) -> Result<[u8; 32]> {
    #[cfg(accelerated)]
    if fast() {
        let key = graviola::signing::eddsa::Ed25519SigningKey::from_bytes(seed).map_err(|_| BAD_SEED)?;
        return Ok(key.public_key().as_bytes());
    }
    let seed = seed.try_into().map_err(|_| BAD_SEED)?;
    Ok(ed25519_dalek::SigningKey::from_bytes(seed).verifying_key().to_bytes())
}

/// Sign a message.
#[cfg(feature = "ed25519")]
pub fn sign(seed: &[u8], message: &[u8]) -> Result<[u8; 64]> {
    #[cfg(accelerated)]
    if fast() {
        let key = graviola::signing::eddsa::Ed25519SigningKey::from_bytes(seed).map_err(|_| BAD_SEED)?;
        return Ok(key.sign(message));
    }
    let seed = seed.try_into().map_err(|_| BAD_SEED)?;
    Ok(ed25519_dalek::SigningKey::from_bytes(seed).sign(message).to_bytes())
}

/// Check a signature.
#[cfg(feature = "ed25519")]
pub fn verify(public: &[u8], message: &[u8], signature: &[u8]) -> Result<()> {
    const BAD_PUBLIC: Error = Error::InvalidArgument("not an Ed25519 public key");
    #[cfg(accelerated)]
    if fast() {
        let key = graviola::signing::eddsa::Ed25519VerifyingKey::from_bytes(public).map_err(|_| BAD_PUBLIC)?;
        return key.verify(signature, message).map_err(|_| Error::Authentication);
    }
    let public = public.try_into().map_err(|_| BAD_PUBLIC)?;
    let key = VerifyingKey::from_bytes(public).map_err(|_| BAD_PUBLIC)?;
    let signature = Signature::from_slice(signature).map_err(|_| Error::Authentication)?;
    key.verify(message, &signature).map_err(|_| Error::Authentication)
}

#[cfg(not(feature = "ed25519"))]
mod off {
    //! Same names, nothing behind them.
    use super::{Error, Result};
    const OFF: Error = Error::Unsupported("Ed25519 is not in this build");

    pub fn public(_: &[u8]) -> Result<[u8; 32]> {
        Err(OFF)
    }
    pub fn sign(_: &[u8], _: &[u8]) -> Result<[u8; 64]> {
        Err(OFF)
    }
    pub fn verify(_: &[u8], _: &[u8], _: &[u8]) -> Result<()> {
        Err(OFF)
    }
}
#[cfg(not(feature = "ed25519"))]
pub use off::{public, sign, verify};
