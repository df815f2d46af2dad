//! curl, the command.

use std::process::Command;

use crate::harness::{find, finish, pki, row, serve, text, version};

fn curl(port: u16, path: &str) -> Option<Command> {
    let mut command = find("curl", "curl")?;
    command.args([
        "-sS",
        "--max-time",
        "30",
        "--cacert",
        &pki("root.pem"),
        "--resolve",
        &format!("test.example:{port}:127.0.0.1"),
    ]);
    command.arg(format!("https://test.example:{port}{path}"));
    Some(command)
}

#[test]
fn pages_and_downloads() {
    let ours = serve("chain.pem", "p256.key", &["--alpn", "http/1.1"]);
    let mut count = 0;
    for options in [
        &["--tls-max", "1.2"][..],
        &["--tlsv1.3"],
        &["--tlsv1.3", "--tls13-ciphers", "TLS_CHACHA20_POLY1305_SHA256"],
        &["--tls-max", "1.2", "--ciphers", "ECDHE-ECDSA-AES256-GCM-SHA384"],
        &["--curves", "P-521"],
    ] {
        let Some(mut client) = curl(ours.port, "/") else { return };
        let said = text(&finish(client.args(options), ""));
        assert!(said.contains("It works over TLS."), "{options:?}: {said}");
        let output = finish(curl(ours.port, "/bytes/3000000").unwrap().args(options), "");
        assert_eq!(output.stdout.len(), 3_000_000, "{options:?}: {}", String::from_utf8_lossy(&output.stderr));
        count += 2;
    }
    row(&version("curl", "--version"), "pages and 3 MB downloads, TLS 1.2 and 1.3", count);
}

#[test]
fn client_certificates() {
    let ours = serve("p256.pem", "p256.key", &["--ca", &pki("root.pem"), "--verify", "required"]);
    let Some(mut with) = curl(ours.port, "/") else { return };
    let said = text(&finish(with.args(["--cert", &pki("client.pem"), "--key", &pki("p256.key")]), ""));
    assert!(said.contains("It works over TLS."), "{said}");
    let said = text(&finish(&mut curl(ours.port, "/").unwrap(), ""));
    assert!(said.contains("certificate required"), "{said}");
    row(&version("curl", "--version"), "client certificates, given and missing", 2);
}
