//! Layer 3: a rustls `CryptoProvider` made from [`crate::primitives`].
