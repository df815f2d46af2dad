//! Reading keys, and saying why not.

use der::asn1::{AnyRef, BitStringRef, ContextSpecific, ObjectIdentifier, OctetStringRef, UintRef};
use der::{Decode, Reader, SliceReader, Tag, TagMode, TagNumber};
use zeroize::Zeroizing;

use super::format::{self, DAMAGED};
use super::pem::{self, Block};
use super::public::array;
use super::{KeyType, PrivateKey, PublicKey, refused};
use crate::primitives::ec::Curve;
use crate::primitives::{ecdh, mldsa, rsa};
use crate::{Error, Result};

const ENCRYPTED: &str = "it is encrypted with a password, which is not supported; decrypt it first, for instance with \
                         `openssl pkey -in KEY -out PLAIN`";

const ONLY_PRIVATE: &str = "it has a private key, but no public key";
const ONLY_PUBLIC: &str = "it has a public key, but no private key";

/// Pass over what is left of a SEQUENCE.
fn skip(reader: &mut SliceReader<'_>) -> der::Result<()> {
    while !reader.is_finished() {
        reader.tlv_bytes()?;
    }
    Ok(())
}

/// [`PrivateKey::load`].
pub(super) fn private(data: &[u8]) -> Result<PrivateKey> {
    if is_der(data) || !pem::is_pem(data) {
        return private_der(not_empty(data)?);
    }
    for block in pem::blocks(data) {
        let read = match block.label {
            "PRIVATE KEY" => pkcs8,
            "EC PRIVATE KEY" => sec1_alone,
            "RSA PRIVATE KEY" => |der: &[u8]| rsa::PrivateKey::from_pkcs1(der).map(PrivateKey::Rsa),
            _ => continue,
        };
        if block.is_encrypted() {
            return Err(refused(ENCRYPTED));
        }
        return read(&block.decode()?);
    }
    Err(wrong_block(pem::blocks(data).next(), "private"))
}

/// [`PublicKey::load`].
pub(super) fn public(data: &[u8]) -> Result<PublicKey> {
    if is_der(data) || !pem::is_pem(data) {
        let other = || what_is_it(data).filter(|what| *what != ONLY_PUBLIC);
        return spki(not_empty(data)?).map_err(|error| other().map_or(error, refused));
    }
    for block in pem::blocks(data) {
        match block.label {
            "PUBLIC KEY" => return spki(&block.decode()?),
            "RSA PUBLIC KEY" => return rsa::PublicKey::from_pkcs1(&block.decode()?).map(PublicKey::Rsa),
            _ => {}
        }
    }
    Err(wrong_block(pem::blocks(data).next(), "public"))
}

/// One SEQUENCE and nothing else. Asked first, so that the search for a BEGIN line does not run over a secret.
fn is_der(data: &[u8]) -> bool {
    let whole = SliceReader::new(data).and_then(|mut reader| reader.tlv_bytes());
    data.first() == Some(&0x30) && whole.is_ok_and(|whole| whole.len() == data.len())
}

fn not_empty(data: &[u8]) -> Result<&[u8]> {
    match data.first() {
        None => Err(refused("the file is empty")),
        Some(0x30) => Ok(data),
        Some(_) => Err(refused("neither PEM (no BEGIN line) nor DER")),
    }
}

/// Why a PEM file without a key of the wanted kind is refused.
fn wrong_block(first: Option<Block<'_>>, wanted: &str) -> Error {
    let Some(Block { label, .. }) = first else { return refused("a BEGIN line is damaged") };
    refused(match label {
        "ENCRYPTED PRIVATE KEY" => ENCRYPTED.into(),
        "OPENSSH PRIVATE KEY" => {
            "it has OpenSSH's own format; convert it with `ssh-keygen -p -m PKCS8 -f KEY` or make a new one".into()
        }
        "EC PARAMETERS" => "it has the parameters of a curve, but no key".into(),
        "CERTIFICATE" | "TRUSTED CERTIFICATE" => format!("it has a certificate, but no {wanted} key"),
        "PUBLIC KEY" | "RSA PUBLIC KEY" => ONLY_PUBLIC.into(),
        "PRIVATE KEY" | "EC PRIVATE KEY" | "RSA PRIVATE KEY" => ONLY_PRIVATE.into(),
        _ => format!("it has a block called {label}, but no {wanted} key"),
    })
}

fn private_der(der: &[u8]) -> Result<PrivateKey> {
    // Tell the three forms apart by their second element.
    let second = (|| {
        let mut reader = SliceReader::new(der)?;
        reader.sequence(|reader| {
            UintRef::decode(reader)?;
            let tag = Tag::peek(reader)?;
            skip(reader)?;
            Ok::<_, der::Error>(tag)
        })
    })();
    match second {
        Ok(Tag::Sequence) => pkcs8(der),
        Ok(Tag::OctetString) => sec1_alone(der),
        Ok(Tag::Integer) => rsa::PrivateKey::from_pkcs1(der).map(PrivateKey::Rsa),
        _ => Err(what_is_it(der).map_or(DAMAGED, refused)),
    }
}

/// What DER that is not a key of the wanted kind may be.
fn what_is_it(der: &[u8]) -> Option<&'static str> {
    let mut reader = SliceReader::new(der).ok()?;
    reader
        .sequence(|reader| {
            if Tag::peek(reader)? == Tag::Integer {
                skip(reader)?;
                return Ok::<_, der::Error>(ONLY_PRIVATE);
            }
            let starts_with = reader.sequence(|reader| {
                let tag = Tag::peek(reader)?;
                skip(reader)?;
                Ok::<_, der::Error>(tag)
            })?;
            let then = Tag::peek(reader)?;
            skip(reader)?;
            match (starts_with, then) {
                (Tag::ObjectIdentifier, Tag::OctetString) => Ok(ENCRYPTED),
                (Tag::ObjectIdentifier, Tag::BitString) => Ok(ONLY_PUBLIC),
                (_, Tag::Sequence) => Ok("it has a certificate, but no key"),
                _ => Err(Tag::Null.value_error().into()),
            }
        })
        .ok()
}

/// PKCS#8 `PrivateKeyInfo`, version 1 or 2 (RFC 5208, RFC 5958).
fn pkcs8(der: &[u8]) -> Result<PrivateKey> {
    let mut reader = SliceReader::new(der).map_err(|_| DAMAGED)?;
    let mut kind = Err(DAMAGED);
    let inner = reader.sequence(|reader| {
        UintRef::decode(reader)?;
        kind = format::read_algorithm(reader);
        if kind.is_err() {
            return Err(Tag::Sequence.value_error().into());
        }
        let inner = <&OctetStringRef>::decode(reader)?.as_bytes();
        // Attributes and, in version 2, the public key: neither changes the key.
        skip(reader)?;
        Ok::<_, der::Error>(inner)
    });
    let kind = kind?;
    let inner = inner.and_then(|inner| reader.finish().map(|()| inner)).map_err(|_| DAMAGED)?;
    match kind {
        KeyType::Rsa(_) => rsa::PrivateKey::from_pkcs1(inner).map(PrivateKey::Rsa),
        KeyType::Ec(curve) => sec1(inner, Some(curve)),
        KeyType::Ed25519 => Ok(PrivateKey::Ed25519(Zeroizing::new(array(octets(inner)?)?))),
        KeyType::X25519 => ecdh::SecretKey::from_bytes(ecdh::Group::X25519, octets(inner)?)
            .map(PrivateKey::X25519)
            .map_err(|_| DAMAGED),
        KeyType::MlDsa(set) => Ok(PrivateKey::MlDsa(set, Zeroizing::new(array(mldsa_seed(inner)?)?))),
    }
}

/// An OCTET STRING and nothing else.
fn octets(der: &[u8]) -> Result<&[u8]> {
    <&OctetStringRef>::from_der(der).map(OctetStringRef::as_bytes).map_err(|_| DAMAGED)
}

/// The seed of `ML-DSA-PrivateKey` (RFC 9881 section 6): alone, or before the expanded key.
fn mldsa_seed(der: &[u8]) -> Result<&[u8]> {
    let mut reader = SliceReader::new(der).map_err(|_| DAMAGED)?;
    match Tag::peek(&reader).map_err(|_| DAMAGED)? {
        Tag::Sequence => reader
            .sequence(|reader| {
                let seed = <&OctetStringRef>::decode(reader)?.as_bytes();
                <&OctetStringRef>::decode(reader)?;
                Ok::<_, der::Error>(seed)
            })
            .map_err(|_| DAMAGED),
        Tag::OctetString => Err(refused("an ML-DSA key without its seed (only the expanded form)")),
        _ => match der {
            [0x80, 32, seed @ ..] => Ok(seed),
            _ => Err(DAMAGED),
        },
    }
}

fn sec1_alone(der: &[u8]) -> Result<PrivateKey> {
    sec1(der, None)
}

/// SEC 1 `ECPrivateKey` (RFC 5915); the curve may come from around it.
fn sec1(der: &[u8], outer: Option<Curve>) -> Result<PrivateKey> {
    let mut reader = SliceReader::new(der).map_err(|_| DAMAGED)?;
    let (secret, named, public) = reader
        .sequence(|reader| {
            UintRef::decode(reader)?;
            let secret = <&OctetStringRef>::decode(reader)?.as_bytes();
            let named = ContextSpecific::<AnyRef<'_>>::decode_explicit(reader, TagNumber(0))?;
            let public = reader.context_specific::<BitStringRef<'_>>(TagNumber(1), TagMode::Explicit)?;
            Ok::<_, der::Error>((secret, named, public))
        })
        .and_then(|parts| reader.finish().map(|()| parts))
        .map_err(|_| DAMAGED)?;
    let named = match named {
        Some(named) => match named.value.decode_as::<ObjectIdentifier>() {
            Ok(id) => Some(format::curve_by_oid(id)?),
            Err(_) => return Err(refused("an EC key that spells its curve out instead of naming it")),
        },
        None => None,
    };
    let curve = match (outer, named) {
        (Some(outer), Some(named)) if outer != named => return Err(refused("an EC key that names two curves")),
        (outer, named) => outer.or(named).ok_or_else(|| refused("an EC key without a curve"))?,
    };
    let key = PrivateKey::from_scalar(curve, secret)?;
    if let Some(public) = public.and_then(|bits| bits.as_bytes())
        && PublicKey::from_point(curve, public).ok() != Some(key.public()?)
    {
        return Err(refused("its private and public halves do not belong together"));
    }
    Ok(key)
}

/// `SubjectPublicKeyInfo`.
fn spki(der: &[u8]) -> Result<PublicKey> {
    let mut reader = SliceReader::new(der).map_err(|_| DAMAGED)?;
    let mut kind = Err(DAMAGED);
    let bits = reader.sequence(|reader| {
        kind = format::read_algorithm(reader);
        if kind.is_err() {
            return Err(Tag::Sequence.value_error().into());
        }
        BitStringRef::decode(reader)
    });
    let kind = kind?;
    let bits = bits.and_then(|bits| reader.finish().map(|()| bits)).map_err(|_| DAMAGED)?;
    let key = bits.as_bytes().ok_or(DAMAGED)?;
    match kind {
        KeyType::Rsa(_) => rsa::PublicKey::from_pkcs1(key).map(PublicKey::Rsa),
        KeyType::Ec(curve) => {
            PublicKey::from_point(curve, key).map_err(|_| refused("its point is not on the curve that it names"))
        }
        KeyType::Ed25519 => Ok(PublicKey::Ed25519(array(key)?)),
        KeyType::X25519 => Ok(PublicKey::X25519(array(key)?)),
        KeyType::MlDsa(set) if key.len() == mldsa::MlDsa::public_len(set) => Ok(PublicKey::MlDsa(set, key.to_vec())),
        KeyType::MlDsa(_) => Err(DAMAGED),
    }
}
