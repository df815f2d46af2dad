//! AES (FIPS 197) and its modes CBC, CTR (SP 800-38A), key wrap (RFC 3394), CMAC (SP 800-38B) and SIV (RFC 5297).

#[cfg(feature = "aes192")]
use aes::Aes192;
use aes::cipher::{
    Array, BlockCipherDecrypt, BlockCipherEncrypt, BlockModeDecrypt, BlockModeEncrypt, BlockSizeUser, InnerIvInit,
    KeyInit, StreamCipher, array::typenum::U16, common::InnerInit,
};
use aes::{Aes128, Aes256};
use aes_kw::AesKw;
use cmac::{Cmac, Mac};

use super::Refused;

/// Bytes of a block.
pub const BLOCK: usize = 16;

/// An expanded AES key. Wiped when dropped.
#[derive(Clone)]
pub enum Aes {
    Aes128(Aes128),
    #[cfg(feature = "aes192")]
    Aes192(Aes192),
    Aes256(Aes256),
}

/// Run `$op` on the concrete cipher behind `$self`.
macro_rules! each {
    ($self:expr, $op:ident $(, $arg:expr)*) => {
        match $self {
            Aes::Aes128(c) => $op(c $(, $arg)*),
            #[cfg(feature = "aes192")]
            Aes::Aes192(c) => $op(c $(, $arg)*),
            Aes::Aes256(c) => $op(c $(, $arg)*),
        }
    };
}

trait Block: BlockSizeUser<BlockSize = U16> + BlockCipherEncrypt + BlockCipherDecrypt + Clone {}
impl<C: BlockSizeUser<BlockSize = U16> + BlockCipherEncrypt + BlockCipherDecrypt + Clone> Block for C {}

fn encrypt_block<C: Block>(cipher: &C, block: &mut [u8; BLOCK]) {
    cipher.encrypt_block(block.into());
}

fn decrypt_block<C: Block>(cipher: &C, block: &mut [u8; BLOCK]) {
    cipher.decrypt_block(block.into());
}

fn cbc_encrypt<C: Block>(cipher: &C, iv: &[u8; BLOCK], data: &mut [u8]) -> Result<(), Refused> {
    let (blocks, rest) = Array::slice_as_chunks_mut(data);
    if !rest.is_empty() {
        return Err(Refused);
    }
    cbc::Encryptor::inner_iv_init(cipher, iv.into()).encrypt_blocks(blocks);
    Ok(())
}

fn cbc_decrypt<C: Block>(cipher: &C, iv: &[u8; BLOCK], data: &mut [u8]) -> Result<(), Refused> {
    let (blocks, rest) = Array::slice_as_chunks_mut(data);
    if !rest.is_empty() {
        return Err(Refused);
    }
    cbc::Decryptor::inner_iv_init(cipher, iv.into()).decrypt_blocks(blocks);
    Ok(())
}

fn ctr<C: Block>(cipher: &C, iv: &[u8; BLOCK], data: &mut [u8]) {
    let core = ctr::CtrCore::<_, ctr::flavors::Ctr128BE>::inner_iv_init(cipher, iv.into());
    ctr::Ctr128BE::from_core(core).apply_keystream(data);
}

fn wrap<C: Block>(cipher: &C, plain: &[u8], out: &mut [u8]) -> Result<(), Refused> {
    AesKw::inner_init(cipher).wrap_key(plain, out).map(|_| ()).map_err(|_| Refused)
}

fn unwrap<C: Block>(cipher: &C, wrapped: &[u8], out: &mut [u8]) -> Result<(), Refused> {
    AesKw::inner_init(cipher).unwrap_key(wrapped, out).map(|_| ()).map_err(|_| Refused)
}

fn mac<C: cmac::block_api::CmacCipher + Clone>(cipher: &C, parts: &[&[u8]], out: &mut [u8; BLOCK]) {
    let mut mac = Cmac::inner_init(cipher.clone());
    for part in parts {
        mac.update(part);
    }
    out.copy_from_slice(&mac.finalize().into_bytes());
}

impl Aes {
    /// `key` is 16, 24 (feature `aes192`) or 32 bytes long.
    pub fn new(key: &[u8]) -> Result<Self, Refused> {
        match key.len() {
            16 => Aes128::new_from_slice(key).map(Self::Aes128),
            #[cfg(feature = "aes192")]
            24 => Aes192::new_from_slice(key).map(Self::Aes192),
            32 => Aes256::new_from_slice(key).map(Self::Aes256),
            _ => return Err(Refused),
        }
        .map_err(|_| Refused)
    }

    pub fn encrypt_block(&self, block: &mut [u8; BLOCK]) {
        each!(self, encrypt_block, block);
    }

    pub fn decrypt_block(&self, block: &mut [u8; BLOCK]) {
        each!(self, decrypt_block, block);
    }

    /// In place, whole blocks, no padding.
    pub fn cbc_encrypt(&self, iv: &[u8; BLOCK], data: &mut [u8]) -> Result<(), Refused> {
        each!(self, cbc_encrypt, iv, data)
    }

    /// In place, whole blocks, no padding.
    pub fn cbc_decrypt(&self, iv: &[u8; BLOCK], data: &mut [u8]) -> Result<(), Refused> {
        each!(self, cbc_decrypt, iv, data)
    }

    /// In place, 128-bit big-endian counter starting at `iv`.
    pub fn ctr(&self, iv: &[u8; BLOCK], data: &mut [u8]) {
        each!(self, ctr, iv, data);
    }

    /// RFC 3394; `out` is 8 bytes longer than `plain`.
    pub fn wrap(&self, plain: &[u8], out: &mut [u8]) -> Result<(), Refused> {
        each!(self, wrap, plain, out)
    }

    /// RFC 3394; `out` is 8 bytes shorter than `wrapped`.
    pub fn unwrap(&self, wrapped: &[u8], out: &mut [u8]) -> Result<(), Refused> {
        each!(self, unwrap, wrapped, out)
    }

    /// CMAC of the concatenation of `parts`.
    pub fn cmac(&self, parts: &[&[u8]], out: &mut [u8; BLOCK]) {
        each!(self, mac, parts, out);
    }
}

#[cfg(feature = "siv")]
pub mod siv {
    //! AES-SIV: deterministic authenticated encryption; the 16-byte tag stands before the ciphertext.

    use aes::{Aes128, Aes192, Aes256};
    use aes_siv::KeyInit;
    use aes_siv::siv::CmacSiv;

    use super::Refused;

    /// Run `$op` on the cipher that the length of `$key` (32, 48 or 64 bytes) names.
    macro_rules! each {
        ($key:expr, $siv:ident => $op:expr) => {
            match $key.len() {
                32 => CmacSiv::<Aes128>::new_from_slice($key).map_err(|_| Refused).and_then(|mut $siv| $op),
                48 => CmacSiv::<Aes192>::new_from_slice($key).map_err(|_| Refused).and_then(|mut $siv| $op),
                64 => CmacSiv::<Aes256>::new_from_slice($key).map_err(|_| Refused).and_then(|mut $siv| $op),
                _ => Err(Refused),
            }
        };
    }

    /// Encrypt `data` in place and return the tag.
    pub fn seal(key: &[u8], headers: &[&[u8]], data: &mut [u8]) -> Result<[u8; 16], Refused> {
        each!(key, siv => siv.encrypt_inout_detached(headers, data.into()).map(Into::into).map_err(|_| Refused))
    }

    /// Check `tag` and decrypt `data` in place. What `data` holds after a refusal is not defined: the caller wipes it.
    pub fn open(key: &[u8], headers: &[&[u8]], data: &mut [u8], tag: &[u8; 16]) -> Result<(), Refused> {
        each!(key, siv => siv.decrypt_inout_detached(headers, data.into(), tag.into()).map_err(|_| Refused))
    }
}
