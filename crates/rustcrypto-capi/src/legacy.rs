//! DES and RC4, for old EAP methods and WPA1 alone: `RUSTCRYPTO_UNSUPPORTED` unless built with `legacy-eap`.

use rustcrypto::primitives::legacy;

use crate::boundary::{array, bytes, bytes_mut, guard, write_exact};

/// DES on one block of 8 bytes, with a key of 8 bytes whose parity bits are ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_des_encrypt_block(key: *const u8, r#in: *const u8, out: *mut u8) -> i32 {
    guard(|| {
        // SAFETY: the header's contract; both are copies.
        let (key, mut block) = unsafe { (array(key)?, array(r#in)?) };
        legacy::des_encrypt_block(&key, &mut block)?;
        // SAFETY: the header's contract.
        unsafe { write_exact(&block, out, block.len()) }
    })
}

/// RC4 in place after dropping `skip` bytes of the key stream; a key of 1 to 256 bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_rc4(key: *const u8, key_len: usize, skip: usize, data: *mut u8, len: usize) -> i32 {
    guard(|| {
        // SAFETY: the header's contract; the key is a copy when `data` is borrowed.
        let key = unsafe { bytes(key, key_len) }?.to_vec();
        // SAFETY: the header's contract.
        legacy::rc4(&key, skip, unsafe { bytes_mut(data, len) }?)
    })
}
