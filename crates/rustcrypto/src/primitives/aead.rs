//! aead
