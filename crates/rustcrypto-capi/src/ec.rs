//! `rustcrypto_ec_*`
