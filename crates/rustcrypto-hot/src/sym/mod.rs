//! Symmetric algorithms at concrete types.
