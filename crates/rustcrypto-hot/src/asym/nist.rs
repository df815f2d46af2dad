//! One module per NIST prime curve.

/// Defines a module with points, ECDH and ECDSA for one curve of SP 800-186.
macro_rules! nist_curve {
    ($name:ident, $curve:ident, $len:literal, $hash:ty, $doc:literal) => {
        #[doc = $doc]
        pub mod $name {
            use curve::elliptic_curve::PrimeField;
            use curve::elliptic_curve::group::Group;
            use curve::elliptic_curve::point::{AffineCoordinates, DecompressPoint};
            use curve::{AffinePoint, FieldBytes, NonZeroScalar, ProjectivePoint, Scalar};
            use zeroize::{Zeroize, Zeroizing};
            use $name as curve;

            /// Bytes of a coordinate and of a scalar.
            pub const LEN: usize = $len;
            type Bytes = [u8; LEN];

            /// A point, possibly the one at infinity; wiped when dropped.
            #[derive(Clone)]
            pub struct Point(ProjectivePoint);

            impl Drop for Point {
                fn drop(&mut self) {
                    self.0.zeroize();
                }
            }

            fn field_bytes(bytes: &Bytes) -> FieldBytes {
                (*bytes).into()
            }

            fn nonzero(secret: &Bytes) -> Option<Zeroizing<NonZeroScalar>> {
                NonZeroScalar::from_repr(field_bytes(secret)).into_option().map(Zeroizing::new)
            }

            impl Point {
                /// The point at infinity.
                pub fn infinity() -> Self {
                    Self(ProjectivePoint::IDENTITY)
                }

                /// The generator.
                pub fn generator() -> Self {
                    Self(ProjectivePoint::GENERATOR)
                }

                /// From affine coordinates; `None` if they are not a point of the curve.
                pub fn from_xy(x: &Bytes, y: &Bytes) -> Option<Self> {
                    let point = AffinePoint::from_coordinates(&field_bytes(x), &field_bytes(y)).into_option();
                    point.map(|point| Self(point.into()))
                }

                /// From x and the lowest bit of y; `None` if no point has that x.
                pub fn from_x(x: &Bytes, y_is_odd: bool) -> Option<Self> {
                    let point = AffinePoint::decompress(&field_bytes(x), u8::from(y_is_odd).into()).into_option();
                    point.map(|point| Self(point.into()))
                }

                /// Affine coordinates; `None` at infinity.
                pub fn xy(&self) -> Option<(Bytes, Bytes)> {
                    let affine = self.0.to_affine();
                    (!self.is_infinity()).then(|| (affine.x().into(), affine.y().into()))
                }

                /// Is it the point at infinity?
                pub fn is_infinity(&self) -> bool {
                    self.0.is_identity().into()
                }

                /// Sum, by complete formulas: any two points may be added.
                #[must_use]
                pub fn add(&self, other: &Self) -> Self {
                    Self(self.0 + other.0)
                }

                /// The inverse.
                #[must_use]
                pub fn neg(&self) -> Self {
                    Self(-self.0)
                }

                /// Scalar multiple in constant time; `None` if the scalar is not below the order.
                pub fn mul(&self, scalar: &Bytes) -> Option<Self> {
                    let scalar = Zeroizing::new(Scalar::from_repr(field_bytes(scalar)).into_option()?);
                    Some(Self(self.0 * *scalar))
                }

                /// Are both the same point? In constant time.
                pub fn equals(&self, other: &Self) -> bool {
                    self.0 == other.0
                }
            }

            /// Is it a secret scalar, that is in `1..order`?
            pub fn is_secret(secret: &Bytes) -> bool {
                nonzero(secret).is_some()
            }

            /// Public point of a secret scalar; `None` if that is 0 or not below the order.
            pub fn public(secret: &Bytes) -> Option<Point> {
                let secret = nonzero(secret)?;
                Some(Point(ProjectivePoint::mul_by_generator(&**secret)))
            }

            /// ECDH (SP 800-56A section 5.7.1.2): x of secret * peer.
            pub fn agree(secret: &Bytes, peer: &Point) -> Option<Zeroizing<Bytes>> {
                let secret = nonzero(secret)?;
                let shared = Point(peer.0 * **secret);
                shared.xy().map(|(x, mut y)| {
                    y.zeroize();
                    Zeroizing::new(x)
                })
            }

            /// ECDSA over a digest: r || s. The nonce follows RFC 6979 with `extra` as in its section 3.6: fresh random bytes
            /// keep fault attacks off, none gives the deterministic variant.
            pub fn sign(secret: &Bytes, digest: &[u8], extra: &[u8]) -> Option<[u8; 2 * LEN]> {
                let secret = nonzero(secret)?;
                let (signature, _) =
                    ecdsa::hazmat::sign_prehashed_rfc6979::<curve::$curve, $hash>(&secret, digest, extra);
                signature.to_bytes().as_slice().try_into().ok()
            }

            /// Is r || s an ECDSA signature of the digest?
            pub fn verify(public: &Point, digest: &[u8], signature: &[u8; 2 * LEN]) -> bool {
                ecdsa::Signature::<curve::$curve>::from_slice(signature)
                    .is_ok_and(|signature| ecdsa::hazmat::verify_prehashed(&public.0, digest, &signature).is_ok())
            }
        }
    };
}
