//! Why a certificate or a handshake was refused, in a sentence that someone at a router can act on.

use rustls::{AlertDescription, CertificateError, InvalidMessage, PeerIncompatible};
use rustls_pki_types::{CertificateDer, ServerName, UnixTime};

use super::Role;
use crate::x509::{Certificate, readable_time};

/// 2024-01-01. A clock before that is one that was never set: a router without a battery starts in 1970.
const CLOCK_IS_UNSET: i64 = 1_704_067_200;

/// A refusal: the sentence, and what rustls derives the alert from.
#[derive(Debug)]
pub(super) struct Refusal {
    pub(super) sentence: String,
    pub(super) cause: CertificateError,
}

/// The peer's certificates, for telling which of them is at fault.
pub(super) struct Chain<'a> {
    leaf: Certificate<'a>,
    others: Vec<Certificate<'a>>,
    now: i64,
    peer: Role,
}

impl<'a> Chain<'a> {
    pub(super) fn new(
        leaf: &'a CertificateDer<'_>,
        others: &'a [CertificateDer<'_>],
        now: UnixTime,
        peer: Role,
    ) -> Result<Self, Refusal> {
        let leaf = Certificate::parse(leaf).map_err(|_| Refusal {
            sentence: "the peer's certificate cannot be read (broken DER)".into(),
            cause: CertificateError::BadEncoding,
        })?;
        let others = others.iter().filter_map(|der| Certificate::parse(der).ok()).collect();
        Ok(Self { leaf, others, now: i64::try_from(now.as_secs()).unwrap_or(i64::MAX), peer })
    }

    /// Every issuer that a trusted root could be.
    pub(super) fn issuers(&self) -> Vec<&'a [u8]> {
        self.all().map(|certificate| certificate.issuer).collect()
    }

    fn all(&self) -> impl Iterator<Item = &Certificate<'a>> {
        std::iter::once(&self.leaf).chain(&self.others)
    }

    fn is_leaf(&self, certificate: &Certificate<'_>) -> bool {
        std::ptr::eq(self.leaf.spki, certificate.spki)
    }

    /// `the server's certificate (CN=router)` or `the intermediate certificate (CN=Some CA)`
    fn whose(&self, certificate: &Certificate<'_>) -> String {
        let kind = match (self.is_leaf(certificate), self.peer) {
            (false, _) => "the intermediate certificate",
            (true, Role::Server) => "the server's certificate",
            (true, Role::Client) => "the client's certificate",
        };
        format!("{kind} ({})", certificate.subject_text())
    }

    pub(super) fn refuse(&self, cause: CertificateError, why: &str) -> Refusal {
        Refusal { sentence: format!("{} is not trusted: {why}", self.whose(&self.leaf)), cause }
    }

    /// Dates of the leaf alone.
    pub(super) fn check_dates(&self) -> Result<(), Refusal> {
        if self.now > self.leaf.not_after {
            Err(self.expired(&self.leaf))
        } else if self.now < self.leaf.not_before {
            Err(self.too_early(&self.leaf))
        } else {
            Ok(())
        }
    }

    /// RFC 8446 section 4.4.2.2: with keyUsage there, digitalSignature must be in it.
    pub(super) fn check_may_authenticate(&self) -> Result<(), Refusal> {
        match self.leaf.key_usage() {
            Some(bits) if bits & 0x80 == 0 => Err(Refusal {
                sentence: format!(
                    "{} must not be used for TLS: its key usage lacks digitalSignature",
                    self.whose(&self.leaf)
                ),
                cause: CertificateError::InvalidPurpose,
            }),
            _ => Ok(()),
        }
    }

    /// RFC 5280 section 4.2.1.3: with keyUsage there, an authority's must have keyCertSign.
    pub(super) fn check_may_sign(der: &CertificateDer<'_>) -> Result<(), Refusal> {
        match Certificate::parse(der) {
            Ok(certificate) if certificate.key_usage().is_some_and(|bits| bits & 0x04 == 0) => Err(Refusal {
                sentence: format!(
                    "the intermediate certificate ({}) must not sign certificates: its key usage lacks keyCertSign",
                    certificate.subject_text()
                ),
                cause: CertificateError::InvalidPurpose,
            }),
            _ => Ok(()),
        }
    }

    fn expired(&self, certificate: &Certificate<'_>) -> Refusal {
        Refusal {
            sentence: format!(
                "{} expired on {} (now: {})",
                self.whose(certificate),
                readable_time(certificate.not_after),
                readable_time(self.now)
            ),
            cause: CertificateError::Expired,
        }
    }

    fn too_early(&self, certificate: &Certificate<'_>) -> Refusal {
        let hint =
            if self.now < CLOCK_IS_UNSET { "this device's clock is not set" } else { "is this device's clock right?" };
        Refusal {
            sentence: format!(
                "{} is valid only from {}, and the clock says {}: {hint}",
                self.whose(certificate),
                readable_time(certificate.not_before),
                readable_time(self.now)
            ),
            cause: CertificateError::NotValidYet,
        }
    }

    /// The sentence for what `webpki` found.
    pub(super) fn explain(&self, error: &webpki::Error) -> Refusal {
        use webpki::Error as W;
        let leaf = || self.whose(&self.leaf);
        let (cause, sentence) = match error {
            W::CertExpired { .. } => {
                return self.expired(self.all().find(|c| self.now > c.not_after).unwrap_or(&self.leaf));
            }
            W::CertNotValidYet { .. } => {
                return self.too_early(self.all().find(|c| self.now < c.not_before).unwrap_or(&self.leaf));
            }
            W::UnknownIssuer => (CertificateError::UnknownIssuer, self.unknown_issuer()),
            // Many self-signed certificates are CA:TRUE, as `openssl req -x509` makes them: that is not what to tell about them.
            W::CaUsedAsEndEntity if self.leaf.is_self_issued() => {
                (CertificateError::UnknownIssuer, self.unknown_issuer())
            }
            W::UnsupportedSignatureAlgorithmContext(_) | W::UnsupportedSignatureAlgorithmForPublicKeyContext(_) => {
                let why = match self.all().find(|c| c.has_weak_signature()) {
                    Some(weak) => {
                        format!("{} is signed with SHA-1 or MD5, which can be forged", self.whose(weak))
                    }
                    None => format!("{} is signed with an algorithm that is not supported", leaf()),
                };
                (CertificateError::BadSignature, why)
            }
            W::InvalidSignatureForPublicKey => (
                CertificateError::BadSignature,
                format!(
                    "the signature on {} is not by {}, whose name it carries as issuer",
                    leaf(),
                    self.leaf.issuer_text()
                ),
            ),
            W::CertRevoked => (CertificateError::Revoked, format!("{} was revoked by its issuer", leaf())),
            W::CrlExpired { next_update, .. } => (
                CertificateError::ExpiredRevocationList,
                format!(
                    "the revocation list for {} is out of date since {}",
                    leaf(),
                    readable_time(i64::try_from(next_update.as_secs()).unwrap_or(i64::MAX))
                ),
            ),
            W::RequiredEkuNotFoundContext(_) | W::EmptyEkuExtension => {
                let purpose = if self.peer == Role::Server { "a TLS server" } else { "a TLS client" };
                (
                    CertificateError::InvalidPurpose,
                    format!("{} is not meant for {purpose}: wrong extended key usage", leaf()),
                )
            }
            W::CaUsedAsEndEntity => (
                CertificateError::InvalidPurpose,
                format!("{} is an authority's certificate (CA:TRUE), which must not be used by a host itself", leaf()),
            ),
            W::EndEntityUsedAsCa => (
                CertificateError::InvalidPurpose,
                format!("{} is signed by a certificate that is not an authority's (CA:FALSE)", leaf()),
            ),
            W::UnsupportedCertVersion => {
                let old = self.all().find(|c| c.version < 3).unwrap_or(&self.leaf);
                (
                    CertificateError::BadEncoding,
                    format!(
                        "{} is an X.509 version {} certificate; only version 3 is safe",
                        self.whose(old),
                        old.version
                    ),
                )
            }
            W::NameConstraintViolation => (
                CertificateError::UnknownIssuer,
                format!("the issuer of {} may not issue certificates for that name (name constraints)", leaf()),
            ),
            W::PathLenConstraintViolated | W::MaximumPathDepthExceeded => {
                (CertificateError::UnknownIssuer, format!("the chain of {} is longer than allowed", leaf()))
            }
            W::UnsupportedCriticalExtension => (
                CertificateError::UnhandledCriticalExtension,
                format!("{} has a critical extension that is not understood", leaf()),
            ),
            other => (CertificateError::BadEncoding, format!("{} is malformed ({other:?})", leaf())),
        };
        Refusal { sentence, cause }
    }

    fn unknown_issuer(&self) -> String {
        if self.leaf.is_self_issued() {
            return format!("{} is self-signed and not among the trusted certificates", self.whose(&self.leaf));
        }
        // Follow the chain up to the issuer that nobody sent.
        let mut top = &self.leaf;
        for _ in &self.others {
            match self.others.iter().find(|c| c.subject == top.issuer && !c.is_self_issued()) {
                Some(next) => top = next,
                None => break,
            }
        }
        format!(
            "{} was issued by {}, which is not among the trusted authorities",
            self.whose(&self.leaf),
            top.issuer_text()
        )
    }
}

/// `the server's certificate is valid for a.example and b.example, not for c.example`
pub(super) fn wrong_name(leaf: &[u8], name: &ServerName<'_>) -> String {
    let wanted = name.to_str();
    let Ok(leaf) = Certificate::parse(leaf) else { return format!("the certificate is not valid for {wanted}") };
    let mut names = leaf.alt_names();
    if names.is_empty() {
        let common = leaf
            .common_name()
            .map_or(String::new(), |cn| format!(" (its common name \"{cn}\" does not count any more)"));
        return format!("the certificate has no subjectAltName{common}, so it is not valid for {wanted}");
    }
    if names.len() > 5 {
        let more = names.len() - 5;
        names.truncate(5);
        names.push(format!("{more} more"));
    }
    format!("the certificate is valid for {}, not for {wanted}", names.join(", "))
}

/// What the first bytes from the peer look like, if they are no TLS record.
pub(super) fn not_tls(first: &[u8]) -> Option<&'static str> {
    const METHODS: [&[u8]; 8] = [b"GET ", b"POST", b"HEAD", b"PUT ", b"OPTI", b"CONN", b"DELE", b"PATC"];
    if first.starts_with(b"HTTP") || first.starts_with(b"<") {
        Some("the server answered in plain HTTP: this port does not speak TLS")
    } else if METHODS.iter().any(|method| first.starts_with(method)) {
        Some("the client sent a plain HTTP request to a TLS port (http:// instead of https://?)")
    } else if first.starts_with(b"SSH-") {
        Some("the peer speaks SSH, not TLS")
    } else if first.starts_with(b"220") || first.starts_with(b"* OK") || first.starts_with(b"+OK") {
        Some("the peer greets in plain text (mail or FTP): this port does not start with TLS")
    } else {
        None
    }
}

/// The sentence for a handshake or record error; certificates have their own.
pub(super) fn handshake(error: &rustls::Error, role: Role) -> String {
    use rustls::Error as E;
    match error {
        E::AlertReceived(alert) => alert_received(*alert),
        E::InvalidMessage(InvalidMessage::UnknownProtocolVersion) => {
            "the peer speaks an old version of SSL or TLS; TLS 1.2 or 1.3 is needed".into()
        }
        E::InvalidMessage(InvalidMessage::InvalidContentType) => {
            "the peer does not speak TLS (its data is no TLS record)".into()
        }
        E::InvalidMessage(what) => format!("the peer sent a malformed TLS message ({what:?})"),
        E::PeerIncompatible(what) => incompatible(what, role),
        E::PeerMisbehaved(what) => format!("the peer broke the TLS protocol ({what:?})"),
        E::NoCertificatesPresented => "the client presented no certificate, and one is required".into(),
        E::DecryptError => {
            "a record from the peer does not decrypt: it was changed on the way, or the peer is faulty".into()
        }
        E::PeerSentOversizedRecord => "the peer sent a record larger than TLS allows".into(),
        E::NoApplicationProtocol => "client and server have no application protocol (ALPN) in common".into(),
        E::InvalidCertificate(CertificateError::BadSignature) => {
            "the peer's handshake signature does not match its certificate".into()
        }
        E::FailedToGetRandomBytes => "the operating system gave no random bytes".into(),
        E::FailedToGetCurrentTime => "this device's clock is set before 1970".into(),
        other => format!("TLS failed: {other}"),
    }
}

fn incompatible(what: &PeerIncompatible, role: Role) -> String {
    let (us, them) = match role {
        Role::Client => ("client", "the server"),
        Role::Server => ("server", "the client"),
    };
    match what {
        PeerIncompatible::ServerDoesNotSupportTls12Or13
        | PeerIncompatible::Tls12NotOffered
        | PeerIncompatible::Tls12NotOfferedOrEnabled
        | PeerIncompatible::SupportedVersionsExtensionRequired
        | PeerIncompatible::ServerTlsVersionIsDisabledByOurConfig => {
            format!("{them} and this {us} have no TLS version in common (TLS 1.2 and 1.3 are spoken here)")
        }
        PeerIncompatible::NoCipherSuitesInCommon => format!("{them} and this {us} have no cipher suite in common"),
        PeerIncompatible::NoKxGroupsInCommon | PeerIncompatible::NamedGroupsExtensionRequired => {
            format!("{them} and this {us} have no key exchange group in common")
        }
        PeerIncompatible::NoSignatureSchemesInCommon
        | PeerIncompatible::NoCertificateRequestSignatureSchemesInCommon => {
            format!("{them} accepts no signature that this {us}'s key can make")
        }
        other => format!("{them} lacks something that this {us} needs ({other:?})"),
    }
}

/// Alerts in words (RFC 8446 section 6).
pub(super) fn alert_received(alert: AlertDescription) -> String {
    use AlertDescription as A;
    let why = match alert {
        A::HandshakeFailure => "no parameters in common (cipher suite, group or signature)",
        A::ProtocolVersion => "it does not speak TLS 1.2 or 1.3 as offered",
        A::BadCertificate => "it finds our certificate broken",
        A::UnsupportedCertificate => "it does not accept our kind of certificate",
        A::CertificateRevoked => "our certificate was revoked",
        A::CertificateExpired => "our certificate is out of date, by its clock",
        A::CertificateUnknown => "it does not accept our certificate",
        A::UnknownCA => "it does not trust the issuer of our certificate",
        A::CertificateRequired | A::NoCertificate => "it requires a client certificate",
        A::AccessDenied => "it denies access with this certificate",
        A::UnrecognisedName => "it has no site of that name (SNI)",
        A::NoApplicationProtocol => "it speaks none of the application protocols offered (ALPN)",
        A::InsufficientSecurity => "it demands stronger parameters",
        A::InternalError => "it has an internal error",
        A::UserCanceled => "it gave up",
        _ => return format!("the peer ended the session with alert {} ({alert:?})", u8::from(alert)),
    };
    format!("the peer refused: {why} (alert {}, {alert:?})", u8::from(alert))
}

/// The alert that rustls sends for an error of its own finding.
pub(super) fn alert_sent(error: &rustls::Error) -> Option<u8> {
    use rustls::Error as E;
    let alert = match error {
        E::AlertReceived(_) => return None,
        E::InvalidCertificate(cause) => cause.clone().into(),
        E::InvalidMessage(what) => (*what).into(),
        E::DecryptError => AlertDescription::BadRecordMac,
        E::PeerSentOversizedRecord => AlertDescription::RecordOverflow,
        E::NoApplicationProtocol => AlertDescription::NoApplicationProtocol,
        E::NoCertificatesPresented => AlertDescription::CertificateRequired,
        E::InappropriateMessage { .. } | E::InappropriateHandshakeMessage { .. } => AlertDescription::UnexpectedMessage,
        E::PeerIncompatible(
            PeerIncompatible::ServerDoesNotSupportTls12Or13
            | PeerIncompatible::Tls12NotOffered
            | PeerIncompatible::Tls12NotOfferedOrEnabled
            | PeerIncompatible::SupportedVersionsExtensionRequired
            | PeerIncompatible::ServerTlsVersionIsDisabledByOurConfig,
        ) => AlertDescription::ProtocolVersion,
        E::PeerIncompatible(_) => AlertDescription::HandshakeFailure,
        E::PeerMisbehaved(_) => AlertDescription::IllegalParameter,
        _ => AlertDescription::InternalError,
    };
    Some(alert.into())
}
