//! `rustcrypto_general_*`
