//! Against NIST's vectors (`testdata/kbkdf.txt`); HKDF and PBKDF2 have theirs in `tests/mac_kdf.rs`.

use super::*;

fn bytes(text: &str) -> Vec<u8> {
    (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).unwrap()).collect()
}

#[test]
fn counter_mode_as_nist_computes_it() {
    let mut ran = 0;
    for line in include_str!("../../../testdata/kbkdf.txt").lines().filter(|line| !line.starts_with('#')) {
        let [hash, key, fixed, expected] = line.split(' ').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let digest = match hash {
            "SHA1" => Digest::Sha1,
            "SHA224" => Digest::Sha224,
            "SHA256" => Digest::Sha256,
            "SHA384" => Digest::Sha384,
            "SHA512" => Digest::Sha512,
            other => panic!("{other}"),
        };
        let (fixed, expected) = (bytes(fixed), bytes(expected));
        let mut out = vec![0; expected.len()];
        counter_mode(digest, &bytes(key), &[&fixed[..20], &fixed[20..]], &mut out).unwrap();
        assert_eq!(out, expected, "{line}");
        ran += 1;
    }
    assert_eq!(ran, 40);
}
