use crate::primitives::ec::Curve;
use crate::primitives::ecdh::{Group, SecretKey};
use crate::primitives::{ed25519, rsa};
use crate::x509::der::{self, INTEGER, OCTET_STRING, OID, Reader, SEQUENCE};
use crate::{Error, Result};
use zeroize::Zeroizing;

pub(super) enum Key {
    Rsa(rsa::PrivateKey),
    Ec(Curve, Zeroizing<Vec<u8>>, Vec<u8>),
    Ed25519(Zeroizing<Vec<u8>>, Vec<u8>),
}

impl Key {
    pub(super) fn load(data: &[u8]) -> Result<Self> {
        use rustls_pki_types::pem::{self, SectionKind as K};
        if data.first() != Some(&0x30) {
            let mut rest = data;
            while let Ok(Some((kind, der))) = pem::from_buf(&mut rest) {
                if matches!(kind, K::PrivateKey | K::EcPrivateKey | K::RsaPrivateKey) {
                    return Self::load(&der);
                }
            }
            return Err(Error::BadKey("no private key in it".into()));
        }
        if let Ok(key) = rsa::PrivateKey::from_pkcs1(data) {
            return Ok(Self::Rsa(key));
        }
        if let Ok(key) = Self::sec1(data, None) {
            return Ok(key);
        }
        let mut r = Reader::new(Reader::new(data).expect(SEQUENCE)?.value);
        r.expect(INTEGER)?;
        let mut alg = Reader::new(r.expect(SEQUENCE)?.value);
        let oid = alg.expect(OID)?.value;
        let inner = r.expect(OCTET_STRING)?.value;
        match oid {
            [0x2a, 0x86, 0x48, 0xce, 0x3d, 2, 1] => Self::sec1(inner, Some(alg.expect(OID)?.value)),
            [0x2b, 0x65, 0x70] => {
                let seed = Reader::new(inner).expect(OCTET_STRING)?.value;
                Ok(Self::Ed25519(Zeroizing::new(seed.to_vec()), ed25519::public(seed)?.to_vec()))
            }
            _ => rsa::PrivateKey::from_pkcs1(inner).map(Self::Rsa),
        }
    }
    fn sec1(data: &[u8], curve: Option<&[u8]>) -> Result<Self> {
        let mut r = Reader::new(Reader::new(data).expect(SEQUENCE)?.value);
        r.expect(INTEGER)?;
        let secret = r.expect(OCTET_STRING)?.value;
        let oid = match curve {
            Some(c) => c,
            None => Reader::new(r.expect(0xa0)?.value).expect(OID)?.value,
        };
        let curve = match oid {
            [0x2a, 0x86, 0x48, 0xce, 0x3d, 3, 1, 7] => Curve::P256,
            [0x2b, 0x81, 4, 0, 0x22] => Curve::P384,
            [0x2b, 0x81, 4, 0, 0x23] => Curve::P521,
            _ => return Err(der::malformed()),
        };
        let public = SecretKey::from_bytes(Group::Nist(curve), secret)?.public()?;
        Ok(Self::Ec(curve, Zeroizing::new(secret.to_vec()), public))
    }
    pub(super) fn spki(&self) -> Result<Vec<u8>> {
        Ok(match self {
            Self::Rsa(k) => der::wrap(
                SEQUENCE,
                &[
                    &der::wrap(SEQUENCE, &[&der::tlv(OID, &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 1, 1]), &[5, 0]]),
                    &der::bit_string(k.public().as_pkcs1()),
                ],
            ),
            Self::Ec(c, _, p) => {
                let oid: &[u8] = match c {
                    Curve::P256 => &[0x2a, 0x86, 0x48, 0xce, 0x3d, 3, 1, 7],
                    Curve::P384 => &[0x2b, 0x81, 4, 0, 0x22],
                    Curve::P521 => &[0x2b, 0x81, 4, 0, 0x23],
                };
                der::wrap(
                    SEQUENCE,
                    &[
                        &der::wrap(
                            SEQUENCE,
                            &[&der::tlv(OID, &[0x2a, 0x86, 0x48, 0xce, 0x3d, 2, 1]), &der::tlv(OID, oid)],
                        ),
                        &der::bit_string(p),
                    ],
                )
            }
            Self::Ed25519(_, p) => {
                der::wrap(SEQUENCE, &[&der::tlv(SEQUENCE, &der::tlv(OID, &[0x2b, 0x65, 0x70])), &der::bit_string(p)])
            }
        })
    }
}
