use super::*;

fn curves() -> Vec<Curve> {
    [19, 20, 21].into_iter().filter_map(|group| Curve::from_iana(group).ok()).collect()
}

#[test]
fn parameters_fit_the_generator() {
    for curve in curves() {
        let group = Group::new(curve);
        let (x, y) = group.generator.xy().unwrap();
        let (x, y) = (BigNum::from_bytes(&x).unwrap(), BigNum::from_bytes(&y).unwrap());
        assert_eq!(y.mul_mod(&y, &group.prime).unwrap(), group.y_squared(&x).unwrap(), "{curve:?}");
        assert_eq!(group.prime.bits() as usize, curve.bits());
        assert_eq!(group.order.bits() as usize, curve.bits());
        // order * G = O, which a scalar reduced to 0 gives too; (order - 1) * G = -G does not.
        let minus_one = group.order.sub(&BigNum::from(1)).unwrap();
        let minus_g = group.generator.mul(&minus_one).unwrap();
        assert!(minus_g.equals(&group.generator.neg()).unwrap());
        assert!(minus_g.add(&group.generator).unwrap().is_infinity());
        assert!(group.generator.mul(&group.order).unwrap().is_infinity());
    }
}

#[test]
fn infinity() {
    for curve in curves() {
        let (zero, g) = (Point::infinity(curve), Point::generator(curve));
        assert!(zero.is_infinity() && !g.is_infinity());
        assert!(zero.add(&zero).unwrap().is_infinity());
        assert!(zero.neg().is_infinity());
        assert!(zero.mul(&BigNum::from(5)).unwrap().is_infinity());
        assert!(zero.add(&g).unwrap().equals(&g).unwrap());
        assert!(zero.xy().is_err() && zero.encode().is_err());
    }
}

#[test]
fn sums_and_multiples_agree() {
    for curve in curves() {
        let g = Point::generator(curve);
        let mut sum = Point::infinity(curve);
        for k in 0..20u32 {
            assert!(g.mul(&BigNum::from(k)).unwrap().equals(&sum).unwrap(), "{curve:?} {k}");
            sum = sum.add(&g).unwrap();
        }
        // A scalar longer than the order is reduced.
        let order = Group::order_of(curve);
        let long = order.add(&order).unwrap().add(&BigNum::from(7)).unwrap();
        assert!(g.mul(&long).unwrap().equals(&g.mul(&BigNum::from(7)).unwrap()).unwrap());
    }
}

#[test]
fn encodings() {
    for curve in curves() {
        let point = Point::generator(curve).mul(&BigNum::from(12345)).unwrap();
        let (x, y) = point.xy().unwrap();
        let odd = y.last().unwrap() & 1;
        let sec1 = point.encode().unwrap();
        let compressed = [&[2 + odd][..], &x].concat();
        let wrong_sign = [&[3 - odd][..], &x].concat();
        for form in [&sec1[..], &sec1[1..], &compressed] {
            assert!(Point::decode(curve, form).unwrap().equals(&point).unwrap());
        }
        assert!(Point::decode(curve, &wrong_sign).unwrap().equals(&point.neg()).unwrap());
        assert_eq!(Point::decode(curve, &x).unwrap().xy().unwrap().0, x);
        let mut off = sec1.to_vec();
        *off.last_mut().unwrap() ^= 1;
        for bad in [&off[..], &sec1[..sec1.len() - 1], &[], &[0], &[5, 1]] {
            assert!(Point::decode(curve, bad).is_err(), "{curve:?} {bad:02x?}");
        }
        // x must be below the prime.
        assert!(Point::decode(curve, &vec![0xff; curve.len()]).is_err());
    }
}

#[test]
fn curves_do_not_mix() {
    let all = curves();
    for (a, b) in all.iter().zip(all.iter().skip(1)) {
        assert!(Point::generator(*a).add(&Point::generator(*b)).is_err());
        assert!(Point::generator(*a).equals(&Point::generator(*b)).is_err());
    }
    assert!(Curve::from_iana(25).is_err() && Curve::from_iana(0).is_err() && Curve::from_iana(-1).is_err());
}
