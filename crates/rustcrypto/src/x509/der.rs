//! Just enough DER (X.690) to look into certificates and to write small ones.
//!
//! Reading is strict on lengths and borrows; nothing here decides trust: paths are verified by `webpki`.

use std::borrow::Cow;

use crate::{Error, Result};

pub(crate) const BOOLEAN: u8 = 0x01;
pub(crate) const INTEGER: u8 = 0x02;
pub(crate) const BIT_STRING: u8 = 0x03;
pub(crate) const OCTET_STRING: u8 = 0x04;
pub(crate) const OID: u8 = 0x06;
pub(crate) const UTF8_STRING: u8 = 0x0c;
pub(crate) const PRINTABLE_STRING: u8 = 0x13;
pub(crate) const IA5_STRING: u8 = 0x16;
pub(crate) const UTC_TIME: u8 = 0x17;
pub(crate) const GENERALIZED_TIME: u8 = 0x18;
pub(crate) const SEQUENCE: u8 = 0x30;
pub(crate) const SET: u8 = 0x31;

const MALFORMED: Error = Error::BadCertificate(Cow::Borrowed("its DER encoding is broken"));

/// One tag-length-value.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tlv<'a> {
    pub(crate) tag: u8,
    /// The contents.
    pub(crate) value: &'a [u8],
    /// Header and contents.
    pub(crate) whole: &'a [u8],
}

/// Reads one element after the other.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    pub(crate) fn peek(&self) -> Option<u8> {
        self.0.first().copied()
    }

    /// The next element, whatever its tag.
    pub(crate) fn any(&mut self) -> Result<Tlv<'a>> {
        let &[tag, first, ref rest @ ..] = self.0 else { return Err(MALFORMED) };
        if tag & 0x1f == 0x1f {
            return Err(MALFORMED); // multi-byte tags do not occur in certificates
        }
        let (length, header) = match first {
            0..=0x7f => (usize::from(first), 2),
            0x81..=0x84 => {
                let count = usize::from(first & 0x7f);
                let bytes = rest.get(..count).ok_or(MALFORMED)?;
                (bytes.iter().fold(0, |n, &b| n << 8 | usize::from(b)), 2 + count)
            }
            _ => return Err(MALFORMED),
        };
        let end = header.checked_add(length).ok_or(MALFORMED)?;
        let whole = self.0.get(..end).ok_or(MALFORMED)?;
        self.0 = &self.0[end..];
        Ok(Tlv { tag, value: &whole[header..], whole })
    }

    /// The next element, which must have this tag.
    pub(crate) fn expect(&mut self, tag: u8) -> Result<Tlv<'a>> {
        let element = self.any()?;
        if element.tag == tag { Ok(element) } else { Err(MALFORMED) }
    }

    /// The next element if it has this tag.
    pub(crate) fn optional(&mut self, tag: u8) -> Result<Option<Tlv<'a>>> {
        if self.peek() == Some(tag) { self.any().map(Some) } else { Ok(None) }
    }
}

/// The broken-encoding error, for callers that find more wrong than the lengths.
pub(crate) fn malformed() -> Error {
    MALFORMED
}

/// Header and contents of one element.
pub(crate) fn tlv(tag: u8, value: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(value.len() + 6);
    out.push(tag);
    match value.len() {
        n @ 0..=0x7f => out.push(n as u8),
        n => {
            let bytes = n.to_be_bytes();
            let skip = n.leading_zeros() as usize / 8;
            out.push(0x80 | (bytes.len() - skip) as u8);
            out.extend_from_slice(&bytes[skip..]);
        }
    }
    out.extend_from_slice(value);
    out
}

/// One element around several.
pub(crate) fn wrap(tag: u8, parts: &[&[u8]]) -> Vec<u8> {
    tlv(tag, &parts.concat())
}

/// A BIT STRING of whole bytes.
pub(crate) fn bit_string(bytes: &[u8]) -> Vec<u8> {
    wrap(BIT_STRING, &[&[0], bytes])
}

/// A non-negative INTEGER from big-endian bytes.
pub(crate) fn unsigned(bytes: &[u8]) -> Vec<u8> {
    let skip = bytes.iter().take_while(|&&b| b == 0).count().min(bytes.len().saturating_sub(1));
    let bytes = &bytes[skip..];
    let pad: &[u8] = if bytes.first().is_none_or(|&b| b & 0x80 != 0) { &[0] } else { &[] };
    wrap(INTEGER, &[pad, bytes])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_round_trip() {
        for n in [0, 1, 127, 128, 255, 256, 65535, 65536] {
            let out = tlv(OCTET_STRING, &vec![7; n]);
            let mut reader = Reader::new(&out);
            let element = reader.expect(OCTET_STRING).unwrap();
            assert_eq!((element.value.len(), element.whole.len()), (n, out.len()));
            assert_eq!(reader.peek(), None);
        }
    }

    #[test]
    fn broken_lengths_are_errors() {
        for bad in [&[][..], &[0x30], &[0x30, 5, 0], &[0x30, 0x80], &[0x30, 0x85, 0, 0, 0, 0, 1], &[0x1f, 1, 0]] {
            assert!(Reader::new(bad).any().is_err(), "{bad:x?}");
        }
    }

    #[test]
    fn integers_are_never_negative() {
        assert_eq!(unsigned(&[0x80]), [2, 2, 0, 0x80]);
        assert_eq!(unsigned(&[0, 0, 1]), [2, 1, 1]);
        assert_eq!(unsigned(&[0]), [2, 1, 0]);
        assert_eq!(unsigned(&[]), [2, 1, 0]);
    }
}
