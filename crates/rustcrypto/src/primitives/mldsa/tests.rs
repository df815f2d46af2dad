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
