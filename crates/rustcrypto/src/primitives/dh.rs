//! dh
