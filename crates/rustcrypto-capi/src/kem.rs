//! `rustcrypto_kem_*`
