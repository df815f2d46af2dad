//! `rustcrypto_dh_*`
