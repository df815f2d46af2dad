//! ML-DSA (FIPS 204): pure signatures with an empty context, as X.509 has them (RFC 9881).

#[cfg(feature = "mldsa")]
use ml_dsa::{MlDsa44, MlDsa65, MlDsa87};
#[cfg(feature = "mldsa")]
use zeroize::Zeroizing;

#[cfg(feature = "mldsa")]
use super::rng;
use crate::{Error, Result};

/// A parameter set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MlDsa {
    MlDsa44,
    MlDsa65,
    MlDsa87,
}

impl MlDsa {
    /// Bytes of a verifying key.
    pub fn public_len(self) -> usize {
        match self {
            Self::MlDsa44 => 1312,
            Self::MlDsa65 => 1952,
            Self::MlDsa87 => 2592,
        }
    }
}

/// `$body` with `$set` naming the parameter set's type.
#[cfg(feature = "mldsa")]
macro_rules! with_set {
    ($value:expr, $set:ident => $body:expr) => {
        match $value {
            MlDsa::MlDsa44 => {
                type $set = MlDsa44;
                $body
            }
            MlDsa::MlDsa65 => {
                type $set = MlDsa65;
                $body
            }
            MlDsa::MlDsa87 => {
                type $set = MlDsa87;
                $body
            }
        }
    };
}

/// The verifying key that belongs to a seed (FIPS 204 section 5.1), encoded.
#[cfg(feature = "mldsa")]
pub fn public(set: MlDsa, seed: &[u8; 32]) -> Result<Vec<u8>> {
    use ml_dsa::Keypair;
    Ok(with_set!(set, P => {
        ml_dsa::SigningKey::<P>::from_seed(&(*seed).into()).verifying_key().encode().to_vec()
    }))
}

/// Sign a message, hedged (FIPS 204 section 3.4).
#[cfg(feature = "mldsa")]
pub fn sign(set: MlDsa, seed: &[u8; 32], message: &[u8]) -> Result<Vec<u8>> {
    let random = Zeroizing::new(rng::array::<32>()?);
    Ok(sign_with(set, seed, message, &random))
}

/// [`sign`] with the random value given: for known answers.
#[cfg(feature = "mldsa")]
fn sign_with(set: MlDsa, seed: &[u8; 32], message: &[u8], random: &[u8; 32]) -> Vec<u8> {
    with_set!(set, P => {
        let key = ml_dsa::SigningKey::<P>::from_seed(&(*seed).into());
        // Pure ML-DSA with an empty context: M' = 0 || 0 || M (FIPS 204 algorithm 2).
        key.expanded_key().sign_internal(&[&[0, 0], message], &(*random).into()).encode().to_vec()
    })
}

/// Check a signature.
#[cfg(feature = "mldsa")]
pub fn verify(set: MlDsa, public: &[u8], message: &[u8], signature: &[u8]) -> Result<()> {
    let good = with_set!(set, P => {
        let public = public.try_into().map_err(|_| Error::InvalidArgument("an ML-DSA key of the wrong length"))?;
        ml_dsa::Signature::<P>::try_from(signature)
            .is_ok_and(|signature| ml_dsa::VerifyingKey::<P>::decode(public).verify_with_context(message, &[], &signature))
    });
    if good { Ok(()) } else { Err(Error::Authentication) }
}

#[cfg(not(feature = "mldsa"))]
mod off {
    //! Same names, nothing behind them.
    use super::{Error, MlDsa, Result};
    const OFF: Error = Error::Unsupported("ML-DSA is not in this build");

    pub fn public(_: MlDsa, _: &[u8; 32]) -> Result<Vec<u8>> {
        Err(OFF)
    }
    pub fn sign(_: MlDsa, _: &[u8; 32], _: &[u8]) -> Result<Vec<u8>> {
        Err(OFF)
    }
    pub fn verify(_: MlDsa, _: &[u8], _: &[u8], _: &[u8]) -> Result<()> {
        Err(OFF)
    }
}
#[cfg(not(feature = "mldsa"))]
pub use off::{public, sign, verify};

#[cfg(all(test, feature = "mldsa"))]
mod tests;
