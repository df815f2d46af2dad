//! Chromium, headless, on a page served with px5g's certificate.

use std::path::Path;
use std::process::Command;

use crate::harness::{find, finish, px5g, row, serve_files, text, version};
use crate::support::{program, run, skipped};

/// Flags that keep the browser from asking the network for anything else.
const QUIET: [&str; 12] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--disable-extensions",
    "--dump-dom",
    "--virtual-time-budget=5000",
];

fn dump(dir: &Path, profile: &str, port: u16, options: &[&str]) -> Option<String> {
    let mut command = find("chromium", "chromium")?;
    command.args(QUIET).args(options).env("HOME", dir);
    command.arg(format!("--user-data-dir={}", dir.join(profile).display())).arg(format!("https://localhost:{port}/"));
    Some(text(&finish(&mut command, "")))
}

#[test]
fn a_page_over_px5gs_certificate() {
    let dir = tempfile::tempdir().unwrap();
    let (cert, key) = (dir.path().join("cert"), dir.path().join("key"));
    let args = [
        "selfsigned",
        "-days",
        "365",
        "-newkey",
        "ec",
        "-keyout",
        "key",
        "-out",
        "cert",
        "-subj",
        "/O=OpenWrt/CN=OpenWrt",
    ];
    let names = ["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"];
    let made = finish(Command::new(px5g()).args(args).args(names).current_dir(dir.path()), "");
    assert!(made.status.success(), "{}", text(&made));
    let server = serve_files(&cert, &key, &["--alpn", "http/1.1"]);

    // As the user would see it first: not trusted, so no page.
    let Some(refused) = dump(dir.path(), "first", server.port, &[]) else { return };
    assert!(!refused.contains("It works over TLS."), "{refused}");
    let mut count = 1;

    // Trusted by its key: names, dates, key usage and signature must still be right.
    let pipeline = "openssl x509 -in cert -pubkey -noout | openssl pkey -pubin -outform der | openssl dgst -sha256 -binary | base64";
    let pin = run(Command::new("sh").args(["-c", pipeline]).current_dir(dir.path()));
    let option = format!("--ignore-certificate-errors-spki-list={}", pin.trim());
    let page = dump(dir.path(), "pinned", server.port, &[&option]).unwrap();
    assert!(page.contains("<p id=\"it\">It works over TLS.</p>"), "{page}");
    count += 1;

    // Trusted as a user imports it into the browser's own store (NSS).
    if program("certutil").is_some() {
        let store = dir.path().join(".pki/nssdb");
        std::fs::create_dir_all(&store).unwrap();
        let store = format!("sql:{}", store.display());
        run(program("certutil").unwrap().args(["-N", "-d", &store, "--empty-password"]));
        run(program("certutil").unwrap().args(["-A", "-d", &store, "-t", "P,,", "-n", "router", "-i"]).arg(&cert));
        let page = dump(dir.path(), "imported", server.port, &[]).unwrap();
        assert!(page.contains("<p id=\"it\">It works over TLS.</p>"), "{page}");
        count += 1;
    } else {
        skipped("Chromium with an imported certificate", "apt-get install libnss3-tools");
    }
    let log = server.log();
    assert!(log.contains("TLSv1.3 ") && log.contains("X25519MLKEM768"), "{log}");
    row(&version("chromium", "--version"), "px5g's certificate: refused, pinned, imported", count);
}
