//! Key exchange: X25519, the NIST curves, and X25519MLKEM768.

#[cfg(feature = "mlkem")]
use rustls::ProtocolVersion;
#[cfg(feature = "mlkem")]
use rustls::crypto::CompletedKeyExchange;
use rustls::crypto::{ActiveKeyExchange, GetRandomFailed, SharedSecret, SupportedKxGroup};
use rustls::{Error, NamedGroup, PeerMisbehaved};

use crate::primitives::ecdh::{Group, SecretKey};
#[cfg(feature = "mlkem")]
use crate::primitives::kem::{HybridClient, hybrid_respond};

const BAD_SHARE: Error = Error::PeerMisbehaved(PeerMisbehaved::InvalidKeyShare);

/// A classical group.
#[derive(Debug)]
pub(super) struct Ecdh {
    pub(super) name: NamedGroup,
    pub(super) group: Group,
}

impl Ecdh {
    fn begin(&self) -> Result<ActiveEcdh, Error> {
        let secret = SecretKey::generate(self.group).map_err(|_| GetRandomFailed)?;
        let public = secret.public().map_err(|_| GetRandomFailed)?;
        Ok(ActiveEcdh { name: self.name, secret, public })
    }
}

impl SupportedKxGroup for Ecdh {
    fn start(&self) -> Result<Box<dyn ActiveKeyExchange>, Error> {
        Ok(Box::new(self.begin()?))
    }

    fn name(&self) -> NamedGroup {
        self.name
    }
}

struct ActiveEcdh {
    name: NamedGroup,
    secret: SecretKey,
    public: Vec<u8>,
}

impl ActiveEcdh {
    fn agree(&self, peer: &[u8]) -> Result<SharedSecret, Error> {
        // TLS knows one form only, of one length: 32 bytes for X25519, uncompressed for the curves (RFC 8446 section 4.2.8.2).
        if peer.len() != self.public.len() || (peer.len() > 32 && peer[0] != 4) {
            return Err(BAD_SHARE);
        }
        self.secret.agree(peer).map(|secret| SharedSecret::from(&secret[..])).map_err(|_| BAD_SHARE)
    }
}

impl ActiveKeyExchange for ActiveEcdh {
    fn complete(self: Box<Self>, peer: &[u8]) -> Result<SharedSecret, Error> {
        self.agree(peer)
    }

    fn pub_key(&self) -> &[u8] {
        &self.public
    }

    fn group(&self) -> NamedGroup {
        self.name
    }
}

/// X25519MLKEM768, safe against a recording that a quantum computer reads later.
#[cfg(feature = "mlkem")]
#[derive(Debug)]
pub(super) struct Hybrid;

#[cfg(feature = "mlkem")]
impl SupportedKxGroup for Hybrid {
    fn start(&self) -> Result<Box<dyn ActiveKeyExchange>, Error> {
        let client = HybridClient::generate().map_err(|_| GetRandomFailed)?;
        let public = client.share().map_err(|_| GetRandomFailed)?;
        Ok(Box::new(ActiveHybrid { client, public }))
    }

    fn start_and_complete(&self, share: &[u8]) -> Result<CompletedKeyExchange, Error> {
        let (pub_key, secret) = hybrid_respond(share).map_err(|_| BAD_SHARE)?;
        Ok(CompletedKeyExchange { group: self.name(), pub_key, secret: SharedSecret::from(&secret[..]) })
    }

    fn name(&self) -> NamedGroup {
        NamedGroup::X25519MLKEM768
    }

    fn usable_for_version(&self, version: ProtocolVersion) -> bool {
        version == ProtocolVersion::TLSv1_3
    }
}

#[cfg(feature = "mlkem")]
struct ActiveHybrid {
    client: HybridClient,
    public: Vec<u8>,
}

/// Bytes of the X25519 part at the end of the share.
#[cfg(feature = "mlkem")]
const X25519: usize = 32;

#[cfg(feature = "mlkem")]
impl ActiveKeyExchange for ActiveHybrid {
    fn complete(self: Box<Self>, share: &[u8]) -> Result<SharedSecret, Error> {
        self.client.finish(share).map(|secret| SharedSecret::from(&secret[..])).map_err(|_| BAD_SHARE)
    }

    /// A server without ML-KEM finds the X25519 share beside it, without another round trip.
    fn hybrid_component(&self) -> Option<(NamedGroup, &[u8])> {
        Some((NamedGroup::X25519, &self.public[self.public.len() - X25519..]))
    }

    fn complete_hybrid_component(self: Box<Self>, share: &[u8]) -> Result<SharedSecret, Error> {
        if share.len() != X25519 {
            return Err(BAD_SHARE);
        }
        self.client.x25519().agree(share).map(|secret| SharedSecret::from(&secret[..])).map_err(|_| BAD_SHARE)
    }

    fn pub_key(&self) -> &[u8] {
        &self.public
    }

    fn group(&self) -> NamedGroup {
        NamedGroup::X25519MLKEM768
    }
}
