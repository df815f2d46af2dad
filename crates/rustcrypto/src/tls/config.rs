//! What sessions share: certificates, trust, algorithms. Built once, at the first session.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use rustls::client::{ResolvesClientCert, Resumption};
use rustls::crypto::SupportedKxGroup;
use rustls::server::{NoServerSessionStorage, StoresServerSessions};
use rustls::sign::{CertifiedKey, SigningKey, SingleCertAndKey};
use rustls::time_provider::TimeProvider;
use rustls::{ClientConfig, ServerConfig, SignatureScheme, SupportedCipherSuite, SupportedProtocolVersion};
use rustls_pki_types::pem::{self, SectionKind};
use rustls_pki_types::{CertificateDer, UnixTime};
use webpki::{CertRevocationList, OwnedCertRevocationList};

use super::resume::{ClientCache, ServerCache};
use super::trust::{TrustStore, read_certificates};
use super::verify::{Verifier, note_own_certificate};
use super::{Role, Verify, names, ticket};
use crate::x509::Certificate;
use crate::{Error, Result, provider};

/// TLS 1.2 and 1.3 as they stand on the wire.
const TLS12: u16 = 0x0303;
const TLS13: u16 = 0x0304;
/// Sessions remembered by default, by a client (one per server) and by a server (for clients without tickets).
const CLIENT_SESSIONS: usize = 4;
const SERVER_SESSIONS: usize = 8;
/// Tickets after a TLS 1.3 handshake: a browser opens connections in pairs.
const TICKETS: usize = 2;
/// Most plaintext in one record (RFC 8446 section 5.1), and the least worth allowing.
const LARGEST_RECORD: usize = 16384;
const SMALLEST_RECORD: usize = 512;
/// What a server puts into one record by default. A client that reads slowly makes the server hold one, so four of them cost 48 KB
/// less than with records of full size.
const SERVER_RECORD: usize = 4096;
/// Header and AEAD overhead, which rustls counts as part of its limit.
const RECORD_OVERHEAD: usize = 5;

/// The parameters of sessions. Sessions keep what they need: a configuration may be changed or dropped while they live.
pub struct Config {
    role: Role,
    store: Arc<TrustStore>,
    crls: Vec<Arc<CertRevocationList<'static>>>,
    chain: Vec<CertificateDer<'static>>,
    key: Option<Arc<dyn SigningKey>>,
    suites: Option<Vec<SupportedCipherSuite>>,
    groups: Option<Vec<&'static dyn SupportedKxGroup>>,
    versions: (u16, u16),
    alpn: Vec<Vec<u8>>,
    verify: Verify,
    verify_name: bool,
    time: Option<u64>,
    cache: usize,
    record: usize,
    built: Mutex<Option<Arc<Built>>>,
}

/// What a session takes along.
pub(super) struct Built {
    pub(super) side: Side,
    pub(super) verify: Verify,
    pub(super) verify_name: bool,
    /// Most plaintext per record sent.
    pub(super) record: usize,
}

pub(super) enum Side {
    Client(Arc<ClientConfig>),
    Server(Arc<ServerConfig>),
}

impl Config {
    /// Defaults: TLS 1.2 and 1.3, every suite and group of this build, tickets. A client verifies; a server asks for no
    /// certificate.
    pub fn new(role: Role) -> Self {
        let (verify, cache, record) = match role {
            Role::Client => (Verify::Required, CLIENT_SESSIONS, LARGEST_RECORD),
            Role::Server => (Verify::None, SERVER_SESSIONS, SERVER_RECORD),
        };
        Self {
            role,
            store: Arc::default(),
            crls: Vec::new(),
            chain: Vec::new(),
            key: None,
            suites: None,
            groups: None,
            versions: (TLS12, TLS13),
            alpn: Vec::new(),
            verify,
            verify_name: true,
            time: None,
            cache,
            record,
            built: Mutex::default(),
        }
    }

    /// Which side it is for.
    pub fn role(&self) -> Role {
        self.role
    }

    fn changed(&mut self) -> &mut Self {
        *self.built.get_mut().unwrap_or_else(PoisonError::into_inner) = None;
        self
    }

    /// Trust the certificates of a PEM bundle (or DER file). Only the path is kept; each verification streams the file.
    pub fn add_ca_file(&mut self, path: &Path) -> Result<()> {
        Arc::make_mut(&mut self.changed().store).add_file(path)
    }

    /// Trust the certificates in `data`, PEM or DER.
    pub fn add_ca(&mut self, data: &[u8]) -> Result<()> {
        Arc::make_mut(&mut self.changed().store).add(data)
    }

    /// Refuse the certificates that this revocation list names, PEM (several allowed) or DER. A list out of date refuses too.
    pub fn add_crl(&mut self, mut data: &[u8]) -> Result<()> {
        let mut lists = Vec::new();
        if data.first() == Some(&0x30) {
            lists.push(data.to_vec());
        } else {
            while let Ok(Some((kind, der))) = pem::from_buf(&mut data) {
                if kind == SectionKind::Crl {
                    lists.push(der);
                }
            }
        }
        if lists.is_empty() {
            return Err(Error::BadCertificate("there is no revocation list in it (neither PEM nor DER)".into()));
        }
        for der in lists {
            let list = OwnedCertRevocationList::from_der(&der).map_err(|error| {
                Error::BadCertificate(format!("the revocation list cannot be read ({error:?})").into())
            })?;
            self.changed().crls.push(Arc::new(list.into()));
        }
        Ok(())
    }

    /// Our certificate chain, leaf first, PEM or DER. Certificate and key come in any order; the second is checked against the
    /// first.
    pub fn set_certificate(&mut self, data: &[u8]) -> Result<()> {
        let chain = read_certificates(data)?;
        check_pair(&chain, self.key.as_deref())?;
        self.changed().chain = chain;
        Ok(())
    }

    /// Our private key, PEM or DER.
    pub fn set_key(&mut self, data: &[u8]) -> Result<()> {
        let key = provider::load_key(data)?;
        check_pair(&self.chain, Some(key.as_ref()))?;
        self.changed().key = Some(key);
        Ok(())
    }

    /// Cipher suites in order of preference, `:` or `,` between them, in OpenSSL's, IANA's or Mbed TLS's notation.
    pub fn set_ciphers(&mut self, list: &str) -> Result<()> {
        let suites = names::suites(list)?;
        self.changed().suites = Some(suites);
        Ok(())
    }

    /// Groups in order of preference, such as `X25519MLKEM768:X25519:P-256`.
    pub fn set_groups(&mut self, list: &str) -> Result<()> {
        let groups = names::groups(list)?;
        self.changed().groups = Some(groups);
        Ok(())
    }

    /// Lowest and highest version: 0x0303 (TLS 1.2) or 0x0304 (TLS 1.3).
    pub fn set_versions(&mut self, min: u16, max: u16) -> Result<()> {
        if min > max || max < TLS12 || min > TLS13 {
            return Err(Error::InvalidArgument("TLS versions are 0x0303 (1.2) and 0x0304 (1.3), the lower first"));
        }
        if max < TLS13 && !cfg!(feature = "tls12") {
            return Err(Error::Unsupported("TLS 1.2 is not in this build"));
        }
        self.changed().versions = (min, max);
        Ok(())
    }

    /// Application protocols, best first, such as `h2,http/1.1`; empty for none.
    pub fn set_alpn(&mut self, list: &str) -> Result<()> {
        let alpn: Vec<Vec<u8>> =
            list.split(',').filter(|name| !name.is_empty()).map(|name| name.as_bytes().to_vec()).collect();
        if alpn.iter().any(|name| name.len() > 255) {
            return Err(Error::InvalidArgument("an ALPN name is longer than 255 bytes"));
        }
        self.changed().alpn = alpn;
        Ok(())
    }

    pub fn set_verify(&mut self, mode: Verify) {
        self.changed().verify = mode;
    }

    /// Off: the chain is checked and the host name is left to the caller ([`super::Session::check_name`]).
    pub fn set_verify_name(&mut self, on: bool) {
        self.changed().verify_name = on;
    }

    /// Verify as of this time (unix seconds); `None` is now.
    pub fn set_time(&mut self, time: Option<u64>) {
        self.changed().time = time;
    }

    /// Sessions to remember for resumption; 0 turns resumption off.
    pub fn set_session_cache(&mut self, entries: usize) {
        self.changed().cache = entries;
    }

    /// Most plaintext per record sent, 512 to 16384 bytes: what a slow peer can make a session hold.
    pub fn set_record_size(&mut self, bytes: usize) -> Result<()> {
        if !(SMALLEST_RECORD..=LARGEST_RECORD).contains(&bytes) {
            return Err(Error::InvalidArgument("a record holds 512 to 16384 bytes"));
        }
        self.changed().record = bytes;
        Ok(())
    }

    /// Build if needed, and share.
    pub(super) fn build(&self) -> Result<Arc<Built>> {
        let mut built = self.built.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(built) = &*built {
            return Ok(built.clone());
        }
        let side = match self.role {
            Role::Client => Side::Client(Arc::new(self.client()?)),
            Role::Server => Side::Server(Arc::new(self.server()?)),
        };
        let new = Arc::new(Built { side, verify: self.verify, verify_name: self.verify_name, record: self.record });
        *built = Some(new.clone());
        Ok(new)
    }

    fn provider(&self) -> Arc<rustls::crypto::CryptoProvider> {
        provider::crypto_provider(
            self.suites.clone().unwrap_or_else(provider::cipher_suites),
            self.groups.clone().unwrap_or_else(provider::kx_groups),
        )
    }

    fn versions(&self) -> Vec<&'static SupportedProtocolVersion> {
        let (min, max) = self.versions;
        [
            (TLS13, &rustls::version::TLS13),
            #[cfg(feature = "tls12")]
            (TLS12, &rustls::version::TLS12),
        ]
        .into_iter()
        .filter(|(number, _)| (min..=max).contains(number))
        .map(|(_, version)| version)
        .collect()
    }

    fn verifier(&self) -> Arc<Verifier> {
        let peer = if self.role == Role::Client { Role::Server } else { Role::Client };
        Arc::new(Verifier {
            store: self.store.clone(),
            crls: self.crls.clone(),
            mode: self.verify,
            peer,
            check_name: self.verify_name,
        })
    }

    fn own(&self) -> Result<Option<Arc<CertifiedKey>>> {
        match (&self.key, self.chain.is_empty()) {
            (Some(key), false) => Ok(Some(Arc::new(CertifiedKey::new(self.chain.clone(), key.clone())))),
            (None, true) => Ok(None),
            (None, false) => Err(Error::BadState("a certificate was set but not its private key")),
            (Some(_), true) => Err(Error::BadState("a private key was set but not its certificate")),
        }
    }

    fn client(&self) -> Result<ClientConfig> {
        let builder = ClientConfig::builder_with_provider(self.provider())
            .with_protocol_versions(&self.versions())
            .map_err(|error| unusable(&error))?
            .dangerous() // rustls' name for any verifier that is not its own; ours is `verify`
            .with_custom_certificate_verifier(self.verifier());
        let mut config = builder.with_client_cert_resolver(Arc::new(OwnCertificate(self.own()?)));
        config.alpn_protocols.clone_from(&self.alpn);
        config.time_provider = Arc::new(Clock(self.time));
        config.max_fragment_size = Some(self.record + RECORD_OVERHEAD);
        config.resumption = match self.cache {
            0 => Resumption::disabled(),
            entries => Resumption::store(Arc::new(ClientCache::new(entries))),
        };
        Ok(config)
    }

    fn server(&self) -> Result<ServerConfig> {
        let own = self.own()?.ok_or(Error::BadState("a server needs a certificate and its private key"))?;
        let builder = ServerConfig::builder_with_provider(self.provider())
            .with_protocol_versions(&self.versions())
            .map_err(|error| unusable(&error))?;
        let builder = match self.verify {
            Verify::None => builder.with_no_client_auth(),
            _ => builder.with_client_cert_verifier(self.verifier()),
        };
        let mut config = builder.with_cert_resolver(Arc::new(SingleCertAndKey::from(own)));
        config.alpn_protocols.clone_from(&self.alpn);
        config.time_provider = Arc::new(Clock(self.time));
        config.max_fragment_size = Some(self.record + RECORD_OVERHEAD);
        config.session_storage = match self.cache {
            0 => Arc::new(NoServerSessionStorage {}) as Arc<dyn StoresServerSessions>,
            entries => Arc::new(ServerCache::new(entries)),
        };
        if self.cache > 0 {
            config.ticketer = Arc::new(ticket::rotating().map_err(|_| Error::Entropy)?);
            config.send_tls13_tickets = TICKETS;
        } else {
            config.send_tls13_tickets = 0;
        }
        Ok(config)
    }
}

fn unusable(error: &rustls::Error) -> Error {
    Error::Tls(format!("these versions, cipher suites and groups cannot be used together: {error}"))
}

/// Do certificate and key belong together? Nothing to say while one is missing.
fn check_pair(chain: &[CertificateDer<'_>], key: Option<&dyn SigningKey>) -> Result<()> {
    let (Some(leaf), Some(key)) = (chain.first(), key) else { return Ok(()) };
    match key.public_key() {
        Some(public) if public.as_ref() != Certificate::parse(leaf)?.spki => {
            Err(Error::BadKey("the private key does not belong to the certificate".into()))
        }
        _ => Ok(()),
    }
}

/// Our certificate as a client, if we have one; notes its use.
#[derive(Debug)]
struct OwnCertificate(Option<Arc<CertifiedKey>>);

impl ResolvesClientCert for OwnCertificate {
    fn resolve(&self, _hints: &[&[u8]], schemes: &[SignatureScheme]) -> Option<Arc<CertifiedKey>> {
        let own = self.0.clone()?;
        own.key.choose_scheme(schemes)?;
        note_own_certificate();
        Some(own)
    }

    fn has_certs(&self) -> bool {
        self.0.is_some()
    }
}

/// The time by which certificates are judged.
#[derive(Debug)]
struct Clock(Option<u64>);

impl TimeProvider for Clock {
    fn current_time(&self) -> Option<UnixTime> {
        let since_1970 = match self.0 {
            Some(seconds) => Duration::from_secs(seconds),
            None => SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).ok()?,
        };
        Some(UnixTime::since_unix_epoch(since_1970))
    }
}
