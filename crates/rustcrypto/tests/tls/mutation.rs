//! Damaged certificates, revocation lists, keys and handshakes: an error or luck, never a panic, never a hang. The same damage
//! each time; `fuzz/` looks for more.

use std::path::Path;

use rustcrypto::tls::{Config, Role, Session, Verify};
use rustcrypto::x509::Certificate;

use crate::wire::{End, Pair, Pipe, client, pki, server};

/// Damages per file, and handshakes per version.
const FILES: usize = 400;
const HANDSHAKES: usize = 300;

/// xorshift64: which damage is done must not change from run to run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % sides as u64) as usize
    }

    fn damage(&mut self, bytes: &mut Vec<u8>) {
        for _ in 0..=self.roll(3) {
            if bytes.is_empty() {
                return;
            }
            let at = self.roll(bytes.len());
            match self.roll(6) {
                0 => bytes[at] ^= 1 << self.roll(8),
                1 => bytes[at] = [0, 1, 0x7f, 0x80, 0xff, 0x30][self.roll(6)],
                2 => bytes.truncate(at),
                3 => drop(bytes.drain(at..bytes.len().min(at + 1 + self.roll(8)))),
                4 => bytes.insert(at, self.roll(256) as u8),
                _ => {
                    let piece = bytes[at..bytes.len().min(at + 1 + self.roll(32))].to_vec();
                    let to = self.roll(bytes.len());
                    bytes.splice(to..to, piece);
                }
            }
        }
    }
}

/// DER of the first section of a PEM file.
fn der(name: &str) -> Vec<u8> {
    let text = String::from_utf8(pki(name)).unwrap();
    let body: String = text
        .lines()
        .skip_while(|line| !line.starts_with("-----BEGIN"))
        .skip(1)
        .take_while(|line| !line.starts_with('-'))
        .collect();
    let mut out = Vec::new();
    let mut bits = (0u32, 0);
    for byte in body.bytes().filter(|byte| *byte != b'=') {
        let value = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
            .iter()
            .position(|c| *c == byte)
            .unwrap();
        bits = (bits.0 << 6 | value as u32, bits.1 + 6);
        if bits.1 >= 8 {
            bits.1 -= 8;
            out.push((bits.0 >> bits.1) as u8);
        }
    }
    out
}

/// Everything that reads such a file.
fn read(bytes: &[u8]) {
    if let Ok(certificate) = Certificate::parse(bytes) {
        let _ =
            (certificate.alt_names(), certificate.subject_text(), certificate.issuer_text(), certificate.common_name());
        let _ = (
            certificate.is_ca(),
            certificate.key_usage(),
            certificate.has_weak_signature(),
            certificate.is_self_issued(),
        );
    }
    let _ = Certificate::subject_of(bytes);
    let mut config = Config::new(Role::Server);
    let _ = config.add_ca(bytes);
    let _ = config.add_crl(bytes);
    let _ = config.set_certificate(bytes);
    let _ = config.set_key(bytes);
}

#[test]
fn damaged_files() {
    let mut dice = Dice(0x5eed);
    let mut originals: Vec<Vec<u8>> = Vec::new();
    for name in
        ["p256.pem", "rsa.pem", "chain.pem", "v1.pem", "crl.pem", "p256.key", "rsa.key", "p256sec1.key", "ed25519.key"]
    {
        originals.extend([pki(name), der(name)]);
    }
    for original in &originals {
        read(original);
        for _ in 0..FILES {
            let mut bytes = original.clone();
            dice.damage(&mut bytes);
            read(&bytes);
        }
    }
}

#[test]
fn damaged_certificates_are_never_trusted() {
    let mut dice = Dice(0xce27);
    let good = der("p256.pem");
    let mut refused = 0;
    for _ in 0..HANDSHAKES {
        let mut bytes = good.clone();
        dice.damage(&mut bytes);
        let mut config = Config::new(Role::Server);
        if bytes == good || config.set_certificate(&bytes).is_err() || config.set_key(&pki("p256.key")).is_err() {
            continue;
        }
        let mut lenient = client();
        lenient.set_verify(Verify::Optional);
        let mut pair = Pair::new(&lenient, &config);
        let _ = pair.handshake();
        assert!(pair.client.verify_result().is_err(), "{bytes:02x?}");
        refused += 1;
    }
    assert!(refused > 20, "only {refused} were presented: the damage is too heavy to test anything");
}

#[test]
fn damaged_handshakes() {
    let mut dice = Dice(0x4a4d);
    let mut broken = 0;
    let server = {
        let mut config = server("chain.pem", "p256.key");
        config.add_ca(&pki("root.pem")).unwrap();
        config.set_verify(Verify::Optional);
        config
    };
    for version in [0x0303, 0x0304] {
        let mut client = client();
        client.set_versions(version, version).unwrap();
        client.set_certificate(&pki("client.pem")).unwrap();
        client.set_key(&pki("p256.key")).unwrap();
        for _ in 0..HANDSHAKES {
            let mut pair = Pair::new(&client, &server);
            let flight = dice.roll(4);
            // One step at a time; one flight of one direction is damaged on its way.
            for step in 0..8 {
                let outcome = if step % 2 == 0 {
                    let (session, mut end) = pair.client();
                    session.handshake(&mut end)
                } else {
                    let (session, mut end) = pair.server();
                    session.handshake(&mut end)
                };
                if step == flight {
                    let pipe = if step % 2 == 0 { &mut pair.up } else { &mut pair.down };
                    let mut bytes: Vec<u8> = pipe.bytes.drain(..).collect();
                    dice.damage(&mut bytes);
                    pipe.bytes.extend(bytes);
                }
                if outcome.is_err() {
                    broken += 1;
                    break;
                }
            }
        }
    }
    // The rest was cut short, and waits for more.
    assert!(broken > HANDSHAKES / 2, "only {broken} of {} handshakes noticed", 2 * HANDSHAKES);
}

/// The corpus of the fuzz target `handshake`: real first flights, each behind a byte that says who reads it (0 a server, 1 a
/// client). `UPDATE=1` writes it anew.
#[test]
fn the_corpus_of_handshakes_is_read() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/handshake");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::create_dir_all(&folder).unwrap();
        for (name, version) in [("tls12", 0x0303), ("tls13", 0x0304)] {
            let mut client = client();
            client.set_versions(version, version).unwrap();
            let mut pair = Pair::new(&client, &server("chain.pem", "p256.key"));
            let (session, mut end) = pair.client();
            session.handshake(&mut end).unwrap();
            let hello: Vec<u8> = pair.up.bytes.iter().copied().collect();
            let (session, mut end) = pair.server();
            session.handshake(&mut end).unwrap();
            let answer: Vec<u8> = pair.down.bytes.iter().copied().collect();
            std::fs::write(folder.join(format!("{name}-client")), [&[0][..], &hello].concat()).unwrap();
            std::fs::write(folder.join(format!("{name}-server")), [&[1][..], &answer].concat()).unwrap();
        }
    }
    let mut count = 0;
    for entry in std::fs::read_dir(&folder).expect("the corpus") {
        let bytes = std::fs::read(entry.unwrap().path()).unwrap();
        let (choice, flight) = bytes.split_first().unwrap();
        let mut session = if *choice == 0 {
            Session::new(&server("p256.pem", "p256.key")).unwrap()
        } else {
            let mut session = Session::new(&client()).unwrap();
            session.set_server_name("test.example").unwrap();
            session
        };
        let (mut incoming, mut outgoing) = (Pipe::default(), Pipe::default());
        incoming.bytes.extend(flight);
        incoming.closed = true;
        // A server answers the recorded hello and then finds the end; a client finds another's key exchange.
        assert!(session.handshake(&mut End { incoming: &mut incoming, outgoing: &mut outgoing }).is_err());
        assert!(!outgoing.bytes.is_empty(), "at least an alert");
        count += 1;
    }
    assert!(count >= 4, "only {count} files in the corpus");
}
