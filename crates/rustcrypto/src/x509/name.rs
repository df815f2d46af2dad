//! Distinguished names, as people write them.

use super::der::{self, IA5_STRING, OID, PRINTABLE_STRING, Reader, SEQUENCE, SET, UTF8_STRING};
use crate::{Error, Result};

/// Short names of attribute types (RFC 4519, and the e-mail address of PKCS#9).
const TYPES: [(&str, &[u8]); 10] = [
    ("CN", &[0x55, 4, 3]),
    ("C", &[0x55, 4, 6]),
    ("L", &[0x55, 4, 7]),
    ("ST", &[0x55, 4, 8]),
    ("STREET", &[0x55, 4, 9]),
    ("O", &[0x55, 4, 10]),
    ("OU", &[0x55, 4, 11]),
    ("serialNumber", &[0x55, 4, 5]),
    ("DC", &[0x09, 0x92, 0x26, 0x89, 0x93, 0xf2, 0x2c, 0x64, 1, 25]),
    ("emailAddress", &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 9, 1]),
];

/// Longest text quoted from a peer's certificate.
const LONGEST: usize = 256;

/// `CN=router, O=OpenWrt`; unknown attribute types are left out, control characters become `?`.
pub(crate) fn readable(name: &[u8]) -> String {
    let mut text = String::new();
    each(name, |kind, value| {
        if let Some((short, _)) = TYPES.iter().find(|(_, oid)| *oid == kind)
            && text.len() < LONGEST
        {
            let separator = if text.is_empty() { "" } else { ", " };
            text.extend([separator, short, "=", &clean(value)]);
        }
    });
    if text.is_empty() { "(no name)".into() } else { text }
}

/// The last common name, if there is one.
pub(crate) fn common_name(name: &[u8]) -> Option<String> {
    let mut found = None;
    each(name, |kind, value| {
        if kind == TYPES[0].1 {
            found = Some(clean(value));
        }
    });
    found
}

/// Text from a peer: bounded, no control characters (they would forge log lines).
pub(crate) fn clean(value: &[u8]) -> String {
    let text = String::from_utf8_lossy(&value[..value.len().min(LONGEST)]);
    text.chars().map(|c| if c.is_control() { '?' } else { c }).collect()
}

/// `contents` is the inside of a Name, or a whole Name; a broken one ends early.
fn each(contents: &[u8], mut f: impl FnMut(&[u8], &[u8])) {
    let mut sets = Reader::new(contents);
    if sets.peek() == Some(SEQUENCE) {
        let Ok(inner) = sets.any() else { return };
        sets = Reader::new(inner.value);
    }
    while let Ok(set) = sets.expect(SET) {
        let mut attributes = Reader::new(set.value);
        while let Ok(attribute) = attributes.expect(SEQUENCE) {
            let mut fields = Reader::new(attribute.value);
            if let (Ok(kind), Ok(value)) = (fields.expect(OID), fields.any()) {
                f(kind.value, value.value);
            }
        }
    }
}

/// A Name from `KEY=value` strings, each an RDN of its own, in the order given.
pub(crate) fn encode(attributes: &[&str]) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    for attribute in attributes {
        let (key, value) = attribute
            .split_once('=')
            .ok_or(Error::InvalidArgument("a subject attribute is not of the form KEY=value, such as CN=router"))?;
        let key = key.trim();
        let (short, oid) =
            TYPES.iter().find(|(short, _)| short.eq_ignore_ascii_case(key)).ok_or(Error::InvalidArgument(
                "unknown subject attribute; known: C, ST, L, O, OU, CN, STREET, serialNumber, DC, emailAddress",
            ))?;
        let value = value.trim();
        let longest = if *short == "C" { 2 } else { 64 }; // RFC 5280 appendix A: ub-common-name and its siblings
        if value.is_empty() || value.len() > longest || (*short == "C" && value.len() != 2) {
            return Err(Error::InvalidArgument(
                "a subject value has a length that is not allowed: C takes 2 letters, the others 1 to 64 bytes",
            ));
        }
        let tag = match *short {
            "C" | "serialNumber" => PRINTABLE_STRING,
            "DC" | "emailAddress" => IA5_STRING,
            _ => UTF8_STRING,
        };
        let pair = der::wrap(SEQUENCE, &[&der::tlv(OID, oid), &der::tlv(tag, value.as_bytes())]);
        out.extend_from_slice(&der::tlv(SET, &pair));
    }
    Ok(der::tlv(SEQUENCE, &out))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_reads_back() {
        let name = encode(&["C=ZZ", "ST=Somewhere", "O=OpenWrt0a1b", "CN=OpenWrt"]).unwrap();
        assert_eq!(readable(&name), "C=ZZ, ST=Somewhere, O=OpenWrt0a1b, CN=OpenWrt");
        assert_eq!(common_name(&name).unwrap(), "OpenWrt");
    }

    #[test]
    fn wrong_attributes_are_refused() {
        for bad in ["router", "X=1", "C=DEU", "CN=", &format!("CN={}", "a".repeat(65))] {
            assert!(encode(&[bad]).is_err(), "{bad}");
        }
    }

    #[test]
    fn control_characters_cannot_forge_a_log_line() {
        let name = encode(&["CN=a\nb"]).unwrap();
        assert_eq!(readable(&name), "CN=a?b");
        assert_eq!(readable(&[0x31, 0xff]), "(no name)");
    }
}
