//! Names of algorithms in key files, and the shapes around keys.

use der::asn1::{AnyRef, ObjectIdentifier};
use der::{Decode, Reader, SliceReader, Tag, Tagged};
use zeroize::Zeroizing;

use super::{KeyType, refused};
use crate::primitives::asn1::tlv;
use crate::primitives::ec::Curve;
use crate::primitives::mldsa::MlDsa;
use crate::{Error, Result};

const fn oid(dotted: &str) -> ObjectIdentifier {
    ObjectIdentifier::new_unwrap(dotted)
}

/// rsaEncryption (RFC 8017).
pub(super) const RSA: ObjectIdentifier = oid("1.2.840.113549.1.1.1");
const RSA_PSS: ObjectIdentifier = oid("1.2.840.113549.1.1.10");
const DSA: ObjectIdentifier = oid("1.2.840.10040.4.1");
/// id-ecPublicKey (RFC 5480).
pub(super) const EC: ObjectIdentifier = oid("1.2.840.10045.2.1");
const P256: ObjectIdentifier = oid("1.2.840.10045.3.1.7");
const P384: ObjectIdentifier = oid("1.3.132.0.34");
const P521: ObjectIdentifier = oid("1.3.132.0.35");
/// RFC 8410.
const X25519: ObjectIdentifier = oid("1.3.101.110");
const ED25519: ObjectIdentifier = oid("1.3.101.112");
/// RFC 9881.
const MLDSA44: ObjectIdentifier = oid("2.16.840.1.101.3.4.3.17");
const MLDSA65: ObjectIdentifier = oid("2.16.840.1.101.3.4.3.18");
const MLDSA87: ObjectIdentifier = oid("2.16.840.1.101.3.4.3.19");

/// The curve's OID.
pub(super) fn curve_oid(curve: Curve) -> ObjectIdentifier {
    match curve.bits() {
        256 => P256,
        384 => P384,
        _ => P521,
    }
}

/// The curve an OID names.
pub(super) fn curve_by_oid(id: ObjectIdentifier) -> Result<Curve> {
    let group = match id {
        P256 => 19,
        P384 => 20,
        P521 => 21,
        _ => return Err(refused(format!("unknown curve {id} (P-256, P-384 and P-521 are known)"))),
    };
    Curve::from_iana(group).map_err(|_| refused(format!("curve {id} is not in this build")))
}

/// DER `AlgorithmIdentifier` of a key.
pub(super) fn algorithm(kind: KeyType) -> Zeroizing<Vec<u8>> {
    let id = |id: ObjectIdentifier| tlv(Tag::ObjectIdentifier, &[id.as_bytes()]);
    let parts = match kind {
        KeyType::Rsa(_) => vec![id(RSA), tlv(Tag::Null, &[])],
        KeyType::Ec(curve) => vec![id(EC), id(curve_oid(curve))],
        KeyType::Ed25519 => vec![id(ED25519)],
        KeyType::X25519 => vec![id(X25519)],
        KeyType::MlDsa(MlDsa::MlDsa44) => vec![id(MLDSA44)],
        KeyType::MlDsa(MlDsa::MlDsa65) => vec![id(MLDSA65)],
        KeyType::MlDsa(MlDsa::MlDsa87) => vec![id(MLDSA87)],
    };
    tlv(Tag::Sequence, &parts.iter().map(|part| &part[..]).collect::<Vec<_>>())
}

/// An `AlgorithmIdentifier` that names a kind of key; the size of an RSA key is not in it.
pub(super) fn read_algorithm<'a>(reader: &mut SliceReader<'a>) -> Result<KeyType> {
    let damaged = |_: der::Error| DAMAGED;
    let (id, parameters) = reader
        .sequence(|reader| {
            let id = ObjectIdentifier::decode(reader)?;
            let parameters = if reader.is_finished() { None } else { Some(AnyRef::decode(reader)?) };
            Ok::<(_, Option<AnyRef<'a>>), der::Error>((id, parameters))
        })
        .map_err(damaged)?;
    match id {
        RSA => Ok(KeyType::Rsa(0)),
        EC => match parameters {
            Some(curve) if curve.tag() == Tag::ObjectIdentifier => {
                Ok(KeyType::Ec(curve_by_oid(curve.decode_as().map_err(damaged)?)?))
            }
            Some(curve) if curve.tag() == Tag::Sequence => {
                Err(refused("an EC key that spells its curve out instead of naming it"))
            }
            _ => Err(refused("an EC key without a curve")),
        },
        ED25519 => Ok(KeyType::Ed25519),
        X25519 => Ok(KeyType::X25519),
        MLDSA44 => Ok(KeyType::MlDsa(MlDsa::MlDsa44)),
        MLDSA65 => Ok(KeyType::MlDsa(MlDsa::MlDsa65)),
        MLDSA87 => Ok(KeyType::MlDsa(MlDsa::MlDsa87)),
        RSA_PSS => Err(refused("an RSA key bound to PSS; use a plain RSA or an EC key")),
        DSA => Err(refused("a DSA key; use an EC key")),
        _ => Err(refused(format!("a key of unknown algorithm {id}"))),
    }
}

/// Nothing better is known.
pub(super) const DAMAGED: Error = Error::BadKey(std::borrow::Cow::Borrowed("its DER encoding is damaged or cut off"));
