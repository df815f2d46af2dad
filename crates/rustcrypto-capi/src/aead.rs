//! `rustcrypto_aead_*`
