//! Keys, signatures and agreed secrets both ways with the `openssl` program.
#![cfg(feature = "speed")]

mod common;

use std::fs;
use std::path::Path;
use std::process::Command;

use rustcrypto::primitives::digest::Digest;
use rustcrypto::primitives::ec::Curve;
use rustcrypto::x509::keys::{Form, KeyType, PrivateKey, PublicKey};

#[test]
fn again_portable() {
    common::again_portable();
}

fn missing() -> bool {
    let missing = Command::new("openssl").arg("version").output().is_err();
    if missing {
        common::skipped("keys and signatures with openssl", "install openssl");
    }
    missing
}

/// Run in `dir`; the words of `line` are the arguments.
fn openssl(dir: &Path, line: &str) -> Vec<u8> {
    let output = Command::new("openssl").args(line.split(' ')).current_dir(dir).output().unwrap();
    assert!(output.status.success(), "openssl {line}\n{}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

/// Options of `openssl pkeyutl` for a form of signature.
fn signatures(kind: KeyType, hash: Digest, name: &str, form: Form, options: &str) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path();
    let key = PrivateKey::generate(kind).unwrap();
    fs::write(path.join("key.pem"), &*key.to_pem().unwrap()).unwrap();
    fs::write(path.join("public.pem"), key.public().unwrap().to_pem()).unwrap();
    fs::write(path.join("message"), b"a message").unwrap();

    let ours = key.sign_offline(hash, form, b"a message").unwrap();
    fs::write(path.join("ours"), ours).unwrap();
    openssl(path, &format!("pkeyutl -verify -pubin -inkey public.pem -rawin -in message -sigfile ours{name}{options}"));

    openssl(path, &format!("pkeyutl -sign -inkey key.pem -rawin -in message -out theirs{name}{options}"));
    let theirs = fs::read(path.join("theirs")).unwrap();
    key.public().unwrap().verify(hash, form, b"a message", &theirs).unwrap();
    assert!(key.public().unwrap().verify(hash, form, b"a massage", &theirs).is_err());
}

#[test]
fn signatures_both_ways() {
    if missing() {
        return;
    }
    for (curve, hash, name) in [
        (Curve::P256, Digest::Sha256, " -digest sha256"),
        (Curve::P384, Digest::Sha384, " -digest sha384"),
        (Curve::P521, Digest::Sha512, " -digest sha512"),
        (Curve::P256, Digest::Sha3_256, " -digest sha3-256"),
    ] {
        signatures(KeyType::Ec(curve), hash, name, Form::Default, "");
    }
    signatures(KeyType::Ed25519, Digest::Sha512, "", Form::Default, "");
    let pss = " -pkeyopt rsa_padding_mode:pss -pkeyopt rsa_pss_saltlen:digest";
    for (hash, name) in [(Digest::Sha256, " -digest sha256"), (Digest::Sha512, " -digest sha512")] {
        signatures(KeyType::Rsa(2048), hash, name, Form::Default, "");
        signatures(KeyType::Rsa(2048), hash, name, Form::Pss, pss);
    }
}

#[test]
fn agreement_both_ways() {
    if missing() {
        return;
    }
    for kind in [KeyType::Ec(Curve::P256), KeyType::Ec(Curve::P384), KeyType::Ec(Curve::P521), KeyType::X25519] {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path();
        let key = PrivateKey::generate(kind).unwrap();
        fs::write(path.join("ours.pem"), &*key.to_pkcs8_pem().unwrap()).unwrap();
        fs::write(path.join("ours.pub"), key.public().unwrap().to_pem()).unwrap();
        let algorithm = match kind {
            KeyType::Ec(curve) => format!("EC -pkeyopt ec_paramgen_curve:P-{}", curve.bits()),
            _ => "X25519".to_owned(),
        };
        openssl(path, &format!("genpkey -algorithm {algorithm} -out theirs.pem"));
        let theirs = PrivateKey::load(&fs::read(path.join("theirs.pem")).unwrap()).unwrap().public().unwrap();
        fs::write(path.join("theirs.pub"), openssl(path, "pkey -in theirs.pem -pubout")).unwrap();
        assert_eq!(PublicKey::load(&fs::read(path.join("theirs.pub")).unwrap()).unwrap(), theirs);
        let expected = key.agree(theirs.raw()).unwrap();
        assert_eq!(openssl(path, "pkeyutl -derive -inkey theirs.pem -peerkey ours.pub"), **expected, "{kind:?}");
    }
}
