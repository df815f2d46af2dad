//! A client and a server that are sent anything: an even first byte is for a server, an odd one for a client. Start from
//! crates/rustcrypto/testdata/handshake.
#![no_main]

use std::io::{self, Cursor, Read, Write};

use libfuzzer_sys::fuzz_target;
use rustcrypto::tls::{Config, Role, Session, Verify};

/// Gives the input, swallows the output.
struct Peer<'a>(Cursor<&'a [u8]>);

impl Read for Peer<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        self.0.read(buf)
    }
}

impl Write for Peer<'_> {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        Ok(buf.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

const CERTIFICATE: &[u8] = include_bytes!("../../crates/rustcrypto/tests/pki/p256.pem");
const KEY: &[u8] = include_bytes!("../../crates/rustcrypto/tests/pki/p256.key");

fuzz_target!(|bytes: &[u8]| {
    let Some((choice, bytes)) = bytes.split_first() else { return };
    let mut config = Config::new(if choice & 1 == 0 { Role::Server } else { Role::Client });
    if choice & 1 == 0 {
        config.set_certificate(CERTIFICATE).unwrap();
        config.set_key(KEY).unwrap();
    }
    config.set_verify(Verify::Optional);
    config.set_verify_name(false);
    let mut session = Session::new(&config).unwrap();
    let _ = session.handshake(&mut Peer(Cursor::new(bytes)));
});
