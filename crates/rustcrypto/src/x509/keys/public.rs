//! The public half.

use super::{Form, KeyType, NO_SIGNATURES, PSS_IS_RSA, load, rsa_padding};
use crate::primitives::digest::Digest;
use crate::primitives::ec::{Curve, Point};
use crate::primitives::mldsa::{self, MlDsa};
use crate::primitives::{ecdsa, ed25519, rsa};
use crate::{Error, Result};

/// A public key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PublicKey {
    Rsa(rsa::PublicKey),
    /// 04 || x || y.
    Ec(Curve, Vec<u8>),
    Ed25519([u8; 32]),
    X25519([u8; 32]),
    MlDsa(MlDsa, Vec<u8>),
}

impl PublicKey {
    /// An EC key from a point in any form that [`Point::decode`] takes.
    pub fn from_point(curve: Curve, point: &[u8]) -> Result<Self> {
        Ok(Self::Ec(curve, Point::decode(curve, point)?.encode()?.to_vec()))
    }

    /// From PEM or DER `SubjectPublicKeyInfo` (RFC 5280 section 4.1.2.7).
    ///
    /// # Errors
    /// [`Error::BadKey`] with a sentence that says what the data is instead, or what is wrong with it.
    pub fn load(data: &[u8]) -> Result<Self> {
        load::public(data)
    }

    /// What kind of key.
    pub fn kind(&self) -> KeyType {
        match self {
            Self::Rsa(key) => KeyType::Rsa(key.bits()),
            Self::Ec(curve, _) => KeyType::Ec(*curve),
            Self::Ed25519(_) => KeyType::Ed25519,
            Self::X25519(_) => KeyType::X25519,
            Self::MlDsa(set, _) => KeyType::MlDsa(*set),
        }
    }

    /// The key without its algorithm: PKCS#1 `RSAPublicKey` for RSA, 04 || x || y for EC, else the raw key.
    pub fn raw(&self) -> &[u8] {
        match self {
            Self::Rsa(key) => key.as_pkcs1(),
            Self::Ec(_, bytes) | Self::MlDsa(_, bytes) => bytes,
            Self::Ed25519(bytes) | Self::X25519(bytes) => bytes,
        }
    }

    /// Hash a message and check its signature; Ed25519 and ML-DSA take the message whole and ignore `hash`.
    pub fn verify(&self, hash: Digest, form: Form, message: &[u8], signature: &[u8]) -> Result<()> {
        match self {
            Self::Rsa(key) => key.verify(rsa_padding(form)?, hash, message, signature),
            Self::Ec(curve, public) => {
                ecdsa::verify(*curve, public, hash, message, &raw_signature(*curve, form, signature)?)
            }
            Self::Ed25519(public) => ed25519::verify(public, message, signature),
            Self::MlDsa(set, public) => mldsa::verify(*set, public, message, signature),
            Self::X25519(_) => Err(NO_SIGNATURES),
        }
    }

    /// Check a signature of a digest.
    pub fn verify_digest(&self, hash: Digest, form: Form, digest: &[u8], signature: &[u8]) -> Result<()> {
        if digest.len() != hash.output_len() {
            return Err(Error::InvalidArgument("a digest of the wrong length for its hash"));
        }
        match self {
            Self::Rsa(key) => key.verify_digest(rsa_padding(form)?, hash, digest, signature),
            Self::Ec(curve, public) => {
                ecdsa::verify_digest(*curve, public, digest, &raw_signature(*curve, form, signature)?)
            }
            _ => Err(Error::Unsupported("checking a digest with this key; hand over the message instead")),
        }
    }
}

fn raw_signature(curve: Curve, form: Form, signature: &[u8]) -> Result<Vec<u8>> {
    match form {
        Form::Default => ecdsa::from_der(curve, signature),
        Form::RawRs => Ok(signature.to_vec()),
        Form::Pss => Err(PSS_IS_RSA),
    }
}

/// Bytes of a raw key as an array.
pub(super) fn array<const N: usize>(bytes: &[u8]) -> Result<[u8; N]> {
    bytes.try_into().map_err(|_| super::refused("a key of the wrong length for its algorithm"))
}
