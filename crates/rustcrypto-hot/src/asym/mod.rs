//! Elliptic curves, X25519 and ML-KEM at concrete types.
