//! Layer 4: TLS sessions over caller-supplied I/O.
