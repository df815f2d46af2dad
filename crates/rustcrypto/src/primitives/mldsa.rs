//! mldsa
