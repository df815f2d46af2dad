//! heapmeter
