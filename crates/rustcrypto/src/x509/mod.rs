//! Layer 2: keys and certificates as files carry them.
