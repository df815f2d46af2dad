//! Self-signed server certificates that today's browsers take: version 3, names in subjectAltName, key usage, extended key
//! usage serverAuth, CA:FALSE, a random serial (RFC 5280, CA/Browser Forum baseline requirements section 7.1).

use std::net::IpAddr;

use super::der::{self, BOOLEAN, OCTET_STRING, OID, SEQUENCE};
use super::keys::{Form, KeyType, PrivateKey};
use super::{name, time};
use crate::primitives::digest::Digest;
use crate::primitives::ec::Curve;
use crate::primitives::rng;
use crate::{Error, Result};

const SUBJECT_KEY_ID: &[u8] = &[0x55, 0x1d, 14];
const KEY_USAGE: &[u8] = &[0x55, 0x1d, 15];
const SUBJECT_ALT_NAME: &[u8] = &[0x55, 0x1d, 17];
const BASIC_CONSTRAINTS: &[u8] = &[0x55, 0x1d, 19];
const EXTENDED_KEY_USAGE: &[u8] = &[0x55, 0x1d, 37];
const SERVER_AUTH: &[u8] = &[0x2b, 6, 1, 5, 5, 7, 3, 1];
const DNS_NAME: u8 = 0x82;
const IP_ADDRESS: u8 = 0x87;

/// What goes into the certificate.
#[derive(Debug, Clone, Copy)]
pub struct SelfSigned<'a> {
    /// `KEY=value` attributes of subject and issuer, such as `CN=OpenWrt`, in order.
    pub subject: &'a [&'a str],
    /// `DNS:router.lan`, `IP:192.168.1.1`, `IP:fd00::1`.
    pub alt_names: &'a [&'a str],
    /// Unix seconds.
    pub not_before: i64,
    /// Unix seconds.
    pub not_after: i64,
}

impl SelfSigned<'_> {
    /// The certificate in DER, signed by its own key.
    pub fn create(&self, key: &PrivateKey) -> Result<Vec<u8>> {
        if self.not_after < self.not_before {
            return Err(Error::InvalidArgument("the certificate would end before it starts"));
        }
        let subject = name::encode(self.subject)?;
        let validity = der::wrap(SEQUENCE, &[&time::encode(self.not_before)?, &time::encode(self.not_after)?]);
        let mut serial: [u8; 16] = rng::array()?;
        serial[0] = serial[0] & 0x7f | 0x40; // positive, and always 16 bytes long
        let (algorithm, hash) = signature_algorithm(key.kind())?;
        let spki = key.public()?.to_der();
        let extensions = der::tlv(0xa3, &der::tlv(SEQUENCE, &self.extensions(&spki)?));
        let tbs = der::wrap(
            SEQUENCE,
            &[
                &[0xa0, 3, 2, 1, 2],
                &der::unsigned(&serial),
                &algorithm,
                &subject,
                &validity,
                &subject,
                &spki,
                &extensions,
            ],
        );
        let signature = key.sign_offline(hash, Form::Default, &tbs)?;
        Ok(der::wrap(SEQUENCE, &[&tbs, &algorithm, &der::bit_string(&signature)]))
    }

    fn extensions(&self, spki: &[u8]) -> Result<Vec<u8>> {
        let digital_signature = [der::BIT_STRING, 2, 7, 0x80];
        let server_auth = der::tlv(SEQUENCE, &der::tlv(OID, SERVER_AUTH));
        let key_id = &Digest::Sha256.hash(&[spki])?[..20]; // RFC 7093 section 2, over the whole key info
        let mut out = extension(BASIC_CONSTRAINTS, true, &der::tlv(SEQUENCE, &[]));
        out.extend(extension(KEY_USAGE, true, &digital_signature));
        out.extend(extension(EXTENDED_KEY_USAGE, false, &server_auth));
        out.extend(extension(SUBJECT_KEY_ID, false, &der::tlv(OCTET_STRING, key_id)));
        if !self.alt_names.is_empty() {
            let mut names = Vec::new();
            for text in self.alt_names {
                names.extend(alt_name(text)?);
            }
            // Without a subject the names are all there is, so they must be understood (RFC 5280 section 4.2.1.6).
            out.extend(extension(SUBJECT_ALT_NAME, self.subject.is_empty(), &der::tlv(SEQUENCE, &names)));
        } else if self.subject.is_empty() {
            return Err(Error::InvalidArgument("a certificate needs a subject or a subjectAltName"));
        }
        Ok(out)
    }
}

/// DER `AlgorithmIdentifier` and hash of a key's signatures (RFC 5758, RFC 4055, RFC 8410).
pub(super) fn signature_algorithm(kind: KeyType) -> Result<(Vec<u8>, Digest)> {
    const ECDSA_WITH: [u8; 7] = [0x2a, 0x86, 0x48, 0xce, 0x3d, 4, 3];
    let ecdsa = |last: u8| der::tlv(SEQUENCE, &der::tlv(OID, &[&ECDSA_WITH[..], &[last]].concat()));
    Ok(match kind {
        KeyType::Ec(Curve::P256) => (ecdsa(2), Digest::Sha256),
        #[cfg(feature = "p384")]
        KeyType::Ec(Curve::P384) => (ecdsa(3), Digest::Sha384),
        #[cfg(feature = "p521")]
        KeyType::Ec(Curve::P521) => (ecdsa(4), Digest::Sha512),
        KeyType::Rsa(_) => {
            let sha256_with_rsa = der::tlv(OID, &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 1, 11]);
            (der::wrap(SEQUENCE, &[&sha256_with_rsa, &[5, 0]]), Digest::Sha256)
        }
        KeyType::Ed25519 => (der::tlv(SEQUENCE, &der::tlv(OID, &[0x2b, 0x65, 0x70])), Digest::Sha512),
        KeyType::X25519 | KeyType::MlDsa(_) => {
            return Err(Error::InvalidArgument("a TLS certificate needs an EC, Ed25519 or RSA key"));
        }
    })
}

fn extension(oid: &[u8], critical: bool, value: &[u8]) -> Vec<u8> {
    let critical: &[u8] = if critical { &[BOOLEAN, 1, 0xff] } else { &[] };
    der::wrap(SEQUENCE, &[&der::tlv(OID, oid), critical, &der::tlv(OCTET_STRING, value)])
}

/// A `GeneralName` from `DNS:name` or `IP:address`; an IPv4 address takes 4 bytes, an IPv6 address 16.
fn alt_name(text: &str) -> Result<Vec<u8>> {
    match text.split_once(':') {
        Some((kind, value)) if kind.eq_ignore_ascii_case("DNS") => {
            if is_dns_name(value) {
                Ok(der::tlv(DNS_NAME, value.as_bytes()))
            } else {
                Err(Error::InvalidArgument("a DNS: alternative name is not a host name"))
            }
        }
        Some((kind, value)) if kind.eq_ignore_ascii_case("IP") => match value.parse() {
            Ok(IpAddr::V4(ip)) => Ok(der::tlv(IP_ADDRESS, &ip.octets())),
            Ok(IpAddr::V6(ip)) => Ok(der::tlv(IP_ADDRESS, &ip.octets())),
            Err(_) => Err(Error::InvalidArgument(
                "an IP: alternative name is not an IPv4 or IPv6 address (no prefix length, no zone)",
            )),
        },
        _ => Err(Error::InvalidArgument("an alternative name is not DNS:name or IP:address")),
    }
}

/// Labels of letters, digits, `-` and `_`, the first of which may be `*`.
fn is_dns_name(name: &str) -> bool {
    let labels = name.strip_prefix("*.").unwrap_or(name);
    name.len() <= 253
        && labels.split('.').all(|label| {
            (1..=63).contains(&label.len())
                && !label.starts_with('-')
                && !label.ends_with('-')
                && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::x509::Certificate;

    fn key() -> PrivateKey {
        PrivateKey::generate(KeyType::Ec(Curve::P256)).unwrap()
    }

    fn request<'a>(subject: &'a [&'a str], alt_names: &'a [&'a str]) -> SelfSigned<'a> {
        SelfSigned { subject, alt_names, not_before: 1_700_000_000, not_after: 2_600_000_000 }
    }

    #[test]
    fn what_was_asked_for_is_in_it() {
        let names = ["DNS:OpenWrt", "DNS:*.lan", "IP:192.168.1.1", "ip:fd00::1"];
        let der = request(&["O=OpenWrt", "CN=OpenWrt"], &names).create(&key()).unwrap();
        let certificate = Certificate::parse(&der).unwrap();
        assert_eq!(certificate.version, 3);
        assert_eq!(certificate.serial.len(), 16);
        assert!(certificate.is_self_issued() && !certificate.is_ca());
        assert_eq!(certificate.key_usage(), Some(0x80));
        assert_eq!(certificate.alt_names(), ["OpenWrt", "*.lan", "192.168.1.1", "fd00::1"]);
        assert_eq!((certificate.not_before, certificate.not_after), (1_700_000_000, 2_600_000_000));
        let again = request(&["O=OpenWrt", "CN=OpenWrt"], &names).create(&key()).unwrap();
        assert_ne!(Certificate::parse(&again).unwrap().serial, certificate.serial);
    }

    #[test]
    fn mistakes_are_told() {
        let long = format!("DNS:{}", "a".repeat(64));
        for bad in ["router", "DNS:", "DNS:a b", "DNS:-a", "IP:1.2.3", "IP:192.168.1.0/24", "URI:x", long.as_str()] {
            assert!(request(&["CN=x"], &[bad]).create(&key()).is_err(), "{bad}");
        }
        assert!(request(&[], &[]).create(&key()).is_err());
        assert!(request(&[], &["DNS:a"]).create(&key()).is_ok());
        let backwards = SelfSigned { not_after: 0, ..request(&["CN=x"], &[]) };
        assert!(backwards.create(&key()).is_err());
    }
}
