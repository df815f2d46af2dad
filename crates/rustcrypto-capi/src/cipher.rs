//! AES block by block and in its modes. Keys are 16, 24 or 32 bytes long.

use rustcrypto::Error;
use rustcrypto::primitives::cipher::{self, Aes, BLOCK};
use zeroize::Zeroizing;

use crate::boundary::{
    array, borrow, bytes, bytes_mut, guard, guard_new, move_bytes, parts, refuse_overlap, release, write_exact,
};

/// An expanded AES key.
pub struct rustcrypto_aes(Aes);

/// Expand a key of 16, 24 or 32 bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_aes_new(key: *const u8, key_len: usize) -> *mut rustcrypto_aes {
    // SAFETY: the header's contract.
    guard_new(|| Ok(rustcrypto_aes(unsafe { aes(key, key_len) }?)))
}

/// # Safety
/// `key` is NULL or readable for `key_len` bytes.
unsafe fn aes(key: *const u8, key_len: usize) -> Result<Aes, Error> {
    // SAFETY: the caller's promise above.
    Aes::new(unsafe { bytes(key, key_len) }?)
}

/// Encrypt one block of 16 bytes; `in` and `out` may be the same.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_aes_encrypt_block(
    aes: *const rustcrypto_aes,
    r#in: *const u8,
    out: *mut u8,
) -> i32 {
    guard(|| {
        // SAFETY: the header's contract; the block is a copy.
        let (aes, mut block) = unsafe { (borrow(aes)?, array(r#in)?) };
        aes.0.encrypt_block(&mut block);
        // SAFETY: the header's contract.
        unsafe { write_exact(&block, out, BLOCK) }
    })
}

/// Decrypt one block of 16 bytes; `in` and `out` may be the same.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_aes_decrypt_block(
    aes: *const rustcrypto_aes,
    r#in: *const u8,
    out: *mut u8,
) -> i32 {
    guard(|| {
        // SAFETY: the header's contract; the block is a copy.
        let (aes, mut block) = unsafe { (borrow(aes)?, array(r#in)?) };
        aes.0.decrypt_block(&mut block);
        // SAFETY: the header's contract.
        unsafe { write_exact(&block, out, BLOCK) }
    })
}

/// Wipe and free; NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_aes_free(aes: *mut rustcrypto_aes) {
    // SAFETY: the header's contract.
    unsafe { release(aes) }
}

/// CBC in place: whole 16-byte blocks, no padding. `iv` is 16 bytes long and not changed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_aes_cbc_encrypt(
    key: *const u8,
    key_len: usize,
    iv: *const u8,
    data: *mut u8,
    len: usize,
) -> i32 {
    // SAFETY: the header's contract; key and IV are copies when `data` is borrowed.
    guard(|| unsafe { aes(key, key_len)?.cbc_encrypt(&array(iv)?, bytes_mut(data, len)?) })
}

/// CBC in place: whole 16-byte blocks, no padding. `iv` is 16 bytes long and not changed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_aes_cbc_decrypt(
    key: *const u8,
    key_len: usize,
    iv: *const u8,
    data: *mut u8,
    len: usize,
) -> i32 {
    // SAFETY: the header's contract; key and IV are copies when `data` is borrowed.
    guard(|| unsafe { aes(key, key_len)?.cbc_decrypt(&array(iv)?, bytes_mut(data, len)?) })
}

/// CTR in place, encryption and decryption alike: a 128-bit big-endian counter that starts at `iv` (16 bytes, not changed).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_aes_ctr(
    key: *const u8,
    key_len: usize,
    iv: *const u8,
    data: *mut u8,
    len: usize,
) -> i32 {
    guard(|| {
        // SAFETY: the header's contract; key and IV are copies when `data` is borrowed.
        unsafe { aes(key, key_len)?.ctr(&array(iv)?, bytes_mut(data, len)?) };
        Ok(())
    })
}

/// Key wrap (RFC 3394): whole 8-byte blocks, two at least; `out` is 8 bytes longer than `plain` and may overlap it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_aes_wrap(
    kek: *const u8,
    kek_len: usize,
    plain: *const u8,
    plain_len: usize,
    out: *mut u8,
    out_len: usize,
) -> i32 {
    guard(|| {
        // SAFETY: the header's contract; the plain key is a copy when `out` is borrowed.
        let (kek, plain) = unsafe { (aes(kek, kek_len)?, Zeroizing::new(bytes(plain, plain_len)?.to_vec())) };
        let needed = plain.len() + 8;
        if out_len < needed {
            return Err(Error::BufferTooShort { needed });
        }
        // SAFETY: the header's contract.
        kek.wrap(&plain, unsafe { bytes_mut(out, needed) }?)
    })
}

/// Key unwrap (RFC 3394): `out` is 8 bytes shorter than `in` and may overlap it; on failure it is zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_aes_unwrap(
    kek: *const u8,
    kek_len: usize,
    r#in: *const u8,
    in_len: usize,
    out: *mut u8,
    out_len: usize,
) -> i32 {
    guard(|| {
        // SAFETY: the header's contract; the wrapped key is a copy when `out` is borrowed.
        let (kek, wrapped) = unsafe { (aes(kek, kek_len)?, bytes(r#in, in_len)?.to_vec()) };
        let needed = wrapped.len().saturating_sub(8);
        if out_len < needed {
            return Err(Error::BufferTooShort { needed });
        }
        // SAFETY: the header's contract.
        kek.unwrap(&wrapped, unsafe { bytes_mut(out, needed) }?)
    })
}

/// CMAC (SP 800-38B) of `n` pieces, one after the other; `mac` is 16 bytes long.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_aes_cmac(
    key: *const u8,
    key_len: usize,
    n: usize,
    addr: *const *const u8,
    len: *const usize,
    mac: *mut u8,
) -> i32 {
    guard(|| {
        // SAFETY: the header's contract; the pieces are no longer used when `mac` is written.
        let result = unsafe { aes(key, key_len)?.cmac(&parts(n, addr, len)?) };
        // SAFETY: the header's contract.
        unsafe { write_exact(&result, mac, BLOCK) }
    })
}

/// AES-SIV (RFC 5297): the 16-byte tag, then the ciphertext; `out_len` is `in_len + 16`. `key` is 32, 48 or 64 bytes long;
/// at most 126 pieces of associated data, a nonce being the last. `in` may overlap `out`, the other inputs may not.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_aes_siv_encrypt(
    key: *const u8,
    key_len: usize,
    n: usize,
    ad: *const *const u8,
    ad_len: *const usize,
    r#in: *const u8,
    in_len: usize,
    out: *mut u8,
    out_len: usize,
) -> i32 {
    guard(|| {
        let needed = in_len.checked_add(BLOCK).ok_or(Error::InvalidArgument("length out of range"))?;
        if out.is_null() || out_len < needed {
            return Err(Error::BufferTooShort { needed });
        }
        // SAFETY: the header's contract.
        let ad = unsafe { parts(n, ad, ad_len) }?;
        refuse_overlap(&[(key, key_len)], out, needed)?;
        for piece in &*ad {
            refuse_overlap(&[(piece.as_ptr(), piece.len())], out, needed)?;
        }
        // SAFETY: `out` holds `needed` bytes; nothing borrowed lies in it.
        let (key, text) = unsafe {
            move_bytes(r#in, out.add(BLOCK), in_len)?;
            (bytes(key, key_len)?, bytes_mut(out.add(BLOCK), in_len)?)
        };
        let tag = cipher::siv_seal(key, &ad, text)?;
        // SAFETY: the header's contract; `text` is no longer used.
        unsafe { write_exact(&tag, out, BLOCK) }
    })
}

/// The reverse of `rustcrypto_aes_siv_encrypt`; `out_len` is `in_len - 16`. On failure `out` is zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_aes_siv_decrypt(
    key: *const u8,
    key_len: usize,
    n: usize,
    ad: *const *const u8,
    ad_len: *const usize,
    r#in: *const u8,
    in_len: usize,
    out: *mut u8,
    out_len: usize,
) -> i32 {
    guard(|| {
        let needed = in_len.checked_sub(BLOCK).ok_or(Error::Authentication)?;
        if out_len < needed {
            return Err(Error::BufferTooShort { needed });
        }
        // SAFETY: the header's contract; the tag is a copy.
        let (ad, tag) = unsafe { (parts(n, ad, ad_len)?, array(r#in)?) };
        refuse_overlap(&[(key, key_len)], out, needed)?;
        for piece in &*ad {
            refuse_overlap(&[(piece.as_ptr(), piece.len())], out, needed)?;
        }
        // SAFETY: `in` holds a tag and `needed` bytes; nothing borrowed lies in `out`.
        let (key, text) = unsafe {
            move_bytes(r#in.add(BLOCK), out, needed)?;
            (bytes(key, key_len)?, bytes_mut(out, needed)?)
        };
        cipher::siv_open(key, &ad, text, &tag)
    })
}
