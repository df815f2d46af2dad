//! Bad certificates of each kind, over the wire: OpenSSL presents them to us, and we to OpenSSL, `GnuTLS` and curl.

use std::process::Command;

use crate::harness::{find, finish, free_port, get, pki, row, serve, start, text};

/// Certificate of the server, words of our sentence.
const BAD: [(&str, &str); 12] = [
    ("expired.pem", "expired on 2025-06-01"),
    ("early.pem", "valid only from 2040-01-01"),
    ("wrongname.pem", "valid for other.example, not for test.example"),
    ("nosan.pem", "no subjectAltName"),
    ("unknown.pem", "issued by CN=Unknown Root"),
    ("revoked.pem", "was revoked"),
    ("wrongeku.pem", "not meant for a TLS server"),
    ("badku.pem", "lacks digitalSignature"),
    ("caleaf.pem", "an authority's certificate"),
    ("sha1.pem", "signed with SHA-1"),
    ("selfsigned.pem", "self-signed"),
    ("v1.pem", "X.509 version 1"),
];

#[test]
fn we_refuse_openssls() {
    let mut count = 0;
    for (certificate, reason) in BAD {
        let port = free_port();
        let Some(mut command) = find("openssl", "openssl") else { return };
        command.args(["s_server", "-accept", &port.to_string(), "-cert", &pki(certificate), "-key", &pki("p256.key")]);
        // OpenSSL itself finds a SHA-1 signature too weak to present.
        command.args(["-www", "-cipher", "DEFAULT@SECLEVEL=0"]);
        let theirs = start(&mut command, port, "ACCEPT");
        let (status, body, said) = get(theirs.port, &["--ca", &pki("root.pem"), "--crl", &pki("crl.pem")]);
        assert!(status == 2 && body.is_empty() && said.contains(reason), "{certificate}: {status}: {said}");
        let (status, _, said) =
            get(theirs.port, &["--ca", &pki("root.pem"), "--crl", &pki("crl.pem"), "--verify", "optional"]);
        assert!(status == 0 && said.contains(reason), "{certificate}: {status}: {said}");
        count += 2;
    }
    row("OpenSSL's server", "bad certificates: refused, or told when optional", count);
}

#[test]
fn peers_refuse_ours() {
    const BOTH_CALL_BAD: [&str; 5] = ["expired.pem", "early.pem", "wrongname.pem", "unknown.pem", "selfsigned.pem"];
    let mut count = 0;
    for certificate in BOTH_CALL_BAD {
        let ours = serve(certificate, "p256.key", &[]);
        let port = ours.port.to_string();
        let mut clients: Vec<Command> = Vec::new();
        if let Some(mut openssl) = find("openssl", "openssl") {
            openssl.args(["s_client", "-connect", &format!("127.0.0.1:{port}"), "-CAfile", &pki("root.pem")]);
            openssl.args([
                "-servername",
                "test.example",
                "-verify_return_error",
                "-verify_hostname",
                "test.example",
                "-quiet",
            ]);
            clients.push(openssl);
        }
        if let Some(mut curl) = find("curl", "curl") {
            curl.args(["-sS", "--max-time", "20", "--cacert", &pki("root.pem")]);
            curl.args([
                "--resolve",
                &format!("test.example:{port}:127.0.0.1"),
                &format!("https://test.example:{port}/"),
            ]);
            clients.push(curl);
        }
        if let Some(mut gnutls) = find("gnutls-cli", "gnutls-bin") {
            gnutls.args([
                "--port",
                &port,
                "--x509cafile",
                &pki("root.pem"),
                "--verify-hostname",
                "test.example",
                "127.0.0.1",
            ]);
            clients.push(gnutls);
        }
        for client in &mut clients {
            let output = finish(client, "GET / HTTP/1.0\r\n\r\n");
            let said = text(&output);
            assert!(!output.status.success() && !said.contains("It works"), "{certificate}: {client:?}: {said}");
            count += 1;
        }
        // The server lives on, and knows why.
        let (status, _, said) = get(ours.port, &["--verify", "none"]);
        assert_eq!(status, 0, "{said}");
        let log = ours.log();
        assert!(log.contains("the peer refused"), "{certificate}: {log}");
    }
    if count > 0 {
        row("OpenSSL, curl, GnuTLS", "our server with bad certificates is refused", count);
    }
}

#[test]
fn plain_http_and_rubbish() {
    use std::io::{Read as _, Write as _};
    let ours = serve("p256.pem", "p256.key", &[]);
    for bytes in [&b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"[..], b"\x16\x03\x01\xff\xff", b"\0", b"SSH-2.0-x\r\n"] {
        let mut stream = std::net::TcpStream::connect(("127.0.0.1", ours.port)).unwrap();
        stream.write_all(bytes).unwrap();
        stream.shutdown(std::net::Shutdown::Write).unwrap();
        let _ = stream.read_to_end(&mut Vec::new());
    }
    let (status, _, said) = get(ours.port, &["--ca", &pki("root.pem")]);
    assert_eq!(status, 0, "{said}");
    assert!(ours.log().contains("plain HTTP request to a TLS port"));

    let plain = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = plain.local_addr().unwrap().port();
    let server = std::thread::spawn(move || {
        let (mut stream, _) = plain.accept().unwrap();
        let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n");
        let _ = stream.read(&mut [0; 1024]);
    });
    let (status, _, said) = get(port, &["--ca", &pki("root.pem")]);
    assert!(status == 2 && said.contains("plain HTTP"), "{said}");
    server.join().unwrap();
    row("plain HTTP, SSH, rubbish", "named for what they are; the server lives on", 5);
}
