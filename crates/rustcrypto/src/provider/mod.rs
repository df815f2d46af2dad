//! Layer 3: a rustls `CryptoProvider` made from [`crate::primitives`].

mod hash;
mod kx;
mod record;
mod sign;
mod suites;
mod verify;

use std::sync::Arc;

use rustls::crypto::{CryptoProvider, GetRandomFailed, SecureRandom, SupportedKxGroup};
use rustls::{NamedGroup, SupportedCipherSuite};

use crate::primitives::ec::Curve;
use crate::primitives::ecdh::Group;
use crate::primitives::rng;

pub(crate) use sign::load_key;
pub(crate) use suites::cipher_suites;
pub(crate) use verify::VERIFICATION;

static X25519: kx::Ecdh = kx::Ecdh { name: NamedGroup::X25519, group: Group::X25519 };
static P256: kx::Ecdh = kx::Ecdh { name: NamedGroup::secp256r1, group: Group::Nist(Curve::P256) };
#[cfg(feature = "p384")]
static P384: kx::Ecdh = kx::Ecdh { name: NamedGroup::secp384r1, group: Group::Nist(Curve::P384) };
#[cfg(feature = "p521")]
static P521: kx::Ecdh = kx::Ecdh { name: NamedGroup::secp521r1, group: Group::Nist(Curve::P521) };

/// All groups of this build, best first: the hybrid is safe against a recording that a quantum computer reads later.
pub(crate) fn kx_groups() -> Vec<&'static dyn SupportedKxGroup> {
    vec![
        #[cfg(feature = "mlkem")]
        &kx::Hybrid,
        &X25519,
        &P256,
        #[cfg(feature = "p384")]
        &P384,
        #[cfg(feature = "p521")]
        &P521,
    ]
}

/// A provider with these suites and groups, in this order.
pub fn crypto_provider(
    cipher_suites: Vec<SupportedCipherSuite>,
    kx_groups: Vec<&'static dyn SupportedKxGroup>,
) -> Arc<CryptoProvider> {
    Arc::new(CryptoProvider {
        cipher_suites,
        kx_groups,
        signature_verification_algorithms: VERIFICATION,
        secure_random: &Random,
        key_provider: &sign::Keys,
    })
}

/// A provider with everything that this build has.
pub fn default_provider() -> Arc<CryptoProvider> {
    crypto_provider(cipher_suites(), kx_groups())
}

#[derive(Debug)]
struct Random;

impl SecureRandom for Random {
    fn fill(&self, buf: &mut [u8]) -> Result<(), GetRandomFailed> {
        rng::fill(buf).map_err(|_| GetRandomFailed)
    }
}
