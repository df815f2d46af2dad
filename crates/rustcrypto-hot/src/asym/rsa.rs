//! RSA on numbers as big-endian bytes: the portable implementation.
//!
//! The private-key operation here is not known to be free of timing leaks that a network can observe (RUSTSEC-2023-0071): it
//! serves key owners who sign files on their own machine, never a protocol.

use getrandom::SysRng;
use rsa::traits::{PrivateKeyParts, PublicKeyParts};
use rsa::{BoxedUint, Pkcs1v15Sign, PrivateKey, PublicKey};
use zeroize::Zeroizing;

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

/// A private key whose numbers fit each other.
pub struct Secret(PrivateKey);

impl Secret {
    /// From modulus, exponents and the two primes; `None` if they do not fit.
    #[allow(clippy::many_single_char_names, reason = "the names that RFC 8017 gives them")]
    pub fn new(n: &[u8], e: &[u8], d: &[u8], p: &[u8], q: &[u8]) -> Option<Self> {
        PrivateKey::from_components(number(n), number(e), number(d), vec![number(p), number(q)]).ok().map(Self)
    }

    /// A fresh key with exponent 65537.
    pub fn generate(bits: usize) -> Option<Self> {
        PrivateKey::new(&mut SysRng, bits).ok().map(Self)
    }

    /// n, e, d, p, q, d mod (p - 1), d mod (q - 1), 1/q mod p: in the order of RFC 8017 appendix A.1.2.
    pub fn numbers(&self) -> Option<[Zeroizing<Vec<u8>>; 8]> {
        let bytes = |number: &BoxedUint| Zeroizing::new(number.to_be_bytes().into_vec());
        let [p, q] = self.0.primes() else { return None };
        Some([
            bytes(self.0.n()),
            bytes(self.0.e()),
            bytes(self.0.d()),
            bytes(p),
            bytes(q),
            bytes(self.0.dp()?),
            bytes(self.0.dq()?),
            bytes(&Zeroizing::new(self.0.crt_coefficient()?)),
        ])
    }

    /// Sign a digest, blinded. Not for protocols: see the module.
    pub fn sign_offline(&self, padding: Padding<'_>, digest: &[u8]) -> Option<Vec<u8>> {
        let rng = &mut SysRng;
        match padding {
            Padding::Pkcs1v15(prefix) => self.0.sign_with_rng(rng, pkcs1v15(prefix, digest), digest),
            Padding::PssSha256 => self.0.pss_sign_prehash_with_rng::<sha2::Sha256, _>(rng, digest),
            Padding::PssSha384 => self.0.pss_sign_prehash_with_rng::<sha2::Sha384, _>(rng, digest),
            Padding::PssSha512 => self.0.pss_sign_prehash_with_rng::<sha2::Sha512, _>(rng, digest),
        }
        .ok()
    }
}
