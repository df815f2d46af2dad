//! `rustcrypto_key_*`
