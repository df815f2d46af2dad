//! Finite-field Diffie-Hellman.

use rustcrypto::Error;
use rustcrypto::primitives::dh;

use crate::boundary::{bytes, guard, refuse_overlap, write_exact, write_out};

/// Nothing of this module works in a build without the feature `dh`.
fn built() -> Result<(), Error> {
    if cfg!(feature = "dh") {
        Ok(())
    } else {
        Err(Error::Unsupported("finite-field Diffie-Hellman is not in this build"))
    }
}

/// A private and a public value for an odd prime of at least 512 bits; `priv` and `pub` take `prime_len` bytes each.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_dh_generate(
    prime: *const u8,
    prime_len: usize,
    generator: u32,
    priv_: *mut u8,
    priv_len: usize,
    pub_: *mut u8,
    pub_len: usize,
) -> i32 {
    guard(|| {
        built()?;
        refuse_overlap(&[(priv_.cast_const(), priv_len)], pub_, pub_len)?;
        if priv_len < prime_len || pub_len < prime_len {
            return Err(Error::BufferTooShort { needed: prime_len });
        }
        // SAFETY: the header's contract; the prime is no longer used when the values are written.
        let (private, public) = dh::generate(unsafe { bytes(prime, prime_len) }?, generator)?;
        // SAFETY: the header's contract.
        unsafe {
            write_exact(&private, priv_, priv_len)?;
            write_exact(&public, pub_, pub_len)
        }
    })
}

/// The shared secret, `prime_len` bytes. The peer's value y must satisfy 1 < y < p - 1, and y^order = 1 if `order` is given
/// (NULL, 0 if not).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_dh_derive(
    prime: *const u8,
    prime_len: usize,
    order: *const u8,
    order_len: usize,
    priv_: *const u8,
    priv_len: usize,
    peer: *const u8,
    peer_len: usize,
    out: *mut u8,
    cap: usize,
    out_len: *mut usize,
) -> i32 {
    guard(|| {
        built()?;
        // SAFETY: the header's contract; the inputs are no longer used when the secret is written.
        let secret = unsafe {
            let order = bytes(order, order_len)?;
            let order = (!order.is_empty()).then_some(order);
            dh::derive(bytes(prime, prime_len)?, order, bytes(priv_, priv_len)?, bytes(peer, peer_len)?)?
        };
        // SAFETY: the header's contract.
        unsafe { write_out(&secret, out, cap, out_len) }
    })
}

/// base ^ exp mod `mod`, `mod_len` bytes, in constant time in base and exponent.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_modexp(
    base: *const u8,
    base_len: usize,
    exp: *const u8,
    exp_len: usize,
    mod_: *const u8,
    mod_len: usize,
    out: *mut u8,
    cap: usize,
    out_len: *mut usize,
) -> i32 {
    guard(|| {
        built()?;
        // SAFETY: the header's contract; the inputs are no longer used when the result is written.
        let power = unsafe { dh::mod_exp(bytes(base, base_len)?, bytes(exp, exp_len)?, bytes(mod_, mod_len)?)? };
        // SAFETY: the header's contract.
        unsafe { write_out(&power, out, cap, out_len) }
    })
}
