//! Point arithmetic on the NIST prime curves, as SAE (IEEE 802.11 section 12.4), OWE (RFC 8110) and DPP need it.
//!
//! Constant-time in scalars and coordinates; which curve is used, whether a point is at infinity and whether an encoding is a
//! point are public.

mod params;

use rustcrypto_hot::asym;
use zeroize::{Zeroize, Zeroizing};

use super::bignum::BigNum;
#[cfg(accelerated)]
use super::cpu;
use crate::{Error, Result};

/// A curve this build has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Curve {
    /// NIST P-256, IANA group 19.
    P256,
    /// NIST P-384, IANA group 20.
    #[cfg(feature = "p384")]
    P384,
    /// NIST P-521, IANA group 21.
    #[cfg(feature = "p521")]
    P521,
}

#[allow(clippy::len_without_is_empty, reason = "a length in bytes, not of a collection")]
impl Curve {
    /// By the number in IANA's registry "Group Description" (RFC 2409, RFC 5903).
    pub fn from_iana(group: i32) -> Result<Self> {
        match group {
            19 => Ok(Self::P256),
            #[cfg(feature = "p384")]
            20 => Ok(Self::P384),
            #[cfg(feature = "p521")]
            21 => Ok(Self::P521),
            _ => Err(Error::Unsupported("this elliptic curve group (19, 20 and 21 are known)")),
        }
    }

    /// IANA group number.
    pub fn iana(self) -> i32 {
        match self {
            Self::P256 => 19,
            #[cfg(feature = "p384")]
            Self::P384 => 20,
            #[cfg(feature = "p521")]
            Self::P521 => 21,
        }
    }

    /// Its row in the table of implementations.
    #[cfg(accelerated)]
    pub(crate) fn algorithm(self) -> cpu::Algorithm {
        match self {
            Self::P256 => cpu::Algorithm::P256,
            #[cfg(feature = "p384")]
            Self::P384 => cpu::Algorithm::P384,
            #[cfg(feature = "p521")]
            Self::P521 => cpu::Algorithm::P521,
        }
    }

    /// Bytes of a coordinate; a scalar takes as many.
    pub fn len(self) -> usize {
        self.bits().div_ceil(8)
    }

    /// Bits of the field's prime; the order has as many.
    pub fn bits(self) -> usize {
        match self {
            Self::P256 => 256,
            #[cfg(feature = "p384")]
            Self::P384 => 384,
            #[cfg(feature = "p521")]
            Self::P521 => 521,
        }
    }
}

/// A point of one of the curves, or the one at infinity.
#[derive(Clone)]
pub enum Point {
    /// On P-256.
    P256(asym::p256::Point),
    /// On P-384.
    #[cfg(feature = "p384")]
    P384(asym::p384::Point),
    /// On P-521.
    #[cfg(feature = "p521")]
    P521(asym::p521::Point),
}

/// `$body` with `$point` bound to the concrete point; `$module` names the module of its curve.
macro_rules! with_point {
    ($value:expr, $point:ident, $variant:ident => $body:expr) => {
        match $value {
            Point::P256($point) => {
                #[allow(unused_imports)]
                use Point::P256 as $variant;
                $body
            }
            #[cfg(feature = "p384")]
            Point::P384($point) => {
                #[allow(unused_imports)]
                use Point::P384 as $variant;
                $body
            }
            #[cfg(feature = "p521")]
            Point::P521($point) => {
                #[allow(unused_imports)]
                use Point::P521 as $variant;
                $body
            }
        }
    };
}

/// `$body` in the module of a curve, with `$module` naming it and `$variant` the variant of [`Point`].
macro_rules! with_curve {
    ($curve:expr, $module:ident, $variant:ident => $body:expr) => {
        match $curve {
            $crate::primitives::ec::Curve::P256 => {
                use rustcrypto_hot::asym::p256 as $module;
                #[allow(unused_imports)]
                use $crate::primitives::ec::Point::P256 as $variant;
                $body
            }
            #[cfg(feature = "p384")]
            $crate::primitives::ec::Curve::P384 => {
                use rustcrypto_hot::asym::p384 as $module;
                #[allow(unused_imports)]
                use $crate::primitives::ec::Point::P384 as $variant;
                $body
            }
            #[cfg(feature = "p521")]
            $crate::primitives::ec::Curve::P521 => {
                use rustcrypto_hot::asym::p521 as $module;
                #[allow(unused_imports)]
                use $crate::primitives::ec::Point::P521 as $variant;
                $body
            }
        }
    };
}
pub(crate) use with_curve;

const NOT_A_POINT: Error = Error::InvalidArgument("not a point of the curve");
const MIXED: Error = Error::InvalidArgument("points of different curves");

/// Coordinates of one length.
type Coordinates = (Zeroizing<Vec<u8>>, Zeroizing<Vec<u8>>);

impl Point {
    /// The point at infinity.
    pub fn infinity(curve: Curve) -> Self {
        with_curve!(curve, module, wrap => wrap(module::Point::infinity()))
    }

    /// The generator.
    pub fn generator(curve: Curve) -> Self {
        with_curve!(curve, module, wrap => wrap(module::Point::generator()))
    }

    /// From x || y, each of [`Curve::len`] bytes, big endian.
    pub fn from_xy(curve: Curve, xy: &[u8]) -> Result<Self> {
        if xy.len() != 2 * curve.len() {
            return Err(Error::InvalidArgument("a point is two coordinates of the curve's length"));
        }
        let (x, y) = xy.split_at(curve.len());
        with_curve!(curve, module, wrap => {
            module::Point::from_xy(fixed(x)?, fixed(y)?).map(wrap)
        })
        .ok_or(NOT_A_POINT)
    }

    /// From x alone and the lowest bit of y.
    pub fn from_x(curve: Curve, x: &[u8], y_is_odd: bool) -> Result<Self> {
        with_curve!(curve, module, wrap => module::Point::from_x(fixed(x)?, y_is_odd).map(wrap)).ok_or(NOT_A_POINT)
    }

    /// From what protocols send: x || y, SEC 1 uncompressed (04) or compressed (02, 03), or x alone (RFC 8110; then the point
    /// with even y, whose multiples have the same x).
    pub fn decode(curve: Curve, bytes: &[u8]) -> Result<Self> {
        let len = curve.len();
        match (bytes.len(), bytes.first()) {
            (n, _) if n == 2 * len => Self::from_xy(curve, bytes),
            (n, Some(4)) if n == 2 * len + 1 => Self::from_xy(curve, &bytes[1..]),
            (n, Some(sign @ (2 | 3))) if n == len + 1 => Self::from_x(curve, &bytes[1..], *sign == 3),
            (n, _) if n == len => Self::from_x(curve, bytes, false),
            _ => Err(Error::InvalidArgument("not an encoded point of this curve (wrong length or form)")),
        }
    }

    /// SEC 1 uncompressed form: 04 || x || y.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] at infinity.
    pub fn encode(&self) -> Result<Zeroizing<Vec<u8>>> {
        let (x, y) = self.xy()?;
        Ok(Zeroizing::new([&[4][..], &x, &y].concat()))
    }

    /// The curve it is on.
    pub fn curve(&self) -> Curve {
        match self {
            Self::P256(_) => Curve::P256,
            #[cfg(feature = "p384")]
            Self::P384(_) => Curve::P384,
            #[cfg(feature = "p521")]
            Self::P521(_) => Curve::P521,
        }
    }

    /// Affine coordinates, each of [`Curve::len`] bytes.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] at infinity.
    pub fn xy(&self) -> Result<Coordinates> {
        with_point!(self, point, _wrap => {
            let (mut x, mut y) = point.xy().ok_or(Error::InvalidArgument("the point at infinity has no coordinates"))?;
            let both = (Zeroizing::new(x.to_vec()), Zeroizing::new(y.to_vec()));
            x.zeroize();
            y.zeroize();
            Ok(both)
        })
    }

    /// Is it the point at infinity?
    pub fn is_infinity(&self) -> bool {
        with_point!(self, point, _wrap => point.is_infinity())
    }

    /// `self + other`; any two points of one curve.
    pub fn add(&self, other: &Self) -> Result<Self> {
        match (self, other) {
            (Self::P256(a), Self::P256(b)) => Ok(Self::P256(a.add(b))),
            #[cfg(feature = "p384")]
            (Self::P384(a), Self::P384(b)) => Ok(Self::P384(a.add(b))),
            #[cfg(feature = "p521")]
            (Self::P521(a), Self::P521(b)) => Ok(Self::P521(a.add(b))),
            #[cfg(any(feature = "p384", feature = "p521"))]
            _ => Err(MIXED),
        }
    }

    /// `scalar * self`, for any scalar (it is reduced modulo the order).
    pub fn mul(&self, scalar: &BigNum) -> Result<Self> {
        let curve = self.curve();
        let scalar = scalar.rem(&Group::order_of(curve))?.to_bytes(curve.len())?;
        with_point!(self, point, wrap => point.mul(fixed(&scalar)?).map(wrap))
            .ok_or(Error::InvalidArgument("scalar not below the order"))
    }

    /// The inverse.
    #[must_use]
    pub fn neg(&self) -> Self {
        with_point!(self, point, wrap => wrap(point.neg()))
    }

    /// Are both the same point?
    pub fn equals(&self, other: &Self) -> Result<bool> {
        match (self, other) {
            (Self::P256(a), Self::P256(b)) => Ok(a.equals(b)),
            #[cfg(feature = "p384")]
            (Self::P384(a), Self::P384(b)) => Ok(a.equals(b)),
            #[cfg(feature = "p521")]
            (Self::P521(a), Self::P521(b)) => Ok(a.equals(b)),
            #[cfg(any(feature = "p384", feature = "p521"))]
            _ => Err(MIXED),
        }
    }
}

/// A slice as an array of the length the curve asks for.
pub(crate) fn fixed<const N: usize>(bytes: &[u8]) -> Result<&[u8; N]> {
    bytes.try_into().map_err(|_| Error::InvalidArgument("wrong length for this curve"))
}

/// A curve with its parameters as numbers: y^2 = x^3 + ax + b over the field of `prime` elements.
pub struct Group {
    /// Which curve.
    pub curve: Curve,
    /// The field's prime.
    pub prime: BigNum,
    /// Number of points; a prime too.
    pub order: BigNum,
    /// a = prime - 3.
    pub a: BigNum,
    /// b.
    pub b: BigNum,
    /// The generator.
    pub generator: Point,
}

impl Group {
    /// The parameters of a curve.
    pub fn new(curve: Curve) -> Self {
        let params = params::of(curve);
        let prime = number(params.prime);
        let a = prime.sub(&BigNum::from(3)).expect("a prime of hundreds of bits is above 3");
        let (order, b) = (number(params.order), number(params.b));
        Self { curve, prime, order, a, b, generator: Point::generator(curve) }
    }

    /// The order alone.
    pub fn order_of(curve: Curve) -> BigNum {
        number(params::of(curve).order)
    }

    /// x^3 + ax + b: the square of y for a point with this x (any x, also where no point is).
    pub fn y_squared(&self, x: &BigNum) -> Result<BigNum> {
        let p = &self.prime;
        let x_squared_plus_a = x.mul_mod(x, p)?.add_mod(&self.a, p)?;
        x_squared_plus_a.mul_mod(x, p)?.add_mod(&self.b, p)
    }
}

fn number(be: &[u8]) -> BigNum {
    BigNum::from_bytes(be).expect("the curves' constants are short")
}

#[cfg(test)]
mod tests;
