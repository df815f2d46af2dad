//! `rustcrypto_x509_*`
