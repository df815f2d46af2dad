//! Session tickets (RFC 5077, RFC 8446 section 4.6.1): the server's state, sealed and kept by the client.

use rustls::TicketRotator;
use rustls::crypto::GetRandomFailed;
use rustls::server::ProducesTickets;

use super::verify::current_peer_is_accepted;
use crate::primitives::aead::{Aead, Algorithm};
use crate::primitives::rng;

/// Seconds that a key seals tickets; it opens them for as long again.
const ROTATION: u32 = 6 * 3600;
const NONCE: usize = 12;
const TAG: usize = 16;

/// Tickets under keys that change every six hours.
pub(super) fn rotating() -> Result<TicketRotator, rustls::Error> {
    TicketRotator::new(ROTATION, || Ok(Box::new(Ticketer::new()?)))
}

/// Seals with one random key: `nonce || ciphertext || tag`. Random nonces are fine for what a key seals in six hours.
struct Ticketer(Aead);

impl Ticketer {
    fn new() -> Result<Self, GetRandomFailed> {
        let key: [u8; 32] = rng::array().map_err(|_| GetRandomFailed)?;
        Aead::new(Algorithm::ChaCha20Poly1305, &key).map(Self).map_err(|_| GetRandomFailed)
    }
}

impl std::fmt::Debug for Ticketer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Ticketer")
    }
}

impl ProducesTickets for Ticketer {
    fn enabled(&self) -> bool {
        true
    }

    fn lifetime(&self) -> u32 {
        2 * ROTATION
    }

    fn encrypt(&self, plain: &[u8]) -> Option<Vec<u8>> {
        if !current_peer_is_accepted() {
            return None;
        }
        let nonce: [u8; NONCE] = rng::array().ok()?;
        let mut out = Vec::with_capacity(NONCE + plain.len() + TAG);
        out.extend_from_slice(&nonce);
        out.extend_from_slice(plain);
        let mut tag = [0; TAG];
        self.0.seal_in_place(&nonce, &[], &mut out[NONCE..], &mut tag).ok()?;
        out.extend_from_slice(&tag);
        Some(out)
    }

    fn decrypt(&self, cipher: &[u8]) -> Option<Vec<u8>> {
        let (nonce, sealed) = cipher.split_at_checked(NONCE)?;
        let (text, tag) = sealed.split_at_checked(sealed.len().checked_sub(TAG)?)?;
        let mut out = text.to_vec();
        self.0.open_in_place(nonce, &[], &mut out, tag).ok()?;
        Some(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_sealed_opens() {
        let ticketer = Ticketer::new().unwrap();
        let ticket = ticketer.encrypt(b"state").unwrap();
        assert_eq!(ticketer.decrypt(&ticket).unwrap(), b"state");
        for at in 0..ticket.len() {
            let mut bad = ticket.clone();
            bad[at] ^= 1;
            assert!(ticketer.decrypt(&bad).is_none());
            assert!(ticketer.decrypt(&ticket[..at]).is_none());
        }
        assert!(Ticketer::new().unwrap().decrypt(&ticket).is_none());
    }
}
