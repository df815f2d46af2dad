//! RSA private keys.

use getrandom::SysRng;
use rsa::traits::{PrivateKeyParts, PublicKeyParts};
use rsa::{BoxedUint, PrivateKey};
use zeroize::Zeroizing;

use super::{Padding, number, pkcs1v15};

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
