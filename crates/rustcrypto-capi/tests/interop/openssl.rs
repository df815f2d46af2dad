//! OpenSSL: `s_client` and `s_server`.

use std::process::Command;

use crate::harness::{
    Running, find, finish, free_port, get, pki, row, rsa_serves, serve, serve_rsa, start, text, version,
};

const REQUEST: &str = "GET / HTTP/1.0\r\n\r\n";
const TLS13: [&str; 3] = ["TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256"];
const TLS12: [&str; 3] = ["AES128-GCM-SHA256", "AES256-GCM-SHA384", "CHACHA20-POLY1305"];
/// Our name and OpenSSL's.
const GROUPS: [(&str, &str); 4] = [("X25519", "X25519"), ("P-256", "P-256"), ("P-384", "P-384"), ("P-521", "P-521")];

fn s_client(port: u16) -> Option<Command> {
    let mut command = find("openssl", "openssl")?;
    let address = format!("127.0.0.1:{port}");
    command.args(["s_client", "-connect", &address, "-servername", "test.example", "-CAfile", &pki("root.pem")]);
    command.args(["-verify_return_error", "-verify_hostname", "test.example", "-ign_eof"]);
    Some(command)
}

fn s_server(certificate: &str, key: &str, options: &[&str]) -> Option<Running> {
    let port = free_port();
    let mut command = find("openssl", "openssl")?;
    command.args([
        "s_server",
        "-accept",
        &port.to_string(),
        "-cert",
        &pki(certificate),
        "-cert_chain",
        &pki(certificate),
    ]);
    command.args(["-key", &pki(key), "-www"]).args(options);
    Some(start(&mut command, port, "ACCEPT"))
}

/// A page from our server, or the reason.
fn fetch(command: &mut Command) -> Result<String, String> {
    let output = finish(command, REQUEST);
    let said = text(&output);
    if said.contains("It works over TLS.") { Ok(said) } else { Err(said) }
}

#[test]
fn s_client_with_every_suite_and_group() {
    let mut count = 0;
    for (ours, group) in GROUPS {
        let server = serve("p256.pem", "p256.key", &["--groups", ours]);
        let rsa = serve_rsa(&format!("s_client on {ours}"), &["--groups", ours]);
        for suite in TLS13 {
            let Some(mut client) = s_client(server.port) else { return };
            let said = fetch(client.args(["-tls1_3", "-ciphersuites", suite, "-groups", group])).unwrap();
            assert!(said.contains(&format!("Cipher is {suite}")), "{said}");
            count += 1;
        }
        // In TLS 1.2, OpenSSL accepts a P-256 certificate only if it listed P-256 as a group.
        let groups = if group == "P-256" { group.to_owned() } else { format!("{group}:P-256") };
        for (server, kind) in [(Some(&server), "ECDSA"), (rsa.as_ref(), "RSA")] {
            let Some(server) = server else { continue };
            for suite in TLS12 {
                let suite = format!("ECDHE-{kind}-{suite}");
                let mut client = s_client(server.port).unwrap();
                let said = fetch(client.args(["-tls1_2", "-cipher", &suite, "-groups", &groups])).unwrap();
                assert!(said.contains(&format!("Cipher is {suite}")), "{said}");
                count += 1;
            }
        }
    }
    row(&version("openssl", "version"), "its client: TLS 1.2, 1.3, every suite x group", count);
}

#[test]
fn s_server_with_every_suite_and_group() {
    let Some(server) = s_server("p256.pem", "p256.key", &[]) else { return };
    let rsa = s_server("rsa.pem", "rsa.key", &[]).unwrap();
    let mut count = 0;
    let mut check = |port: u16, tls: &str, suite: &str, group: &str| {
        let root = pki("root.pem");
        // In TLS 1.2, OpenSSL presents a P-256 certificate only to clients that list P-256.
        let groups = format!("{group}:P-256");
        let options = ["--ca", &root, "--tls", tls, "--ciphers", suite, "--groups", &groups];
        let (status, body, said) = get(port, &options);
        assert_eq!(status, 0, "{suite} {group}: {said}");
        assert!(said.contains(&format!("TLSv{tls} {suite} {group}")), "{said}");
        assert!(String::from_utf8_lossy(&body).contains("Ciphers supported"), "the status page of s_server");
        count += 1;
    };
    for (group, _) in GROUPS {
        for suite in TLS13 {
            check(server.port, "1.3", suite, group);
        }
        for suite in TLS12 {
            check(server.port, "1.2", &format!("ECDHE-ECDSA-{suite}"), group);
            check(rsa.port, "1.2", &format!("ECDHE-RSA-{suite}"), group);
        }
    }
    row(&version("openssl", "version"), "its server: TLS 1.2, 1.3, every suite x group", count);
}

#[test]
fn every_kind_of_key_both_ways() {
    let mut count = 0;
    for kind in ["p256", "p384", "p521", "ed25519", "rsa"] {
        let (certificate, key) = (format!("{kind}.pem"), format!("{kind}.key"));
        if kind == "rsa" && !rsa_serves("s_client") {
            continue;
        }
        let ours = serve(&certificate, &key, &[]);
        let Some(theirs) = s_server(&certificate, &key, &[]) else { return };
        for (theirs_option, tls) in [("-tls1_2", "1.2"), ("-tls1_3", "1.3")] {
            fetch(s_client(ours.port).unwrap().arg(theirs_option)).unwrap();
            let (status, _, said) = get(theirs.port, &["--ca", &pki("root.pem"), "--tls", tls]);
            assert_eq!(status, 0, "{kind} {tls}: {said}");
            count += 2;
        }
    }
    row(&version("openssl", "version"), "both ways: P-256, P-384, P-521, Ed25519, RSA keys", count);
}

#[test]
fn chains_both_ways() {
    let Some(theirs) = s_server("chain.pem", "p256.key", &[]) else { return };
    let (status, _, said) = get(theirs.port, &["--ca", &pki("bundle.pem")]);
    assert_eq!(status, 0, "{said}");
    let ours = serve("chain.pem", "p256.key", &[]);
    fetch(&mut s_client(ours.port).unwrap()).unwrap();
    row(&version("openssl", "version"), "both ways: chain with an intermediate", 2);
}

#[test]
fn client_certificates_both_ways() {
    let (root, certificate, key) = (pki("root.pem"), pki("client.pem"), pki("p256.key"));
    let Some(theirs) = s_server("p256.pem", "p256.key", &["-Verify", "1", "-verify_return_error", "-CAfile", &root])
    else {
        return;
    };
    let mut count = 0;
    for tls in ["1.2", "1.3"] {
        let (status, _, said) = get(theirs.port, &["--ca", &root, "--tls", tls, "--cert", &certificate, "--key", &key]);
        assert_eq!(status, 0, "{said}");
        let (status, _, said) = get(theirs.port, &["--ca", &root, "--tls", tls]);
        assert!(
            status != 0 && said.contains("requires a client certificate") || said.contains("no parameters"),
            "{said}"
        );
        count += 2;
    }
    let ours = serve("p256.pem", "p256.key", &["--ca", &root, "--verify", "required"]);
    for option in ["-tls1_2", "-tls1_3"] {
        fetch(s_client(ours.port).unwrap().args([option, "-cert", &certificate, "-key", &key])).unwrap();
        fetch(s_client(ours.port).unwrap().arg(option)).unwrap_err();
        fetch(s_client(ours.port).unwrap().args([option, "-cert", &pki("strangeclient.pem"), "-key", &key]))
            .unwrap_err();
        count += 3;
    }
    let log = ours.log();
    assert!(log.contains("peer=CN=Test Client verify=ok"), "{log}");
    assert!(log.contains("no certificate"), "{log}");
    assert!(log.contains("issued by CN=Unknown Root"), "{log}");
    row(&version("openssl", "version"), "both ways: client certificates, good, none, unknown", count);
}

#[test]
fn resumption_both_ways() {
    let Some(theirs) = s_server("p256.pem", "p256.key", &[]) else { return };
    let mut count = 0;
    for tls in ["1.2", "1.3"] {
        let (status, _, said) = get(theirs.port, &["--ca", &pki("root.pem"), "--tls", tls, "--again", "1"]);
        assert_eq!(status, 0, "{said}");
        assert_eq!((said.matches("resumed=0").count(), said.matches("resumed=1").count()), (1, 1), "{said}");
        count += 1;
    }
    let ours = serve("p256.pem", "p256.key", &[]);
    for option in ["-tls1_2", "-tls1_3"] {
        let file = tempfile::NamedTempFile::new().unwrap();
        let path = file.path().to_str().unwrap();
        fetch(s_client(ours.port).unwrap().args([option, "-sess_out", path])).unwrap();
        let said = fetch(s_client(ours.port).unwrap().args([option, "-sess_in", path])).unwrap();
        assert!(said.contains("Reused, TLSv1."), "{said}");
        count += 1;
    }
    // Without tickets, the small cache serves (TLS 1.2 session ids).
    let file = tempfile::NamedTempFile::new().unwrap();
    let path = file.path().to_str().unwrap();
    fetch(s_client(ours.port).unwrap().args(["-tls1_2", "-no_ticket", "-sess_out", path])).unwrap();
    assert!(
        fetch(s_client(ours.port).unwrap().args(["-tls1_2", "-no_ticket", "-sess_in", path]))
            .unwrap()
            .contains("Reused")
    );
    row(&version("openssl", "version"), "both ways: resumption by ticket and by session id", count + 1);
}

#[test]
fn large_and_tiny_records() {
    let dir = tempfile::tempdir().unwrap();
    let data: Vec<u8> = (0..1_000_000u32).map(|n| (n % 251) as u8).collect();
    std::fs::write(dir.path().join("data"), &data).unwrap();
    let mut count = 0;
    for size in ["512", "16384"] {
        let port = free_port();
        let Some(mut command) = find("openssl", "openssl") else { return };
        command.args([
            "s_server",
            "-accept",
            &port.to_string(),
            "-cert",
            &pki("p256.pem"),
            "-key",
            &pki("p256.key"),
            "-WWW",
        ]);
        let theirs = start(command.args(["-max_send_frag", size]).current_dir(dir.path()), port, "ACCEPT");
        let (status, body, said) = get(theirs.port, &["--ca", &pki("root.pem"), "--path", "/data"]);
        assert!(status == 0 && body == data, "{} bytes: {said}", body.len());
        let ours = serve("p256.pem", "p256.key", &["--record", size]);
        let output = finish(s_client(ours.port).unwrap().arg("-quiet"), "GET /bytes/1000000 HTTP/1.0\r\n\r\n");
        let got = output.stdout.split(|byte| *byte != b'x').map(<[u8]>::len).max().unwrap_or_default();
        assert!(got >= 1_000_000, "{got}: {}", String::from_utf8_lossy(&output.stderr));
        count += 2;
    }
    row(&version("openssl", "version"), "both ways: 1 MB in records of 512 and 16384 bytes", count);
}

#[test]
fn a_killed_server_is_a_cut_answer() {
    let port = free_port();
    let Some(mut command) = find("openssl", "openssl") else { return };
    // s_server without -www waits for its standard input: the answer never comes.
    command.args(["s_server", "-accept", &port.to_string(), "-cert", &pki("p256.pem"), "-key", &pki("p256.key")]);
    let theirs = start(&mut command, port, "ACCEPT");
    let client = std::thread::spawn(move || get(port, &["--ca", &pki("root.pem")]));
    std::thread::sleep(std::time::Duration::from_millis(1500));
    theirs.kill();
    let (status, _, said) = client.join().unwrap();
    assert!(status == 3 || said.contains("cannot receive"), "{status}: {said}");
    let ours = serve("p256.pem", "p256.key", &["--cut", "1"]);
    let (status, body, said) = get(ours.port, &["--ca", &pki("root.pem")]);
    assert!(status == 3 && said.contains("without a TLS close_notify"), "{status}: {said}");
    assert!(!body.is_empty(), "what came before the cut is handed out");
    row(&version("openssl", "version"), "truncation is told apart from the end", 2);
}
