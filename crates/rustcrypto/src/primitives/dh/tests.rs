use super::groups;
use super::*;

#[test]
fn both_sides_agree_in_every_group() {
    for group in groups::ALL {
        let (a, a_public) = generate_in(group).unwrap();
        let (b, b_public) = generate_in(group).unwrap();
        assert_eq!(a.len(), group.prime.len());
        // 2 generates the subgroup of order q = (p - 1) / 2 (RFC 3526), so public values pass the full check.
        let q = BigNum::from_bytes(group.prime).unwrap().shr(1).to_bytes(0).unwrap();
        let secret = derive(group.prime, Some(&q), &a, &b_public).unwrap();
        assert_eq!(secret, derive(group.prime, None, &b, &a_public).unwrap());
        assert_eq!(groups::by_iana(group.iana).unwrap().prime, group.prime);
    }
    assert!(groups::by_iana(19).is_none());
}

#[test]
fn peer_values_outside_the_group_are_refused() {
    let group = groups::by_iana(5).unwrap();
    let (private, _) = generate_in(group).unwrap();
    let p = BigNum::from_bytes(group.prime).unwrap();
    let q = p.shr(1).to_bytes(0).unwrap();
    let minus_one = p.sub(&BigNum::from(1)).unwrap().to_bytes(0).unwrap();
    for bad in [&[][..], &[0], &[1], &minus_one, group.prime] {
        assert!(derive(group.prime, None, &private, bad).is_err());
    }
    // -2 is not a square modulo a prime that is 7 mod 8, so its order is 2q.
    let not_in_subgroup = p.sub(&BigNum::from(2)).unwrap().to_bytes(0).unwrap();
    assert!(derive(group.prime, None, &private, &not_in_subgroup).is_ok());
    assert!(derive(group.prime, Some(&q), &private, &not_in_subgroup).is_err());
}

#[test]
fn primes_that_cannot_be_are_refused() {
    for bad in [&[][..], &[7], &[0xff; 32], &[0xfe; 192]] {
        assert!(generate(bad, 2).is_err());
        assert!(derive(bad, None, &[2], &[2]).is_err());
    }
    assert!(generate(groups::ALL[0].prime, 1).is_err());
    assert!(derive(&[0xff; 4096], None, &[2], &[2]).is_err());
}

#[test]
fn mod_exp_small() {
    assert_eq!(**mod_exp(&[3], &[5], &[0, 7]).unwrap(), [0, 5]);
    assert_eq!(**mod_exp(&[3], &[5], &[8]).unwrap(), [3]);
    assert_eq!(**mod_exp(&[3], &[], &[8]).unwrap(), [1]);
    assert_eq!(**mod_exp(&[3], &[0], &[1]).unwrap(), [0]);
    assert!(mod_exp(&[3], &[5], &[0]).is_err());
}
