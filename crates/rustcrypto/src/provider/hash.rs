//! Hashes and HMACs as rustls wants them.

use rustls::crypto::{hash, hmac};

use crate::primitives::digest::{Context, Digest};
use crate::primitives::hmac::Hmac;

/// SHA-256 or SHA-384.
pub(super) struct Sha2(pub(super) Digest);

pub(super) static SHA256: Sha2 = Sha2(Digest::Sha256);
pub(super) static SHA384: Sha2 = Sha2(Digest::Sha384);

/// Both are in every build, so starting one cannot fail.
const ALWAYS_BUILT: &str = "SHA-2 is in every build";

impl hash::Hash for Sha2 {
    fn start(&self) -> Box<dyn hash::Context> {
        Box::new(Running(Context::new(self.0).expect(ALWAYS_BUILT)))
    }

    fn hash(&self, data: &[u8]) -> hash::Output {
        hash::Output::new(&self.0.hash(&[data]).expect(ALWAYS_BUILT))
    }

    fn output_len(&self) -> usize {
        self.0.output_len()
    }

    fn algorithm(&self) -> hash::HashAlgorithm {
        if self.0 == Digest::Sha256 { hash::HashAlgorithm::SHA256 } else { hash::HashAlgorithm::SHA384 }
    }
}

struct Running(Context);

impl hash::Context for Running {
    fn fork_finish(&self) -> hash::Output {
        hash::Output::new(&self.0.clone().finish())
    }

    fn fork(&self) -> Box<dyn hash::Context> {
        Box::new(Self(self.0.clone()))
    }

    fn finish(mut self: Box<Self>) -> hash::Output {
        hash::Output::new(&self.0.finish())
    }

    fn update(&mut self, data: &[u8]) {
        self.0.update(data);
    }
}

impl hmac::Hmac for Sha2 {
    fn with_key(&self, key: &[u8]) -> Box<dyn hmac::Key> {
        Box::new(Key(Hmac::new(self.0, key).expect(ALWAYS_BUILT)))
    }

    fn hash_output_len(&self) -> usize {
        self.0.output_len()
    }
}

struct Key(Hmac);

impl hmac::Key for Key {
    fn sign_concat(&self, first: &[u8], middle: &[&[u8]], last: &[u8]) -> hmac::Tag {
        let mut mac = self.0.clone();
        mac.update(first);
        for part in middle {
            mac.update(part);
        }
        mac.update(last);
        hmac::Tag::new(&mac.finish())
    }

    fn tag_len(&self) -> usize {
        self.0.digest().output_len()
    }
}
