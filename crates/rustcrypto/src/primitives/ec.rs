//! ec
