//! The few DER shapes (X.690) that keys and signatures need.

use der::asn1::UintRef;
use der::{Decode, Encode, Header, Reader, SliceReader, Tag};
use zeroize::Zeroizing;

/// Magnitudes, big endian without leading zeros, of a SEQUENCE of exactly `N` non-negative INTEGERs; `None` if the bytes are
/// anything else.
pub(crate) fn unsigned_integers<const N: usize>(der: &[u8]) -> Option<[&[u8]; N]> {
    let mut reader = SliceReader::new(der).ok()?;
    let numbers = reader.sequence(|reader| {
        let mut numbers = [&[][..]; N];
        for number in &mut numbers {
            *number = UintRef::decode(reader)?.as_bytes();
        }
        Ok::<_, der::Error>(numbers)
    });
    reader.finish().ok()?;
    numbers.ok()
}

/// A SEQUENCE of non-negative INTEGERs.
pub(crate) fn sequence_of_unsigned(numbers: &[&[u8]]) -> Zeroizing<Vec<u8>> {
    let mut content = Zeroizing::new(Vec::new());
    for number in numbers {
        let first = number.iter().position(|byte| *byte != 0).unwrap_or(number.len());
        let magnitude = &number[first..];
        // A zero byte keeps the sign bit clear, and stands for 0 itself.
        let sign: &[u8] = if magnitude.first().is_none_or(|byte| byte & 0x80 != 0) { &[0] } else { &[] };
        content.extend_from_slice(&tlv(Tag::Integer, &[sign, magnitude]));
    }
    tlv(Tag::Sequence, &[&content])
}

/// Tag, length and the concatenation of `parts`.
pub(crate) fn tlv(tag: Tag, parts: &[&[u8]]) -> Zeroizing<Vec<u8>> {
    let len: usize = parts.iter().map(|part| part.len()).sum();
    // Room for everything from the start: growing would leave unwiped copies of a private key behind.
    let mut out = Zeroizing::new(Vec::with_capacity(len + 6));
    let length = der::Length::try_from(len).expect("keys and signatures are far below 256 MiB");
    Header::new(tag, length).encode_to_vec(&mut out).expect("a vector takes any number of bytes");
    for part in parts {
        out.extend_from_slice(part);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_both_ways() {
        let der = sequence_of_unsigned(&[&[0, 0, 0x80], &[0x7f], &[0], &[]]);
        assert_eq!(**der, [0x30, 13, 2, 2, 0, 0x80, 2, 1, 0x7f, 2, 1, 0, 2, 1, 0]);
        assert_eq!(unsigned_integers::<4>(&der).unwrap()[..2], [&[0x80][..], &[0x7f]]);
        let bad: &[&[u8]] = &[
            &[],
            &[0x30, 3, 2, 1, 0x80],             // negative
            &[0x30, 4, 2, 2, 0, 1],             // not the shortest form
            &[0x30, 3, 2, 1, 1, 0],             // something follows
            &[0x30, 6, 2, 1, 1, 2, 1, 1],       // one too many
            &[0x30, 0x80, 2, 1, 1, 0, 0],       // indefinite length
            &[0x30, 0x84, 0xff, 0xff, 0xff, 2], // length beyond the end
        ];
        for der in bad {
            assert!(unsigned_integers::<1>(der).is_none(), "{der:02x?}");
        }
    }
}
