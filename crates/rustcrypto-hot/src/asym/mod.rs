//! Elliptic curves, X25519 and ML-KEM at concrete types.
//!
//! Scalars and coordinates are big-endian byte arrays of the curve's length; reduction modulo the order is the caller's
//! (`rustcrypto::primitives::bignum`). Only [`rsa`] draws random numbers.

#[macro_use]
mod nist;
#[cfg(feature = "mlkem")]
#[macro_use]
mod kem;
#[cfg(feature = "rsa")]
pub mod rsa;
pub mod x25519;

nist_curve!(p256, NistP256, 32, sha2::Sha256, "NIST P-256 (SP 800-186 section 3.2.1.3, IANA group 19).");
#[cfg(feature = "p384")]
nist_curve!(p384, NistP384, 48, sha2::Sha384, "NIST P-384 (SP 800-186 section 3.2.1.4, IANA group 20).");
#[cfg(feature = "p521")]
nist_curve!(p521, NistP521, 66, sha2::Sha512, "NIST P-521 (SP 800-186 section 3.2.1.5, IANA group 21).");

#[cfg(feature = "mlkem-sizes")]
ml_kem!(mlkem512, MlKem512, "ML-KEM-512 (FIPS 203).");
#[cfg(feature = "mlkem")]
ml_kem!(mlkem768, MlKem768, "ML-KEM-768 (FIPS 203).");
#[cfg(feature = "mlkem-sizes")]
ml_kem!(mlkem1024, MlKem1024, "ML-KEM-1024 (FIPS 203).");
