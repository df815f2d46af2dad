use super::*;

#[test]
fn offline_signatures_verify() {
    let key = PrivateKey::generate(2048).unwrap();
    assert_eq!(key.public().bits(), 2048);
    let again = PrivateKey::from_pkcs1(key.as_pkcs1()).unwrap();
    assert_eq!(again.public(), key.public());
    for padding in [Padding::Pkcs1v15, Padding::Pss] {
        for hash in [Digest::Sha256, Digest::Sha384, Digest::Sha512] {
            let signature = key.sign_offline(padding, hash, b"message").unwrap();
            key.public().verify(padding, hash, b"message", &signature).unwrap();
            let digest = hash.hash(&[b"message"]).unwrap();
            key.public().verify_digest(padding, hash, &digest, &signature).unwrap();
            assert_eq!(key.public().verify(padding, hash, b"massage", &signature), Err(Error::Authentication));
            let signed = key.sign(padding, hash, b"message");
            if key.signs_here() {
                key.public().verify(padding, hash, b"message", &signed.unwrap()).unwrap();
            } else {
                assert!(matches!(signed, Err(Error::Unsupported(text)) if text.contains("P-256")));
            }
        }
    }
    assert!(key.public().verify_digest(Padding::Pkcs1v15, Digest::Sha256, &[0; 20], &[0; 256]).is_err());
}

#[test]
#[allow(clippy::many_single_char_names, reason = "the names that RFC 8017 gives them")]
fn the_portable_code_signs_too() {
    // Where graviola runs, sign_offline uses it: the other path gets its own check.
    let key = PrivateKey::generate(2048).unwrap();
    let [_, n, e, d, p, q, ..] = asn1::unsigned_integers::<9>(key.as_pkcs1()).unwrap();
    let secret = portable::Secret::new(n, e, d, p, q).unwrap();
    let digest = Digest::Sha256.hash(&[b"message"]).unwrap();
    for padding in [Padding::Pkcs1v15, Padding::Pss] {
        let signature =
            secret.sign_offline(portable_padding(padding, Digest::Sha256, &digest).unwrap(), &digest).unwrap();
        key.public().verify(padding, Digest::Sha256, b"message", &signature).unwrap();
    }
    // Numbers written by the portable key are those of RFC 8017 (a third implementation reads them in the key tests).
    let numbers = secret.numbers().unwrap();
    let numbers = numbers.each_ref().map(|number| &number[..]);
    let der = asn1::sequence_of_unsigned(&[&[&[0][..]], &numbers[..]].concat());
    assert_eq!(*der, *key.as_pkcs1(), "the same key, encoded by both");
}

#[test]
fn weak_and_odd_keys_are_refused() {
    let der = |n: &[u8], e: &[u8]| asn1::sequence_of_unsigned(&[n, e]);
    let n1024 = [0xff; 128];
    assert_eq!(PublicKey::from_pkcs1(&der(&n1024, &[3])).unwrap().bits(), 1024);
    for (n, e) in [(&n1024[..127], &[3][..]), (&[0xff; 1025], &[3]), (&n1024, &[1]), (&n1024, &[2]), (&n1024, &[0; 0])]
    {
        assert!(PublicKey::from_pkcs1(&der(n, e)).is_err());
    }
    assert!(PublicKey::from_pkcs1(&der(&n1024, &[1, 0, 0, 0, 1])).is_err(), "a longer exponent only costs time");
    assert!(PublicKey::from_pkcs1(b"").is_err());
    assert!(PrivateKey::generate(1024).is_err());
}
