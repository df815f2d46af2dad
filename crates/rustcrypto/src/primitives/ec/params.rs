//! The curves' parameters (SP 800-186 section 3.2.1), big endian.

use super::Curve;
use crate::primitives::hex::hex;

/// Constants of a curve.
pub(super) struct Params {
    pub(super) prime: &'static [u8],
    pub(super) order: &'static [u8],
    pub(super) b: &'static [u8],
}

/// The constants of `curve`.
pub(super) fn of(curve: Curve) -> Params {
    match curve {
        Curve::P256 => P256,
        #[cfg(feature = "p384")]
        Curve::P384 => P384,
        #[cfg(feature = "p521")]
        Curve::P521 => P521,
    }
}

const P256: Params = Params {
    prime: &hex::<32>("ffffffff00000001000000000000000000000000ffffffffffffffffffffffff"),
    order: &hex::<32>("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551"),
    b: &hex::<32>("5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604b"),
};

#[cfg(feature = "p384")]
const P384: Params = Params {
    prime: &hex::<48>(
        "fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffeffffffff0000000000000000ffffffff",
    ),
    order: &hex::<48>(
        "ffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973",
    ),
    b: &hex::<48>("b3312fa7e23ee7e4988e056be3f82d19181d9c6efe8141120314088f5013875ac656398d8a2ed19d2a85c8edd3ec2aef"),
};

#[cfg(feature = "p521")]
const P521: Params = Params {
    prime: &hex::<66>(
        "01ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff\
            ffffffffffffffffffffffffffffffffffff",
    ),
    order: &hex::<66>(
        "01fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffa51868783bf2f966b7fcc0148f709\
            a5d03bb5c9b8899c47aebb6fb71e91386409",
    ),
    b: &hex::<66>(
        "0051953eb9618e1c9a1f929a21a0b68540eea2da725b99b315f3b8b489918ef109e156193951ec7e937b1652c0bd3bb1\
            bf073573df883d2c34f1ef451fd46b503f00",
    ),
};
