//! ML-KEM (FIPS 203), and the hybrid X25519MLKEM768 of TLS (RFC 9954).

#[cfg(feature = "mlkem")]
use rustcrypto_hot::asym;
use zeroize::Zeroizing;

#[cfg(accelerated)]
use super::cpu;
use super::{ecdh, rng};
use crate::{Error, Result};

/// A parameter set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kem {
    MlKem512,
    MlKem768,
    MlKem1024,
}

impl Kem {
    /// Bytes of an encapsulation key.
    pub fn public_len(self) -> usize {
        match self {
            Self::MlKem512 => 800,
            Self::MlKem768 => 1184,
            Self::MlKem1024 => 1568,
        }
    }

    /// Bytes of a ciphertext.
    pub fn ciphertext_len(self) -> usize {
        match self {
            Self::MlKem512 => 768,
            Self::MlKem768 => 1088,
            Self::MlKem1024 => 1568,
        }
    }
}

/// A 32-byte shared secret; wiped when dropped.
pub type SharedSecret = Zeroizing<[u8; 32]>;

const BAD_PUBLIC: Error =
    Error::InvalidArgument("not an ML-KEM encapsulation key (wrong length, or a coefficient too large)");
const BAD_CIPHERTEXT: Error = Error::InvalidArgument("an ML-KEM ciphertext of the wrong length");

#[cfg(all(feature = "mlkem", not(feature = "mlkem-sizes")))]
const OTHER_SIZES: Error = Error::Unsupported("of ML-KEM only ML-KEM-768 is in this build");

#[cfg(not(feature = "mlkem"))]
mod off {
    //! Same names, nothing behind them.
    use super::{Error, Kem, Result, SharedSecret};
    const OFF: Error = Error::Unsupported("ML-KEM is not in this build");

    /// A decapsulation key; none can exist in this build.
    pub struct SecretKey(std::convert::Infallible);

    impl SecretKey {
        pub fn generate(_: Kem) -> Result<Self> {
            Err(OFF)
        }
        pub fn from_seed(_: Kem, _: &[u8; 64]) -> Result<Self> {
            Err(OFF)
        }
        pub fn public(&self) -> Vec<u8> {
            match self.0 {}
        }
        pub fn decapsulate(&self, _: &[u8]) -> Result<SharedSecret> {
            match self.0 {}
        }
    }

    pub fn encapsulate(_: Kem, _: &[u8]) -> Result<(Vec<u8>, SharedSecret)> {
        Err(OFF)
    }
}
#[cfg(not(feature = "mlkem"))]
pub use off::{SecretKey, encapsulate};

/// A decapsulation key; wiped when dropped.
#[cfg(feature = "mlkem")]
pub struct SecretKey(Box<Inner>);

#[cfg(feature = "mlkem")]
#[allow(clippy::large_enum_variant, reason = "always in a box of its own")]
enum Inner {
    #[cfg(feature = "mlkem-sizes")]
    MlKem512(asym::mlkem512::SecretKey),
    MlKem768(asym::mlkem768::SecretKey),
    #[cfg(feature = "mlkem-sizes")]
    MlKem1024(asym::mlkem1024::SecretKey),
    #[cfg(accelerated)]
    Graviola768(graviola::key_agreement::mlkem768::DecapKey),
}

#[cfg(feature = "mlkem")]
impl SecretKey {
    /// A fresh key from the operating system's generator.
    pub fn generate(kem: Kem) -> Result<Self> {
        let seed = Zeroizing::new(rng::array::<64>()?);
        Self::from_seed(kem, &seed)
    }

    /// From the seed d || z (FIPS 203 section 7.1).
    pub fn from_seed(kem: Kem, seed: &[u8; 64]) -> Result<Self> {
        #[cfg(accelerated)]
        if kem == Kem::MlKem768 && cpu::graviola(cpu::Algorithm::MlKem768) {
            use graviola::key_agreement::mlkem768::DecapKey;
            // Its guarded entries take no seed and consume the key; beyond them they only set the DIT bit where a CPU has it.
            return Ok(Self(Box::new(Inner::Graviola768(DecapKey::keygen_internal(seed)))));
        }
        Ok(Self(Box::new(match kem {
            #[cfg(feature = "mlkem-sizes")]
            Kem::MlKem512 => Inner::MlKem512(asym::mlkem512::SecretKey::from_seed(seed)),
            Kem::MlKem768 => Inner::MlKem768(asym::mlkem768::SecretKey::from_seed(seed)),
            #[cfg(feature = "mlkem-sizes")]
            Kem::MlKem1024 => Inner::MlKem1024(asym::mlkem1024::SecretKey::from_seed(seed)),
            #[cfg(not(feature = "mlkem-sizes"))]
            Kem::MlKem512 | Kem::MlKem1024 => return Err(OTHER_SIZES),
        })))
    }

    /// The encapsulation key, encoded.
    pub fn public(&self) -> Vec<u8> {
        match &*self.0 {
            #[cfg(feature = "mlkem-sizes")]
            Inner::MlKem512(key) => key.public(),
            Inner::MlKem768(key) => key.public(),
            #[cfg(feature = "mlkem-sizes")]
            Inner::MlKem1024(key) => key.public(),
            #[cfg(accelerated)]
            Inner::Graviola768(key) => key.encapsulation_key().as_bytes().to_vec(),
        }
    }

    /// The shared secret. A wrong ciphertext of the right length gives one that nobody else has (implicit rejection).
    pub fn decapsulate(&self, ciphertext: &[u8]) -> Result<SharedSecret> {
        match &*self.0 {
            #[cfg(feature = "mlkem-sizes")]
            Inner::MlKem512(key) => key.decapsulate(ciphertext),
            Inner::MlKem768(key) => key.decapsulate(ciphertext),
            #[cfg(feature = "mlkem-sizes")]
            Inner::MlKem1024(key) => key.decapsulate(ciphertext),
            #[cfg(accelerated)]
            Inner::Graviola768(key) => {
                let ciphertext: Option<[u8; 1088]> = ciphertext.try_into().ok();
                ciphertext.map(|c| Zeroizing::new(*key.decaps_internal(&c.into()).as_ref()))
            }
        }
        .ok_or(BAD_CIPHERTEXT)
    }
}

/// Ciphertext and shared secret for the holder of `public`.
#[cfg(feature = "mlkem")]
pub fn encapsulate(kem: Kem, public: &[u8]) -> Result<(Vec<u8>, SharedSecret)> {
    encapsulate_with(kem, public, &Zeroizing::new(rng::array()?))
}

/// [`encapsulate`] with the random value `m` given, for known answers (FIPS 203 section 6.2).
#[cfg(feature = "mlkem")]
fn encapsulate_with(kem: Kem, public: &[u8], m: &[u8; 32]) -> Result<(Vec<u8>, SharedSecret)> {
    #[cfg(accelerated)]
    if kem == Kem::MlKem768 && cpu::graviola(cpu::Algorithm::MlKem768) {
        use graviola::key_agreement::mlkem768::{EncapKey, Message};
        let public = public.try_into().map_err(|_| BAD_PUBLIC)?;
        let (shared, ciphertext) = EncapKey::from_bytes(public).map_err(|_| BAD_PUBLIC)?.encaps_internal(Message(*m));
        return Ok((ciphertext.as_ref().to_vec(), Zeroizing::new(*shared.as_ref())));
    }
    match kem {
        #[cfg(feature = "mlkem-sizes")]
        Kem::MlKem512 => asym::mlkem512::encapsulate(public, m),
        Kem::MlKem768 => asym::mlkem768::encapsulate(public, m),
        #[cfg(feature = "mlkem-sizes")]
        Kem::MlKem1024 => asym::mlkem1024::encapsulate(public, m),
        #[cfg(not(feature = "mlkem-sizes"))]
        Kem::MlKem512 | Kem::MlKem1024 => return Err(OTHER_SIZES),
    }
    .ok_or(BAD_PUBLIC)
}

/// Client side of X25519MLKEM768 (TLS group 0x11ec): the share is the encapsulation key, then the X25519 public key.
pub struct HybridClient {
    kem: SecretKey,
    x25519: ecdh::SecretKey,
}

/// Length of the hybrid's ML-KEM part in the client's share, and in the server's.
const CLIENT_KEM: usize = 1184;
const SERVER_KEM: usize = 1088;

impl HybridClient {
    /// Fresh keys.
    pub fn generate() -> Result<Self> {
        let kem = SecretKey::generate(Kem::MlKem768)?;
        Ok(Self { kem, x25519: ecdh::SecretKey::generate(ecdh::Group::X25519)? })
    }

    /// The 1216-byte key share.
    pub fn share(&self) -> Result<Vec<u8>> {
        Ok([self.kem.public(), self.x25519.public()?].concat())
    }

    /// The X25519 half, so that the same key serves a server without ML-KEM.
    pub fn x25519(&self) -> &ecdh::SecretKey {
        &self.x25519
    }

    /// 64 bytes of shared secret (ML-KEM's, then X25519's) from the server's 1120-byte share.
    pub fn finish(&self, server_share: &[u8]) -> Result<Zeroizing<[u8; 64]>> {
        let (ciphertext, peer) =
            server_share.split_at_checked(SERVER_KEM).ok_or(Error::InvalidArgument("hybrid key share too short"))?;
        Ok(joined(&*self.kem.decapsulate(ciphertext)?, &self.x25519.agree(peer)?))
    }
}

/// Server side of X25519MLKEM768: the server's share and the shared secret.
pub fn hybrid_respond(client_share: &[u8]) -> Result<(Vec<u8>, Zeroizing<[u8; 64]>)> {
    let (public, peer) =
        client_share.split_at_checked(CLIENT_KEM).ok_or(Error::InvalidArgument("hybrid key share too short"))?;
    let (mut share, kem_secret) = encapsulate(Kem::MlKem768, public)?;
    let x25519 = ecdh::SecretKey::generate(ecdh::Group::X25519)?;
    share.extend_from_slice(&x25519.public()?);
    Ok((share, joined(&*kem_secret, &x25519.agree(peer)?)))
}

fn joined(kem: &[u8], x25519: &[u8]) -> Zeroizing<[u8; 64]> {
    let mut secret = Zeroizing::new([0; 64]);
    let (first, second) = secret.split_at_mut(32);
    first.copy_from_slice(kem);
    second.copy_from_slice(x25519);
    secret
}

#[cfg(all(test, feature = "mlkem"))]
mod tests;
