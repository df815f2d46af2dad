//! The cipher suites: ECDHE with an AEAD, nothing else.

use rustls::crypto::CipherSuiteCommon;
#[cfg(feature = "tls12")]
use rustls::crypto::KeyExchangeAlgorithm;
#[cfg(feature = "tls12")]
use rustls::crypto::tls12::PrfUsingHmac;
use rustls::crypto::tls13::HkdfUsingHmac;
use rustls::{CipherSuite, SupportedCipherSuite, Tls13CipherSuite};
#[cfg(feature = "tls12")]
use rustls::{SignatureScheme, Tls12CipherSuite};

use super::hash::{SHA256, SHA384, Sha2};
use super::record::Record;
use crate::primitives::aead::Algorithm;

static AES_128_GCM: Record = Record(Algorithm::Aes128Gcm);
static AES_256_GCM: Record = Record(Algorithm::Aes256Gcm);
static CHACHA20_POLY1305: Record = Record(Algorithm::ChaCha20Poly1305);

/// RFC 8446 section 5.5 for GCM: 2^24.5 records of full size; ChaCha20-Poly1305 has no limit within the sequence number.
const fn common(suite: CipherSuite, hash: &'static Sha2, is_gcm: bool) -> CipherSuiteCommon {
    CipherSuiteCommon { suite, hash_provider: hash, confidentiality_limit: if is_gcm { 1 << 24 } else { u64::MAX } }
}

const fn tls13(
    suite: CipherSuite,
    hash: &'static Sha2,
    hkdf: &'static HkdfUsingHmac<'static>,
    aead: &'static Record,
) -> Tls13CipherSuite {
    let is_gcm = !matches!(aead.0, Algorithm::ChaCha20Poly1305);
    Tls13CipherSuite { common: common(suite, hash, is_gcm), hkdf_provider: hkdf, aead_alg: aead, quic: None }
}

static HKDF_SHA256: HkdfUsingHmac<'static> = HkdfUsingHmac(&SHA256);
static HKDF_SHA384: HkdfUsingHmac<'static> = HkdfUsingHmac(&SHA384);

static TLS13_AES_128: Tls13CipherSuite =
    tls13(CipherSuite::TLS13_AES_128_GCM_SHA256, &SHA256, &HKDF_SHA256, &AES_128_GCM);
static TLS13_AES_256: Tls13CipherSuite =
    tls13(CipherSuite::TLS13_AES_256_GCM_SHA384, &SHA384, &HKDF_SHA384, &AES_256_GCM);
static TLS13_CHACHA: Tls13CipherSuite =
    tls13(CipherSuite::TLS13_CHACHA20_POLY1305_SHA256, &SHA256, &HKDF_SHA256, &CHACHA20_POLY1305);

#[cfg(feature = "tls12")]
const ECDSA: &[SignatureScheme] = &[
    SignatureScheme::ED25519,
    SignatureScheme::ECDSA_NISTP256_SHA256,
    SignatureScheme::ECDSA_NISTP384_SHA384,
    SignatureScheme::ECDSA_NISTP521_SHA512,
];
#[cfg(feature = "tls12")]
const RSA: &[SignatureScheme] = &[
    SignatureScheme::RSA_PSS_SHA256,
    SignatureScheme::RSA_PSS_SHA384,
    SignatureScheme::RSA_PSS_SHA512,
    SignatureScheme::RSA_PKCS1_SHA256,
    SignatureScheme::RSA_PKCS1_SHA384,
    SignatureScheme::RSA_PKCS1_SHA512,
];

#[cfg(feature = "tls12")]
static PRF_SHA256: PrfUsingHmac<'static> = PrfUsingHmac(&SHA256);
#[cfg(feature = "tls12")]
static PRF_SHA384: PrfUsingHmac<'static> = PrfUsingHmac(&SHA384);

#[cfg(feature = "tls12")]
const fn tls12(
    suite: CipherSuite,
    hash: &'static Sha2,
    prf: &'static PrfUsingHmac<'static>,
    sign: &'static [SignatureScheme],
    aead: &'static Record,
) -> Tls12CipherSuite {
    let is_gcm = !matches!(aead.0, Algorithm::ChaCha20Poly1305);
    Tls12CipherSuite {
        common: common(suite, hash, is_gcm),
        prf_provider: prf,
        kx: KeyExchangeAlgorithm::ECDHE,
        sign,
        aead_alg: aead,
    }
}

#[cfg(feature = "tls12")]
static TLS12: [Tls12CipherSuite; 6] = [
    tls12(CipherSuite::TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, &SHA256, &PRF_SHA256, ECDSA, &AES_128_GCM),
    tls12(CipherSuite::TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256, &SHA256, &PRF_SHA256, RSA, &AES_128_GCM),
    tls12(CipherSuite::TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, &SHA384, &PRF_SHA384, ECDSA, &AES_256_GCM),
    tls12(CipherSuite::TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384, &SHA384, &PRF_SHA384, RSA, &AES_256_GCM),
    tls12(CipherSuite::TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, &SHA256, &PRF_SHA256, ECDSA, &CHACHA20_POLY1305),
    tls12(CipherSuite::TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256, &SHA256, &PRF_SHA256, RSA, &CHACHA20_POLY1305),
];

/// All suites, best first: AES where the CPU has instructions for it, else ChaCha20-Poly1305, which is faster in plain code
/// (and constant-time by nature).
pub(crate) fn cipher_suites() -> Vec<SupportedCipherSuite> {
    let mut suites = vec![
        SupportedCipherSuite::Tls13(&TLS13_AES_128),
        SupportedCipherSuite::Tls13(&TLS13_AES_256),
        SupportedCipherSuite::Tls13(&TLS13_CHACHA),
    ];
    #[cfg(feature = "tls12")]
    suites.extend(TLS12.iter().map(SupportedCipherSuite::Tls12));
    if !has_aes() {
        // The sort is stable: within a version, only ChaCha20-Poly1305 moves up.
        suites.sort_by_key(|suite| (suite.tls13().is_none(), !is_chacha(*suite)));
    }
    suites
}

fn is_chacha(suite: SupportedCipherSuite) -> bool {
    matches!(
        suite.suite(),
        CipherSuite::TLS13_CHACHA20_POLY1305_SHA256
            | CipherSuite::TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256
            | CipherSuite::TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256
    )
}

/// Has this CPU instructions for AES?
fn has_aes() -> bool {
    #[cfg(any(target_arch = "x86_64", target_arch = "x86"))]
    return std::arch::is_x86_feature_detected!("aes");
    #[cfg(target_arch = "aarch64")]
    return std::arch::is_aarch64_feature_detected!("aes");
    #[allow(unreachable_code, reason = "the other architectures have none that the crates use")]
    false
}
