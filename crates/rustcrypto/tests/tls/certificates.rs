//! Good and bad certificates, and the sentence for each.

use rustcrypto::tls::{Config, Role, Session, Verify};

use crate::wire::{NOW, Pair, client, path, pki, server};

/// Name of the certificate, words of the sentence, alert number.
const BAD: [(&str, &str, u8); 15] = [
    ("expired.pem", "expired on 2025-06-01 00:00:00 UTC", 45),
    ("early.pem", "valid only from 2040-01-01 00:00:00 UTC, and the clock says 2030-01-01 00:00:00 UTC", 45),
    ("wrongname.pem", "valid for other.example, not for test.example", 42),
    ("nosan.pem", "no subjectAltName (its common name \"test.example\" does not count any more)", 42),
    ("unknown.pem", "issued by CN=Unknown Root, which is not among the trusted authorities", 48),
    ("revoked.pem", "was revoked by its issuer", 44),
    ("wrongeku.pem", "not meant for a TLS server", 43),
    ("badku.pem", "key usage lacks digitalSignature", 43),
    ("caleaf.pem", "an authority's certificate (CA:TRUE)", 43),
    ("critical.pem", "critical extension that is not understood", 42),
    ("sha1.pem", "signed with SHA-1 or MD5", 51),
    ("selfsigned.pem", "self-signed and not among the trusted certificates", 48),
    ("v1.pem", "X.509 version 1", 42),
    ("nosignchain.pem", "key usage lacks keyCertSign", 43),
    ("crosschain.pem", "issued by CN=Unknown Root", 48),
];

fn careful_client() -> Config {
    let mut config = client();
    config.add_crl(&pki("crl.pem")).unwrap();
    config
}

#[test]
fn each_bad_certificate_is_refused_with_its_reason() {
    for (certificate, reason, alert) in BAD {
        let mut pair = Pair::new(&careful_client(), &server(certificate, "p256.key"));
        let (ours, theirs) = pair.handshake();
        let error = ours.expect_err(certificate).to_string();
        assert!(error.contains(reason), "{certificate}: {error}");
        assert_eq!(pair.client.verify_result().unwrap_err(), error.strip_prefix("certificate refused: ").unwrap());
        assert_eq!(pair.client.alert_sent(), Some(alert), "{certificate}");
        // The server has gone through its own handshake already in TLS 1.3; it sees the alert at its next read.
        let told = if let Err(error) = theirs {
            error.to_string()
        } else {
            let (session, mut end) = pair.server();
            session.read(&mut end, &mut [0; 1]).expect_err(certificate).to_string()
        };
        assert!(told.contains(&format!("alert {alert}")), "{certificate}: {told}");
        assert_eq!(pair.server.alert_received(), Some(alert));
    }
}

#[test]
fn optional_verification_goes_on_and_keeps_the_reason() {
    for (certificate, reason, _) in BAD {
        let mut config = careful_client();
        config.set_verify(Verify::Optional);
        let mut pair = Pair::connect(&config, &server(certificate, "p256.key"));
        pair.ping();
        let sentence = pair.client.verify_result().unwrap_err();
        assert!(sentence.contains(reason), "{certificate}: {sentence}");
        // What failed is not remembered: a resumed session would not be checked again.
        let mut again = Pair::connect(&config, &server(certificate, "p256.key"));
        again.ping();
        assert!(!again.client.is_resumed(), "{certificate}");
    }
}

#[test]
fn no_verification_takes_everything_but_says_so() {
    for (certificate, ..) in BAD {
        let mut config = Config::new(Role::Client);
        config.set_verify(Verify::None);
        let mut pair = Pair::connect(&config, &server(certificate, "p256.key"));
        pair.ping();
        assert!(pair.client.verify_result().unwrap_err().contains("not checked"));
    }
}

#[test]
fn good_certificates_are_good() {
    for (certificate, ca) in [
        ("p256.pem", "root.pem"),
        ("p256.pem", "bundle.pem"), // another root with the same subject comes first
        ("chain.pem", "root.pem"),
        ("chain.pem", "sub.pem"), // an intermediate as the trusted one
        ("crosschain.pem", "stranger.pem"),
        ("selfsigned.pem", "selfsigned.pem"), // exactly this certificate is trusted, CA:TRUE or not
        ("p256.pem", "p256.pem"),
        ("p256.pem", "p256.der"),
    ] {
        let mut config = Config::new(Role::Client);
        config.set_time(Some(NOW));
        config.add_ca_file(&path(ca)).unwrap();
        let mut pair = Pair::connect(&config, &server(certificate, "p256.key"));
        pair.ping();
        assert_eq!(pair.client.verify_result(), Ok(()), "{certificate} by {ca}");
        assert_eq!(pair.client.peer_subject().unwrap(), "CN=test.example");
        pair.client.check_name("TEST.example.").unwrap();
        assert!(pair.client.check_name("example").is_err());
        let mut memory = Config::new(Role::Client);
        memory.set_time(Some(NOW));
        memory.add_ca(&pki(ca)).unwrap();
        assert_eq!(Pair::connect(&memory, &server(certificate, "p256.key")).client.verify_result(), Ok(()));
    }
}

#[test]
fn names_match_as_rfc_9525_says() {
    let pair = Pair::connect(&client(), &server("p256.pem", "p256.key"));
    for good in ["test.example", "a.wild.example", "127.0.0.1", "::1", "[::1]"] {
        pair.client.check_name(good).unwrap_or_else(|error| panic!("{good}: {error}"));
    }
    for bad in ["wild.example", "a.b.wild.example", "*.wild.example", "est.example", "127.0.0.2", "", "a b", "::2"] {
        assert!(pair.client.check_name(bad).is_err(), "{bad}");
    }
}

#[test]
fn a_pinned_certificate_still_ends() {
    let mut config = Config::new(Role::Client);
    config.set_time(Some(NOW));
    config.add_ca_file(&path("expired.pem")).unwrap();
    let (ours, _) = Pair::new(&config, &server("expired.pem", "p256.key")).handshake();
    assert!(ours.unwrap_err().to_string().contains("expired on"));
}

#[test]
fn an_unset_clock_is_named() {
    let mut config = client();
    config.set_time(Some(3600));
    let (ours, _) = Pair::new(&config, &server("p256.pem", "p256.key")).handshake();
    let error = ours.unwrap_err().to_string();
    assert!(error.contains("the clock says 1970-01-01 01:00:00 UTC: this device's clock is not set"), "{error}");
}

#[test]
fn an_old_revocation_list_is_no_list() {
    let mut config = client();
    config.add_crl(&pki("oldcrl.pem")).unwrap();
    let (ours, _) = Pair::new(&config, &server("p256.pem", "p256.key")).handshake();
    let error = ours.unwrap_err().to_string();
    assert!(error.contains("revocation list") && error.contains("out of date since 2024-02-01"), "{error}");
}

#[test]
fn wrong_files_are_told_at_once() {
    let mut config = Config::new(Role::Client);
    let missing = config.add_ca_file(&path("nowhere.pem")).unwrap_err().to_string();
    assert!(missing.contains("cannot read") && missing.contains("nowhere.pem"), "{missing}");
    assert!(config.add_ca_file(&path("p256.key")).unwrap_err().to_string().contains("no certificate in"));
    assert!(config.add_ca(b"rubbish").is_err());
    assert!(config.add_crl(&pki("root.pem")).is_err());
    assert!(config.set_certificate(&pki("p256.key")).is_err());
    assert!(config.set_key(&pki("p256.pem")).is_err());
}

#[test]
fn a_ca_file_that_vanished_refuses() {
    let gone = std::env::temp_dir().join(format!("rustcrypto-ca-{}.pem", std::process::id()));
    std::fs::copy(path("root.pem"), &gone).unwrap();
    let mut config = Config::new(Role::Client);
    config.set_time(Some(NOW));
    config.add_ca_file(&gone).unwrap();
    std::fs::remove_file(&gone).unwrap();
    let (ours, _) = Pair::new(&config, &server("p256.pem", "p256.key")).handshake();
    assert!(ours.unwrap_err().to_string().contains("the CA certificates cannot be read"));
}

#[test]
fn no_ca_and_no_name_refuse() {
    let (ours, _) = Pair::new(&Config::new(Role::Client), &server("p256.pem", "p256.key")).handshake();
    assert!(ours.unwrap_err().to_string().contains("no CA certificates were given"));
    let mut nameless = Session::new(&client()).unwrap();
    assert!(
        nameless.handshake(&mut std::io::Cursor::new(vec![0; 16])).unwrap_err().to_string().contains("no server name")
    );
    assert!(nameless.set_server_name("not a name").is_err());
}

#[test]
fn client_certificates() {
    let with = |certificate: &str| {
        let mut config = client();
        config.set_certificate(&pki(certificate)).unwrap();
        config.set_key(&pki("p256.key")).unwrap();
        config
    };
    let asking = |mode: Verify| {
        let mut config = server("p256.pem", "p256.key");
        config.add_ca_file(&path("root.pem")).unwrap();
        config.set_verify(mode);
        config
    };
    for version in [0x0303, 0x0304] {
        let mut good = with("client.pem");
        good.set_versions(version, version).unwrap();
        let mut pair = Pair::connect(&good, &asking(Verify::Required));
        pair.ping();
        assert!(pair.client.own_certificate_used());
        assert_eq!(pair.server.verify_result(), Ok(()));
        assert_eq!(pair.server.peer_subject().unwrap(), "CN=Test Client");

        let mut none = client();
        none.set_versions(version, version).unwrap();
        let (_, theirs) = Pair::new(&none, &asking(Verify::Required)).handshake();
        assert!(theirs.unwrap_err().to_string().contains("no certificate"));
        let pair = Pair::connect(&none, &asking(Verify::Optional));
        assert!(pair.server.verify_result().unwrap_err().contains("no certificate"));

        let mut stranger = with("strangeclient.pem");
        stranger.set_versions(version, version).unwrap();
        let (_, theirs) = Pair::new(&stranger, &asking(Verify::Required)).handshake();
        assert!(
            theirs
                .unwrap_err()
                .to_string()
                .contains("the client's certificate (CN=Unknown Client) was issued by CN=Unknown Root")
        );
        let mut pair = Pair::connect(&stranger, &asking(Verify::Optional));
        pair.ping();
        assert!(pair.server.verify_result().is_err());
    }
    let mut wrong = with("p256.pem"); // a server's certificate
    wrong.set_versions(0x0303, 0x0303).unwrap();
    let (_, theirs) = Pair::new(&wrong, &asking(Verify::Required)).handshake();
    assert!(theirs.unwrap_err().to_string().contains("not meant for a TLS client"));
}
