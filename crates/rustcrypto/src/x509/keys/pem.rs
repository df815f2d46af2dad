//! PEM text (RFC 7468), as tolerant as OpenSSL: text around the blocks, CRLF, any line length.

use base64ct::{Base64, Encoding};
use zeroize::Zeroizing;

use super::refused;
use crate::Result;

const BEGIN: &[u8] = b"-----BEGIN ";
const END: &[u8] = b"-----END ";
const DASHES: &[u8] = b"-----";

/// One block, not yet decoded.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Block<'a> {
    pub(crate) label: &'a str,
    /// Headers and base64 text; `None` if the END line is missing.
    body: Option<&'a [u8]>,
}

/// Is there a PEM block in it?
pub(crate) fn is_pem(data: &[u8]) -> bool {
    find(data, BEGIN).is_some()
}

/// All blocks, in order.
pub(crate) fn blocks(mut data: &[u8]) -> impl Iterator<Item = Block<'_>> {
    std::iter::from_fn(move || {
        loop {
            let rest = &data[find(data, BEGIN)? + BEGIN.len()..];
            data = rest;
            let Some(label_len) = find(rest, DASHES) else { continue };
            let Ok(label) = std::str::from_utf8(&rest[..label_len]) else { continue };
            let rest = &rest[label_len + DASHES.len()..];
            let end = [END, label.as_bytes(), DASHES].concat();
            let body = find(rest, &end).map(|at| &rest[..at]);
            data = body.map_or(rest, |body| &rest[body.len()..]);
            return Some(Block { label, body });
        }
    })
}

fn find(data: &[u8], what: &[u8]) -> Option<usize> {
    data.windows(what.len()).position(|window| window == what)
}

impl Block<'_> {
    /// Has it the RFC 1421 headers of OpenSSL's old encryption?
    pub(crate) fn is_encrypted(&self) -> bool {
        self.body.is_some_and(|body| find(body, b"ENCRYPTED").is_some())
    }

    /// The DER inside.
    pub(crate) fn decode(&self) -> Result<Zeroizing<Vec<u8>>> {
        let Self { label, body } = self;
        let body = body.ok_or_else(|| refused(format!("cut off: BEGIN {label} without END {label}")))?;
        let damaged = || refused(format!("the base64 text of its {label} block is damaged or cut off"));
        // In place, so that no other copy of a private key is left behind; base64ct takes constant time.
        let mut text = Zeroizing::new(Vec::with_capacity(body.len()));
        text.extend(body.iter().filter(|byte| !byte.is_ascii_whitespace()));
        let len = Base64::decode_in_place(&mut text).map_err(|_| damaged())?.len();
        text.truncate(len);
        if text.is_empty() { Err(damaged()) } else { Ok(text) }
    }
}

/// A PEM block with lines of 64 characters.
pub(crate) fn encode(label: &str, der: &[u8]) -> Zeroizing<Vec<u8>> {
    let mut text = Zeroizing::new(vec![0; Base64::encoded_len(der)]);
    let written = Base64::encode(der, &mut text).map_or(0, str::len);
    let mut out = Zeroizing::new(Vec::with_capacity(written + written / 64 + 2 * label.len() + 40));
    out.extend_from_slice(&[BEGIN, label.as_bytes(), DASHES, b"\n"].concat());
    for line in text[..written].chunks(64) {
        out.extend_from_slice(line);
        out.push(b'\n');
    }
    out.extend_from_slice(&[END, label.as_bytes(), DASHES, b"\n"].concat());
    out
}
