//! Key files: PEM, DER, private and public. Start from crates/rustcrypto/testdata/keys.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rustcrypto::x509::keys::{PrivateKey, PublicKey};

fuzz_target!(|data: &[u8]| {
    if let Ok(key) = PrivateKey::load(data) {
        let again = PrivateKey::load(&key.to_pkcs8().unwrap()).unwrap();
        assert_eq!(again.public().unwrap(), key.public().unwrap());
    }
    if let Ok(key) = PublicKey::load(data) {
        assert_eq!(PublicKey::load(&key.to_pem()).unwrap(), key);
    }
});
