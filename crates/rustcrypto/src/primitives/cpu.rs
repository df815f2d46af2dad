//! Which implementation serves an algorithm on this CPU: decided once per process, by [`TABLE`] and what the CPU offers.
//!
//! "graviola" is verified assembly; "portable" are the RustCrypto organisation's crates, which use the CPU's AES, SHA and carry-less
//! multiplication instructions by themselves where they find them. `RUSTCRYPTO_IMPL=portable` in the environment forces portable.

use std::fmt::Write as _;
use std::sync::OnceLock;

/// An algorithm that has a line in the report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Algorithm {
    Sha1,
    Sha256,
    Sha512,
    Sha3,
    AesGcm,
    Aes192Gcm,
    AesCcm,
    ChaCha20Poly1305,
    AesModes,
    X25519,
    P256,
    P384,
    P521,
    Ed25519,
    Rsa,
    MlKem768,
    MlKem,
    MlDsa,
}
use Algorithm as A;

/// Who is faster where both run, as measured with `cargo xtask bench`.
enum Best {
    Graviola,
    /// Portable, and why.
    Portable(&'static str),
}

const NONE: Best = Best::Portable("graviola does not have it");

/// One row per algorithm: name in the report, who serves it where graviola runs, whether it is in this build.
const TABLE: &[(Algorithm, &str, Best, bool)] = &[
    (A::Sha1, "SHA-1", NONE, true),
    (A::Sha256, "SHA-224, SHA-256", Best::Portable("as fast, and smaller"), true),
    (A::Sha512, "SHA-384, SHA-512", Best::Portable("as fast, and smaller"), true),
    (A::Sha3, "SHA-3, SHAKE", Best::Portable("graviola lacks sizes and running hashes"), cfg!(feature = "sha3")),
    (A::AesGcm, "AES-128-GCM, AES-256-GCM", Best::Graviola, true),
    (A::Aes192Gcm, "AES-192-GCM", NONE, cfg!(feature = "aes192")),
    (A::AesCcm, "AES-CCM", NONE, cfg!(feature = "ccm")),
    (A::ChaCha20Poly1305, "ChaCha20-Poly1305", Best::Graviola, true),
    (A::AesModes, "AES block, CBC, CTR, key wrap, CMAC, SIV", NONE, true),
    (A::X25519, "X25519", Best::Graviola, true),
    (A::P256, "P-256 ECDH, ECDSA", Best::Graviola, true),
    (A::P384, "P-384 ECDH, ECDSA", Best::Graviola, cfg!(feature = "p384")),
    (A::P521, "P-521 ECDH, ECDSA", NONE, cfg!(feature = "p521")),
    (A::Ed25519, "Ed25519", Best::Graviola, cfg!(feature = "ed25519")),
    (A::Rsa, "RSA", Best::Graviola, cfg!(feature = "rsa")),
    (A::MlKem768, "ML-KEM-768", Best::Graviola, cfg!(feature = "mlkem")),
    (A::MlKem, "ML-KEM-512, ML-KEM-1024", NONE, cfg!(feature = "mlkem-sizes")),
    (A::MlDsa, "ML-DSA", NONE, cfg!(feature = "mldsa")),
];

/// May graviola be called, and if not, why.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Verdict {
    Yes,
    Forced,
    #[cfg_attr(accelerated, allow(dead_code))]
    NotBuilt,
    /// The first CPU feature that is missing.
    #[cfg_attr(not(accelerated), allow(dead_code))]
    Lacks(&'static str),
}

static VERDICT: OnceLock<Verdict> = OnceLock::new();

fn verdict() -> &'static Verdict {
    VERDICT.get_or_init(|| match missing() {
        Verdict::Yes if std::env::var_os("RUSTCRYPTO_IMPL").is_some_and(|v| v == "portable") => Verdict::Forced,
        other => other,
    })
}

/// Look for each `$feature`; the first that this CPU lacks is the verdict.
#[cfg(accelerated)]
macro_rules! need {
    ($detect:ident: $($feature:tt)*) => {{
        $(if !std::arch::$detect!($feature) { return Verdict::Lacks($feature); })*
        Verdict::Yes
    }};
}

// The list graviola itself insists on: it panics on a CPU without one of them.
#[cfg(all(accelerated, target_arch = "x86_64"))]
fn missing() -> Verdict {
    // valgrind runs ADX instructions but does not announce them (its bug 494162). A build with this variable set, which graviola
    // knows too, is for constant-time checks (rustcrypto-capi, tests/constant_time.rs) and for nothing else.
    if option_env!("VALGRIND_BUG_494162").is_none() && !std::arch::is_x86_feature_detected!("adx") {
        return Verdict::Lacks("adx");
    }
    need!(is_x86_feature_detected: "aes" "ssse3" "pclmulqdq" "avx" "avx2" "bmi1" "bmi2")
}

#[cfg(all(accelerated, target_arch = "aarch64"))]
fn missing() -> Verdict {
    need!(is_aarch64_feature_detected: "aes" "sha2" "pmull" "neon")
}

#[cfg(not(accelerated))]
fn missing() -> Verdict {
    Verdict::NotBuilt
}

/// Does graviola serve this algorithm here? Only after a `true` may its code be called.
pub fn graviola(algorithm: Algorithm) -> bool {
    cfg!(accelerated)
        && TABLE.iter().any(|(a, _, best, _)| *a == algorithm && matches!(best, Best::Graviola))
        && *verdict() == Verdict::Yes
}

/// One line per algorithm: name, implementation, why.
pub fn report() -> String {
    let mut text = String::new();
    for (_, name, best, built) in TABLE {
        let (implementation, why) = match (built, best, verdict()) {
            (false, ..) => ("none", "not in this build"),
            (true, Best::Portable(why), Verdict::Yes) => ("portable", *why),
            (true, Best::Graviola, Verdict::Yes) => ("graviola", "faster, and this CPU has what it needs"),
            (true, _, Verdict::Forced) => ("portable", "forced by RUSTCRYPTO_IMPL"),
            (true, _, Verdict::NotBuilt) => ("portable", "graviola is not in this build"),
            (true, _, Verdict::Lacks(feature)) => {
                let _ = writeln!(text, "{name}: portable (this CPU lacks {feature})");
                continue;
            }
        };
        let _ = writeln!(text, "{name}: {implementation} ({why})");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_algorithm_has_one_row_and_one_line() {
        for (index, (algorithm, ..)) in TABLE.iter().enumerate() {
            assert_eq!(*algorithm as usize, index, "rows in the enum's order, none missing");
        }
        assert_eq!(TABLE.len(), A::MlDsa as usize + 1);
        assert_eq!(report().lines().count(), TABLE.len());
    }

    #[cfg(accelerated)]
    #[test]
    fn graviola_agrees_before_it_is_called() {
        assert!(missing() != Verdict::Yes || graviola::util::is_cpu_supported(), "graviola would panic here");
    }
}
