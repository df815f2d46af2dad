//! Linux never compiles this crate.
