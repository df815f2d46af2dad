//! The C ABI of librustcrypto: `rustcrypto_*` and nothing else.
//!
//! Opaque handles, no struct sizes in the ABI, null checks, a panic boundary on every function (`boundary`).
//! `include/rustcrypto.h` is written from this crate; its preamble (`cbindgen.toml`) is the contract on pointers, threads and errors.
#![allow(
    clippy::missing_safety_doc,
    reason = "one contract for all functions: the header's preamble, which is where C programmers read it"
)]
#![allow(non_camel_case_types, reason = "names as C programs see them")]

pub mod aead;
pub mod bignum;
pub mod boundary;
pub mod cipher;
pub mod dh;
pub mod digest;
pub mod ec;
pub mod general;
pub mod kem;
pub mod key;
pub mod legacy;
pub mod tls;
pub mod x509;
