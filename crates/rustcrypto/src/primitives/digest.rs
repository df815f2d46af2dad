//! Hash functions: SHA-1, SHA-2 (FIPS 180-4), SHA-3 and SHAKE (FIPS 202), MD4 and MD5 under `legacy-eap`.

use rustcrypto_hot::sym::hash;
use zeroize::Zeroize;

use crate::{Error, Result};

/// Longest digest or MAC, in bytes.
pub const MAX_LEN: usize = 64;

/// A hash function. Every name exists in every build; one that is off answers [`Error::Unsupported`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Digest {
    Md4,
    Md5,
    Sha1,
    Sha224,
    Sha256,
    Sha384,
    Sha512,
    Sha3_224,
    Sha3_256,
    Sha3_384,
    Sha3_512,
    /// Only for [`xof`].
    Shake128,
    /// Only for [`xof`].
    Shake256,
}

impl Digest {
    /// Bytes of the digest; 0 for SHAKE, whose output has the length one asks for.
    pub const fn output_len(self) -> usize {
        match self {
            Self::Md4 | Self::Md5 => 16,
            Self::Sha1 => 20,
            Self::Sha224 | Self::Sha3_224 => 28,
            Self::Sha256 | Self::Sha3_256 => 32,
            Self::Sha384 | Self::Sha3_384 => 48,
            Self::Sha512 | Self::Sha3_512 => 64,
            Self::Shake128 | Self::Shake256 => 0,
        }
    }

    /// Is it in this build?
    pub const fn is_built(self) -> bool {
        match self {
            Self::Md4 | Self::Md5 => cfg!(feature = "legacy-eap"),
            Self::Sha1 | Self::Sha224 | Self::Sha256 | Self::Sha384 | Self::Sha512 => true,
            _ => cfg!(feature = "sha3"),
        }
    }

    /// The digest of the concatenation of `parts`.
    pub fn hash(self, parts: &[&[u8]]) -> Result<Output> {
        let mut context = Context::new(self)?;
        for part in parts {
            context.update(part);
        }
        Ok(context.finish())
    }
}

/// A digest or MAC: dereferences to its bytes, and is wiped when dropped.
#[derive(Clone)]
pub struct Output {
    bytes: [u8; MAX_LEN],
    len: usize,
}

impl Output {
    pub(crate) fn with(len: usize, write: impl FnOnce(&mut [u8])) -> Self {
        let mut output = Self { bytes: [0; MAX_LEN], len };
        write(&mut output.bytes[..len]);
        output
    }
}

impl std::ops::Deref for Output {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        &self.bytes[..self.len]
    }
}

impl AsRef<[u8]> for Output {
    fn as_ref(&self) -> &[u8] {
        self
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        self.bytes.zeroize();
    }
}

/// A running hash.
#[derive(Clone)]
pub struct Context {
    digest: Digest,
    state: hash::Hash,
}

impl Context {
    pub fn new(digest: Digest) -> Result<Self> {
        Ok(Self { digest, state: start(digest)? })
    }

    pub fn digest(&self) -> Digest {
        self.digest
    }

    pub fn update(&mut self, data: &[u8]) {
        self.state.update(data);
    }

    /// The digest of everything since the start; the context starts over.
    pub fn finish(&mut self) -> Output {
        Output::with(self.digest.output_len(), |out| self.state.finish(out))
    }

    /// [`Context::finish`] into the front of `out`, which must hold the digest.
    pub fn finish_into(&mut self, out: &mut [u8]) {
        self.state.finish(out);
    }

    pub fn reset(&mut self) {
        self.state.reset();
    }
}

fn start(digest: Digest) -> Result<hash::Hash> {
    use hash::Hash;
    Ok(match digest {
        Digest::Sha1 => Hash::sha1(),
        Digest::Sha224 => Hash::sha224(),
        Digest::Sha256 => Hash::sha256(),
        Digest::Sha384 => Hash::sha384(),
        Digest::Sha512 => Hash::sha512(),
        #[cfg(feature = "sha3")]
        Digest::Sha3_224 => Hash::sha3_224(),
        #[cfg(feature = "sha3")]
        Digest::Sha3_256 => Hash::sha3_256(),
        #[cfg(feature = "sha3")]
        Digest::Sha3_384 => Hash::sha3_384(),
        #[cfg(feature = "sha3")]
        Digest::Sha3_512 => Hash::sha3_512(),
        #[cfg(feature = "legacy-eap")]
        Digest::Md4 => Hash::md4(),
        #[cfg(feature = "legacy-eap")]
        Digest::Md5 => Hash::md5(),
        Digest::Shake128 | Digest::Shake256 => {
            return Err(Error::InvalidArgument("SHAKE has no fixed length: use xof"));
        }
        #[allow(unreachable_patterns, reason = "reached where a feature above is off")]
        _ => return Err(Error::Unsupported("this hash function is not in this build")),
    })
}

/// SHAKE128 or SHAKE256 of `data`, as many bytes as `out` holds.
#[cfg(feature = "sha3")]
pub fn xof(digest: Digest, data: &[u8], out: &mut [u8]) -> Result<()> {
    match digest {
        Digest::Shake128 => hash::shake128(data, out),
        Digest::Shake256 => hash::shake256(data, out),
        _ => return Err(Error::InvalidArgument("not an extendable-output function")),
    }
    Ok(())
}

#[cfg(not(feature = "sha3"))]
pub fn xof(_: Digest, _: &[u8], _: &mut [u8]) -> Result<()> {
    Err(Error::Unsupported("SHAKE is not in this build"))
}
