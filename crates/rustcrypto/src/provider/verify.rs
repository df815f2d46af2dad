//! Signatures on certificates and handshakes. No SHA-1 anywhere.

use rustls::SignatureScheme;
use rustls::crypto::WebPkiSupportedAlgorithms;
use rustls_pki_types::{AlgorithmIdentifier, InvalidSignature, SignatureVerificationAlgorithm, alg_id};

use crate::primitives::digest::Digest;
use crate::primitives::ec::Curve;
use crate::primitives::ecdsa;
#[cfg(feature = "ed25519")]
use crate::primitives::ed25519;
#[cfg(feature = "rsa")]
use crate::primitives::rsa::{Padding, PublicKey};

type Algorithm = &'static dyn SignatureVerificationAlgorithm;

/// ECDSA on a curve with a hash: certificates mix them freely.
#[derive(Debug)]
struct Ecdsa {
    curve: Curve,
    hash: Digest,
}

impl SignatureVerificationAlgorithm for Ecdsa {
    fn public_key_alg_id(&self) -> AlgorithmIdentifier {
        match self.curve {
            Curve::P256 => alg_id::ECDSA_P256,
            #[cfg(feature = "p384")]
            Curve::P384 => alg_id::ECDSA_P384,
            #[cfg(feature = "p521")]
            Curve::P521 => alg_id::ECDSA_P521,
        }
    }

    fn signature_alg_id(&self) -> AlgorithmIdentifier {
        match self.hash {
            Digest::Sha384 => alg_id::ECDSA_SHA384,
            Digest::Sha512 => alg_id::ECDSA_SHA512,
            _ => alg_id::ECDSA_SHA256,
        }
    }

    fn verify_signature(&self, public: &[u8], message: &[u8], signature: &[u8]) -> Result<(), InvalidSignature> {
        // Uncompressed is the only form that certificates may carry (RFC 5480 section 2.2 allows to refuse the others).
        if public.len() != 1 + 2 * self.curve.len() {
            return Err(InvalidSignature);
        }
        ecdsa::from_der(self.curve, signature)
            .and_then(|raw| ecdsa::verify(self.curve, public, self.hash, message, &raw))
            .map_err(|_| InvalidSignature)
    }
}

/// RSA with a padding and a hash.
#[cfg(feature = "rsa")]
#[derive(Debug)]
struct Rsa {
    padding: Padding,
    hash: Digest,
    id: AlgorithmIdentifier,
}

/// Smallest modulus that authenticates anybody. Roots of 1024 bits are gone from every list.
#[cfg(feature = "rsa")]
const SMALLEST_RSA: u32 = 2048;

#[cfg(feature = "rsa")]
impl SignatureVerificationAlgorithm for Rsa {
    fn public_key_alg_id(&self) -> AlgorithmIdentifier {
        alg_id::RSA_ENCRYPTION
    }

    fn signature_alg_id(&self) -> AlgorithmIdentifier {
        self.id
    }

    fn verify_signature(&self, public: &[u8], message: &[u8], signature: &[u8]) -> Result<(), InvalidSignature> {
        let key = PublicKey::from_pkcs1(public).map_err(|_| InvalidSignature)?;
        if key.bits() < SMALLEST_RSA {
            return Err(InvalidSignature);
        }
        key.verify(self.padding, self.hash, message, signature).map_err(|_| InvalidSignature)
    }
}

#[cfg(feature = "ed25519")]
#[derive(Debug)]
struct Ed25519;

#[cfg(feature = "ed25519")]
impl SignatureVerificationAlgorithm for Ed25519 {
    fn public_key_alg_id(&self) -> AlgorithmIdentifier {
        alg_id::ED25519
    }

    fn signature_alg_id(&self) -> AlgorithmIdentifier {
        alg_id::ED25519
    }

    fn verify_signature(&self, public: &[u8], message: &[u8], signature: &[u8]) -> Result<(), InvalidSignature> {
        ed25519::verify(public, message, signature).map_err(|_| InvalidSignature)
    }
}

macro_rules! ecdsa {
    ($($(#[$on:meta])? $name:ident: $curve:ident, $hash:ident;)*) => {
        $($(#[$on])? static $name: Algorithm = &Ecdsa { curve: Curve::$curve, hash: Digest::$hash };)*
    };
}

ecdsa! {
    P256_SHA256: P256, Sha256;
    P256_SHA384: P256, Sha384;
    P256_SHA512: P256, Sha512;
    #[cfg(feature = "p384")] P384_SHA256: P384, Sha256;
    #[cfg(feature = "p384")] P384_SHA384: P384, Sha384;
    #[cfg(feature = "p384")] P384_SHA512: P384, Sha512;
    #[cfg(feature = "p521")] P521_SHA256: P521, Sha256;
    #[cfg(feature = "p521")] P521_SHA384: P521, Sha384;
    #[cfg(feature = "p521")] P521_SHA512: P521, Sha512;
}

macro_rules! rsa {
    ($($name:ident: $padding:ident, $hash:ident, $id:ident;)*) => {
        $(#[cfg(feature = "rsa")]
        static $name: Algorithm = &Rsa { padding: Padding::$padding, hash: Digest::$hash, id: alg_id::$id };)*
    };
}

rsa! {
    PKCS1_SHA256: Pkcs1v15, Sha256, RSA_PKCS1_SHA256;
    PKCS1_SHA384: Pkcs1v15, Sha384, RSA_PKCS1_SHA384;
    PKCS1_SHA512: Pkcs1v15, Sha512, RSA_PKCS1_SHA512;
    PSS_SHA256: Pss, Sha256, RSA_PSS_SHA256;
    PSS_SHA384: Pss, Sha384, RSA_PSS_SHA384;
    PSS_SHA512: Pss, Sha512, RSA_PSS_SHA512;
}

/// What we verify, best first. In TLS 1.3 a scheme fixes the curve (the first of its list), in TLS 1.2 only the hash.
pub(crate) static VERIFICATION: WebPkiSupportedAlgorithms = WebPkiSupportedAlgorithms {
    all: &[
        P256_SHA256,
        P256_SHA384,
        P256_SHA512,
        #[cfg(feature = "p384")]
        P384_SHA256,
        #[cfg(feature = "p384")]
        P384_SHA384,
        #[cfg(feature = "p384")]
        P384_SHA512,
        #[cfg(feature = "p521")]
        P521_SHA256,
        #[cfg(feature = "p521")]
        P521_SHA384,
        #[cfg(feature = "p521")]
        P521_SHA512,
        #[cfg(feature = "ed25519")]
        &Ed25519,
        #[cfg(feature = "rsa")]
        PKCS1_SHA256,
        #[cfg(feature = "rsa")]
        PKCS1_SHA384,
        #[cfg(feature = "rsa")]
        PKCS1_SHA512,
        #[cfg(feature = "rsa")]
        PSS_SHA256,
        #[cfg(feature = "rsa")]
        PSS_SHA384,
        #[cfg(feature = "rsa")]
        PSS_SHA512,
    ],
    mapping: &[
        (
            SignatureScheme::ECDSA_NISTP256_SHA256,
            &[
                P256_SHA256,
                #[cfg(feature = "p384")]
                P384_SHA256,
                #[cfg(feature = "p521")]
                P521_SHA256,
            ],
        ),
        #[cfg(feature = "p384")]
        (
            SignatureScheme::ECDSA_NISTP384_SHA384,
            &[
                P384_SHA384,
                P256_SHA384,
                #[cfg(feature = "p521")]
                P521_SHA384,
            ],
        ),
        #[cfg(feature = "p521")]
        (
            SignatureScheme::ECDSA_NISTP521_SHA512,
            &[
                P521_SHA512,
                P256_SHA512,
                #[cfg(feature = "p384")]
                P384_SHA512,
            ],
        ),
        #[cfg(feature = "ed25519")]
        (SignatureScheme::ED25519, &[&Ed25519]),
        #[cfg(feature = "rsa")]
        (SignatureScheme::RSA_PSS_SHA256, &[PSS_SHA256]),
        #[cfg(feature = "rsa")]
        (SignatureScheme::RSA_PSS_SHA384, &[PSS_SHA384]),
        #[cfg(feature = "rsa")]
        (SignatureScheme::RSA_PSS_SHA512, &[PSS_SHA512]),
        #[cfg(feature = "rsa")]
        (SignatureScheme::RSA_PKCS1_SHA256, &[PKCS1_SHA256]),
        #[cfg(feature = "rsa")]
        (SignatureScheme::RSA_PKCS1_SHA384, &[PKCS1_SHA384]),
        #[cfg(feature = "rsa")]
        (SignatureScheme::RSA_PKCS1_SHA512, &[PKCS1_SHA512]),
    ],
};
