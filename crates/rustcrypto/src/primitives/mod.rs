//! Layer 1: algorithms. Each picks its implementation at run time from what the CPU offers ([`cpu`]).

pub mod aead;
pub(crate) mod asn1;
pub mod bignum;
pub mod cipher;
pub mod cpu;
pub mod dh;
pub mod digest;
pub mod ec;
pub mod ecdh;
pub mod ecdsa;
pub mod ed25519;
mod hex;
pub mod hmac;
pub mod kdf;
pub mod kem;
pub mod legacy;
pub mod mldsa;
pub mod rng;
pub mod rsa;
