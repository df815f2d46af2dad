use super::*;

#[test]
fn both_sides_agree() {
    let nist = [19, 20, 21].into_iter().filter_map(|group| Curve::from_iana(group).ok()).map(Group::Nist);
    for group in nist.chain([Group::X25519]) {
        let (a, b) = (SecretKey::generate(group).unwrap(), SecretKey::generate(group).unwrap());
        let (a_public, b_public) = (a.public().unwrap(), b.public().unwrap());
        let secret = a.agree(&b_public).unwrap();
        assert_eq!(secret, b.agree(&a_public).unwrap());
        assert_eq!(secret.len(), group.len());
        assert_eq!(SecretKey::from_bytes(group, a.as_bytes()).unwrap().public().unwrap(), a_public);
        if let Group::Nist(curve) = group {
            // OWE sends x alone (RFC 8110 section 4.3).
            assert_eq!(secret, a.agree(&b_public[1..=curve.len()]).unwrap());
            assert!(a.agree(&[&[4][..], &vec![0; 2 * curve.len()]].concat()).is_err());
            for bad in [vec![0; curve.len()], vec![0xff; curve.len()]] {
                assert!(SecretKey::from_bytes(group, &bad).is_err());
            }
        } else {
            assert!(a.agree(&[0; 32]).is_err(), "small order");
        }
        assert!(a.agree(&b_public[1..2]).is_err() && a.agree(&[]).is_err());
        assert!(SecretKey::from_bytes(group, &[1; 5]).is_err());
    }
}
