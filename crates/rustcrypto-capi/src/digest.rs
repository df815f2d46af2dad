//! `rustcrypto_digest_*`
