//! Against files written by OpenSSL and OpenSSH (`testdata/keys`, made for this test alone).

use std::path::Path;

use super::*;

fn file(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/keys").join(name);
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn private(name: &str) -> PrivateKey {
    PrivateKey::load(&file(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn why_not(result: Result<impl Sized>, name: &str) -> String {
    match result {
        Err(Error::BadKey(why)) => why.into_owned(),
        Err(other) => panic!("{name}: {other}"),
        Ok(_) => panic!("{name} was taken"),
    }
}

fn has(feature: bool, names: &[&'static str]) -> Vec<&'static str> {
    if feature { names.to_vec() } else { Vec::new() }
}

#[test]
fn every_form_gives_the_same_key() {
    let p256 = ["p256.sec1.pem", "p256.pkcs8.der", "p256.sec1.der", "p256.params-and-key.pem"];
    let mut families = vec![("p256", p256.to_vec(), KeyType::Ec(Curve::P256))];
    #[cfg(feature = "p384")]
    families.push(("p384", vec!["p384.sec1.pem"], KeyType::Ec(Curve::P384)));
    #[cfg(feature = "p521")]
    families.push(("p521", vec!["p521.sec1.pem", "p521.pkcs8.der", "p521.sec1.der"], KeyType::Ec(Curve::P521)));
    families.push(("rsa2048", vec!["rsa2048.pkcs1.pem", "rsa2048.pkcs1.der", "rsa2048.pkcs8.der"], KeyType::Rsa(2048)));
    families.push(("x25519", vec![], KeyType::X25519));
    if cfg!(feature = "ed25519") {
        families.push(("ed25519", vec![], KeyType::Ed25519));
    }
    for (family, others, kind) in families {
        let key = private(&format!("{family}.pkcs8.pem"));
        let public = PublicKey::load(&file(&format!("{family}.pub.pem"))).unwrap();
        assert_eq!(key.kind(), kind);
        assert_eq!(key.public().unwrap(), public, "{family}");
        for name in others {
            assert_eq!(*private(name).to_pkcs8().unwrap(), *key.to_pkcs8().unwrap(), "{name}");
        }
    }
    let public = PublicKey::load(&file("rsa2048.pub.pem")).unwrap();
    for name in ["rsa2048.rsapub.pem", "rsa2048.pub.der"] {
        assert_eq!(PublicKey::load(&file(name)).unwrap(), public);
    }
}

#[test]
fn what_is_written_is_what_openssl_writes() {
    let mut names = vec!["p256.sec1.pem", "p256.sec1.der", "rsa2048.pkcs1.pem", "rsa2048.pkcs1.der"];
    names.extend(has(cfg!(feature = "p521"), &["p521.sec1.pem"]));
    for name in names {
        let key = private(name);
        let written = if name.ends_with("pem") { key.to_pem() } else { key.to_der() }.unwrap();
        assert!(*written == file(name), "{name}");
    }
    let mut names = vec!["p256.pkcs8.pem", "p256.pkcs8.der", "rsa2048.pkcs8.pem", "x25519.pkcs8.pem"];
    names.extend(has(cfg!(feature = "ed25519"), &["ed25519.pkcs8.pem"]));
    for name in names {
        let key = private(name);
        let written = if name.ends_with("pem") { key.to_pkcs8_pem() } else { key.to_pkcs8() }.unwrap();
        assert!(*written == file(name), "{name}");
    }
    for name in
        ["p256.pub.pem", "p256.pub.der", "rsa2048.pub.pem", "rsa2048.pub.der", "x25519.pub.pem", "rsa1024.pub.pem"]
    {
        let key = PublicKey::load(&file(name)).unwrap();
        let written = if name.ends_with("pem") { key.to_pem() } else { key.to_der() };
        assert!(written == file(name), "{name}");
    }
}

#[test]
fn refusals_say_why() {
    for (name, expected) in [
        ("p256.encrypted.pem", "encrypted"),
        ("p256.encrypted.der", "encrypted"),
        ("p256.encrypted-old.pem", "encrypted"),
        ("p256.cert.pem", "certificate"),
        ("p256.cert.der", "certificate"),
        ("p256.pub.pem", "public key"),
        ("p256.pub.der", "public key"),
        ("p256.params.pem", "no key"),
        ("p256.explicit.pem", "spells its curve out"),
        ("secp256k1.sec1.pem", "unknown curve 1.3.132.0.10"),
        ("secp256k1.pkcs8.pem", "unknown curve 1.3.132.0.10"),
        ("rsa1024.pkcs1.pem", "1024 bits is too weak"),
        ("rsapss.pkcs8.pem", "PSS"),
        ("dsa.pem", "DSA"),
        ("dsa.pkcs8.pem", "DSA"),
        ("openssh.pem", "ssh-keygen"),
    ] {
        let why = why_not(PrivateKey::load(&file(name)), name);
        assert!(why.contains(expected), "{name}: {why}");
    }
    for (name, expected) in [
        ("p256.cert.pem", "certificate"),
        ("p256.sec1.pem", "private key"),
        ("p256.sec1.der", "private key"),
        ("secp256k1.pub.pem", "unknown curve"),
    ] {
        let why = why_not(PublicKey::load(&file(name)), name);
        assert!(why.contains(expected), "{name}: {why}");
    }
    for (data, expected) in [
        (&b""[..], "empty"),
        (b"hello", "neither PEM"),
        (b"-----BEGIN PRIVATE KEY-----\nMIGH", "without END"),
        (b"-----BEGIN PRIVATE KEY-----\nM*GH\n-----END PRIVATE KEY-----", "base64"),
        (b"-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----", "base64"),
        (b"-----BEGIN PRIVATE KEY-----\nMIGHAgEA\n-----END PRIVATE KEY-----", "DER"),
        (b"-----BEGIN ", "BEGIN line"),
        (b"\x30\x80", "DER"),
    ] {
        let why = why_not(PrivateKey::load(data), "data");
        assert!(why.contains(expected), "{}: {why}", String::from_utf8_lossy(data));
    }
}

#[test]
fn a_wrong_public_half_is_noticed() {
    let mut der = file("p256.sec1.der");
    *der.last_mut().unwrap() ^= 1;
    assert!(why_not(PrivateKey::load(&der), "changed").contains("belong together"));
}

#[test]
fn signatures_of_every_kind() {
    let mut kinds = vec![KeyType::Ec(Curve::P256)];
    #[cfg(feature = "p384")]
    kinds.push(KeyType::Ec(Curve::P384));
    #[cfg(feature = "p521")]
    kinds.push(KeyType::Ec(Curve::P521));
    if cfg!(feature = "ed25519") {
        kinds.push(KeyType::Ed25519);
    }
    if cfg!(feature = "mldsa") {
        kinds.extend([MlDsa::MlDsa44, MlDsa::MlDsa65, MlDsa::MlDsa87].map(KeyType::MlDsa));
    }
    for kind in kinds {
        let key = PrivateKey::generate(kind).unwrap();
        let public = key.public().unwrap();
        let forms = if let KeyType::Ec(_) = kind { vec![Form::Default, Form::RawRs] } else { vec![Form::Default] };
        for form in forms {
            let signature = key.sign(Digest::Sha256, form, b"message").unwrap();
            public.verify(Digest::Sha256, form, b"message", &signature).unwrap();
            assert_eq!(public.verify(Digest::Sha256, form, b"massage", &signature), Err(Error::Authentication));
            if let KeyType::Ec(_) = kind {
                let digest = Digest::Sha256.hash(&[b"message"]).unwrap();
                public.verify_digest(Digest::Sha256, form, &digest, &signature).unwrap();
                let signature = key.sign_digest(Digest::Sha256, form, &digest).unwrap();
                public.verify(Digest::Sha256, form, b"message", &signature).unwrap();
                assert!(key.sign(Digest::Sha1, form, b"message").is_err(), "SHA-1 is for checking old signatures");
            }
        }
        let again = PrivateKey::load(&key.to_pkcs8_pem().unwrap()).unwrap();
        assert_eq!(again.public().unwrap(), public);
        assert_eq!(PrivateKey::load(&key.to_der().unwrap()).unwrap().public().unwrap(), public);
        assert_eq!(PublicKey::load(&public.to_der()).unwrap(), public);
        assert!(key.sign(Digest::Sha256, Form::Pss, b"").is_err() || !matches!(kind, KeyType::Ec(_)));
    }
    let x25519 = PrivateKey::generate(KeyType::X25519).unwrap();
    assert!(x25519.sign(Digest::Sha256, Form::Default, b"").is_err());
    assert!(x25519.public().unwrap().verify(Digest::Sha256, Form::Default, b"", b"").is_err());
}

#[test]
fn scalars_of_odd_lengths() {
    let one = PrivateKey::from_scalar(Curve::P256, &[1]).unwrap();
    let padded = PrivateKey::from_scalar(Curve::P256, &[&[0; 40][..], &[1]].concat()).unwrap();
    assert_eq!(one.public().unwrap(), padded.public().unwrap());
    for bad in [&[][..], &[0; 32], &[0xff; 32], &[&[1][..], &[0; 32]].concat()] {
        assert!(PrivateKey::from_scalar(Curve::P256, bad).is_err());
    }
}
