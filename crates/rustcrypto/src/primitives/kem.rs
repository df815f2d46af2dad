//! kem
