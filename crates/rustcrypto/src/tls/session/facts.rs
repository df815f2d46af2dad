//! What a session can tell: about the peer, what was agreed on, how it ended.

use std::ffi::CStr;

use rustls::{Connection, HandshakeKind};
use rustls_pki_types::CertificateDer;

use super::{Session, server_name};
use crate::tls::verify::check_name;
use crate::tls::{Verify, names};
use crate::x509::Certificate;
use crate::{Error, Result};

impl Session {
    /// Is the peer's certificate good? The sentence if not, or if it was never checked.
    pub fn verify_result(&self) -> std::result::Result<(), String> {
        match &self.slot.verdict {
            Some(verdict) => verdict.clone(),
            None if self.built.verify == Verify::None => Err("the peer's certificate was not checked".into()),
            // Only accepted sessions are ever remembered, so a resumed one is as good as its first.
            None if self.is_resumed() && self.peer_certificates().is_some() => Ok(()),
            None => Err("the peer presented no certificate".into()),
        }
    }

    /// Is the peer's certificate valid for `name` (a host name or IP address)?
    pub fn check_name(&self, name: &str) -> Result<()> {
        let leaf = self
            .peer_certificates()
            .and_then(<[_]>::first)
            .ok_or(Error::BadState("the peer presented no certificate"))?;
        check_name(leaf, &server_name(name)?).map_err(|sentence| Error::BadCertificate(sentence.into()))
    }

    /// The peer's certificates as sent, leaf first.
    pub fn peer_certificates(&self) -> Option<&[CertificateDer<'static>]> {
        self.connection.as_ref()?.peer_certificates()
    }

    /// Subject of the peer's certificate, such as `CN=router, O=OpenWrt`.
    pub fn peer_subject(&self) -> Option<String> {
        Certificate::parse(self.peer_certificates()?.first()?).ok().map(|leaf| leaf.subject_text())
    }

    /// The names in the peer's certificate, as `DNS:name` and `IP:address`. A DNS name that reads as an address is called an
    /// address, so that no suffix of it is taken for a domain.
    pub fn peer_alt_names(&self) -> Vec<String> {
        let leaf = self.peer_certificates().and_then(<[_]>::first);
        let names =
            leaf.and_then(|leaf| Certificate::parse(leaf).ok()).map(|leaf| leaf.alt_names()).unwrap_or_default();
        let tag = |name: &str| if name.parse::<std::net::IpAddr>().is_ok() { "IP" } else { "DNS" };
        names.iter().map(|name| format!("{}:{name}", tag(name))).collect()
    }

    /// 0x0303 or 0x0304; 0 before it is known.
    pub fn version(&self) -> u16 {
        self.connection.as_ref().and_then(|connection| connection.protocol_version()).map_or(0, u16::from)
    }

    /// IANA number of the cipher suite; 0 before it is known.
    pub fn cipher(&self) -> u16 {
        self.connection
            .as_ref()
            .and_then(|connection| connection.negotiated_cipher_suite())
            .map_or(0, |s| s.suite().into())
    }

    /// OpenSSL's name of the cipher suite; empty before it is known.
    pub fn cipher_name(&self) -> &'static CStr {
        self.connection
            .as_ref()
            .and_then(|connection| connection.negotiated_cipher_suite())
            .map_or(c"", |suite| names::suite_name(suite.suite()))
    }

    /// Name of the key exchange group; empty before it is known, and where there was no exchange.
    pub fn group_name(&self) -> &'static CStr {
        self.connection
            .as_ref()
            .and_then(|connection| connection.negotiated_key_exchange_group())
            .map_or(c"", |group| names::group_name(group.name()))
    }

    /// The application protocol agreed on.
    pub fn alpn(&self) -> Option<&[u8]> {
        self.connection.as_ref()?.alpn_protocol()
    }

    /// The name that the client asked for (server side).
    pub fn requested_name(&self) -> Option<&str> {
        match self.connection.as_ref()? {
            Connection::Server(connection) => connection.server_name(),
            Connection::Client(_) => None,
        }
    }

    /// Was an earlier session resumed?
    pub fn is_resumed(&self) -> bool {
        self.connection.as_ref().and_then(|connection| connection.handshake_kind()) == Some(HandshakeKind::Resumed)
    }

    /// Did the server ask for our certificate, and get it?
    pub fn own_certificate_used(&self) -> bool {
        self.slot.own_certificate_used
    }

    /// Keying material for another protocol (RFC 5705, RFC 8446 section 7.5), as EAP-TLS wants.
    pub fn export(&self, label: &[u8], context: Option<&[u8]>, out: &mut [u8]) -> Result<()> {
        self.established()?
            .export_keying_material(out, label, context)
            .map(|_| ())
            .map_err(|error| Error::Tls(format!("cannot export keying material: {error}")))
    }

    /// The fatal error of this session, as a sentence.
    pub fn error(&self) -> Option<String> {
        self.failure.as_ref().map(ToString::to_string)
    }

    /// Number of the alert we sent because of an error.
    pub fn alert_sent(&self) -> Option<u8> {
        self.alert_sent
    }

    /// Number of the alert that the peer sent.
    pub fn alert_received(&self) -> Option<u8> {
        self.alert_received
    }
}
