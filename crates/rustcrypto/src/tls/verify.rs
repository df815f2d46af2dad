//! Is the peer's certificate good? One verifier for servers' and clients' certificates.
//!
//! rustls shares the verifier between all sessions of a configuration and gives it no way to say which session asks, so what
//! it found is left in a slot of the thread; the session takes it from there ([`with_slot`]).

use std::cell::RefCell;
use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use rustls::{CertificateError, DigitallySignedStruct, DistinguishedName, PeerMisbehaved, SignatureScheme};
use rustls_pki_types::{CertificateDer, ServerName, SubjectPublicKeyInfoDer, UnixTime};
use webpki::{
    CertRevocationList, EndEntityCert, KeyUsage, RawPublicKeyEntity, RevocationOptionsBuilder, UnknownStatusPolicy,
};

use super::explain::{self, Refusal};
use super::trust::TrustStore;
use super::{Role, Verify};
use crate::provider;
use crate::x509::Certificate;

/// What a session learns while rustls works for it.
#[derive(Debug, Default)]
pub(super) struct Slot {
    /// The outcome of verification: not done, good, or a sentence.
    pub(super) verdict: Option<Result<(), String>>,
    /// Our own certificate was asked for and sent.
    pub(super) own_certificate_used: bool,
}

thread_local! {
    static SLOT: RefCell<Slot> = const { RefCell::new(Slot { verdict: None, own_certificate_used: false }) };
}

/// Let `f` work on behalf of the session that owns `slot`.
pub(super) fn with_slot<T>(slot: &mut Slot, f: impl FnOnce() -> T) -> T {
    SLOT.with(|current| current.replace(std::mem::take(slot)));
    let result = f();
    *slot = SLOT.with(RefCell::take);
    result
}

/// May the session at work be remembered? Not if its certificate was refused: resuming it would skip the check.
pub(super) fn current_peer_is_accepted() -> bool {
    SLOT.with(|slot| !matches!(slot.borrow().verdict, Some(Err(_))))
}

/// Our own certificate goes out in the session at work.
pub(super) fn note_own_certificate() {
    SLOT.with(|slot| slot.borrow_mut().own_certificate_used = true);
}

/// How certificates of the peers of one configuration are checked.
#[derive(Debug)]
pub(super) struct Verifier {
    pub(super) store: Arc<TrustStore>,
    pub(super) crls: Vec<Arc<CertRevocationList<'static>>>,
    pub(super) mode: Verify,
    /// Whose certificates these are.
    pub(super) peer: Role,
    /// Must the certificate be valid for the server's name?
    pub(super) check_name: bool,
}

impl Verifier {
    /// Check, leave the outcome in the thread's slot, and stop the handshake only where it is required.
    fn run(
        &self,
        leaf: &CertificateDer<'_>,
        others: &[CertificateDer<'_>],
        name: Option<&ServerName<'_>>,
        now: UnixTime,
    ) -> Result<(), rustls::Error> {
        if self.mode == Verify::None {
            return Ok(());
        }
        let outcome = self.judge(leaf, others, name, now);
        SLOT.with(|slot| {
            slot.borrow_mut().verdict = Some(outcome.as_ref().map_err(|refusal| refusal.sentence.clone()).copied());
        });
        match outcome {
            Err(refusal) if self.mode == Verify::Required => Err(refusal.cause.into()),
            _ => Ok(()),
        }
    }

    fn judge(
        &self,
        leaf_der: &CertificateDer<'_>,
        others: &[CertificateDer<'_>],
        name: Option<&ServerName<'_>>,
        now: UnixTime,
    ) -> Result<(), Refusal> {
        let chain = explain::Chain::new(leaf_der, others, now, self.peer)?;
        if self.store.is_empty() {
            return Err(chain.refuse(
                CertificateError::UnknownIssuer,
                "no CA certificates were given, so no certificate can be trusted",
            ));
        }
        let found = self.store.find(&chain.issuers(), leaf_der).map_err(|error| {
            chain.refuse(CertificateError::UnknownIssuer, &format!("the CA certificates cannot be read: {error}"))
        })?;
        if found.leaf {
            // Exactly this certificate was put among the trusted ones, so there is no path to build.
            chain.check_dates()?;
        } else {
            let end_entity = EndEntityCert::try_from(leaf_der).map_err(|error| chain.explain(&error))?;
            let crls: Vec<&CertRevocationList<'_>> = self.crls.iter().map(AsRef::as_ref).collect();
            let revocation = RevocationOptionsBuilder::new(&crls).ok().map(|options| {
                options
                    .with_status_policy(UnknownStatusPolicy::Allow) // lists of other authorities may be loaded too
                    .with_expiration_policy(webpki::ExpirationPolicy::Enforce)
                    .build()
            });
            let usage = if self.peer == Role::Server { KeyUsage::server_auth() } else { KeyUsage::client_auth() };
            let path = end_entity
                .verify_for_usage(provider::VERIFICATION.all, &found.anchors, others, now, usage, revocation, None)
                .map_err(|error| chain.explain(&error))?;
            for intermediate in path.intermediate_certificates() {
                explain::Chain::check_may_sign(&intermediate.der())?;
            }
        }
        chain.check_may_authenticate()?;
        match name {
            Some(name) if self.check_name => check_name(leaf_der, name)
                .map_err(|sentence| Refusal { sentence, cause: CertificateError::NotValidForName }),
            _ => Ok(()),
        }
    }

    fn check_signature(
        cert: &CertificateDer<'_>,
        message: &[u8],
        signed: &DigitallySignedStruct,
        tls13: bool,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        if tls13 && !is_for_tls13(signed.scheme) {
            return Err(PeerMisbehaved::SignedHandshakeWithUnadvertisedSigScheme.into());
        }
        // Not through `EndEntityCert`: with verification off, a version 1 certificate must do.
        let certificate = Certificate::parse(cert).map_err(|_| CertificateError::BadEncoding)?;
        let spki = SubjectPublicKeyInfoDer::from(certificate.spki);
        let key = RawPublicKeyEntity::try_from(&spki).map_err(|_| CertificateError::BadEncoding)?;
        let (_, algorithms) = provider::VERIFICATION
            .mapping
            .iter()
            .find(|(scheme, _)| *scheme == signed.scheme)
            .ok_or(PeerMisbehaved::SignedHandshakeWithUnadvertisedSigScheme)?;
        // TLS 1.3 ties the curve to the scheme: only the first is it.
        let algorithms = if tls13 { &algorithms[..1] } else { algorithms };
        if algorithms.iter().any(|algorithm| key.verify_signature(*algorithm, message, signed.signature()).is_ok()) {
            Ok(HandshakeSignatureValid::assertion())
        } else {
            Err(CertificateError::BadSignature.into())
        }
    }
}

/// RFC 8446 section 4.2.3: no PKCS#1 v1.5 in TLS 1.3.
fn is_for_tls13(scheme: SignatureScheme) -> bool {
    !matches!(
        scheme,
        SignatureScheme::RSA_PKCS1_SHA256 | SignatureScheme::RSA_PKCS1_SHA384 | SignatureScheme::RSA_PKCS1_SHA512
    )
}

/// Is the certificate valid for this name (RFC 9525: subjectAltName only)? A sentence if not.
pub(super) fn check_name(leaf: &CertificateDer<'_>, name: &ServerName<'_>) -> Result<(), String> {
    // A version 1 certificate has no subjectAltName, so it is valid for no name.
    let matches = EndEntityCert::try_from(leaf).and_then(|leaf| leaf.verify_is_valid_for_subject_name(name));
    if matches.is_ok() { Ok(()) } else { Err(explain::wrong_name(leaf, name)) }
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        self.run(end_entity, intermediates, Some(server_name), now).map(|()| ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        Self::check_signature(cert, message, dss, false)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        Self::check_signature(cert, message, dss, true)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        provider::VERIFICATION.supported_schemes()
    }
}

impl ClientCertVerifier for Verifier {
    fn client_auth_mandatory(&self) -> bool {
        self.mode == Verify::Required
    }

    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        &[] // a hint would need the whole bundle in memory, and clients do without
    }

    fn verify_client_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        now: UnixTime,
    ) -> Result<ClientCertVerified, rustls::Error> {
        self.run(end_entity, intermediates, None, now).map(|()| ClientCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        Self::check_signature(cert, message, dss, false)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        Self::check_signature(cert, message, dss, true)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        provider::VERIFICATION.supported_schemes()
    }
}
