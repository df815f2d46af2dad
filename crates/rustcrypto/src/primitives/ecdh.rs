//! Key agreement: X25519 (RFC 7748) and ECDH on the NIST curves (SP 800-56A).

use rustcrypto_hot::asym;
use zeroize::Zeroizing;

#[cfg(accelerated)]
use super::cpu;
use super::ec::{Curve, Point, fixed, with_curve};
use super::rng;
use crate::{Error, Result};

/// What to agree on a key with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Group {
    /// X25519.
    X25519,
    /// ECDH on a NIST curve.
    Nist(Curve),
}

#[allow(clippy::len_without_is_empty, reason = "a length in bytes, not of a collection")]
impl Group {
    /// Bytes of a secret key; a shared secret has as many.
    pub fn len(self) -> usize {
        match self {
            Self::X25519 => 32,
            Self::Nist(curve) => curve.len(),
        }
    }
}

const BAD_SECRET: Error = Error::InvalidArgument("the secret scalar is 0 or not below the order");
const BAD_PEER: Error =
    Error::InvalidArgument("the peer's public value is not usable (not on the curve, or of small order)");

/// A secret key; wiped when dropped.
#[derive(Clone)]
pub struct SecretKey {
    group: Group,
    secret: Zeroizing<Vec<u8>>,
}

impl SecretKey {
    /// A fresh key from the operating system's generator.
    pub fn generate(group: Group) -> Result<Self> {
        let mut secret = Zeroizing::new(vec![0; group.len()]);
        loop {
            rng::fill(&mut secret)?;
            match group {
                Group::X25519 => break,
                Group::Nist(curve) => {
                    secret[0] &= top_mask(curve);
                    // Rejection of 0 and of values not below the order keeps the scalar uniform (FIPS 186-5 A.2.2).
                    if is_scalar(curve, &secret)? {
                        break;
                    }
                }
            }
        }
        Ok(Self { group, secret })
    }

    /// From a scalar in big-endian bytes of the group's length (X25519: 32 bytes as RFC 7748 has them).
    pub fn from_bytes(group: Group, bytes: &[u8]) -> Result<Self> {
        if bytes.len() != group.len() {
            return Err(Error::InvalidArgument("a secret key of the wrong length"));
        }
        if let Group::Nist(curve) = group
            && !is_scalar(curve, bytes)?
        {
            return Err(BAD_SECRET);
        }
        Ok(Self { group, secret: Zeroizing::new(bytes.to_vec()) })
    }

    /// Which group.
    pub fn group(&self) -> Group {
        self.group
    }

    /// The secret itself.
    pub fn as_bytes(&self) -> &[u8] {
        &self.secret
    }

    /// The public value: 32 bytes for X25519, else 04 || x || y.
    pub fn public(&self) -> Result<Vec<u8>> {
        match self.group {
            Group::X25519 => x25519_public(&self.secret),
            Group::Nist(curve) => nist_public(curve, &self.secret),
        }
    }

    /// The shared secret (x of the shared point) for the peer's public value, in any form that [`Point::decode`] takes.
    pub fn agree(&self, peer: &[u8]) -> Result<Zeroizing<Vec<u8>>> {
        match self.group {
            Group::X25519 => x25519_agree(&self.secret, peer),
            Group::Nist(curve) => nist_agree(curve, &self.secret, peer),
        }
    }
}

/// Bits of the first byte that a scalar can have.
fn top_mask(curve: Curve) -> u8 {
    0xff >> (8 * curve.len() - curve.bits())
}

/// Is it in `1..order`?
fn is_scalar(curve: Curve, secret: &[u8]) -> Result<bool> {
    with_curve!(curve, module, _wrap => Ok(module::is_secret(fixed(secret)?)))
}

/// Does graviola serve this curve here?
#[cfg(accelerated)]
pub(crate) fn fast(curve: Curve) -> bool {
    cpu::graviola(curve.algorithm())
}

/// Public point of a scalar, 04 || x || y.
pub(crate) fn nist_public(curve: Curve, secret: &[u8]) -> Result<Vec<u8>> {
    #[cfg(accelerated)]
    if fast(curve) {
        use graviola::key_agreement::{p256, p384};
        match curve {
            Curve::P256 => {
                let key = p256::StaticPrivateKey::from_bytes(secret).map_err(|_| BAD_SECRET)?;
                return Ok(key.public_key_uncompressed().to_vec());
            }
            #[cfg(feature = "p384")]
            Curve::P384 => {
                let key = p384::StaticPrivateKey::from_bytes(secret).map_err(|_| BAD_SECRET)?;
                return Ok(key.public_key_uncompressed().to_vec());
            }
            #[cfg(feature = "p521")]
            Curve::P521 => {}
        }
    }
    let point = with_curve!(curve, module, wrap => module::public(fixed(secret)?).map(wrap)).ok_or(BAD_SECRET)?;
    Ok(point.encode()?.to_vec())
}

fn nist_agree(curve: Curve, secret: &[u8], peer: &[u8]) -> Result<Zeroizing<Vec<u8>>> {
    #[cfg(accelerated)]
    if fast(curve) && peer.len() == 2 * curve.len() + 1 {
        use graviola::key_agreement::{p256, p384};
        match curve {
            Curve::P256 => {
                let key = p256::StaticPrivateKey::from_bytes(secret).map_err(|_| BAD_SECRET)?;
                let peer = p256::PublicKey::from_x962_uncompressed(peer).map_err(|_| BAD_PEER)?;
                let shared = key.diffie_hellman(&peer).map_err(|_| BAD_PEER)?;
                return Ok(Zeroizing::new(shared.0.to_vec()));
            }
            #[cfg(feature = "p384")]
            Curve::P384 => {
                let key = p384::StaticPrivateKey::from_bytes(secret).map_err(|_| BAD_SECRET)?;
                let peer = p384::PublicKey::from_x962_uncompressed(peer).map_err(|_| BAD_PEER)?;
                let shared = key.diffie_hellman(&peer).map_err(|_| BAD_PEER)?;
                return Ok(Zeroizing::new(shared.0.to_vec()));
            }
            #[cfg(feature = "p521")]
            Curve::P521 => {}
        }
    }
    let peer = Point::decode(curve, peer).map_err(|_| BAD_PEER)?;
    match (curve, &peer) {
        (Curve::P256, Point::P256(peer)) => asym::p256::agree(fixed(secret)?, peer).map(|x| x.to_vec()),
        #[cfg(feature = "p384")]
        (Curve::P384, Point::P384(peer)) => asym::p384::agree(fixed(secret)?, peer).map(|x| x.to_vec()),
        #[cfg(feature = "p521")]
        (Curve::P521, Point::P521(peer)) => asym::p521::agree(fixed(secret)?, peer).map(|x| x.to_vec()),
        #[cfg(any(feature = "p384", feature = "p521"))]
        _ => None,
    }
    .map(Zeroizing::new)
    .ok_or(BAD_PEER)
}

/// Public key of an X25519 secret.
pub(crate) fn x25519_public(secret: &[u8]) -> Result<Vec<u8>> {
    let secret = fixed(secret)?;
    #[cfg(accelerated)]
    if cpu::graviola(cpu::Algorithm::X25519) {
        use graviola::key_agreement::x25519::StaticPrivateKey;
        return Ok(StaticPrivateKey::from_array(secret).public_key().as_bytes().to_vec());
    }
    Ok(asym::x25519::public(secret).to_vec())
}

/// X25519 shared secret.
pub(crate) fn x25519_agree(secret: &[u8], peer: &[u8]) -> Result<Zeroizing<Vec<u8>>> {
    let (secret, peer) = (fixed(secret)?, fixed(peer).map_err(|_| BAD_PEER)?);
    #[cfg(accelerated)]
    if cpu::graviola(cpu::Algorithm::X25519) {
        use graviola::key_agreement::x25519::{PublicKey, StaticPrivateKey};
        let shared = StaticPrivateKey::from_array(secret).diffie_hellman(&PublicKey::from_array(peer));
        return shared.map(|shared| Zeroizing::new(shared.0.to_vec())).map_err(|_| BAD_PEER);
    }
    asym::x25519::agree(secret, peer).map(|shared| Zeroizing::new(shared.to_vec())).ok_or(BAD_PEER)
}

#[cfg(test)]
mod tests;
