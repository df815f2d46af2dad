//! Operations on secrets under memcheck, with the secrets marked undefined: no address and no branch may depend on one, but
//! for verdicts that are public anyway, and those are listed with the number of places they may show in.
//!
//! What is checked is the optimised library, built here, on both implementations; `RUSTCRYPTO_LIBRARY=FILE` checks another one, as
//! it ships (with its symbols). valgrind runs the CPU's ADX instructions but does not announce them (its bug 494162), and graviola
//! needs them: the build here believes so without asking. In any other library only the portable code is reached.

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fmt::Write as _;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use support::{program, run, skipped};

const OPERATIONS: &[&str] = &[
    "add",
    "sub",
    "mod",
    "div",
    "inverse",
    "sqrmod",
    "addmod",
    "mulmod",
    "exptmod",
    "legendre",
    "rshift-cmp-odd",
    "sae-19",
    "sae-20",
    "sae-21",
    "ecdsa-p256",
    "ecdsa-p384",
    "ecdsa-p521",
    "ecdh-p256",
    "ecdh-p384",
    "ecdh-p521",
    "x25519",
    "dh",
    "rsa-pkcs1",
    "rsa-pss",
];

/// End of a function's name, at how many addresses one operation may branch in it, and on which public verdict.
const VERDICTS: &[(&str, usize, &str)] = &[
    ("BigNum::sub", 1, "is the result below zero? An error is told to the caller"),
    ("BigNum::inverse", 1, "is there an inverse? An error is told to the caller"),
    ("::Point::mul", 1, "is the scalar below the order? It was reduced, so always"),
    ("::Point::xy", 1, "is it the point at infinity? An error is told to the caller"),
    ("::is_secret", 1, "is the scalar in range? A key that is not is refused"),
    ("::nonzero", 1, "the same"),
    ("ecdh::SecretKey::from_bytes", 1, "the same, handed on"),
    ("::public", 1, "the same, inlined"),
    ("::agree", 2, "the same, inlined; is the shared point usable?"),
    ("::sign", 1, "the same, inlined"),
    (
        "KGenerator<D,U>::fill_next_k",
        1,
        "is the candidate below the order (RFC 6979 section 3.2 h)? A rejected one is not used",
    ),
    ("sign_prehashed_rfc6979", 2, "the same; are r and s non-zero? Both are published"),
    ("ScalarValue<C>::from_slice", 1, "are r and s in range? Both are published"),
    ("Signature<C>::from_scalars", 2, "are r and s non-zero? Both are published"),
    ("bcmp", 2, "is r the x that it comes from (recovery identifier)? r is published. Is it the point at infinity?"),
    // What is not inlined at opt-level z.
    ("CtOption<T>::into_option", 1, "a scalar or nonce in range, as above"),
    ("CtOption<T>::unwrap", 1, "the nonce has an inverse: it is not 0, so always"),
    ("MontgomeryPoint::mul_bits_be", 1, "is there one more bit? `Option<bool>` is one byte, and `None` is its value 2"),
    // graviola
    ("Scalar::into_range_check", 2, "is the scalar in range? A key or nonce that is not is not used"),
    ("Scalar::from_bytes_checked", 2, "the same, inlined"),
    ("PrivateKey::public_point", 2, "is it the point at infinity? The public key is published"),
    ("PrivateKey::diffie_hellman", 1, "is the shared point usable?"),
    ("ecdsa::sign", 1, "is r zero? It is published"),
    ("RsaPrivateKey::new", 2, "are p and q odd? A key whose are not is refused"),
    ("RsaPrivateKey::private_op", 1, "is the finished signature right? It is published"),
    ("RsaPublicKey::public_op", 4, "the same: its public operation"),
    ("rsa::SigningKey::_sign_pkcs1", 7, "how long is the finished signature? It is published"),
    ("rsa::SigningKey::sign_pss_sha256", 7, "the same"),
];

/// The library to check.
fn library() -> PathBuf {
    if let Some(file) = env::var_os("RUSTCRYPTO_LIBRARY") {
        return file.into();
    }
    // Not the test build: without optimisation it is another program, and its assertions branch on values.
    let target = env::current_exe().unwrap().ancestors().nth(3).unwrap().to_path_buf();
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--quiet", "--release", "--package", "rustcrypto-capi", "--target-dir"]).arg(&target);
    run(cargo.env("VALGRIND_BUG_494162", "1").current_dir(env!("CARGO_MANIFEST_DIR")));
    target.join("release/librustcrypto_capi.so")
}

/// Address and function of "at 0x123: function (file)".
fn frame(line: &str) -> Option<(&str, &str)> {
    let (address, function) = line.strip_prefix("at ")?.split_once(": ")?;
    Some((address, function.split(" (").next()?))
}

/// Where memcheck complained: the kind of complaint, the address and the function.
fn complaints(report: &str) -> Vec<(&str, &str, &str)> {
    let lines: Vec<&str> = report
        .lines()
        .filter_map(|line| line.strip_prefix("==")?.split_once("== "))
        .map(|(_, text)| text.trim())
        .collect();
    lines.windows(2).filter_map(|pair| frame(pair[1]).map(|(address, function)| (pair[0], address, function))).collect()
}

fn memcheck(exe: &Path, operation: &str, implementation: &str) -> (Option<i32>, String) {
    let mut command = Command::new("timeout");
    command.args(["300", "valgrind", "-q", "--error-limit=no", "--error-exitcode=99"]).arg(exe).arg(operation);
    command.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("../rustcrypto/testdata/keys/rsa2048.pkcs1.der"));
    let output = command.env("RUSTCRYPTO_IMPL", implementation).output().unwrap();
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn nothing_but_verdicts_depends_on_secrets() {
    if program("valgrind").is_none() || !Path::new("/usr/include/valgrind/memcheck.h").is_file() {
        return skipped("constant-time checks", "install valgrind and its headers");
    }
    let Some(mut cc) = program("cc") else { return skipped("constant-time checks", "install a C compiler") };
    let (dir, library) = (tempfile::tempdir().unwrap(), library());
    for name in ["librustcrypto.so", "librustcrypto.so.0"] {
        symlink(library.canonicalize().unwrap(), dir.path().join(name)).unwrap();
    }
    let (exe, tests) = (dir.path().join("constant_time"), Path::new(env!("CARGO_MANIFEST_DIR")));
    cc.args(["-std=gnu99", "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-I"]).arg(tests.join("include"));
    cc.arg(tests.join("tests/ct/constant_time.c")).arg("-o").arg(&exe).arg("-L").arg(dir.path());
    run(cc.arg("-lrustcrypto").arg(format!("-Wl,-rpath,{}", dir.path().display())));

    let (code, report) = memcheck(&exe, "self-test", "");
    assert_eq!((code, complaints(&report).len()), (Some(99), 1), "a branch on a secret went unnoticed\n{report}");

    let mut wrong = String::new();
    for (operation, implementation) in OPERATIONS.iter().flat_map(|name| [(name, ""), (name, "portable")]) {
        let (code, report) = memcheck(&exe, operation, implementation);
        // Only graviola signs with RSA.
        if code == Some(77) && implementation.is_empty() {
            skipped(&format!("{operation} under memcheck"), "this CPU or library does not sign with RSA");
        }
        if code == Some(77) {
            continue;
        }
        assert!(matches!(code, Some(0 | 99)), "{operation}: {code:?}\n{report}");
        let mut seen: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for (kind, address, function) in complaints(&report) {
            let places = seen.entry(function).or_default();
            places.insert(address);
            let verdict = VERDICTS.iter().find(|(name, ..)| function.ends_with(name));
            // An address that depends on a secret is never a verdict; a published signature is copied out by its length.
            let address_is_public = function.contains("graviola::high::rsa::SigningKey");
            if !(kind.starts_with("Conditional") || address_is_public)
                || verdict.is_none_or(|(_, most, _)| places.len() > *most)
            {
                let _ = writeln!(wrong, "{operation}: {kind}: {function} at {places:?}");
            }
        }
        assert_eq!(code == Some(99), !seen.is_empty(), "{operation}: a report that was not understood\n{report}");
    }
    assert!(wrong.is_empty(), "{wrong}");
}
