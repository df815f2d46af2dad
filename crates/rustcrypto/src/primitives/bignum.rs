//! Unsigned big integers as SAE, DPP and finite-field Diffie-Hellman need them.
//!
//! Constant-time in values: what an operation does depends only on public widths ([`BigNum::width`]), never on the bits of
//! an operand. Moduli and shift counts are public (the groups' primes and orders). Two exceptions, both on purpose:
//! [`BigNum::bits`] and a shortest [`BigNum::to_bytes`] tell the length, and an error tells that an operation has no result.

use crypto_bigint::modular::{BoxedMontyForm, BoxedMontyParams};
use crypto_bigint::{BoxedUint, Choice, ConcatenatingMul, CtEq, CtGt, CtLt, CtSelect, NonZero, Odd, Resize};
use zeroize::{Zeroize, Zeroizing};

use super::rng;
use crate::{Error, Result};

/// Longest number accepted, in bytes: twice the largest modulus offered (8192 bits). A bound on time and memory.
pub const MAX_BYTES: usize = 2048;

/// An unsigned integer; wiped when dropped.
#[derive(Clone)]
pub struct BigNum {
    value: BoxedUint,
    /// Public upper bound on the number of significant bits.
    width: u32,
}

impl Drop for BigNum {
    fn drop(&mut self) {
        self.value.zeroize();
    }
}

impl std::fmt::Debug for BigNum {
    /// The value may be a secret: only its width is shown.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "BigNum({} bits)", self.width)
    }
}

impl From<u32> for BigNum {
    fn from(v: u32) -> Self {
        Self { value: BoxedUint::from(v), width: 32 }
    }
}

impl BigNum {
    /// From big-endian bytes; no bytes are zero.
    pub fn from_bytes(be: &[u8]) -> Result<Self> {
        if be.len() > MAX_BYTES {
            return Err(Error::InvalidArgument("a number is longer than 2048 bytes"));
        }
        let width = (be.len() as u32 * 8).max(1);
        Ok(Self { value: BoxedUint::from_be_slice_truncated(be, width), width })
    }

    fn with_width(value: BoxedUint, width: u32) -> Self {
        let width = width.max(1);
        // The old limbs are wiped: they may hold a copy of a secret.
        let old = Zeroizing::new(value);
        Self { value: (&*old).resize_unchecked(width), width }
    }

    /// Big-endian bytes, left-padded with zeros to `pad_to`; 0 asks for the shortest form (no byte for 0).
    ///
    /// # Errors
    /// [`Error::BufferTooShort`] if the value needs more than `pad_to` bytes.
    pub fn to_bytes(&self, pad_to: usize) -> Result<Zeroizing<Vec<u8>>> {
        let all = Zeroizing::new(self.value.to_be_bytes());
        let needed = if pad_to == 0 { (self.bits() as usize).div_ceil(8) } else { pad_to };
        let mut out = Zeroizing::new(vec![0; needed]);
        let take = needed.min(all.len());
        let (head, tail) = all.split_at(all.len() - take);
        // One pass over all bytes, so that only "it does not fit" shows.
        if head.iter().fold(0, |seen, byte| seen | byte) != 0 {
            return Err(Error::BufferTooShort { needed: (self.bits() as usize).div_ceil(8) });
        }
        out[needed - take..].copy_from_slice(tail);
        Ok(out)
    }

    /// Public upper bound on the length in bits.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Length in bits; 0 for zero.
    pub fn bits(&self) -> u32 {
        self.value.bit_width()
    }

    /// Is it 0?
    pub fn is_zero(&self) -> bool {
        self.value.is_zero().into()
    }

    /// Is it 1?
    pub fn is_one(&self) -> bool {
        self.value.is_one().into()
    }

    /// Is its lowest bit set?
    pub fn is_odd(&self) -> bool {
        self.value.as_limbs()[0].0 & 1 == 1
    }

    /// Uniform in `0..m` from the operating system's generator.
    pub fn random_below(m: &Self) -> Result<Self> {
        let bits = m.bits();
        if bits == 0 {
            return Err(Error::InvalidArgument("no number is below 0"));
        }
        let mut bytes = Zeroizing::new(vec![0; (bits as usize).div_ceil(8)]);
        loop {
            rng::fill(&mut bytes)?;
            bytes[0] &= 0xff >> ((8 - bits % 8) % 8);
            // Rejection: fewer than two tries on average, and a rejected candidate tells nothing about the accepted one.
            let candidate = Self::from_bytes(&bytes)?;
            if candidate.compare(m) == std::cmp::Ordering::Less {
                return Ok(Self::with_width(candidate.value.clone(), m.width));
            }
        }
    }

    /// Both values at one precision.
    fn aligned(&self, other: &Self) -> (Zeroizing<BoxedUint>, Zeroizing<BoxedUint>) {
        let width = self.width.max(other.width);
        (Zeroizing::new((&self.value).resize_unchecked(width)), Zeroizing::new((&other.value).resize_unchecked(width)))
    }

    /// Order of the two values, computed without branches.
    pub fn compare(&self, other: &Self) -> std::cmp::Ordering {
        let (a, b) = self.aligned(other);
        (i8::from(a.ct_gt(&b).to_bool()) - i8::from(a.ct_lt(&b).to_bool())).cmp(&0)
    }

    /// `self + other`.
    pub fn add(&self, other: &Self) -> Result<Self> {
        let width = self.width.max(other.width) + 1;
        if width > MAX_BYTES as u32 * 8 {
            return Err(Error::InvalidArgument("a sum is longer than 2048 bytes"));
        }
        let mut sum = (&self.value).resize_unchecked(width);
        sum.wrapping_add_assign(&other.value);
        Ok(Self { value: sum, width })
    }

    /// `self - other`.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] if `other` is greater.
    pub fn sub(&self, other: &Self) -> Result<Self> {
        let (a, b) = self.aligned(other);
        let (difference, underflow) = a.underflowing_sub(&*b);
        let difference = Self::with_width(difference, self.width);
        if underflow.to_bool() {
            return Err(Error::InvalidArgument("subtraction below zero"));
        }
        Ok(difference)
    }

    /// The modulus as a non-zero number without leading zero limbs.
    fn modulus(m: &Self) -> Result<NonZero<BoxedUint>> {
        let bits = m.bits();
        NonZero::new((&m.value).resize_unchecked(bits.max(1)))
            .into_option()
            .ok_or(Error::InvalidArgument("modulus or divisor is 0"))
    }

    fn reduced(&self, m: &NonZero<BoxedUint>) -> BoxedUint {
        // rem_vartime is variable-time in the (public) divisor alone; its result has the divisor's precision.
        self.value.rem_vartime(m)
    }

    /// `self mod m`.
    pub fn rem(&self, m: &Self) -> Result<Self> {
        let modulus = Self::modulus(m)?;
        Ok(Self::with_width(self.reduced(&modulus), m.width))
    }

    /// `self / d`, rounded down.
    pub fn div(&self, d: &Self) -> Result<Self> {
        let (quotient, mut remainder) = self.value.div_rem_vartime(&Self::modulus(d)?);
        remainder.zeroize();
        Ok(Self::with_width(quotient, self.width))
    }

    /// `self >> n`.
    #[must_use]
    pub fn shr(&self, n: u32) -> Self {
        Self::with_width(self.value.unbounded_shr_vartime(n), self.width.saturating_sub(n))
    }

    /// `(self + other) mod m`.
    pub fn add_mod(&self, other: &Self, m: &Self) -> Result<Self> {
        self.add(other)?.rem(m)
    }

    /// `(self * other) mod m`.
    pub fn mul_mod(&self, other: &Self, m: &Self) -> Result<Self> {
        let modulus = Self::modulus(m)?;
        let product = Zeroizing::new(self.value.concatenating_mul(&other.value));
        Ok(Self::with_width(product.rem_vartime(&modulus), m.width))
    }

    /// `self ^ exponent mod m`, constant-time in base and exponent.
    pub fn exp_mod(&self, exponent: &Self, m: &Self) -> Result<Self> {
        let modulus = Self::modulus(m)?;
        let base = Zeroizing::new(self.reduced(&modulus));
        let power = if let Some(odd) = Odd::new(modulus.as_ref().clone()).into_option() {
            let params = BoxedMontyParams::new_vartime(odd);
            let form = BoxedMontyForm::new((*base).clone(), &params);
            let mut power = form.pow_bounded_exp(&exponent.value, exponent.width);
            let result = power.retrieve();
            power.as_montgomery_mut().zeroize();
            result
        } else {
            // No protocol has an even modulus; square-and-multiply-always is slow but right.
            let one = BoxedUint::one_with_precision(modulus.bits_precision());
            (0..exponent.width).rev().fold(one.rem_vartime(&modulus), |acc, i| {
                let squared = acc.square_mod_vartime(&modulus);
                let multiplied = squared.concatenating_mul(&*base).rem_vartime(&modulus);
                squared.ct_select(&multiplied, exponent.value.bit(i))
            })
        };
        Ok(Self::with_width(power, m.width))
    }

    /// The number whose product with `self` is 1 mod `m`; constant-time in `self`.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] if there is none.
    pub fn inverse(&self, m: &Self) -> Result<Self> {
        let modulus = Self::modulus(m)?;
        if m.is_one() {
            return Ok(Self::with_width(BoxedUint::zero(), m.width)); // the only number there is
        }
        let base = Zeroizing::new(self.reduced(&modulus));
        let inverse = match Odd::new(modulus.as_ref().clone()).into_option() {
            Some(odd) => base.invert_odd_mod(&odd),
            None => base.invert_mod(&modulus),
        };
        let inverse =
            inverse.into_option().ok_or(Error::InvalidArgument("the number has no inverse for this modulus"))?;
        Ok(Self::with_width(inverse, m.width))
    }

    /// Legendre symbol (self / p) for an odd prime `p`: 1, 0 or -1, by Euler's criterion; constant-time in `self`.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] if `p` is even or less than 3.
    pub fn legendre(&self, p: &Self) -> Result<i32> {
        if !p.is_odd() || p.is_one() {
            return Err(Error::InvalidArgument("the Legendre symbol needs an odd prime"));
        }
        let power = self.exp_mod(&p.shr(1), p)?;
        let is_one: Choice = power.value.is_one();
        let is_zero: Choice = power.value.is_zero();
        // 1 -> 1, 0 -> 0, anything else (p - 1) -> -1, without a branch.
        Ok(2 * i32::from(is_one.to_u8()) + i32::from(is_zero.to_u8()) - 1)
    }
}

impl PartialEq for BigNum {
    fn eq(&self, other: &Self) -> bool {
        let (a, b) = self.aligned(other);
        a.ct_eq(&*b).to_bool()
    }
}
impl Eq for BigNum {}

#[cfg(test)]
mod tests;
