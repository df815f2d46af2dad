//! Elliptic-curve points and parameters. Any argument may be the same object as any other.

use rustcrypto::Error;
use rustcrypto::primitives::ec::{Curve, Group, Point};

use crate::bignum::{built, number, rustcrypto_bignum, store};
use crate::boundary::{borrow, borrow_mut, bytes, guard, guard_new, guard_or, release, write_exact};

/// A curve and its parameters.
pub struct rustcrypto_ec {
    group: Group,
    generator: rustcrypto_ec_point,
}

/// A point of a curve, or the one at infinity.
pub struct rustcrypto_ec_point(Point);

/// # Safety
/// As [`borrow`].
unsafe fn point<'a>(group: *const rustcrypto_ec, point: *const rustcrypto_ec_point) -> Result<&'a Point, Error> {
    // SAFETY: the caller's promise.
    let (group, point) = unsafe { (borrow(group)?, borrow(point)?) };
    if point.0.curve() != group.group.curve {
        return Err(Error::InvalidArgument("a point of another curve"));
    }
    Ok(&point.0)
}

/// Replace a point; no reference to it may be alive.
///
/// # Safety
/// As [`borrow_mut`].
unsafe fn replace(result: Point, out: *mut rustcrypto_ec_point) -> Result<(), Error> {
    // SAFETY: the caller's promise.
    unsafe { borrow_mut(out) }?.0 = result;
    Ok(())
}

/// A curve by its IANA number: 19 P-256, 20 P-384, 21 P-521.
#[unsafe(no_mangle)]
pub extern "C" fn rustcrypto_ec_new(group: i32) -> *mut rustcrypto_ec {
    guard_new(|| {
        built()?;
        let curve = Curve::from_iana(group)?;
        Ok(rustcrypto_ec { group: Group::new(curve), generator: rustcrypto_ec_point(Point::generator(curve)) })
    })
}

/// Free; NULL is fine. Numbers and the generator that the curve owns go with it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_ec_free(e: *mut rustcrypto_ec) {
    // SAFETY: the header's contract.
    unsafe { release(e) }
}

/// Something of a curve, or `none` for NULL.
///
/// # Safety
/// As [`borrow`].
unsafe fn of<T>(e: *const rustcrypto_ec, none: T, get: impl FnOnce(&rustcrypto_ec) -> T) -> T {
    // SAFETY: the caller's promise.
    unsafe { borrow(e) }.map_or(none, get)
}

/// Bytes of a coordinate.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_ec_prime_len(e: *const rustcrypto_ec) -> usize {
    // SAFETY: the header's contract.
    unsafe { of(e, 0, |e| e.group.curve.len()) }
}

/// Bits of the field's prime.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_ec_prime_bits(e: *const rustcrypto_ec) -> usize {
    // SAFETY: the header's contract.
    unsafe { of(e, 0, |e| e.group.curve.bits()) }
}

/// Bytes of a scalar.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_ec_order_len(e: *const rustcrypto_ec) -> usize {
    // SAFETY: the header's contract.
    unsafe { of(e, 0, |e| e.group.curve.len()) }
}

/// The field's prime; owned by the curve, NULL for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_ec_prime(e: *const rustcrypto_ec) -> *const rustcrypto_bignum {
    // SAFETY: the header's contract.
    unsafe { of(e, std::ptr::null(), |e| (&raw const e.group.prime).cast()) }
}

/// The number of points; owned by the curve, NULL for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_ec_order(e: *const rustcrypto_ec) -> *const rustcrypto_bignum {
    // SAFETY: the header's contract.
    unsafe { of(e, std::ptr::null(), |e| (&raw const e.group.order).cast()) }
}

/// a of y^2 = x^3 + ax + b; owned by the curve, NULL for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_ec_a(e: *const rustcrypto_ec) -> *const rustcrypto_bignum {
    // SAFETY: the header's contract.
    unsafe { of(e, std::ptr::null(), |e| (&raw const e.group.a).cast()) }
}

/// b of y^2 = x^3 + ax + b; owned by the curve, NULL for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_ec_b(e: *const rustcrypto_ec) -> *const rustcrypto_bignum {
    // SAFETY: the header's contract.
    unsafe { of(e, std::ptr::null(), |e| (&raw const e.group.b).cast()) }
}

/// The generator; owned by the curve, NULL for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_ec_generator(e: *const rustcrypto_ec) -> *const rustcrypto_ec_point {
    // SAFETY: the header's contract.
    unsafe { of(e, std::ptr::null(), |e| &raw const e.generator) }
}

/// The point at infinity.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_ec_point_new(e: *const rustcrypto_ec) -> *mut rustcrypto_ec_point {
    // SAFETY: the header's contract.
    guard_new(|| Ok(rustcrypto_ec_point(Point::infinity(unsafe { borrow(e) }?.group.curve))))
}

/// Wipe and free; NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_ec_point_free(p: *mut rustcrypto_ec_point) {
    // SAFETY: the header's contract.
    unsafe { release(p) }
}

/// The x coordinate; INVALID_ARGUMENT at infinity.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_ec_point_x(
    e: *const rustcrypto_ec,
    p: *const rustcrypto_ec_point,
    x: *mut rustcrypto_bignum,
) -> i32 {
    guard(|| {
        // SAFETY: the header's contract.
        let (value, _) = unsafe { point(e, p) }?.xy()?;
        // SAFETY: the header's contract.
        unsafe { store(rustcrypto::primitives::bignum::BigNum::from_bytes(&value)?, x) }
    })
}

/// Both coordinates, `rustcrypto_ec_prime_len` bytes each; either may be NULL. INVALID_ARGUMENT at infinity.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_ec_point_to_bytes(
    e: *const rustcrypto_ec,
    p: *const rustcrypto_ec_point,
    x: *mut u8,
    y: *mut u8,
) -> i32 {
    guard(|| {
        // SAFETY: the header's contract.
        let coordinates = unsafe { point(e, p) }?.xy()?;
        for (value, out) in [(coordinates.0, x), (coordinates.1, y)] {
            if !out.is_null() {
                // SAFETY: the header's contract: room for a coordinate.
                unsafe { write_exact(&value, out, value.len()) }?;
            }
        }
        Ok(())
    })
}

/// From x || y, `rustcrypto_ec_prime_len` bytes each; NULL if that is not a point of the curve.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_ec_point_from_bytes(
    e: *const rustcrypto_ec,
    xy: *const u8,
) -> *mut rustcrypto_ec_point {
    guard_new(|| {
        // SAFETY: the header's contract.
        let curve = unsafe { borrow(e) }?.group.curve;
        // SAFETY: the header's contract: two coordinates.
        Point::from_xy(curve, unsafe { bytes(xy, 2 * curve.len()) }?).map(rustcrypto_ec_point)
    })
}

/// c = a + b.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_ec_point_add(
    e: *const rustcrypto_ec,
    a: *const rustcrypto_ec_point,
    b: *const rustcrypto_ec_point,
    c: *mut rustcrypto_ec_point,
) -> i32 {
    // SAFETY: the header's contract; the references end before the result is stored.
    guard(|| unsafe { replace(point(e, a)?.add(point(e, b)?)?, c) })
}

/// res = k * p for any k, in constant time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_ec_point_mul(
    e: *const rustcrypto_ec,
    p: *const rustcrypto_ec_point,
    k: *const rustcrypto_bignum,
    res: *mut rustcrypto_ec_point,
) -> i32 {
    // SAFETY: the header's contract; the references end before the result is stored.
    guard(|| unsafe { replace(point(e, p)?.mul(number(k)?)?, res) })
}

/// p = -p.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_ec_point_invert(e: *const rustcrypto_ec, p: *mut rustcrypto_ec_point) -> i32 {
    // SAFETY: the header's contract; the reference ends before the result is stored.
    guard(|| unsafe { replace(point(e, p)?.neg(), p) })
}

/// x^3 + ax + b mod the prime, for any x; NULL on error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_ec_y_squared(
    e: *const rustcrypto_ec,
    x: *const rustcrypto_bignum,
) -> *mut rustcrypto_bignum {
    // SAFETY: the header's contract.
    guard_new(|| unsafe { borrow(e)?.group.y_squared(number(x)?) }.map(rustcrypto_bignum))
}

/// 1 at infinity, else 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_ec_point_is_infinity(
    e: *const rustcrypto_ec,
    p: *const rustcrypto_ec_point,
) -> i32 {
    // SAFETY: the header's contract.
    guard_or(0, || unsafe { point(e, p) }.map_or(0, |p| i32::from(p.is_infinity())))
}

/// 1 for a point of this curve (no other can be made), 0 for one of another curve or NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_ec_point_is_on_curve(
    e: *const rustcrypto_ec,
    p: *const rustcrypto_ec_point,
) -> i32 {
    // SAFETY: the header's contract.
    guard_or(0, || i32::from(unsafe { point(e, p) }.is_ok()))
}

/// 0 if both are the same point of this curve, else 1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_ec_point_cmp(
    e: *const rustcrypto_ec,
    a: *const rustcrypto_ec_point,
    b: *const rustcrypto_ec_point,
) -> i32 {
    // SAFETY: the header's contract.
    guard_or(1, || i32::from(!unsafe { point(e, a).and_then(|a| a.equals(point(e, b)?)) }.unwrap_or(false)))
}
