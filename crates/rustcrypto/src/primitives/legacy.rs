//! DES and RC4, broken and kept only for what old EAP methods and WPA1 speak (`legacy-eap`). Nothing else may use them.

use crate::{Error, Result};

/// One DES block with an 8-byte key (parity bits are ignored).
#[cfg(feature = "legacy-eap")]
pub fn des_encrypt_block(key: &[u8; 8], block: &mut [u8; 8]) -> Result<()> {
    use des::cipher::{BlockCipherEncrypt, KeyInit};
    des::Des::new(key.into()).encrypt_block(block.into());
    Ok(())
}

/// RC4 in place after dropping the first `skip` bytes of the key stream. `key` is 1 to 256 bytes long.
#[cfg(feature = "legacy-eap")]
pub fn rc4(key: &[u8], skip: usize, data: &mut [u8]) -> Result<()> {
    use rc4::{KeyInit, StreamCipher};
    let mut cipher =
        rc4::Rc4::new_from_slice(key).map_err(|_| Error::InvalidArgument("an RC4 key is 1 to 256 bytes long"))?;
    let mut dropped = [0; 256];
    let mut left = skip;
    while left > 0 {
        let now = left.min(dropped.len());
        cipher.apply_keystream(&mut dropped[..now]);
        left -= now;
    }
    cipher.apply_keystream(data);
    Ok(())
}

#[cfg(not(feature = "legacy-eap"))]
pub fn des_encrypt_block(_: &[u8; 8], _: &mut [u8; 8]) -> Result<()> {
    Err(Error::Unsupported("DES is not in this build"))
}

#[cfg(not(feature = "legacy-eap"))]
pub fn rc4(_: &[u8], _: usize, _: &mut [u8]) -> Result<()> {
    Err(Error::Unsupported("RC4 is not in this build"))
}
