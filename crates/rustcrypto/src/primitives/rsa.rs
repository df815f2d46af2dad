//! RSA signatures (RFC 8017): verification of 1024 to 8192 bits, signing of 2048 to 8192.
//!
//! Signing for a protocol happens only in graviola's constant-time code. The portable crate's private-key operation may leak
//! through timing (RUSTSEC-2023-0071), so without graviola [`PrivateKey::sign`] refuses, and only
//! [`PrivateKey::sign_offline`] works: for files and certificates signed where nobody can time it over a network.

use std::borrow::Cow;

#[cfg(feature = "rsa")]
use rustcrypto_hot::asym::rsa as portable;
use zeroize::Zeroizing;

use super::asn1;
#[cfg(accelerated)]
use super::cpu;
use super::digest::Digest;
use crate::{Error, Result};

/// How a signature is padded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Padding {
    /// RSASSA-PKCS1-v1_5.
    Pkcs1v15,
    /// RSASSA-PSS with MGF1 of the same hash and a salt as long as the digest.
    Pss,
}

const BAD_DER: Error = Error::BadKey(Cow::Borrowed("not a PKCS#1 RSA key (damaged or truncated DER)"));
#[cfg(not(feature = "rsa-private"))]
const NO_PRIVATE: Error = Error::Unsupported(
    "making RSA keys and signing with them is not in this build (the size-first profile); use an EC key (P-256), which works everywhere",
);
#[cfg(not(feature = "rsa"))]
const OFF: Error = Error::Unsupported("RSA is not in this build");

/// A public key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicKey {
    pkcs1: Vec<u8>,
    bits: u32,
    #[cfg(accelerated)]
    fast: fast::Cached,
}

#[cfg(accelerated)]
mod fast {
    use std::sync::{Arc, OnceLock};

    use graviola::signing::rsa::VerifyingKey;

    /// graviola's form of a public key, made at its first use: making it costs half as much as a verification.
    #[derive(Clone, Default)]
    pub(super) struct Cached(OnceLock<Option<Arc<VerifyingKey>>>);

    impl Cached {
        /// `None`: graviola does not take this key.
        pub(super) fn get(&self, pkcs1: &[u8]) -> Option<&VerifyingKey> {
            self.0.get_or_init(|| VerifyingKey::from_pkcs1_der(pkcs1).ok().map(Arc::new)).as_deref()
        }
    }

    impl std::fmt::Debug for Cached {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("Cached")
        }
    }

    /// Made from what else the key holds, so it never tells two keys apart.
    impl PartialEq for Cached {
        fn eq(&self, _: &Self) -> bool {
            true
        }
    }

    impl Eq for Cached {}
}

impl PublicKey {
    /// From PKCS#1 `RSAPublicKey` (RFC 8017 appendix A.1.1).
    pub fn from_pkcs1(der: &[u8]) -> Result<Self> {
        let [n, e] = asn1::unsigned_integers(der).ok_or(BAD_DER)?;
        Self::checked(n, e, der.to_vec())
    }

    fn checked(n: &[u8], e: &[u8], pkcs1: Vec<u8>) -> Result<Self> {
        let bits = n.len() as u32 * 8 - n.first().map_or(0, |byte| byte.leading_zeros());
        if !(1024..=8192).contains(&bits) {
            return Err(Error::BadKey(format!("an RSA key of {bits} bits (1024 to 8192 are accepted)").into()));
        }
        let odd = |number: &[u8]| number.last().is_some_and(|byte| byte & 1 == 1);
        if !odd(n) || !odd(e) || e == [1] || e.len() > 4 {
            return Err(Error::BadKey("an RSA modulus or exponent out of range".into()));
        }
        Ok(Self {
            pkcs1,
            bits,
            #[cfg(accelerated)]
            fast: fast::Cached::default(),
        })
    }

    /// PKCS#1 `RSAPublicKey`.
    pub fn as_pkcs1(&self) -> &[u8] {
        &self.pkcs1
    }

    /// Bits of the modulus.
    pub fn bits(&self) -> u32 {
        self.bits
    }

    /// Check a signature of a digest. SHA-1 is checked if it is asked for; no protocol here asks.
    #[cfg(feature = "rsa")]
    pub fn verify_digest(&self, padding: Padding, hash: Digest, digest: &[u8], signature: &[u8]) -> Result<()> {
        let [n, e] = asn1::unsigned_integers(&self.pkcs1).ok_or(BAD_DER)?;
        let padding = portable_padding(padding, hash, digest)?;
        if portable::verify(n, e, padding, digest, signature) { Ok(()) } else { Err(Error::Authentication) }
    }

    /// Hash a message and check its signature.
    #[cfg(feature = "rsa")]
    pub fn verify(&self, padding: Padding, hash: Digest, message: &[u8], signature: &[u8]) -> Result<()> {
        #[cfg(accelerated)]
        if self.bits >= 2048
            && cpu::graviola(cpu::Algorithm::Rsa)
            && let Some(verdict) = self.verify_fast(padding, hash, message, signature)
        {
            return verdict;
        }
        self.verify_digest(padding, hash, &hash.hash(&[message])?, signature)
    }

    /// `None`: graviola does not have this hash or exponent.
    #[cfg(all(accelerated, feature = "rsa"))]
    fn verify_fast(&self, padding: Padding, hash: Digest, message: &[u8], signature: &[u8]) -> Option<Result<()>> {
        let key = self.fast.get(&self.pkcs1)?;
        let verdict = match (padding, hash) {
            (Padding::Pkcs1v15, Digest::Sha256) => key.verify_pkcs1_sha256(signature, message),
            (Padding::Pkcs1v15, Digest::Sha384) => key.verify_pkcs1_sha384(signature, message),
            (Padding::Pkcs1v15, Digest::Sha512) => key.verify_pkcs1_sha512(signature, message),
            (Padding::Pss, Digest::Sha256) => key.verify_pss_sha256(signature, message),
            (Padding::Pss, Digest::Sha384) => key.verify_pss_sha384(signature, message),
            (Padding::Pss, Digest::Sha512) => key.verify_pss_sha512(signature, message),
            _ => return None,
        };
        Some(verdict.map_err(|_| Error::Authentication))
    }

    /// Not in this build.
    #[cfg(not(feature = "rsa"))]
    pub fn verify_digest(&self, _: Padding, _: Digest, _: &[u8], _: &[u8]) -> Result<()> {
        Err(OFF)
    }

    /// Not in this build.
    #[cfg(not(feature = "rsa"))]
    pub fn verify(&self, _: Padding, _: Digest, _: &[u8], _: &[u8]) -> Result<()> {
        Err(OFF)
    }
}

/// The hash as the portable crate wants it; also checks the digest's length.
#[cfg(feature = "rsa")]
fn portable_padding(padding: Padding, hash: Digest, digest: &[u8]) -> Result<portable::Padding<'static>> {
    if digest.len() != hash.output_len() {
        return Err(Error::InvalidArgument("a digest of the wrong length for its hash"));
    }
    Ok(match (padding, hash) {
        (Padding::Pkcs1v15, _) => portable::Padding::Pkcs1v15(digest_info(hash)?),
        (Padding::Pss, Digest::Sha256) => portable::Padding::PssSha256,
        (Padding::Pss, Digest::Sha384) => portable::Padding::PssSha384,
        (Padding::Pss, Digest::Sha512) => portable::Padding::PssSha512,
        _ => return Err(Error::Unsupported("RSA-PSS with this hash (SHA-256, SHA-384 and SHA-512 are offered)")),
    })
}

/// DER of a `DigestInfo` up to the digest (RFC 8017 section 9.2, note 1).
#[cfg(feature = "rsa")]
fn digest_info(hash: Digest) -> Result<&'static [u8]> {
    Ok(match hash {
        Digest::Sha1 => b"\x30\x21\x30\x09\x06\x05\x2b\x0e\x03\x02\x1a\x05\x00\x04\x14",
        Digest::Sha224 => b"\x30\x2d\x30\x0d\x06\x09\x60\x86\x48\x01\x65\x03\x04\x02\x04\x05\x00\x04\x1c",
        Digest::Sha256 => b"\x30\x31\x30\x0d\x06\x09\x60\x86\x48\x01\x65\x03\x04\x02\x01\x05\x00\x04\x20",
        Digest::Sha384 => b"\x30\x41\x30\x0d\x06\x09\x60\x86\x48\x01\x65\x03\x04\x02\x02\x05\x00\x04\x30",
        Digest::Sha512 => b"\x30\x51\x30\x0d\x06\x09\x60\x86\x48\x01\x65\x03\x04\x02\x03\x05\x00\x04\x40",
        _ => return Err(Error::Unsupported("RSA PKCS#1 v1.5 with this hash")),
    })
}

/// A private key as PKCS#1 `RSAPrivateKey`; wiped when dropped.
#[derive(Clone)]
pub struct PrivateKey {
    pkcs1: Zeroizing<Vec<u8>>,
    public: PublicKey,
    #[cfg(accelerated)]
    fast: Option<std::sync::Arc<graviola::signing::rsa::SigningKey>>,
}

impl PrivateKey {
    /// From PKCS#1 `RSAPrivateKey` with two primes (RFC 8017 appendix A.1.2), 2048 to 8192 bits.
    pub fn from_pkcs1(der: &[u8]) -> Result<Self> {
        let [version, n, e, ..] = asn1::unsigned_integers::<9>(der).ok_or(BAD_DER)?;
        if version.iter().any(|byte| *byte != 0) {
            return Err(Error::BadKey("an RSA key of more than two primes".into()));
        }
        let public = PublicKey::checked(n, e, asn1::sequence_of_unsigned(&[n, e]).to_vec())?;
        if public.bits < 2048 {
            return Err(Error::BadKey(
                format!("an RSA key of {} bits is too weak to sign with (2048 are required)", public.bits).into(),
            ));
        }
        #[cfg(accelerated)]
        let fast = if cpu::graviola(cpu::Algorithm::Rsa) {
            graviola::signing::rsa::SigningKey::from_pkcs1_der(der).ok().map(std::sync::Arc::new)
        } else {
            None
        };
        Ok(Self {
            pkcs1: Zeroizing::new(der.to_vec()),
            public,
            #[cfg(accelerated)]
            fast,
        })
    }

    /// A fresh key; `bits` is 2048, 3072 or 4096.
    #[cfg(feature = "rsa-private")]
    #[allow(clippy::many_single_char_names, reason = "the names that RFC 8017 gives them")]
    pub fn generate(bits: u32) -> Result<Self> {
        if !matches!(bits, 2048 | 3072 | 4096) {
            return Err(Error::InvalidArgument("RSA keys are generated with 2048, 3072 or 4096 bits"));
        }
        #[cfg(accelerated)]
        if cpu::graviola(cpu::Algorithm::Rsa) {
            use graviola::signing::rsa::{KeySize, SigningKey};
            let size = KeySize::try_from(bits as usize).map_err(|_| Error::InvalidArgument("RSA key size"))?;
            let mut der = Zeroizing::new(vec![0; 4096]);
            let key = SigningKey::generate(size).map_err(|_| Error::Entropy)?;
            let len = key.to_pkcs1_der(&mut der).map_err(|_| BAD_DER)?.len();
            return Self::from_pkcs1(&der[..len]);
        }
        let numbers = portable::Secret::generate(bits as usize).and_then(|key| key.numbers()).ok_or(Error::Entropy)?;
        let [n, e, d, p, q, dp, dq, qinv] = numbers.each_ref().map(|number| &number[..]);
        Self::from_pkcs1(&asn1::sequence_of_unsigned(&[&[0], n, e, d, p, q, dp, dq, qinv]))
    }

    /// Not in this build.
    #[cfg(not(feature = "rsa-private"))]
    pub fn generate(_: u32) -> Result<Self> {
        Err(NO_PRIVATE)
    }

    /// PKCS#1 `RSAPrivateKey`.
    pub fn as_pkcs1(&self) -> &[u8] {
        &self.pkcs1
    }

    /// The public half.
    pub fn public(&self) -> &PublicKey {
        &self.public
    }

    /// Can [`Self::sign`] work here?
    pub fn signs_here(&self) -> bool {
        #[cfg(accelerated)]
        return self.fast.is_some();
        #[cfg(not(accelerated))]
        false
    }

    /// Hash a message and sign it, in constant time; SHA-256, SHA-384 or SHA-512.
    ///
    /// # Errors
    /// [`Error::Unsupported`] where graviola cannot run.
    pub fn sign(&self, padding: Padding, hash: Digest, message: &[u8]) -> Result<Vec<u8>> {
        #[cfg(accelerated)]
        if let Some(key) = &self.fast {
            let mut out = vec![0; key.modulus_len_bytes()];
            let signed = match (padding, hash) {
                (Padding::Pkcs1v15, Digest::Sha256) => key.sign_pkcs1_sha256(&mut out, message),
                (Padding::Pkcs1v15, Digest::Sha384) => key.sign_pkcs1_sha384(&mut out, message),
                (Padding::Pkcs1v15, Digest::Sha512) => key.sign_pkcs1_sha512(&mut out, message),
                (Padding::Pss, Digest::Sha256) => key.sign_pss_sha256(&mut out, message),
                (Padding::Pss, Digest::Sha384) => key.sign_pss_sha384(&mut out, message),
                (Padding::Pss, Digest::Sha512) => key.sign_pss_sha512(&mut out, message),
                _ => return Err(Error::Unsupported("RSA signatures use SHA-256, SHA-384 or SHA-512")),
            };
            signed.map_err(|_| Error::BadKey("the RSA key's numbers do not fit each other".into()))?;
            return Ok(out);
        }
        let _ = (padding, hash, message);
        Err(Error::Unsupported(
            "signing with an RSA key on this CPU or in this build: without the verified constant-time code it would leak the \
             key through timing; use an EC key (P-256), which works everywhere",
        ))
    }

    /// Hash a message and sign it, also where [`Self::sign`] refuses. Only for what no network can time: certificates, package
    /// indexes, firmware files.
    #[allow(clippy::many_single_char_names, reason = "the names that RFC 8017 gives them")]
    pub fn sign_offline(&self, padding: Padding, hash: Digest, message: &[u8]) -> Result<Vec<u8>> {
        if self.signs_here() {
            return self.sign(padding, hash, message);
        }
        #[cfg(feature = "rsa-private")]
        {
            let digest = hash.hash(&[message])?;
            let padding = portable_padding(padding, hash, &digest)?;
            let [_, n, e, d, p, q, ..] = asn1::unsigned_integers::<9>(&self.pkcs1).ok_or(BAD_DER)?;
            portable::Secret::new(n, e, d, p, q)
                .and_then(|key| key.sign_offline(padding, &digest))
                .ok_or(Error::BadKey("the RSA key's numbers do not fit each other".into()))
        }
        #[cfg(not(feature = "rsa-private"))]
        Err(NO_PRIVATE)
    }
}

#[cfg(all(test, feature = "rsa-private"))]
mod tests;
