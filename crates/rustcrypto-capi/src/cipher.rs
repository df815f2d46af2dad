//! `rustcrypto_cipher_*`
