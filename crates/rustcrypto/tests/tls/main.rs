//! Client against server, in memory: what is negotiated, refused, resumed, exported.

mod algorithms;
mod certificates;
mod mutation;
mod transport;
mod wire;
