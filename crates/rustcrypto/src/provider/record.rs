//! Record protection of TLS 1.3 (RFC 8446 section 5.2) and of the AEAD suites of TLS 1.2 (RFC 5288, RFC 7905).

use rustls::crypto::cipher::{
    AeadKey, InboundOpaqueMessage, InboundPlainMessage, Iv, KeyBlockShape, MessageDecrypter, MessageEncrypter,
    NONCE_LEN, Nonce, OutboundOpaqueMessage, OutboundPlainMessage, PrefixedPayload, Tls12AeadAlgorithm,
    Tls13AeadAlgorithm, UnsupportedOperationError, make_tls12_aad, make_tls13_aad,
};
use rustls::{ConnectionTrafficSecrets, ContentType, Error, ProtocolVersion};

use crate::primitives::aead::{Aead, Algorithm};

const TAG: usize = 16;
/// TLS 1.2 AES-GCM sends this part of the nonce with each record.
const EXPLICIT_NONCE: usize = 8;
const MAX_FRAGMENT: usize = 16384;

/// One of the three AEADs of TLS.
pub(super) struct Record(pub(super) Algorithm);

impl Record {
    fn is_gcm(&self) -> bool {
        self.0 != Algorithm::ChaCha20Poly1305
    }

    /// The trait cannot fail, and rustls hands keys of [`Algorithm::key_len`] only.
    fn key(&self, key: &AeadKey) -> Aead {
        Aead::new(self.0, key.as_ref()).expect("rustls hands keys of the length that was asked for")
    }

    fn secrets(&self, key: AeadKey, iv: Iv) -> ConnectionTrafficSecrets {
        match self.0 {
            Algorithm::Aes128Gcm => ConnectionTrafficSecrets::Aes128Gcm { key, iv },
            Algorithm::Aes256Gcm => ConnectionTrafficSecrets::Aes256Gcm { key, iv },
            _ => ConnectionTrafficSecrets::Chacha20Poly1305 { key, iv },
        }
    }
}

/// The 12-byte nonce base of TLS 1.2: GCM's salt is 4 bytes long, the rest starts at `explicit`.
fn nonce_base(iv: &[u8], explicit: &[u8]) -> Iv {
    let mut base = [0; NONCE_LEN];
    base[..iv.len()].copy_from_slice(iv);
    base[iv.len()..].copy_from_slice(&explicit[..NONCE_LEN - iv.len()]);
    Iv::from(base)
}

impl Tls13AeadAlgorithm for Record {
    fn encrypter(&self, key: AeadKey, iv: Iv) -> Box<dyn MessageEncrypter> {
        Box::new(Tls13 { aead: self.key(&key), iv })
    }

    fn decrypter(&self, key: AeadKey, iv: Iv) -> Box<dyn MessageDecrypter> {
        Box::new(Tls13 { aead: self.key(&key), iv })
    }

    fn key_len(&self) -> usize {
        self.0.key_len()
    }

    fn extract_keys(&self, key: AeadKey, iv: Iv) -> Result<ConnectionTrafficSecrets, UnsupportedOperationError> {
        Ok(self.secrets(key, iv))
    }
}

struct Tls13 {
    aead: Aead,
    iv: Iv,
}

impl MessageEncrypter for Tls13 {
    fn encrypt(&mut self, msg: OutboundPlainMessage<'_>, seq: u64) -> Result<OutboundOpaqueMessage, Error> {
        let total = self.encrypted_payload_len(msg.payload.len());
        let mut payload = PrefixedPayload::with_capacity(total);
        payload.extend_from_chunks(&msg.payload);
        payload.extend_from_slice(&msg.typ.to_array());
        let mut tag = [0; TAG];
        self.aead
            .seal_in_place(&Nonce::new(&self.iv, seq).0, &make_tls13_aad(total), payload.as_mut(), &mut tag)
            .map_err(|_| Error::EncryptError)?;
        payload.extend_from_slice(&tag);
        Ok(OutboundOpaqueMessage::new(ContentType::ApplicationData, ProtocolVersion::TLSv1_2, payload))
    }

    fn encrypted_payload_len(&self, payload_len: usize) -> usize {
        payload_len + 1 + TAG
    }
}

impl MessageDecrypter for Tls13 {
    fn decrypt<'a>(&mut self, mut msg: InboundOpaqueMessage<'a>, seq: u64) -> Result<InboundPlainMessage<'a>, Error> {
        let aad = make_tls13_aad(msg.payload.len());
        let plain = msg.payload.len().checked_sub(TAG).ok_or(Error::DecryptError)?;
        let (text, tag) = msg.payload.split_at_mut(plain);
        self.aead.open_in_place(&Nonce::new(&self.iv, seq).0, &aad, text, tag).map_err(|_| Error::DecryptError)?;
        msg.payload.truncate(plain);
        msg.into_tls13_unpadded_message()
    }
}

impl Tls12AeadAlgorithm for Record {
    fn encrypter(&self, key: AeadKey, iv: &[u8], extra: &[u8]) -> Box<dyn MessageEncrypter> {
        let explicit = if self.is_gcm() { EXPLICIT_NONCE } else { 0 };
        Box::new(Tls12 { aead: self.key(&key), iv: nonce_base(iv, extra), explicit })
    }

    fn decrypter(&self, key: AeadKey, iv: &[u8]) -> Box<dyn MessageDecrypter> {
        let explicit = if self.is_gcm() { EXPLICIT_NONCE } else { 0 };
        Box::new(Tls12 { aead: self.key(&key), iv: nonce_base(iv, &[0; EXPLICIT_NONCE]), explicit })
    }

    fn key_block_shape(&self) -> KeyBlockShape {
        let explicit_nonce_len = if self.is_gcm() { EXPLICIT_NONCE } else { 0 };
        KeyBlockShape {
            enc_key_len: self.0.key_len(),
            fixed_iv_len: NONCE_LEN - explicit_nonce_len,
            explicit_nonce_len,
        }
    }

    fn extract_keys(
        &self,
        key: AeadKey,
        iv: &[u8],
        explicit: &[u8],
    ) -> Result<ConnectionTrafficSecrets, UnsupportedOperationError> {
        Ok(self.secrets(key, nonce_base(iv, explicit)))
    }
}

struct Tls12 {
    aead: Aead,
    iv: Iv,
    /// Bytes of the nonce in front of each record: 8 or 0.
    explicit: usize,
}

impl MessageEncrypter for Tls12 {
    fn encrypt(&mut self, msg: OutboundPlainMessage<'_>, seq: u64) -> Result<OutboundOpaqueMessage, Error> {
        let total = self.encrypted_payload_len(msg.payload.len());
        let mut payload = PrefixedPayload::with_capacity(total);
        let nonce = Nonce::new(&self.iv, seq).0;
        payload.extend_from_slice(&nonce[NONCE_LEN - self.explicit..]);
        payload.extend_from_chunks(&msg.payload);
        let aad = make_tls12_aad(seq, msg.typ, msg.version, msg.payload.len());
        let mut tag = [0; TAG];
        self.aead
            .seal_in_place(&nonce, &aad, &mut payload.as_mut()[self.explicit..], &mut tag)
            .map_err(|_| Error::EncryptError)?;
        payload.extend_from_slice(&tag);
        Ok(OutboundOpaqueMessage::new(msg.typ, msg.version, payload))
    }

    fn encrypted_payload_len(&self, payload_len: usize) -> usize {
        payload_len + self.explicit + TAG
    }
}

impl MessageDecrypter for Tls12 {
    fn decrypt<'a>(&mut self, mut msg: InboundOpaqueMessage<'a>, seq: u64) -> Result<InboundPlainMessage<'a>, Error> {
        let plain = msg.payload.len().checked_sub(self.explicit + TAG).ok_or(Error::DecryptError)?;
        let aad = make_tls12_aad(seq, msg.typ, msg.version, plain);
        let mut nonce = Nonce::new(&self.iv, seq).0;
        let (explicit, rest) = msg.payload.split_at_mut(self.explicit);
        nonce[NONCE_LEN - self.explicit..].copy_from_slice(explicit);
        let (text, tag) = rest.split_at_mut(plain);
        self.aead.open_in_place(&nonce, &aad, text, tag).map_err(|_| Error::DecryptError)?;
        if plain > MAX_FRAGMENT {
            return Err(Error::PeerSentOversizedRecord);
        }
        let start = self.explicit;
        Ok(msg.into_plain_message_range(start..start + plain))
    }
}
