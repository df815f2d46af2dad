//! px5g and `sign_verify`, with OpenSSL reading what they write.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Output};

use crate::harness::{find, finish, get, px5g, row, rsa_serves, serve_files, sign_verify, text};
use crate::support::run;

fn px5g_in(dir: &Path, args: &[&str]) -> Output {
    finish(Command::new(px5g()).args(args).current_dir(dir), "")
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

const SUBJECT: &str = "/C=ZZ/ST=Somewhere/L=Unknown/O=OpenWrt1a2b/CN=OpenWrt";

#[test]
fn certificates_as_uhttpd_asks_for_them() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    let mut count = 0;
    for (newkey, public) in [
        (&[][..], "prime256v1"),
        (&["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-384"], "secp384r1"),
        (&["-newkey", "rsa:2048"], "2048 bit"),
    ] {
        for (form, option) in [("PEM", &[][..]), ("DER", &["-der"])] {
            let mut args = vec!["selfsigned", "-days", "730", "-keyout", "key", "-out", "cert", "-subj", SUBJECT];
            args.extend(["-addext", "subjectAltName=DNS:OpenWrt,IP:127.0.0.1", "-addext", "subjectAltName=IP:fd00::1"]);
            args.extend(["-addext", "extendedKeyUsage=serverAuth", "-sha256"]);
            args.extend(newkey.iter().chain(option));
            let output = px5g_in(dir.path(), &args);
            assert!(output.status.success(), "{}", text(&output));
            assert_eq!((mode(&at("key")), mode(&at("cert"))), (0o600, 0o644));
            assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 2, "no temporary file is left");
            let Some(mut openssl) = find("openssl", "openssl") else { return };
            let shown =
                run(openssl.args(["x509", "-in", "cert", "-inform", form, "-noout", "-text"]).current_dir(dir.path()));
            for part in [
                "Version: 3",
                public,
                "CA:FALSE",
                "Digital Signature",
                "TLS Web Server Authentication",
                "CN = OpenWrt",
                "DNS:OpenWrt, IP Address:127.0.0.1, IP Address:FD00:0:0:0:0:0:0:1",
            ] {
                assert!(shown.contains(part), "{part} is not in\n{shown}");
            }
            let own = run(find("openssl", "openssl")
                .unwrap()
                .args(["pkey", "-in", "key", "-inform", form, "-pubout"])
                .current_dir(dir.path()));
            let certified = run(find("openssl", "openssl")
                .unwrap()
                .args(["x509", "-in", "cert", "-inform", form, "-pubkey", "-noout"])
                .current_dir(dir.path()));
            assert_eq!(own, certified);
            if newkey.contains(&"rsa:2048") && !rsa_serves("px5g's certificate") {
                continue;
            }
            let server = serve_files(&at("cert"), &at("key"), &[]);
            let (status, _, said) = get(server.port, &["--ca", at("cert").to_str().unwrap(), "--name", "OpenWrt"]);
            assert_eq!(status, 0, "{said}");
            count += 1;
        }
    }
    row("px5g selfsigned", "EC and RSA, PEM and DER; read by OpenSSL, served", count);
}

#[test]
fn keys() {
    let dir = tempfile::tempdir().unwrap();
    let mut count = 0;
    for (args, expected) in [
        (&["eckey"][..], "ASN1 OID: prime256v1"),
        (&["eckey", "-der", "P-521"], "ASN1 OID: secp521r1"),
        (&["eckey", "secp384r1"], "ASN1 OID: secp384r1"),
        (&["rsakey"], "2048 bit"),
        (&["rsakey", "-der", "3072"], "3072 bit"),
    ] {
        let output = px5g_in(dir.path(), &[&args[..1], &["-out", "key"], &args[1..]].concat());
        assert!(output.status.success(), "{}", text(&output));
        assert_eq!(mode(&dir.path().join("key")), 0o600);
        let Some(mut openssl) = find("openssl", "openssl") else { return };
        let form = if args.contains(&"-der") { "DER" } else { "PEM" };
        let shown =
            run(openssl.args(["pkey", "-in", "key", "-inform", form, "-noout", "-text"]).current_dir(dir.path()));
        assert!(shown.contains(expected), "{expected} is not in\n{shown}");
        count += 1;
    }
    let output = px5g_in(dir.path(), &["eckey"]);
    assert!(
        String::from_utf8_lossy(&output.stdout).starts_with("-----BEGIN EC PRIVATE KEY-----"),
        "to standard output"
    );
    row("px5g eckey, rsakey", "read by OpenSSL", count + 1);
}

#[test]
fn names_come_from_the_subject_where_none_are_given() {
    let dir = tempfile::tempdir().unwrap();
    for (subject, expected) in [("/CN=router.lan", "DNS:router.lan"), ("/CN=10.0.0.1", "IP Address:10.0.0.1")] {
        let output = px5g_in(dir.path(), &["selfsigned", "-out", "cert", "-subj", subject]);
        assert!(output.status.success(), "{}", text(&output));
        let Some(mut openssl) = find("openssl", "openssl") else { return };
        let shown =
            run(openssl.args(["x509", "-in", "cert", "-noout", "-ext", "subjectAltName"]).current_dir(dir.path()));
        assert!(shown.contains(expected), "{shown}");
    }
}

#[test]
fn mistakes_are_told() {
    let dir = tempfile::tempdir().unwrap();
    for (args, reason) in [
        (&["rsakey", "1024"][..], "must be 2048 to 8192"),
        (&["selfsigned", "-newkey", "rsa:512", "-subj", "/CN=x"], "must be 2048 to 8192"),
        (&["selfsigned", "-newkey", "dsa", "-subj", "/CN=x"], "unknown kind of key: dsa"),
        (&["selfsigned", "-days", "soon", "-subj", "/CN=x"], "-days is not a number: soon"),
        (&["selfsigned", "-days"], "-days needs a value"),
        (&["selfsigned", "-subj", "CN=x"], "must look like /C=ZZ"),
        (&["selfsigned", "-subj", "/CN=x", "-addext", "subjectAltName=IP:1.2.3"], "not an IPv4 or IPv6 address"),
        (&["selfsigned", "-subj", "/CN=x", "-addext", "subjectAltName=EMAIL:a@b"], "not DNS:name or IP:address"),
        (&["selfsigned", "-subj", "/XX=x", "-addext", "subjectAltName=DNS:a"], "unknown subject attribute"),
        (&["selfsigned", "-subj", "/O=x"], "no name for the certificate"),
        (&["selfsigned", "-frob", "-subj", "/CN=x"], "unknown option: -frob"),
        (&["selfsigned", "-subj", "/CN=x", "-out", "no/such/folder"], "cannot create a file beside no/such/folder"),
        (&["eckey", "P-192"], "unknown curve: P-192"),
        (&["rsakey", "-3"], "public exponent 3"),
    ] {
        let output = px5g_in(dir.path(), args);
        let said = text(&output);
        assert!(output.status.code() == Some(1) && said.contains(reason), "{args:?}: {said}");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0, "{args:?} left a file");
    }
    assert!(text(&px5g_in(dir.path(), &[])).contains("usage: px5g"));
}

#[test]
fn signatures_both_ways_with_openssl() {
    let dir = tempfile::tempdir().unwrap();
    let file = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    fs::write(file("data"), vec![b'a'; 100_000]).unwrap();
    let mut count = 0;
    for kind in ["p256", "p384", "rsa"] {
        if kind == "rsa" && !rsa_serves("sign_verify") {
            continue;
        }
        let private = crate::harness::pki(&format!("{kind}.key"));
        let Some(mut openssl) = find("openssl", "openssl") else { return };
        run(openssl.args(["pkey", "-in", &private, "-pubout", "-out", &file("public")]));
        let signature = finish(Command::new(sign_verify()).args(["sign", &private, &file("data")]), "").stdout;
        fs::write(file("sig"), &signature).unwrap();
        run(find("openssl", "openssl").unwrap().args([
            "dgst",
            "-sha256",
            "-verify",
            &file("public"),
            "-signature",
            &file("sig"),
            &file("data"),
        ]));
        run(find("openssl", "openssl").unwrap().args([
            "dgst",
            "-sha256",
            "-sign",
            &private,
            "-out",
            &file("sig"),
            &file("data"),
        ]));
        let verify = |data: &str| {
            finish(Command::new(sign_verify()).args(["verify", &file("public"), &file(data), &file("sig")]), "")
        };
        assert!(verify("data").status.success(), "{}", text(&verify("data")));
        assert!(!verify("public").status.success(), "another file");
        count += 2;
    }
    row("sign_verify", "signatures both ways with OpenSSL", count);
}
