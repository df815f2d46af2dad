//! ecdsa
