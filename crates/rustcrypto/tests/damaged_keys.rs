//! Damaged key files never panic, and what still loads is a key that can be written and loaded again. A bounded, repeatable run
//! of what `fuzz/fuzz_targets/keys.rs` does without end.

use std::fs;
use std::path::Path;

use rustcrypto::x509::keys::{PrivateKey, PublicKey};

/// xorshift64: the same damage each time.
struct Damage(u64);

impl Damage {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n.max(1) as u64) as usize
    }

    /// One to three changes: a bit, a byte, a cut, a repetition, an insertion.
    fn apply(&mut self, data: &mut Vec<u8>) {
        for _ in 0..=self.below(3) {
            let at = self.below(data.len());
            match self.below(6) {
                0 => data.truncate(at),
                1 => data.insert(at, [0, 1, 0x30, 0x7f, 0x80, 0xff][self.below(6)]),
                2 => data.extend_from_within(at..),
                3 if !data.is_empty() => data[at] = [0, 0x30, 0x80, 0x84, 0xff, b'-'][self.below(6)],
                4 if !data.is_empty() => data[at] ^= 1 << self.below(8),
                _ => drop(data.drain(at..(at + 2).min(data.len()))),
            }
        }
    }
}

fn load(data: &[u8]) {
    if let Ok(key) = PrivateKey::load(data) {
        let again = PrivateKey::load(&key.to_pkcs8().unwrap()).unwrap();
        assert_eq!(again.public().unwrap(), key.public().unwrap());
    }
    if let Ok(key) = PublicKey::load(data) {
        assert_eq!(PublicKey::load(&key.to_pem()).unwrap(), key);
    }
}

#[test]
fn no_panic() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/keys");
    let mut files: Vec<_> = fs::read_dir(corpus).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(files.len() > 30);
    for (index, path) in files.iter().enumerate() {
        let whole = fs::read(path).unwrap();
        let mut damage = Damage(0x9e37_79b9_7f4a_7c15 ^ index as u64);
        for _ in 0..150 {
            let mut data = whole.clone();
            damage.apply(&mut data);
            load(&data);
        }
        // Every place where it may be cut off.
        for end in (0..whole.len()).step_by(1 + whole.len() / 200) {
            load(&whole[..end]);
        }
    }
}
