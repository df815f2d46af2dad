//! Crypto and TLS for whole images.
//!
//! Three layers, each may use only those before it (`tests/layers.rs` checks): [`primitives`], [`x509`], [`provider`] and [`tls`].
#![forbid(unsafe_code)]

mod error;
pub mod primitives;
#[cfg(feature = "tls")]
pub mod provider;
#[cfg(feature = "tls")]
pub mod tls;
pub mod x509;

pub use error::{Error, Result};
