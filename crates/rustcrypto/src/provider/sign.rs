//! Our own signatures in handshakes.

use std::fmt;
use std::sync::Arc;

use rustls::crypto::KeyProvider;
use rustls::sign::{Signer, SigningKey};
use rustls::{SignatureAlgorithm, SignatureScheme};
use rustls_pki_types::{PrivateKeyDer, SubjectPublicKeyInfoDer};

use super::temp::Key;
use crate::primitives::digest::Digest;
use crate::primitives::ec::Curve;
use crate::primitives::rsa::Padding;
use crate::primitives::{ecdsa, ed25519};
use crate::{Error, Result};

/// A private key for handshakes from PEM or DER.
pub(crate) fn load_key(data: &[u8]) -> Result<Arc<dyn SigningKey>> {
    Ok(Arc::new(Own(Arc::new(Key::load(data)?))))
}

/// rustls' own way to load keys; ours goes through [`load_key`].
#[derive(Debug)]
pub(super) struct Keys;

impl KeyProvider for Keys {
    fn load_private_key(&self, key: PrivateKeyDer<'static>) -> std::result::Result<Arc<dyn SigningKey>, rustls::Error> {
        load_key(key.secret_der()).map_err(|error| rustls::Error::General(error.to_string()))
    }
}

struct Own(Arc<Key>);

impl fmt::Debug for Own {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("private key")
    }
}

/// Schemes of a kind of key, best first. ECDSA keys sign with the hash of their curve, as TLS 1.3 demands.
fn schemes(key: &Key) -> &'static [SignatureScheme] {
    match key {
        Key::Rsa(_) => &[
            SignatureScheme::RSA_PSS_SHA256,
            SignatureScheme::RSA_PSS_SHA384,
            SignatureScheme::RSA_PSS_SHA512,
            SignatureScheme::RSA_PKCS1_SHA256,
            SignatureScheme::RSA_PKCS1_SHA384,
            SignatureScheme::RSA_PKCS1_SHA512,
        ],
        Key::Ec(Curve::P256, ..) => &[SignatureScheme::ECDSA_NISTP256_SHA256],
        #[cfg(feature = "p384")]
        Key::Ec(Curve::P384, ..) => &[SignatureScheme::ECDSA_NISTP384_SHA384],
        #[cfg(feature = "p521")]
        Key::Ec(Curve::P521, ..) => &[SignatureScheme::ECDSA_NISTP521_SHA512],
        Key::Ed25519(..) => &[SignatureScheme::ED25519],
    }
}

impl SigningKey for Own {
    fn choose_scheme(&self, offered: &[SignatureScheme]) -> Option<Box<dyn Signer>> {
        let scheme = *schemes(&self.0).iter().find(|scheme| offered.contains(scheme))?;
        Some(Box::new(OwnSigner { key: self.0.clone(), scheme }))
    }

    fn public_key(&self) -> Option<SubjectPublicKeyInfoDer<'_>> {
        self.0.spki().ok().map(SubjectPublicKeyInfoDer::from)
    }

    fn algorithm(&self) -> SignatureAlgorithm {
        match *self.0 {
            Key::Rsa(_) => SignatureAlgorithm::RSA,
            Key::Ec(..) => SignatureAlgorithm::ECDSA,
            Key::Ed25519(..) => SignatureAlgorithm::ED25519,
        }
    }
}

struct OwnSigner {
    key: Arc<Key>,
    scheme: SignatureScheme,
}

impl fmt::Debug for OwnSigner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "signer for {:?}", self.scheme)
    }
}

impl Signer for OwnSigner {
    fn sign(&self, message: &[u8]) -> std::result::Result<Vec<u8>, rustls::Error> {
        let (padding, hash) = match self.scheme {
            SignatureScheme::RSA_PSS_SHA256 => (Padding::Pss, Digest::Sha256),
            SignatureScheme::RSA_PSS_SHA384 => (Padding::Pss, Digest::Sha384),
            SignatureScheme::RSA_PSS_SHA512 => (Padding::Pss, Digest::Sha512),
            SignatureScheme::RSA_PKCS1_SHA384 | SignatureScheme::ECDSA_NISTP384_SHA384 => {
                (Padding::Pkcs1v15, Digest::Sha384)
            }
            SignatureScheme::RSA_PKCS1_SHA512 | SignatureScheme::ECDSA_NISTP521_SHA512 => {
                (Padding::Pkcs1v15, Digest::Sha512)
            }
            _ => (Padding::Pkcs1v15, Digest::Sha256),
        };
        match &*self.key {
            Key::Rsa(key) => key.sign(padding, hash, message),
            Key::Ec(curve, secret, _) => ecdsa::sign(*curve, secret, hash, message).map(|raw| ecdsa::to_der(&raw)),
            Key::Ed25519(seed, _) => ed25519::sign(&seed[..], message).map(|s| s.to_vec()),
        }
        .map_err(|error: Error| rustls::Error::General(error.to_string()))
    }

    fn scheme(&self) -> SignatureScheme {
        self.scheme
    }
}
