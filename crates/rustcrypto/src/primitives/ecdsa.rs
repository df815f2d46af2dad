//! ECDSA (FIPS 186-5 section 6) on the NIST curves.
//!
//! Signatures are r || s, each of the curve's length; [`to_der`] and [`from_der`] convert to and from the form of X.509.
//! Nonces come from RFC 6979 mixed with fresh random bytes (its section 3.6), so that neither a bad generator nor a fault
//! repeats one.

use super::asn1;
use super::digest::Digest;
use super::ec::{Curve, Point, fixed, with_curve};
#[cfg(accelerated)]
use super::ecdh::fast;
use super::rng;
use crate::{Error, Result};

const BAD_SECRET: Error = Error::BadKey(std::borrow::Cow::Borrowed("the secret scalar is 0 or not below the order"));

/// r || s as the DER `ECDSA-Sig-Value` of X.509 (RFC 3279 section 2.2.3).
pub fn to_der(raw: &[u8]) -> Vec<u8> {
    let (r, s) = raw.split_at(raw.len() / 2);
    asn1::sequence_of_unsigned(&[r, s]).to_vec()
}

/// r || s, each of the curve's length, from DER.
pub fn from_der(curve: Curve, der: &[u8]) -> Result<Vec<u8>> {
    let len = curve.len();
    let [r, s] = asn1::unsigned_integers(der).ok_or(Error::Authentication)?;
    if r.len() > len || s.len() > len {
        return Err(Error::Authentication);
    }
    let mut raw = vec![0; 2 * len];
    raw[len - r.len()..len].copy_from_slice(r);
    raw[2 * len - s.len()..].copy_from_slice(s);
    Ok(raw)
}

/// Sign a digest.
pub fn sign_digest(curve: Curve, secret: &[u8], digest: &[u8]) -> Result<Vec<u8>> {
    let mut extra = [0; 32];
    rng::fill(&mut extra)?;
    with_curve!(curve, module, _wrap => module::sign(fixed(secret)?, digest, &extra).map(|s| s.to_vec()))
        .ok_or(BAD_SECRET)
}

/// Hash a message and sign it.
pub fn sign(curve: Curve, secret: &[u8], hash: Digest, message: &[u8]) -> Result<Vec<u8>> {
    #[cfg(accelerated)]
    if fast(curve)
        && let Some(signature) = graviola_impl::sign(curve, secret, hash, message)
    {
        return signature;
    }
    sign_digest(curve, secret, &hash.hash(&[message])?)
}

/// Check a signature of a digest by a public key in any form that [`Point::decode`] takes.
pub fn verify_digest(curve: Curve, public: &[u8], digest: &[u8], signature: &[u8]) -> Result<()> {
    let point = Point::decode(curve, public)?;
    if signature.len() != 2 * curve.len() {
        return Err(Error::Authentication);
    }
    let good = match &point {
        Point::P256(point) => rustcrypto_hot::asym::p256::verify(point, digest, fixed(signature)?),
        #[cfg(feature = "p384")]
        Point::P384(point) => rustcrypto_hot::asym::p384::verify(point, digest, fixed(signature)?),
        #[cfg(feature = "p521")]
        Point::P521(point) => rustcrypto_hot::asym::p521::verify(point, digest, fixed(signature)?),
    };
    if good { Ok(()) } else { Err(Error::Authentication) }
}

/// Hash a message and check its signature.
pub fn verify(curve: Curve, public: &[u8], hash: Digest, message: &[u8], signature: &[u8]) -> Result<()> {
    #[cfg(accelerated)]
    if fast(curve)
        && let Some(verdict) = graviola_impl::verify(curve, public, hash, message, signature)
    {
        return verdict;
    }
    verify_digest(curve, public, &hash.hash(&[message])?, signature)
}

/// graviola hashes the message itself, so only whole messages go there.
#[cfg(accelerated)]
mod graviola_impl {
    use graviola::hashing::{Sha256, Sha384, Sha512};
    #[cfg(feature = "p384")]
    use graviola::signing::ecdsa::P384;
    use graviola::signing::ecdsa::{P256, SigningKey, VerifyingKey};

    use super::{BAD_SECRET, Curve, Digest};
    use crate::{Error, Result};

    /// `None`: not offered there.
    pub(super) fn sign(curve: Curve, secret: &[u8], hash: Digest, message: &[u8]) -> Option<Result<Vec<u8>>> {
        let mut out = [0; 96];
        macro_rules! sign {
            ($module:ident, $curve:ty, $hash:ty) => {
                graviola::key_agreement::$module::StaticPrivateKey::from_bytes(secret).map_err(|_| BAD_SECRET).and_then(
                    |private_key| {
                        let key = SigningKey::<$curve> { private_key };
                        let signature = key.sign::<$hash>(&[message], &mut out).map_err(|_| Error::Entropy)?;
                        Ok(signature.to_vec())
                    },
                )
            };
        }
        Some(match (curve, hash) {
            (Curve::P256, Digest::Sha256) => sign!(p256, P256, Sha256),
            (Curve::P256, Digest::Sha384) => sign!(p256, P256, Sha384),
            (Curve::P256, Digest::Sha512) => sign!(p256, P256, Sha512),
            #[cfg(feature = "p384")]
            (Curve::P384, Digest::Sha256) => sign!(p384, P384, Sha256),
            #[cfg(feature = "p384")]
            (Curve::P384, Digest::Sha384) => sign!(p384, P384, Sha384),
            #[cfg(feature = "p384")]
            (Curve::P384, Digest::Sha512) => sign!(p384, P384, Sha512),
            _ => return None,
        })
    }

    /// `None`: not offered there.
    pub(super) fn verify(
        curve: Curve,
        public: &[u8],
        hash: Digest,
        message: &[u8],
        signature: &[u8],
    ) -> Option<Result<()>> {
        if public.len() != 2 * curve.len() + 1 {
            return None;
        }
        macro_rules! verify {
            ($curve:ty, $hash:ty) => {
                VerifyingKey::<$curve>::from_x962_uncompressed(public)
                    .map_err(|_| Error::InvalidArgument("not a point of the curve"))
                    .and_then(|key| key.verify::<$hash>(&[message], signature).map_err(|_| Error::Authentication))
            };
        }
        Some(match (curve, hash) {
            (Curve::P256, Digest::Sha256) => verify!(P256, Sha256),
            (Curve::P256, Digest::Sha384) => verify!(P256, Sha384),
            (Curve::P256, Digest::Sha512) => verify!(P256, Sha512),
            #[cfg(feature = "p384")]
            (Curve::P384, Digest::Sha256) => verify!(P384, Sha256),
            #[cfg(feature = "p384")]
            (Curve::P384, Digest::Sha384) => verify!(P384, Sha384),
            #[cfg(feature = "p384")]
            (Curve::P384, Digest::Sha512) => verify!(P384, Sha512),
            _ => return None,
        })
    }
}
