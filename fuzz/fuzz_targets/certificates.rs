//! Everything that reads certificates and revocation lists, PEM or DER. Start from crates/rustcrypto/tests/pki.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rustcrypto::tls::{Config, Role};
use rustcrypto::x509::Certificate;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(certificate) = Certificate::parse(bytes) {
        let _ = (certificate.alt_names(), certificate.subject_text(), certificate.issuer_text(), certificate.common_name());
        let _ = (certificate.is_ca(), certificate.key_usage(), certificate.has_weak_signature());
    }
    let _ = Certificate::subject_of(bytes);
    let mut config = Config::new(Role::Client);
    let _ = config.add_ca(bytes);
    let _ = config.add_crl(bytes);
    let _ = config.set_certificate(bytes);
});
