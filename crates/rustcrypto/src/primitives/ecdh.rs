//! ecdh
