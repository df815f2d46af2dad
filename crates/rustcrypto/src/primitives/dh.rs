//! Finite-field Diffie-Hellman for any odd prime (SP 800-56A section 5.7.1.1), and the groups that WPS and SAE name.

use zeroize::Zeroizing;

use super::bignum::BigNum;

use crate::{Error, Result};

pub mod groups;

fn odd_prime(prime: &[u8]) -> Result<BigNum> {
    let p = BigNum::from_bytes(prime)?;
    // Primality is the caller's: testing it would cost far more than the exchange. Evenness and size are cheap to refuse.
    if !p.is_odd() || p.bits() < 512 {
        return Err(Error::InvalidArgument("a Diffie-Hellman prime must be odd and have at least 512 bits"));
    }
    Ok(p)
}

/// A private value and its public value, each as long as `prime` (big endian): private uniform in `2..p - 1`.
pub fn generate(prime: &[u8], generator: u32) -> Result<(Zeroizing<Vec<u8>>, Vec<u8>)> {
    let p = odd_prime(prime)?;
    if generator < 2 {
        return Err(Error::InvalidArgument("a Diffie-Hellman generator must be at least 2"));
    }
    let two = BigNum::from(2);
    // Uniform in 0..p - 3, then shifted.
    let private = BigNum::random_below(&p.sub(&BigNum::from(3))?)?.add(&two)?.rem(&p)?;
    let public = BigNum::from(generator).exp_mod(&private, &p)?;
    Ok((private.to_bytes(prime.len())?, public.to_bytes(prime.len())?.to_vec()))
}

/// The shared secret, as long as `prime`.
///
/// The peer's value y must satisfy 1 < y < p - 1 and, when `order` is given, y^order = 1 (SP 800-56A section 5.6.2.3.1).
pub fn derive(prime: &[u8], order: Option<&[u8]>, private: &[u8], peer: &[u8]) -> Result<Zeroizing<Vec<u8>>> {
    let p = odd_prime(prime)?;
    let y = BigNum::from_bytes(peer)?;
    let one = BigNum::from(1);
    let p_minus_1 = p.sub(&one)?;
    if y.compare(&one).is_le() || y.compare(&p_minus_1).is_ge() {
        return Err(Error::InvalidArgument("the peer's Diffie-Hellman value is not between 1 and p - 1"));
    }
    if let Some(order) = order
        && !y.exp_mod(&BigNum::from_bytes(order)?, &p)?.is_one()
    {
        return Err(Error::InvalidArgument("the peer's Diffie-Hellman value is not in the group"));
    }
    y.exp_mod(&BigNum::from_bytes(private)?, &p)?.to_bytes(prime.len())
}

/// `base ^ exponent mod modulus`, as long as `modulus`; constant-time in base and exponent.
pub fn mod_exp(base: &[u8], exponent: &[u8], modulus: &[u8]) -> Result<Zeroizing<Vec<u8>>> {
    let power = BigNum::from_bytes(base)?.exp_mod(&BigNum::from_bytes(exponent)?, &BigNum::from_bytes(modulus)?)?;
    power.to_bytes(modulus.len())
}

/// A fresh key pair in a named group.
pub fn generate_in(group: &groups::Group) -> Result<(Zeroizing<Vec<u8>>, Vec<u8>)> {
    generate(group.prime, group.generator)
}

#[cfg(test)]
mod tests;
