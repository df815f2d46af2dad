//! X25519 (RFC 7748).

use zeroize::Zeroizing;

/// The u coordinate of 9: the base point.
const BASE: [u8; 32] = {
    let mut base = [0; 32];
    base[0] = 9;
    base
};

/// Public key of a secret.
pub fn public(secret: &[u8; 32]) -> [u8; 32] {
    x25519_dalek::x25519(*secret, BASE)
}

/// Shared secret; `None` if the peer sent a point of small order (RFC 7748 section 6.1).
pub fn agree(secret: &[u8; 32], peer: &[u8; 32]) -> Option<Zeroizing<[u8; 32]>> {
    let shared = Zeroizing::new(x25519_dalek::x25519(*secret, *peer));
    // Or-ing all bytes keeps the check from telling where the first non-zero one is.
    (shared.iter().fold(0, |seen, byte| seen | byte) != 0).then_some(shared)
}
