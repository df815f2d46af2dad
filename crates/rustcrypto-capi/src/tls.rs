//! `rustcrypto_tls_*`
