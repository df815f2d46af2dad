//! `rustcrypto_legacy_*`
