//! Generic algorithms made concrete.
//!
//! A per-package `opt-level` reaches only code compiled in that package, and a generic crate's code is compiled where it is
//! instantiated. `minimal` builds everything at `z` but this crate and the block-level crates at 3: AES-GCM would lose 8x.
#![forbid(unsafe_code)]

// Symmetric algorithms.
pub mod sym;
// Elliptic curves, X25519 and ML-KEM.
pub mod asym;
