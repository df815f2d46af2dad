//! Key derivation: HKDF (RFC 5869), PBKDF2 (RFC 8018) and the HMAC counter mode of SP 800-108.

use rustcrypto_hot::sym::Refused;
use rustcrypto_hot::sym::kdf as hot;

use super::digest::{Digest, Output};
use super::hmac::Hmac;
use crate::{Error, Result};

const UNSUPPORTED: Error = Error::Unsupported("key derivation over this hash function");

/// HKDF-Extract: a pseudo-random key as long as the digest.
pub fn hkdf_extract(digest: Digest, salt: &[u8], ikm: &[u8]) -> Result<Output> {
    let extract = match digest {
        Digest::Sha1 => hot::sha1::extract,
        Digest::Sha256 => hot::sha256::extract,
        Digest::Sha384 => hot::sha384::extract,
        Digest::Sha512 => hot::sha512::extract,
        _ => return Err(UNSUPPORTED),
    };
    Ok(Output::with(digest.output_len(), |prk| extract(salt, ikm, prk)))
}

/// HKDF-Expand: at most 255 digests long; `info` is the concatenation of the parts.
pub fn hkdf_expand(digest: Digest, prk: &[u8], info: &[&[u8]], okm: &mut [u8]) -> Result<()> {
    let expand = match digest {
        Digest::Sha1 => hot::sha1::expand,
        Digest::Sha256 => hot::sha256::expand,
        Digest::Sha384 => hot::sha384::expand,
        Digest::Sha512 => hot::sha512::expand,
        _ => return Err(UNSUPPORTED),
    };
    expand(prk, info, okm).map_err(|Refused| {
        Error::InvalidArgument(
            "HKDF-Expand: the key is shorter than the digest, or more than 255 digests are asked for",
        )
    })
}

/// HKDF: extract, then expand.
pub fn hkdf(digest: Digest, salt: &[u8], ikm: &[u8], info: &[&[u8]], okm: &mut [u8]) -> Result<()> {
    let prk = hkdf_extract(digest, salt, ikm)?;
    hkdf_expand(digest, &prk, info, okm)
}

/// PBKDF2 with HMAC. `iterations` is at least 1.
pub fn pbkdf2(digest: Digest, password: &[u8], salt: &[u8], iterations: u32, out: &mut [u8]) -> Result<()> {
    if iterations == 0 {
        return Err(Error::InvalidArgument("PBKDF2 needs at least one iteration"));
    }
    let pbkdf2 = match digest {
        Digest::Sha1 => hot::sha1::pbkdf2,
        Digest::Sha256 => hot::sha256::pbkdf2,
        Digest::Sha384 => hot::sha384::pbkdf2,
        Digest::Sha512 => hot::sha512::pbkdf2,
        _ => return Err(UNSUPPORTED),
    };
    pbkdf2(password, salt, iterations, out);
    Ok(())
}

/// SP 800-108 section 4.1 with HMAC and 32-bit fields: `K(i) = HMAC(key, [i] || label || 00 || context || [bits])`.
pub fn kbkdf_ctr(digest: Digest, key: &[u8], label: &[u8], context: &[u8], out: &mut [u8]) -> Result<()> {
    let bits = u32::try_from(out.len() as u64 * 8).map_err(|_| Error::InvalidArgument("KBKDF: output too long"))?;
    counter_mode(digest, key, &[label, &[0], context, &bits.to_be_bytes()], out)
}

/// The same with the fixed input data as the caller wants it.
fn counter_mode(digest: Digest, key: &[u8], fixed: &[&[u8]], out: &mut [u8]) -> Result<()> {
    let mut mac = Hmac::new(digest, key)?;
    for (block, counter) in out.chunks_mut(digest.output_len()).zip(1u32..) {
        mac.update(&counter.to_be_bytes());
        for part in fixed {
            mac.update(part);
        }
        block.copy_from_slice(&mac.finish()[..block.len()]);
    }
    Ok(())
}

#[cfg(test)]
mod tests;
