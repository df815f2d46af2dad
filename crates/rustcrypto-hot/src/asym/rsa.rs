//! RSA on numbers as big-endian bytes: the portable implementation.
//!
//! The private-key operation here is not known to be free of timing leaks that a network can observe (RUSTSEC-2023-0071): it
//! serves key owners who sign files on their own machine, never a protocol.

#[cfg(feature = "rsa-private")]
pub use private::Secret;
use rsa::{BoxedUint, Pkcs1v15Sign, PublicKey};

/// Padding of a signature (RFC 8017 section 8).
#[derive(Clone, Copy)]
pub enum Padding<'a> {
    /// RSASSA-PKCS1-v1_5 with the DER prefix of the digest.
    Pkcs1v15(&'a [u8]),
    /// RSASSA-PSS, MGF1 and hash SHA-256, salt as long as the digest.
    PssSha256,
    /// RSASSA-PSS with SHA-384.
    PssSha384,
    /// RSASSA-PSS with SHA-512.
    PssSha512,
}

fn number(be: &[u8]) -> BoxedUint {
    BoxedUint::from_be_slice_vartime(be)
}

fn pkcs1v15(prefix: &[u8], digest: &[u8]) -> Pkcs1v15Sign {
    Pkcs1v15Sign { hash_len: Some(digest.len()), prefix: prefix.into() }
}

/// Is it a signature of the digest by the key (n, e)? 1024 to 8192 bits.
pub fn verify(n: &[u8], e: &[u8], padding: Padding<'_>, digest: &[u8], signature: &[u8]) -> bool {
    let Ok(key) = PublicKey::new(number(n), number(e)) else { return false };
    match padding {
        Padding::Pkcs1v15(prefix) => key.verify(pkcs1v15(prefix, digest), digest, signature),
        Padding::PssSha256 => key.pss_verify_prehash::<sha2::Sha256>(digest, signature),
        Padding::PssSha384 => key.pss_verify_prehash::<sha2::Sha384>(digest, signature),
        Padding::PssSha512 => key.pss_verify_prehash::<sha2::Sha512>(digest, signature),
    }
    .is_ok()
}

/// Making keys and signing: 110 KB that a device which only verifies does without.
#[cfg(feature = "rsa-private")]
mod private;
