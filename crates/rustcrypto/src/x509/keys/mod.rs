//! Key pairs of every kind, as files carry them: PKCS#1, SEC 1 and PKCS#8, `SubjectPublicKeyInfo`, PEM and DER.

mod format;
mod load;
pub(crate) mod pem;
mod public;
mod write;

use std::borrow::Cow;

pub use public::PublicKey;
use zeroize::Zeroizing;

use crate::primitives::digest::Digest;
use crate::primitives::ec::Curve;
use crate::primitives::mldsa::{self, MlDsa};
use crate::primitives::{ecdh, ecdsa, ed25519, rng, rsa};
use crate::{Error, Result};

/// What a key is for, and how large.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyType {
    /// RSA with this many bits.
    Rsa(u32),
    /// ECDSA and ECDH on a NIST curve.
    Ec(Curve),
    Ed25519,
    X25519,
    MlDsa(MlDsa),
}

/// Form of a signature.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// What X.509 uses: PKCS#1 v1.5 for RSA, DER for ECDSA.
    Default,
    /// RSASSA-PSS.
    Pss,
    /// ECDSA: r || s, each of the curve's length.
    RawRs,
}

/// A private key; wiped when dropped.
#[derive(Clone)]
pub enum PrivateKey {
    Rsa(rsa::PrivateKey),
    Ec(ecdh::SecretKey),
    /// The seed.
    Ed25519(Zeroizing<[u8; 32]>),
    X25519(ecdh::SecretKey),
    /// The seed.
    MlDsa(MlDsa, Zeroizing<[u8; 32]>),
}

const NO_SIGNATURES: Error = Error::InvalidArgument("an X25519 key cannot sign");
const PSS_IS_RSA: Error = Error::InvalidArgument("PSS is for RSA keys");
const RAW_IS_EC: Error = Error::InvalidArgument("r || s is for ECDSA keys");

impl PrivateKey {
    /// A fresh key.
    pub fn generate(kind: KeyType) -> Result<Self> {
        Ok(match kind {
            KeyType::Rsa(bits) => Self::Rsa(rsa::PrivateKey::generate(bits)?),
            KeyType::Ec(curve) => Self::Ec(ecdh::SecretKey::generate(ecdh::Group::Nist(curve))?),
            KeyType::X25519 => Self::X25519(ecdh::SecretKey::generate(ecdh::Group::X25519)?),
            KeyType::Ed25519 | KeyType::MlDsa(_) => {
                let seed = Zeroizing::new(rng::array()?);
                let key = if let KeyType::MlDsa(set) = kind { Self::MlDsa(set, seed) } else { Self::Ed25519(seed) };
                // Says now, not at the first signature, that the build lacks the algorithm.
                key.public()?;
                key
            }
        })
    }

    /// An EC key from its scalar, big endian, of at most the curve's length.
    pub fn from_scalar(curve: Curve, scalar: &[u8]) -> Result<Self> {
        let bad = || Error::BadKey("the EC private scalar is 0 or not below the curve's order".into());
        let len = curve.len();
        // Some writers strip leading zeros, others add one.
        let first = scalar.len().saturating_sub(len);
        if scalar[..first].iter().fold(0, |seen, byte| seen | byte) != 0 {
            return Err(bad());
        }
        let scalar = &scalar[first..];
        let mut padded = Zeroizing::new(vec![0; len]);
        padded[len - scalar.len()..].copy_from_slice(scalar);
        ecdh::SecretKey::from_bytes(ecdh::Group::Nist(curve), &padded).map(Self::Ec).map_err(|_| bad())
    }

    /// From PEM or DER: PKCS#8 (RFC 5958), PKCS#1 (RFC 8017) or SEC 1 (RFC 5915).
    ///
    /// # Errors
    /// [`Error::BadKey`] with a sentence that says what the data is instead, or what is wrong with it.
    pub fn load(data: &[u8]) -> Result<Self> {
        load::private(data)
    }

    /// What kind of key.
    pub fn kind(&self) -> KeyType {
        match self {
            Self::Rsa(key) => KeyType::Rsa(key.public().bits()),
            Self::Ec(key) => KeyType::Ec(curve_of(key)),
            Self::Ed25519(_) => KeyType::Ed25519,
            Self::X25519(_) => KeyType::X25519,
            Self::MlDsa(set, _) => KeyType::MlDsa(*set),
        }
    }

    /// The public half.
    pub fn public(&self) -> Result<PublicKey> {
        Ok(match self {
            Self::Rsa(key) => PublicKey::Rsa(key.public().clone()),
            Self::Ec(key) => PublicKey::Ec(curve_of(key), key.public()?),
            Self::Ed25519(seed) => PublicKey::Ed25519(ed25519::public(&**seed)?),
            Self::X25519(key) => PublicKey::X25519(public::array(&key.public()?)?),
            Self::MlDsa(set, seed) => PublicKey::MlDsa(*set, mldsa::public(*set, seed)?),
        })
    }

    /// Hash a message and sign it; Ed25519 and ML-DSA take the message whole and ignore `hash`.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for RSA where no constant-time code runs: see [`rsa::PrivateKey::sign`].
    pub fn sign(&self, hash: Digest, form: Form, message: &[u8]) -> Result<Vec<u8>> {
        match self {
            Self::Rsa(key) => key.sign(rsa_padding(form)?, strong(hash)?, message),
            Self::Ec(key) => {
                let curve = curve_of(key);
                ec_form(form, ecdsa::sign(curve, key.as_bytes(), strong(hash)?, message)?)
            }
            Self::Ed25519(seed) => Ok(ed25519::sign(&**seed, message)?.to_vec()),
            Self::MlDsa(set, seed) => mldsa::sign(*set, seed, message),
            Self::X25519(_) => Err(NO_SIGNATURES),
        }
    }

    /// [`Self::sign`] for what no network can time (certificates, package indexes): RSA then works everywhere.
    pub fn sign_offline(&self, hash: Digest, form: Form, message: &[u8]) -> Result<Vec<u8>> {
        match self {
            Self::Rsa(key) => key.sign_offline(rsa_padding(form)?, strong(hash)?, message),
            _ => self.sign(hash, form, message),
        }
    }

    /// Sign a digest with an EC key.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for RSA: graviola hashes the message itself.
    pub fn sign_digest(&self, hash: Digest, form: Form, digest: &[u8]) -> Result<Vec<u8>> {
        match self {
            Self::Ec(key) => {
                if digest.len() != strong(hash)?.output_len() {
                    return Err(Error::InvalidArgument("a digest of the wrong length for its hash"));
                }
                ec_form(form, ecdsa::sign_digest(curve_of(key), key.as_bytes(), digest)?)
            }
            Self::Rsa(_) => Err(Error::Unsupported("signing a digest with an RSA key; hand over the message instead")),
            _ => Err(Error::Unsupported("signing a digest with this key; hand over the message instead")),
        }
    }

    /// Shared secret with a peer's public value: X25519 (32 bytes) or ECDH (any form [`crate::primitives::ec::Point::decode`] takes).
    pub fn agree(&self, peer: &[u8]) -> Result<Zeroizing<Vec<u8>>> {
        match self {
            Self::Ec(key) | Self::X25519(key) => key.agree(peer),
            _ => Err(Error::InvalidArgument("this key cannot agree on a secret (EC and X25519 keys can)")),
        }
    }

    /// The scalar of an EC key, of the curve's length.
    pub fn scalar(&self) -> Result<&[u8]> {
        match self {
            Self::Ec(key) => Ok(key.as_bytes()),
            _ => Err(Error::InvalidArgument("not an EC key")),
        }
    }
}

/// The curve of an EC key.
pub(crate) fn curve_of(key: &ecdh::SecretKey) -> Curve {
    match key.group() {
        ecdh::Group::Nist(curve) => curve,
        ecdh::Group::X25519 => unreachable!("PrivateKey::Ec holds keys of NIST curves alone"),
    }
}

fn rsa_padding(form: Form) -> Result<rsa::Padding> {
    match form {
        Form::Default => Ok(rsa::Padding::Pkcs1v15),
        Form::Pss => Ok(rsa::Padding::Pss),
        Form::RawRs => Err(RAW_IS_EC),
    }
}

fn ec_form(form: Form, raw: Vec<u8>) -> Result<Vec<u8>> {
    match form {
        Form::Default => Ok(ecdsa::to_der(&raw)),
        Form::RawRs => Ok(raw),
        Form::Pss => Err(PSS_IS_RSA),
    }
}

/// Refuse to make signatures that can be forged.
fn strong(hash: Digest) -> Result<Digest> {
    match hash {
        Digest::Md4 | Digest::Md5 | Digest::Sha1 => {
            Err(Error::Unsupported("signing with MD4, MD5 or SHA-1 (they are broken; use SHA-256)"))
        }
        Digest::Shake128 | Digest::Shake256 => Err(Error::InvalidArgument("SHAKE has no digest of fixed length")),
        _ => Ok(hash),
    }
}

/// A key was refused.
fn refused(why: impl Into<Cow<'static, str>>) -> Error {
    Error::BadKey(why.into())
}

#[cfg(test)]
mod tests;
