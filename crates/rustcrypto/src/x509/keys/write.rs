//! Writing keys.

use der::{Tag, TagNumber};
use zeroize::Zeroizing;

use super::{KeyType, PrivateKey, PublicKey, curve_of, format, pem};
use crate::Result;
use crate::primitives::asn1::tlv;
use crate::primitives::ecdh;

type Secret = Zeroizing<Vec<u8>>;

impl PrivateKey {
    /// DER in the form that tools expect of the kind: SEC 1 for EC, PKCS#1 for RSA, else PKCS#8.
    pub fn to_der(&self) -> Result<Secret> {
        match self {
            Self::Rsa(key) => Ok(Zeroizing::new(key.as_pkcs1().to_vec())),
            Self::Ec(key) => sec1(key, true),
            _ => self.to_pkcs8(),
        }
    }

    /// DER as PKCS#8 version 1.
    pub fn to_pkcs8(&self) -> Result<Secret> {
        let inner = match self {
            Self::Rsa(key) => Zeroizing::new(key.as_pkcs1().to_vec()),
            Self::Ec(key) => sec1(key, false)?,
            Self::Ed25519(seed) => tlv(Tag::OctetString, &[&seed[..]]),
            Self::X25519(key) => tlv(Tag::OctetString, &[key.as_bytes()]),
            Self::MlDsa(_, seed) => tlv(context(0, false), &[&seed[..]]),
        };
        let (version, algorithm) = (tlv(Tag::Integer, &[&[0]]), format::algorithm(self.kind()));
        Ok(tlv(Tag::Sequence, &[&version, &algorithm, &tlv(Tag::OctetString, &[&inner])]))
    }

    /// PEM of [`Self::to_der`].
    pub fn to_pem(&self) -> Result<Secret> {
        let label = match self.kind() {
            KeyType::Rsa(_) => "RSA PRIVATE KEY",
            KeyType::Ec(_) => "EC PRIVATE KEY",
            _ => "PRIVATE KEY",
        };
        Ok(pem::encode(label, &self.to_der()?))
    }

    /// PEM of [`Self::to_pkcs8`].
    pub fn to_pkcs8_pem(&self) -> Result<Secret> {
        Ok(pem::encode("PRIVATE KEY", &self.to_pkcs8()?))
    }
}

impl PublicKey {
    /// DER `SubjectPublicKeyInfo`.
    pub fn to_der(&self) -> Vec<u8> {
        let key = tlv(Tag::BitString, &[&[0], self.raw()]);
        tlv(Tag::Sequence, &[&format::algorithm(self.kind()), &key]).to_vec()
    }

    /// PEM of [`Self::to_der`].
    pub fn to_pem(&self) -> Vec<u8> {
        pem::encode("PUBLIC KEY", &self.to_der()).to_vec()
    }
}

fn context(number: u32, constructed: bool) -> Tag {
    Tag::ContextSpecific { constructed, number: TagNumber(number) }
}

/// SEC 1 `ECPrivateKey` with its public key (RFC 5915 section 3).
fn sec1(key: &ecdh::SecretKey, with_curve: bool) -> Result<Secret> {
    let version = tlv(Tag::Integer, &[&[1]]);
    let secret = tlv(Tag::OctetString, &[key.as_bytes()]);
    let curve = if with_curve {
        let id = tlv(Tag::ObjectIdentifier, &[format::curve_oid(curve_of(key)).as_bytes()]);
        tlv(context(0, true), &[&id])
    } else {
        Secret::default()
    };
    let public = tlv(context(1, true), &[&tlv(Tag::BitString, &[&[0], &key.public()?])]);
    Ok(tlv(Tag::Sequence, &[&version, &secret, &curve, &public]))
}
