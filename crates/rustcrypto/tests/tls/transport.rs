//! What the wire does: resumption, large and tiny records, slow peers, truncation, strangers.

use std::io::Write;

use rustcrypto::tls::{Progress, Read, Session};

use crate::wire::{End, Pair, Pipe, client, server};

#[test]
fn sessions_resume() {
    for version in [0x0303, 0x0304] {
        for cache_of_server in [0, 8] {
            let (mut client, mut server) = (client(), server("p256.pem", "p256.key"));
            client.set_versions(version, version).unwrap();
            server.set_session_cache(cache_of_server);
            let mut first = Pair::connect(&client, &server);
            first.ping();
            assert!(!first.client.is_resumed());
            let mut second = Pair::connect(&client, &server);
            second.ping();
            assert_eq!(second.client.is_resumed(), cache_of_server > 0, "{version:x}");
            assert_eq!(second.server.is_resumed(), cache_of_server > 0);
            assert_eq!(second.client.verify_result(), Ok(()));
            assert_eq!(second.client.peer_subject().unwrap(), "CN=test.example");
        }
    }
}

#[test]
fn a_client_without_a_cache_does_not_resume() {
    let (mut client, server) = (client(), server("p256.pem", "p256.key"));
    client.set_session_cache(0);
    for _ in 0..2 {
        let mut pair = Pair::connect(&client, &server);
        pair.ping();
        assert!(!pair.client.is_resumed());
    }
}

/// All of `data` from client to server, in writes and reads of these sizes.
fn transfer(pair: &mut Pair, data: &[u8], write: usize, read: usize) {
    let mut sent = 0;
    let mut got = Vec::new();
    let mut buf = vec![0; read];
    while got.len() < data.len() {
        let (client, mut end) = pair.client();
        if sent < data.len() {
            let (n, _) = client.write(&mut end, &data[sent..data.len().min(sent + write)]).unwrap();
            sent += n;
        } else {
            client.flush(&mut end).unwrap();
        }
        let (server, mut end) = pair.server();
        while let Read::Data(n) = server.read(&mut end, &mut buf).unwrap() {
            got.extend_from_slice(&buf[..n]);
        }
    }
    assert_eq!(got, data);
}

#[test]
fn records_of_every_size_and_a_narrow_pipe() {
    let data: Vec<u8> = (0..70_000u32).map(|n| n as u8).collect();
    for version in [0x0303, 0x0304] {
        let mut client = client();
        client.set_versions(version, version).unwrap();
        for (record, write, read, room) in [
            (16384, 70_000, 70_000, None),
            (512, 70_000, 100, None),
            (16384, 70_000, 1, Some(1000)),
            (4096, 5000, 4096, Some(64)),
        ] {
            client.set_record_size(record).unwrap();
            let mut pair = Pair::connect(&client, &server("p256.pem", "p256.key"));
            pair.up.room = room;
            transfer(&mut pair, &data, write, read);
        }
        client.set_record_size(16384).unwrap();
        transfer(&mut Pair::connect(&client, &server("p256.pem", "p256.key")), &data[..500], 1, 7);
    }
    assert!(client().set_record_size(100).is_err());
}

#[test]
fn a_record_is_no_larger_than_was_set() {
    let mut client = client();
    client.set_record_size(1024).unwrap();
    let mut pair = Pair::connect(&client, &server("p256.pem", "p256.key"));
    pair.up.bytes.clear();
    let (session, mut end) = pair.client();
    session.write(&mut end, &[0; 5000]).unwrap();
    let wire: Vec<u8> = pair.up.bytes.iter().copied().collect();
    let mut rest = &wire[..];
    while !rest.is_empty() {
        let len = usize::from(u16::from_be_bytes([rest[3], rest[4]]));
        assert!(len <= 1024 + 17, "{len}");
        rest = &rest[5 + len..];
    }
}

#[test]
fn an_end_is_an_end_and_a_cut_is_a_cut() {
    for version in [0x0303, 0x0304] {
        let mut client = client();
        client.set_versions(version, version).unwrap();
        let mut pair = Pair::connect(&client, &server("p256.pem", "p256.key"));
        let (session, mut end) = pair.client();
        session.write(&mut end, b"last").unwrap();
        assert_eq!(session.close(&mut end).unwrap(), Progress::Done);
        let (session, mut end) = pair.server();
        let mut buf = [0; 16];
        assert_eq!(session.read(&mut end, &mut buf).unwrap(), Read::Data(4));
        assert_eq!(session.read(&mut end, &mut buf).unwrap(), Read::Closed);
        assert_eq!(session.read(&mut end, &mut buf).unwrap(), Read::Closed);

        let mut pair = Pair::connect(&client, &server("p256.pem", "p256.key"));
        let (session, mut end) = pair.client();
        session.write(&mut end, b"not the last").unwrap();
        pair.up.closed = true;
        let (session, mut end) = pair.server();
        assert_eq!(session.read(&mut end, &mut buf).unwrap(), Read::Data(12));
        let error = session.read(&mut end, &mut buf).unwrap_err();
        assert!(matches!(error, rustcrypto::Error::Truncated(_)), "{error}");
        assert_eq!(session.read(&mut end, &mut buf).unwrap_err(), error, "a fatal error stays");
    }
}

#[test]
fn a_changed_record_is_fatal() {
    let mut pair = Pair::connect(&client(), &server("p256.pem", "p256.key"));
    let (session, mut end) = pair.client();
    session.write(&mut end, b"hello").unwrap();
    *pair.up.bytes.back_mut().unwrap() ^= 1;
    let (session, mut end) = pair.server();
    assert!(session.read(&mut end, &mut [0; 16]).unwrap_err().to_string().contains("does not decrypt"));
    assert_eq!(session.alert_sent(), Some(20));
}

#[test]
fn data_before_the_handshake_is_out_of_order() {
    let mut session = Session::new(&client()).unwrap();
    let mut pipes = (Pipe::default(), Pipe::default());
    let mut end = End { incoming: &mut pipes.0, outgoing: &mut pipes.1 };
    assert!(session.read(&mut end, &mut [0; 1]).is_err());
    assert!(session.write(&mut end, b"x").is_err());
    assert!(session.close(&mut end).is_err());
    assert!(session.export(b"label", None, &mut [0; 1]).is_err());
    session.set_server_name("test.example").unwrap();
    assert_eq!(session.handshake(&mut end).unwrap(), Progress::WantRead);
    assert!(session.set_server_name("late.example").is_err());
}

#[test]
fn strangers_are_recognised() {
    let says = |bytes: &[u8], session: &mut Session| {
        let mut pipes = (Pipe::default(), Pipe::default());
        pipes.0.bytes.write_all(bytes).unwrap();
        pipes.0.closed = true;
        let mut end = End { incoming: &mut pipes.0, outgoing: &mut pipes.1 };
        session.handshake(&mut end).unwrap_err().to_string()
    };
    let as_client = |bytes: &[u8]| {
        let mut session = Session::new(&client()).unwrap();
        session.set_server_name("test.example").unwrap();
        says(bytes, &mut session)
    };
    let as_server = |bytes: &[u8]| says(bytes, &mut Session::new(&server("p256.pem", "p256.key")).unwrap());
    assert!(as_client(b"HTTP/1.1 400 Bad Request\r\n\r\n").contains("plain HTTP"));
    assert!(as_client(b"<html>").contains("plain HTTP"));
    assert!(as_client(b"SSH-2.0-dropbear\r\n").contains("SSH"));
    assert!(as_client(b"220 mail ready\r\n").contains("plain text"));
    assert!(as_client(b"\x00\x00\x00\x00\x00\x00\x00\x00").contains("does not speak TLS"));
    assert!(as_client(&[21, 3, 1, 0, 2, 2, 70]).contains("does not speak TLS 1.2 or 1.3"));
    assert!(as_client(b"").contains("closed the connection during the TLS handshake"));
    assert!(as_server(b"GET / HTTP/1.1\r\n\r\n").contains("http:// instead of https://"));
}
