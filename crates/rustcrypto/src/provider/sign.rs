//! Our own signatures in handshakes.

use std::fmt;
use std::sync::Arc;

use rustls::crypto::KeyProvider;
use rustls::sign::{Signer, SigningKey};
use rustls::{SignatureAlgorithm, SignatureScheme};
use rustls_pki_types::{PrivateKeyDer, SubjectPublicKeyInfoDer};

use crate::primitives::digest::Digest;
use crate::primitives::ec::Curve;
use crate::x509::keys::{Form, KeyType, PrivateKey};
use crate::{Error, Result};

/// A private key for handshakes, from PEM or DER.
///
/// # Errors
/// [`Error::Unsupported`] for RSA where no constant-time code runs (RUSTSEC-2023-0071): told here, not at the first client.
pub(crate) fn load_key(data: &[u8]) -> Result<Arc<dyn SigningKey>> {
    let key = PrivateKey::load(data)?;
    if schemes(key.kind()).is_empty() {
        return Err(Error::BadKey("TLS certificates need an EC, Ed25519 or RSA key".into()));
    }
    if let PrivateKey::Rsa(rsa) = &key
        && !rsa.signs_here()
    {
        return Err(Error::Unsupported(
            "an RSA key for TLS on this CPU: its signatures could be timed over the network; use an EC key (px5g -newkey ec)",
        ));
    }
    Ok(Arc::new(Own(Arc::new(key))))
}

/// rustls' own way to load keys; ours goes through [`load_key`].
#[derive(Debug)]
pub(super) struct Keys;

impl KeyProvider for Keys {
    fn load_private_key(&self, key: PrivateKeyDer<'static>) -> std::result::Result<Arc<dyn SigningKey>, rustls::Error> {
        load_key(key.secret_der()).map_err(|error| rustls::Error::General(error.to_string()))
    }
}

struct Own(Arc<PrivateKey>);

impl fmt::Debug for Own {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "private key ({:?})", self.0.kind())
    }
}

/// Schemes of a kind of key, best first. ECDSA keys sign with the hash of their curve, as TLS 1.3 demands.
fn schemes(kind: KeyType) -> &'static [SignatureScheme] {
    match kind {
        KeyType::Rsa(_) => &[
            SignatureScheme::RSA_PSS_SHA256,
            SignatureScheme::RSA_PSS_SHA384,
            SignatureScheme::RSA_PSS_SHA512,
            SignatureScheme::RSA_PKCS1_SHA256,
            SignatureScheme::RSA_PKCS1_SHA384,
            SignatureScheme::RSA_PKCS1_SHA512,
        ],
        KeyType::Ec(Curve::P256) => &[SignatureScheme::ECDSA_NISTP256_SHA256],
        #[cfg(feature = "p384")]
        KeyType::Ec(Curve::P384) => &[SignatureScheme::ECDSA_NISTP384_SHA384],
        #[cfg(feature = "p521")]
        KeyType::Ec(Curve::P521) => &[SignatureScheme::ECDSA_NISTP521_SHA512],
        KeyType::Ed25519 => &[SignatureScheme::ED25519],
        KeyType::X25519 | KeyType::MlDsa(_) => &[],
    }
}

impl SigningKey for Own {
    fn choose_scheme(&self, offered: &[SignatureScheme]) -> Option<Box<dyn Signer>> {
        let scheme = *schemes(self.0.kind()).iter().find(|scheme| offered.contains(scheme))?;
        Some(Box::new(OwnSigner { key: self.0.clone(), scheme }))
    }

    fn public_key(&self) -> Option<SubjectPublicKeyInfoDer<'_>> {
        self.0.public().ok().map(|public| SubjectPublicKeyInfoDer::from(public.to_der()))
    }

    fn algorithm(&self) -> SignatureAlgorithm {
        match self.0.kind() {
            KeyType::Rsa(_) => SignatureAlgorithm::RSA,
            KeyType::Ed25519 => SignatureAlgorithm::ED25519,
            _ => SignatureAlgorithm::ECDSA,
        }
    }
}

struct OwnSigner {
    key: Arc<PrivateKey>,
    scheme: SignatureScheme,
}

impl fmt::Debug for OwnSigner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "signer for {:?}", self.scheme)
    }
}

impl Signer for OwnSigner {
    fn sign(&self, message: &[u8]) -> std::result::Result<Vec<u8>, rustls::Error> {
        let (hash, form) = match self.scheme {
            SignatureScheme::RSA_PSS_SHA256 => (Digest::Sha256, Form::Pss),
            SignatureScheme::RSA_PSS_SHA384 => (Digest::Sha384, Form::Pss),
            SignatureScheme::RSA_PSS_SHA512 => (Digest::Sha512, Form::Pss),
            SignatureScheme::RSA_PKCS1_SHA384 | SignatureScheme::ECDSA_NISTP384_SHA384 => {
                (Digest::Sha384, Form::Default)
            }
            SignatureScheme::RSA_PKCS1_SHA512 | SignatureScheme::ECDSA_NISTP521_SHA512 => {
                (Digest::Sha512, Form::Default)
            }
            _ => (Digest::Sha256, Form::Default),
        };
        self.key.sign(hash, form, message).map_err(|error| rustls::Error::General(error.to_string()))
    }

    fn scheme(&self) -> SignatureScheme {
        self.scheme
    }
}
