//! Against Python's integers (`testdata/bignum.txt`, written by `bignum.py` beside it).

use std::cmp::Ordering;

use super::*;

fn number(hex: &str) -> BigNum {
    let padded = if hex.len().is_multiple_of(2) { hex.to_owned() } else { format!("0{hex}") };
    let bytes: Vec<u8> =
        (0..padded.len()).step_by(2).map(|i| u8::from_str_radix(&padded[i..i + 2], 16).unwrap()).collect();
    BigNum::from_bytes(&bytes).unwrap()
}

#[test]
fn the_same_as_python() {
    let mut ran = 0;
    for line in include_str!("../../../testdata/bignum.txt").lines() {
        let [name, expected, operands @ ..] = &line.split(' ').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let n: Vec<BigNum> = operands.iter().map(|operand| number(operand)).collect();
        let result = match *name {
            "add" => n[0].add(&n[1]),
            "sub" => n[0].sub(&n[1]),
            "mod" => n[0].rem(&n[1]),
            "div" => n[0].div(&n[1]),
            "inverse" => n[0].inverse(&n[1]),
            "addmod" => n[0].add_mod(&n[1], &n[2]),
            "mulmod" => n[0].mul_mod(&n[1], &n[2]),
            "exptmod" => n[0].exp_mod(&n[1], &n[2]),
            "rshift" => Ok(n[0].shr(u32::from_str_radix(operands[1], 16).unwrap())),
            "cmp" => {
                assert_eq!(n[0].compare(&n[1]) as i32, expected.parse::<i32>().unwrap(), "{line}");
                assert_eq!(n[0] == n[1], *expected == "0", "{line}");
                ran += 1;
                continue;
            }
            "legendre" => {
                assert_eq!(n[0].legendre(&n[1]).unwrap(), expected.parse::<i32>().unwrap(), "{line}");
                ran += 1;
                continue;
            }
            _ => panic!("{line}"),
        };
        match result {
            Ok(result) => {
                assert_eq!(result, number(expected), "{line}");
                // The public bound holds, and every width of output is the same number.
                assert!(result.bits() <= result.width(), "{line}");
                let shortest = result.to_bytes(0).unwrap();
                assert_eq!(shortest.len(), (result.bits() as usize).div_ceil(8));
                assert_eq!(BigNum::from_bytes(&result.to_bytes(300).unwrap()).unwrap(), result, "{line}");
            }
            Err(error) => {
                assert_eq!(*expected, "-", "{line}: {error}");
                assert!(matches!(error, Error::InvalidArgument(_)));
            }
        }
        ran += 1;
    }
    assert!(ran > 600);
}

#[test]
fn random_numbers_are_below_and_vary() {
    for m in ["1", "2", "3", "ff", "100", "10000000000000001", "ffffffffffffffffffffffffffffffff"] {
        let m = number(m);
        let mut seen = Vec::new();
        for _ in 0..50 {
            let r = BigNum::random_below(&m).unwrap();
            assert_eq!(r.compare(&m), Ordering::Less);
            if !seen.contains(&r) {
                seen.push(r);
            }
        }
        assert_eq!(seen.len() > 1, !m.is_one(), "50 draws below {m:?}");
    }
    assert!(BigNum::random_below(&BigNum::from(0)).is_err());
}

#[test]
fn bytes() {
    let n = number("010203");
    assert_eq!(**n.to_bytes(0).unwrap(), [1, 2, 3]);
    assert_eq!(**n.to_bytes(5).unwrap(), [0, 0, 1, 2, 3]);
    assert_eq!(n.to_bytes(2), Err(Error::BufferTooShort { needed: 3 }));
    let zero = BigNum::from_bytes(&[]).unwrap();
    assert!(zero.is_zero() && zero.to_bytes(0).unwrap().is_empty() && zero.bits() == 0);
    assert_eq!(**zero.to_bytes(1).unwrap(), [0]);
    let padded = BigNum::from_bytes(&[0; 40]).unwrap();
    assert!(padded.is_zero() && padded == zero);
    assert!(BigNum::from_bytes(&[1; MAX_BYTES + 1]).is_err());
    let most = BigNum::from_bytes(&[0xff; MAX_BYTES]).unwrap();
    assert!(most.add(&BigNum::from(1)).is_err(), "sums are bounded too");
    assert!(BigNum::from(1).is_one() && BigNum::from(1).is_odd() && !BigNum::from(2).is_odd());
}

#[test]
fn a_secret_is_not_printed() {
    assert_eq!(format!("{:?}", BigNum::from(12345)), "BigNum(32 bits)");
}

#[test]
fn legendre_refuses_what_is_no_odd_prime() {
    for p in [0u32, 1, 2, 4] {
        assert!(BigNum::from(3).legendre(&BigNum::from(p)).is_err());
    }
}
