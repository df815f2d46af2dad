//! bignum
