//! Mbed TLS and wolfSSL, through small programs on their libraries (`peers/`).

use std::path::Path;
use std::process::Command;

use crate::harness::{finish, free_port, get, peer, pki, row, serve, serve_rsa, start, text};
use crate::support::skipped;

/// Both directions with each (our suite, their name for it).
fn both_ways(name: &str, program: &Path, suites: &[(&str, &str, &str)]) {
    // No tickets: wolfSSL before 5.6 refuses a ticket whose nonce is longer than 8 bytes, and ours has 32 (RFC 8446 allows 255).
    let options = ["--cache", "0"];
    let (ecdsa, rsa) = (serve("p256.pem", "p256.key", &options), serve_rsa(name, &options));
    let mut count = 0;
    for &(ours, theirs, certificate) in suites {
        let Some(server) = (if certificate == "rsa" { rsa.as_ref() } else { Some(&ecdsa) }) else { continue };
        let mut client = Command::new(program);
        client.args(["client", &server.port.to_string(), &pki("root.pem"), "test.example", theirs]);
        let said = text(&finish(&mut client, ""));
        assert!(said.contains("It works over TLS."), "{name} client, {ours}: {said}");
        count += 1;
    }
    row(name, "its client: suites", count);
    for &(ours, theirs, certificate) in suites {
        let port = free_port();
        let mut command = Command::new(program);
        let (cert, key) = (pki(&format!("{certificate}.pem")), pki(&format!("{certificate}.key")));
        command.args(["server", &port.to_string(), &cert, &key, theirs]);
        let running = start(&mut command, port, "ACCEPT");
        let (status, body, said) = get(running.port, &["--ca", &pki("root.pem"), "--ciphers", ours]);
        assert_eq!(status, 0, "{name} server, {ours}: {said}");
        assert!(String::from_utf8_lossy(&body).contains("It works over TLS.") && said.contains(ours), "{said}");
    }
    row(name, "its server: suites", suites.len());
}

#[test]
fn mbedtls() {
    let Some(program) = peer("mbedtls", &["-lmbedtls", "-lmbedx509", "-lmbedcrypto"]) else {
        return skipped("interop with Mbed TLS", "apt-get install libmbedtls-dev and a C compiler");
    };
    both_ways(
        "Mbed TLS",
        &program,
        &[
            ("ECDHE-ECDSA-AES128-GCM-SHA256", "TLS-ECDHE-ECDSA-WITH-AES-128-GCM-SHA256", "p256"),
            ("ECDHE-ECDSA-AES256-GCM-SHA384", "TLS-ECDHE-ECDSA-WITH-AES-256-GCM-SHA384", "p256"),
            ("ECDHE-ECDSA-CHACHA20-POLY1305", "TLS-ECDHE-ECDSA-WITH-CHACHA20-POLY1305-SHA256", "p256"),
            ("ECDHE-RSA-AES128-GCM-SHA256", "TLS-ECDHE-RSA-WITH-AES-128-GCM-SHA256", "rsa"),
            ("ECDHE-RSA-AES256-GCM-SHA384", "TLS-ECDHE-RSA-WITH-AES-256-GCM-SHA384", "rsa"),
            ("ECDHE-RSA-CHACHA20-POLY1305", "TLS-ECDHE-RSA-WITH-CHACHA20-POLY1305-SHA256", "rsa"),
        ],
    );
}

#[test]
fn wolfssl() {
    let Some(program) = peer("wolfssl", &["-lwolfssl"]) else {
        return skipped("interop with wolfSSL", "apt-get install libwolfssl-dev and a C compiler");
    };
    both_ways(
        "wolfSSL",
        &program,
        &[
            ("TLS_AES_128_GCM_SHA256", "TLS13-AES128-GCM-SHA256", "p256"),
            ("TLS_AES_256_GCM_SHA384", "TLS13-AES256-GCM-SHA384", "p256"),
            ("TLS_CHACHA20_POLY1305_SHA256", "TLS13-CHACHA20-POLY1305-SHA256", "rsa"),
            ("ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-ECDSA-AES128-GCM-SHA256", "p256"),
            ("ECDHE-ECDSA-AES256-GCM-SHA384", "ECDHE-ECDSA-AES256-GCM-SHA384", "p256"),
            ("ECDHE-ECDSA-CHACHA20-POLY1305", "ECDHE-ECDSA-CHACHA20-POLY1305", "p256"),
            ("ECDHE-RSA-AES128-GCM-SHA256", "ECDHE-RSA-AES128-GCM-SHA256", "rsa"),
            ("ECDHE-RSA-AES256-GCM-SHA384", "ECDHE-RSA-AES256-GCM-SHA384", "rsa"),
        ],
    );
}
