//! A look into a certificate: what sentences, the trust store and the key match need. Trust is decided by `webpki`.

use std::net::{Ipv4Addr, Ipv6Addr};

use super::der::{self, BIT_STRING, BOOLEAN, INTEGER, OCTET_STRING, OID, Reader, SEQUENCE, Tlv};
use super::{name, time};
use crate::Result;

const SUBJECT_ALT_NAME: &[u8] = &[0x55, 0x1d, 17];
const BASIC_CONSTRAINTS: &[u8] = &[0x55, 0x1d, 19];
const KEY_USAGE: &[u8] = &[0x55, 0x1d, 15];

/// Fields of an X.509 certificate (RFC 5280 section 4.1), borrowed from its DER.
#[derive(Debug, Clone, Copy)]
pub struct Certificate<'a> {
    /// 1 to 3.
    pub version: u8,
    /// Contents of the serial number INTEGER.
    pub serial: &'a [u8],
    /// The issuer Name, contents of its SEQUENCE.
    pub issuer: &'a [u8],
    /// The subject Name, contents of its SEQUENCE.
    pub subject: &'a [u8],
    /// Unix seconds.
    pub not_before: i64,
    /// Unix seconds.
    pub not_after: i64,
    /// The whole `SubjectPublicKeyInfo`.
    pub spki: &'a [u8],
    /// Contents of the signature algorithm's OID.
    pub signature_algorithm: &'a [u8],
    extensions: &'a [u8],
}

impl<'a> Certificate<'a> {
    /// Look into one DER certificate.
    pub fn parse(certificate: &'a [u8]) -> Result<Self> {
        let mut outer = Reader::new(certificate);
        let mut certificate = Reader::new(outer.expect(SEQUENCE)?.value);
        let mut tbs = Reader::new(certificate.expect(SEQUENCE)?.value);
        let version = match tbs.optional(0xa0)? {
            None => 1,
            Some(explicit) => match Reader::new(explicit.value).expect(INTEGER)?.value {
                [n @ 0..=2] => n + 1,
                _ => return Err(der::malformed()),
            },
        };
        let serial = tbs.expect(INTEGER)?.value;
        let signature_algorithm = Reader::new(tbs.expect(SEQUENCE)?.value).expect(OID)?.value;
        let issuer = tbs.expect(SEQUENCE)?.value;
        let mut validity = Reader::new(tbs.expect(SEQUENCE)?.value);
        let (not_before, not_after) = (time::decode(&validity.any()?)?, time::decode(&validity.any()?)?);
        let subject = tbs.expect(SEQUENCE)?.value;
        let spki = tbs.expect(SEQUENCE)?.whole;
        for unique_id in [0x81, 0x82, 0xa1, 0xa2] {
            tbs.optional(unique_id)?;
        }
        let extensions = match tbs.optional(0xa3)? {
            None => &[][..],
            Some(explicit) => Reader::new(explicit.value).expect(SEQUENCE)?.value,
        };
        Ok(Self { version, serial, issuer, subject, not_before, not_after, spki, signature_algorithm, extensions })
    }

    /// Only the subject Name (contents of its SEQUENCE): all that the trust store needs of a certificate it will skip.
    pub fn subject_of(certificate: &'a [u8]) -> Result<&'a [u8]> {
        let mut outer = Reader::new(certificate);
        let mut certificate = Reader::new(outer.expect(SEQUENCE)?.value);
        let mut tbs = Reader::new(certificate.expect(SEQUENCE)?.value);
        tbs.optional(0xa0)?;
        tbs.expect(INTEGER)?;
        for _signature_issuer_validity in 0..3 {
            tbs.expect(SEQUENCE)?;
        }
        Ok(tbs.expect(SEQUENCE)?.value)
    }

    /// Does the certificate name itself as its issuer?
    pub fn is_self_issued(&self) -> bool {
        self.issuer == self.subject
    }

    /// `CN=router, O=OpenWrt`
    pub fn subject_text(&self) -> String {
        name::readable(self.subject)
    }

    /// The issuer as [`Self::subject_text`] writes it.
    pub fn issuer_text(&self) -> String {
        name::readable(self.issuer)
    }

    /// The subject's common name.
    pub fn common_name(&self) -> Option<String> {
        name::common_name(self.subject)
    }

    /// DNS names and IP addresses of subjectAltName, as text, in order.
    pub fn alt_names(&self) -> Vec<String> {
        let Some(extension) = self.extension(SUBJECT_ALT_NAME) else { return Vec::new() };
        let mut names = Vec::new();
        let Ok(list) = Reader::new(extension).expect(SEQUENCE) else { return names };
        let mut list = Reader::new(list.value);
        while let Ok(Tlv { tag, value, .. }) = list.any() {
            match (tag, value.len()) {
                (0x82, _) => names.push(name::clean(value)),
                (0x87, 4) => {
                    names.extend(<[u8; 4]>::try_from(value).map(|ip| Ipv4Addr::from(ip).to_string()));
                }
                (0x87, 16) => {
                    names.extend(<[u8; 16]>::try_from(value).map(|ip| Ipv6Addr::from(ip).to_string()));
                }
                _ => {}
            }
        }
        names
    }

    /// basicConstraints: may it sign certificates?
    pub fn is_ca(&self) -> bool {
        self.extension(BASIC_CONSTRAINTS)
            .and_then(|value| Reader::new(value).expect(SEQUENCE).ok())
            .and_then(|constraints| Reader::new(constraints.value).expect(BOOLEAN).ok())
            .is_some_and(|ca| ca.value != [0])
    }

    /// keyUsage's first byte (bit 0x80 digitalSignature, 0x04 keyCertSign), if the extension is there.
    pub fn key_usage(&self) -> Option<u8> {
        let bits = Reader::new(self.extension(KEY_USAGE)?).expect(BIT_STRING).ok()?;
        bits.value.get(1).copied()
    }

    /// Was it signed with SHA-1 or MD5?
    pub fn has_weak_signature(&self) -> bool {
        const RSA: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 1];
        const ECDSA_SHA1: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 4, 1];
        match self.signature_algorithm.split_last() {
            Some((2..=5, RSA)) => true,
            _ => self.signature_algorithm == ECDSA_SHA1,
        }
    }

    /// Contents of an extension's OCTET STRING.
    fn extension(&self, wanted: &[u8]) -> Option<&'a [u8]> {
        let mut extensions = Reader::new(self.extensions);
        while let Ok(extension) = extensions.expect(SEQUENCE) {
            let mut fields = Reader::new(extension.value);
            let oid = fields.expect(OID).ok()?;
            fields.optional(BOOLEAN).ok()?;
            if oid.value == wanted {
                return fields.expect(OCTET_STRING).ok().map(|value| value.value);
            }
        }
        None
    }
}
