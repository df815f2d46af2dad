//! The C ABI of librustcrypto: `rustcrypto_*` and nothing else.
//!
//! Opaque handles, no struct sizes in the ABI, null checks, a panic boundary on every function (`boundary`).
//! `include/rustcrypto.h` is written from this crate; its preamble (`cbindgen.toml`) is the contract on pointers, threads and errors.
#![allow(
    clippy::missing_safety_doc,
    reason = "one contract for all functions: the header's preamble, which is where C programmers read it"
)]
#![allow(clippy::doc_markdown, reason = "comments become C comments, where backticks mean nothing")]
#![allow(non_camel_case_types, reason = "names as C programs see them")]

pub mod boundary;

// The header follows this order.
pub mod general;

pub mod digest;

pub mod cipher;

pub mod aead;

pub mod legacy;

pub mod bignum;

pub mod ec;

pub mod key;

pub mod dh;

pub mod kem;

pub mod x509;

pub mod tls_config;

pub mod tls_io;

pub mod tls;
