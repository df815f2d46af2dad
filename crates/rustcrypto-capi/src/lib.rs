//! The C ABI of librustcrypto: `rustcrypto_*` and nothing else.
//!
//! Opaque handles, no struct sizes in the ABI, null checks, a panic boundary on every function ([`boundary`]).

mod aead;
mod bignum;
mod boundary;
mod cipher;
mod dh;
mod digest;
mod ec;
mod general;
mod kem;
mod key;
mod legacy;
mod tls;
mod x509;
