//! Wycheproof's vectors for every AEAD, on both implementations.

mod common;

use rustcrypto::Error;
use rustcrypto::primitives::aead::{Aead, Algorithm};
use rustcrypto::primitives::cipher;
use wycheproof::aead::{Test, TestName, TestSet};

#[test]
fn again_portable() {
    common::again_portable();
}

#[test]
fn again_plain_cpu() {
    common::again_plain_cpu();
}

/// Run a set; `algorithm` names ours for a key and tag size in bits. Returns how many vectors ran.
fn run(name: TestName, algorithm: impl Fn(usize, usize) -> Option<Algorithm>) -> usize {
    let mut ran = 0;
    for group in TestSet::load(name).unwrap().test_groups {
        let Some(algorithm) = algorithm(group.key_size, group.tag_size) else { continue };
        for test in &group.tests {
            if !check(algorithm, test) {
                continue;
            }
            ran += 1;
        }
    }
    ran
}

/// False when the nonce's length is one we do not offer: then both directions must refuse it.
fn check(algorithm: Algorithm, test: &Test) -> bool {
    let aead = Aead::new(algorithm, &test.key).unwrap();
    let mut buffer = test.ct.to_vec();
    let opened = aead.open_in_place(&test.nonce, &test.aad, &mut buffer, &test.tag);
    if let Err(Error::InvalidArgument(_)) = opened {
        let mut tag = vec![0; algorithm.tag_len()];
        assert!(aead.seal_in_place(&test.nonce, &test.aad, &mut buffer, &mut tag).is_err());
        return false;
    }
    if test.result.must_fail() {
        assert_eq!(opened, Err(Error::Authentication), "{algorithm:?} {}: {}", test.tc_id, test.comment);
        assert!(buffer.iter().all(|&byte| byte == 0), "unauthenticated plaintext left: {}", test.tc_id);
    } else {
        assert_eq!(opened, Ok(()), "{algorithm:?} {}: {}", test.tc_id, test.comment);
        assert_eq!(buffer, *test.pt);
        let mut tag = vec![0; algorithm.tag_len()];
        aead.seal_in_place(&test.nonce, &test.aad, &mut buffer, &mut tag).unwrap();
        assert_eq!((&buffer[..], &tag[..]), (&test.ct[..], &test.tag[..]), "{algorithm:?} {}", test.tc_id);
    }
    true
}

#[test]
fn aes_gcm() {
    let ran = run(TestName::AesGcm, |key, tag| match (key, tag) {
        (128, 128) => Some(Algorithm::Aes128Gcm),
        (192, 128) => Some(Algorithm::Aes192Gcm),
        (256, 128) => Some(Algorithm::Aes256Gcm),
        _ => None,
    });
    assert!(ran > 150, "{ran}");
}

#[test]
fn aes_ccm() {
    let ran = run(TestName::AesCcm, |key, tag| match (key, tag) {
        (128, 128) => Some(Algorithm::Aes128Ccm),
        (256, 128) => Some(Algorithm::Aes256Ccm),
        (128, 64) => Some(Algorithm::Aes128Ccm8),
        (256, 64) => Some(Algorithm::Aes256Ccm8),
        _ => None,
    });
    assert!(ran > 150, "{ran}");
}

#[test]
fn chacha20_poly1305() {
    let ran = run(TestName::ChaCha20Poly1305, |_, _| Some(Algorithm::ChaCha20Poly1305));
    assert!(ran > 250, "{ran}");
}

#[test]
fn aes_siv() {
    let mut ran = 0;
    for group in TestSet::load(TestName::AesSivCmac).unwrap().test_groups {
        for test in &group.tests {
            // RFC 5297 section 3: a nonce is the last header.
            let headers = [&test.aad[..], &test.nonce[..]];
            let tag: [u8; 16] = test.tag[..].try_into().unwrap();
            let mut buffer = test.ct.to_vec();
            let opened = cipher::siv_open(&test.key, &headers, &mut buffer, &tag);
            if test.result.must_fail() {
                assert_eq!(opened, Err(Error::Authentication), "{}", test.tc_id);
                assert!(buffer.iter().all(|&byte| byte == 0));
            } else {
                assert_eq!((opened, &buffer[..]), (Ok(()), &test.pt[..]), "{}", test.tc_id);
                assert_eq!(cipher::siv_seal(&test.key, &headers, &mut buffer), Ok(tag));
                assert_eq!(buffer, *test.ct);
            }
            ran += 1;
        }
    }
    assert!(ran > 400, "{ran}");
}

/// Lengths around every block and stride boundary of the assembly, against a slow reference: the other direction.
#[test]
fn every_length_opens_what_it_sealed_and_no_bit_may_change() {
    for algorithm in [Algorithm::Aes128Gcm, Algorithm::Aes256Gcm, Algorithm::ChaCha20Poly1305, Algorithm::Aes128Ccm8] {
        let aead = Aead::new(algorithm, &vec![7; algorithm.key_len()]).unwrap();
        for len in 0..300 {
            let plain: Vec<u8> = (0..len).map(|i| i as u8).collect();
            let (mut buffer, mut tag) = (plain.clone(), vec![0; algorithm.tag_len()]);
            aead.seal_in_place(&[1; 12], &plain[..len.min(13)], &mut buffer, &mut tag).unwrap();
            let mut broken = buffer.clone();
            tag[0] ^= 1;
            assert_eq!(
                aead.open_in_place(&[1; 12], &plain[..len.min(13)], &mut broken, &tag),
                Err(Error::Authentication)
            );
            tag[0] ^= 1;
            aead.open_in_place(&[1; 12], &plain[..len.min(13)], &mut buffer, &tag).unwrap();
            assert_eq!(buffer, plain);
        }
    }
}

#[test]
fn wrong_lengths_are_refused() {
    for algorithm in [Algorithm::Aes128Gcm, Algorithm::ChaCha20Poly1305, Algorithm::Aes256Ccm] {
        assert!(Aead::new(algorithm, &[0; 5]).is_err());
        let aead = Aead::new(algorithm, &vec![0; algorithm.key_len()]).unwrap();
        for (nonce, tag) in [(0, 16), (11, 16), (14, 16), (12, 15), (12, 17), (12, 0)] {
            let result = aead.seal_in_place(&vec![0; nonce], &[], &mut [0; 4], &mut vec![0; tag]);
            assert!(matches!(result, Err(Error::InvalidArgument(_))), "{algorithm:?} {nonce} {tag}");
        }
    }
    let ccm = Aead::new(Algorithm::Aes128Ccm, &[0; 16]).unwrap();
    assert!(ccm.seal_in_place(&[0; 13], &[], &mut vec![0; 65536], &mut [0; 16]).is_err(), "two bytes of length");
    assert!(ccm.seal_in_place(&[0; 13], &[], &mut vec![0; 65535], &mut [0; 16]).is_ok());
}
