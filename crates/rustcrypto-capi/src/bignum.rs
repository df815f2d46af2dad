//! `rustcrypto_bignum_*`
