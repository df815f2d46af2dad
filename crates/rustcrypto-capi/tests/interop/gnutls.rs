//! `GnuTLS`: gnutls-cli and gnutls-serv.

use crate::harness::{find, finish, free_port, get, pki, row, serve, serve_rsa, start_and_knock, text, version};

const REQUEST: &str = "GET / HTTP/1.0\r\n\r\n";
/// Version, our suite, `GnuTLS`'s name of the cipher, and the certificate.
const SUITES: [(&str, &str, &str, &str); 9] = [
    ("1.3", "TLS_AES_128_GCM_SHA256", "AES-128-GCM", "p256"),
    ("1.3", "TLS_AES_256_GCM_SHA384", "AES-256-GCM", "p256"),
    ("1.3", "TLS_CHACHA20_POLY1305_SHA256", "CHACHA20-POLY1305", "p256"),
    ("1.2", "ECDHE-ECDSA-AES128-GCM-SHA256", "AES-128-GCM", "p256"),
    ("1.2", "ECDHE-ECDSA-AES256-GCM-SHA384", "AES-256-GCM", "p256"),
    ("1.2", "ECDHE-ECDSA-CHACHA20-POLY1305", "CHACHA20-POLY1305", "p256"),
    ("1.2", "ECDHE-RSA-AES128-GCM-SHA256", "AES-128-GCM", "rsa"),
    ("1.2", "ECDHE-RSA-AES256-GCM-SHA384", "AES-256-GCM", "rsa"),
    ("1.2", "ECDHE-RSA-CHACHA20-POLY1305", "CHACHA20-POLY1305", "rsa"),
];
/// Our name and `GnuTLS`'s.
const GROUPS: [(&str, &str); 4] =
    [("X25519", "X25519"), ("P-256", "SECP256R1"), ("P-384", "SECP384R1"), ("P-521", "SECP521R1")];

fn priority(tls: &str, cipher: &str, group: &str) -> String {
    format!("NORMAL:-VERS-ALL:+VERS-TLS{tls}:-CIPHER-ALL:+{cipher}:-GROUP-ALL:+GROUP-{group}")
}

#[test]
fn gnutls_cli_with_every_suite_and_group() {
    if find("gnutls-cli", "gnutls-bin").is_none() {
        return;
    }
    let (ecdsa, rsa) = (serve("p256.pem", "p256.key", &[]), serve_rsa("gnutls-cli", &[]));
    let mut count = 0;
    for (tls, suite, cipher, certificate) in SUITES {
        for (_, group) in GROUPS {
            let Some(ours) = (if certificate == "rsa" { rsa.as_ref() } else { Some(&ecdsa) }) else { continue };
            let mut client = find("gnutls-cli", "gnutls-bin").unwrap();
            client.args([
                "--port",
                &ours.port.to_string(),
                "--x509cafile",
                &pki("root.pem"),
                "--sni-hostname",
                "test.example",
            ]);
            client.args([
                "--verify-hostname",
                "test.example",
                "--priority",
                &priority(tls, cipher, group),
                "127.0.0.1",
            ]);
            let said = text(&finish(&mut client, REQUEST));
            assert!(said.contains("It works over TLS."), "{suite} {group}: {said}");
            count += 1;
        }
    }
    row(&version("gnutls-cli", "--version"), "its client: TLS 1.2, 1.3, every suite x group", count);
}

#[test]
fn gnutls_serv_with_every_suite_and_group() {
    let port = free_port();
    let Some(mut command) = find("gnutls-serv", "gnutls-bin") else { return };
    command.args(["--http", "--port", &port.to_string(), "--disable-client-cert"]);
    command.args(["--x509certfile", &pki("p256.pem"), "--x509keyfile", &pki("p256.key")]);
    command.args(["--x509certfile", &pki("rsa.pem"), "--x509keyfile", &pki("rsa.key")]);
    let theirs = start_and_knock(&mut command, port);
    let mut count = 0;
    for (tls, suite, ..) in SUITES {
        for (group, _) in GROUPS {
            let options = ["--ca", &pki("root.pem"), "--tls", tls, "--ciphers", suite, "--groups", group];
            let (status, body, said) = get(theirs.port, &options);
            // GnuTLS's example server hangs up without close_notify in HTTP mode: status 3 is that.
            assert!(status == 0 || status == 3, "{suite} {group}: {said}");
            assert!(String::from_utf8_lossy(&body).contains("GnuTLS"), "{suite} {group}: {said}");
            assert!(said.contains(&format!("TLSv{tls} {suite} {group}")), "{said}");
            count += 1;
        }
    }
    row(&version("gnutls-cli", "--version"), "its server: TLS 1.2, 1.3, every suite x group", count);
}

#[test]
fn gnutls_cli_resumes() {
    let ours = serve("p256.pem", "p256.key", &[]);
    let mut count = 0;
    for tls in ["1.2", "1.3"] {
        let Some(mut client) = find("gnutls-cli", "gnutls-bin") else { return };
        client.args([
            "--port",
            &ours.port.to_string(),
            "--x509cafile",
            &pki("root.pem"),
            "--sni-hostname",
            "test.example",
        ]);
        client.args(["--verify-hostname", "test.example", "--resume", "--waitresumption"]);
        client.args(["--priority", &format!("NORMAL:-VERS-ALL:+VERS-TLS{tls}"), "127.0.0.1"]);
        let said = text(&finish(&mut client, REQUEST));
        assert!(said.contains("This is a resumed session"), "{said}");
        count += 1;
    }
    row(&version("gnutls-cli", "--version"), "its client: resumption", count);
}
