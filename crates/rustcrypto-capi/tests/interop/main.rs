//! Our C programs against other TLS libraries, both ways, over loopback; prints a table. A peer that is not installed is a counted
//! skip that says what to install. Everything is bounded: each program by a minute, the table by what is in it.

#[path = "../support/mod.rs"]
mod support;

mod bad;
mod browser;
mod curl;
mod gnutls;
mod harness;
mod libraries;
mod openssl;
mod programs;
