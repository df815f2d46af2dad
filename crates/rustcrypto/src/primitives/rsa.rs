//! rsa
