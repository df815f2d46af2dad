//! Unsigned big integers. Any argument may be the same object as any other.

use std::cmp::Ordering;

use rustcrypto::Error;
use rustcrypto::primitives::bignum::BigNum;

use crate::boundary::{borrow, borrow_mut, bytes, guard, guard_new, guard_or, release, write_out};

/// An unsigned integer.
#[repr(transparent)]
pub struct rustcrypto_bignum(pub(crate) BigNum);

type Number = *const rustcrypto_bignum;

/// Nothing of this module works in a build without the feature `arith`; the linker then drops the code behind it.
pub(crate) fn built() -> Result<(), Error> {
    if cfg!(feature = "arith") { Ok(()) } else { Err(Error::Unsupported("big-number arithmetic is not in this build")) }
}

/// # Safety
/// As [`borrow`].
pub(crate) unsafe fn number<'a>(handle: Number) -> Result<&'a BigNum, Error> {
    // SAFETY: the caller's promise.
    unsafe { borrow(handle) }.map(|handle| &handle.0)
}

/// Replace a number. No reference to it may be alive: C may pass one object as argument and result, so results are computed
/// first and stored here.
///
/// # Safety
/// As [`borrow_mut`].
pub(crate) unsafe fn store(result: BigNum, out: *mut rustcrypto_bignum) -> Result<(), Error> {
    // SAFETY: the caller's promise.
    unsafe { borrow_mut(out) }?.0 = result;
    Ok(())
}

/// # Safety
/// As [`borrow`] for arguments, [`borrow_mut`] for the result.
unsafe fn binary(
    a: Number,
    b: Number,
    c: *mut rustcrypto_bignum,
    op: impl FnOnce(&BigNum, &BigNum) -> Result<BigNum, Error>,
) -> i32 {
    guard(|| {
        built()?;
        // SAFETY: the caller's promise; the references end before the result is stored.
        unsafe { store(op(number(a)?, number(b)?)?, c) }
    })
}

/// # Safety
/// As [`binary`].
unsafe fn ternary(
    a: Number,
    b: Number,
    m: Number,
    d: *mut rustcrypto_bignum,
    op: impl FnOnce(&BigNum, &BigNum, &BigNum) -> Result<BigNum, Error>,
) -> i32 {
    guard(|| {
        built()?;
        // SAFETY: the caller's promise; the references end before the result is stored.
        unsafe { store(op(number(a)?, number(b)?, number(m)?)?, d) }
    })
}

/// 0.
#[unsafe(no_mangle)]
pub extern "C" fn rustcrypto_bignum_new() -> *mut rustcrypto_bignum {
    rustcrypto_bignum_from_uint(0)
}

/// From big-endian bytes, at most 2048; no bytes are 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_bignum_from_bytes(be: *const u8, len: usize) -> *mut rustcrypto_bignum {
    guard_new(|| {
        built()?;
        // SAFETY: the header's contract.
        BigNum::from_bytes(unsafe { bytes(be, len) }?).map(rustcrypto_bignum)
    })
}

/// From a small number.
#[unsafe(no_mangle)]
pub extern "C" fn rustcrypto_bignum_from_uint(v: u32) -> *mut rustcrypto_bignum {
    guard_new(|| built().map(|()| rustcrypto_bignum(BigNum::from(v))))
}

/// Wipe and free; NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_bignum_free(a: *mut rustcrypto_bignum) {
    // SAFETY: the header's contract.
    unsafe { release(a) }
}

/// Big-endian bytes, left-padded with zeros to `pad_to` (0 = shortest; a longer number takes the bytes it needs).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_bignum_to_bytes(
    a: *const rustcrypto_bignum,
    out: *mut u8,
    cap: usize,
    pad_to: usize,
    out_len: *mut usize,
) -> i32 {
    guard(|| {
        built()?;
        if pad_to > rustcrypto::primitives::bignum::MAX_BYTES {
            return Err(Error::InvalidArgument("padding beyond 2048 bytes"));
        }
        // SAFETY: the header's contract.
        let a = unsafe { number(a) }?;
        let result = match a.to_bytes(pad_to) {
            Err(Error::BufferTooShort { .. }) => a.to_bytes(0)?,
            other => other?,
        };
        // SAFETY: the header's contract.
        unsafe { write_out(&result, out, cap, out_len) }
    })
}

/// `r` = a number uniform in 0 <= r < m.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_bignum_rand(r: *mut rustcrypto_bignum, m: *const rustcrypto_bignum) -> i32 {
    guard(|| {
        built()?;
        // SAFETY: the header's contract; the reference ends before the result is stored.
        unsafe { store(BigNum::random_below(number(m)?)?, r) }
    })
}

/// c = a + b.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_bignum_add(
    a: *const rustcrypto_bignum,
    b: *const rustcrypto_bignum,
    c: *mut rustcrypto_bignum,
) -> i32 {
    // SAFETY: the header's contract.
    unsafe { binary(a, b, c, BigNum::add) }
}

/// c = a - b; INVALID_ARGUMENT if b is greater.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_bignum_sub(
    a: *const rustcrypto_bignum,
    b: *const rustcrypto_bignum,
    c: *mut rustcrypto_bignum,
) -> i32 {
    // SAFETY: the header's contract.
    unsafe { binary(a, b, c, BigNum::sub) }
}

/// c = a mod b.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_bignum_mod(
    a: *const rustcrypto_bignum,
    b: *const rustcrypto_bignum,
    c: *mut rustcrypto_bignum,
) -> i32 {
    // SAFETY: the header's contract.
    unsafe { binary(a, b, c, BigNum::rem) }
}

/// c = a / b, rounded down.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_bignum_div(
    a: *const rustcrypto_bignum,
    b: *const rustcrypto_bignum,
    c: *mut rustcrypto_bignum,
) -> i32 {
    // SAFETY: the header's contract.
    unsafe { binary(a, b, c, BigNum::div) }
}

/// a * c = 1 mod m; INVALID_ARGUMENT if there is no such c.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_bignum_inverse(
    a: *const rustcrypto_bignum,
    m: *const rustcrypto_bignum,
    c: *mut rustcrypto_bignum,
) -> i32 {
    // SAFETY: the header's contract.
    unsafe { binary(a, m, c, BigNum::inverse) }
}

/// c = a * a mod m.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_bignum_sqrmod(
    a: *const rustcrypto_bignum,
    m: *const rustcrypto_bignum,
    c: *mut rustcrypto_bignum,
) -> i32 {
    // SAFETY: the header's contract.
    unsafe { binary(a, m, c, |a, m| a.mul_mod(a, m)) }
}

/// d = a ^ b mod m, in constant time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_bignum_exptmod(
    a: *const rustcrypto_bignum,
    b: *const rustcrypto_bignum,
    m: *const rustcrypto_bignum,
    d: *mut rustcrypto_bignum,
) -> i32 {
    // SAFETY: the header's contract.
    unsafe { ternary(a, b, m, d, BigNum::exp_mod) }
}

/// d = a + b mod m.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_bignum_addmod(
    a: *const rustcrypto_bignum,
    b: *const rustcrypto_bignum,
    m: *const rustcrypto_bignum,
    d: *mut rustcrypto_bignum,
) -> i32 {
    // SAFETY: the header's contract.
    unsafe { ternary(a, b, m, d, BigNum::add_mod) }
}

/// d = a * b mod m.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_bignum_mulmod(
    a: *const rustcrypto_bignum,
    b: *const rustcrypto_bignum,
    m: *const rustcrypto_bignum,
    d: *mut rustcrypto_bignum,
) -> i32 {
    // SAFETY: the header's contract.
    unsafe { ternary(a, b, m, d, BigNum::mul_mod) }
}

/// r = a >> n.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_bignum_rshift(
    a: *const rustcrypto_bignum,
    n: i32,
    r: *mut rustcrypto_bignum,
) -> i32 {
    guard(|| {
        built()?;
        let n = u32::try_from(n).map_err(|_| Error::InvalidArgument("a negative shift"))?;
        // SAFETY: the header's contract; the reference ends before the result is stored.
        unsafe { store(number(a)?.shr(n), r) }
    })
}

/// -1, 0 or 1 as a is less than, equal to or greater than b, in constant time; a NULL is less than any number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_bignum_cmp(a: *const rustcrypto_bignum, b: *const rustcrypto_bignum) -> i32 {
    guard_or(0, || {
        // SAFETY: the header's contract.
        let (a, b) = unsafe { (number(a).ok(), number(b).ok()) };
        let order = match (a, b) {
            (Some(a), Some(b)) => a.compare(b),
            (a, b) => a.is_some().cmp(&b.is_some()),
        };
        match order {
            Ordering::Less => -1,
            Ordering::Equal => 0,
            Ordering::Greater => 1,
        }
    })
}

/// 1 if a is 0, else 0 (also for NULL).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_bignum_is_zero(a: *const rustcrypto_bignum) -> i32 {
    // SAFETY: the header's contract.
    guard_or(0, || unsafe { number(a) }.map_or(0, |a| i32::from(a.is_zero())))
}

/// 1 if a is 1, else 0 (also for NULL).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_bignum_is_one(a: *const rustcrypto_bignum) -> i32 {
    // SAFETY: the header's contract.
    guard_or(0, || unsafe { number(a) }.map_or(0, |a| i32::from(a.is_one())))
}

/// 1 if a is odd, else 0 (also for NULL).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_bignum_is_odd(a: *const rustcrypto_bignum) -> i32 {
    // SAFETY: the header's contract.
    guard_or(0, || unsafe { number(a) }.map_or(0, |a| i32::from(a.is_odd())))
}

/// Legendre symbol (a / p) of an odd prime p: 1, 0 or -1, in constant time in a; -2 on error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_bignum_legendre(a: *const rustcrypto_bignum, p: *const rustcrypto_bignum) -> i32 {
    guard_or(-2, || {
        // SAFETY: the header's contract.
        let symbol = built().and_then(|()| unsafe { number(a)?.legendre(number(p)?) });
        symbol.unwrap_or_else(|error| {
            crate::boundary::fail(&error);
            -2
        })
    })
}

/// Length in bits; 0 for 0 and for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_bignum_bits(a: *const rustcrypto_bignum) -> usize {
    // SAFETY: the header's contract.
    guard_or(0, || unsafe { number(a) }.map_or(0, |a| a.bits() as usize))
}
