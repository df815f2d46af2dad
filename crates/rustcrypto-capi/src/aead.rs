//! Authenticated encryption: ciphertext, then tag.

use rustcrypto::Error;
use rustcrypto::primitives::aead::{Aead, Algorithm, MAX_TAG};

use crate::boundary::{borrow, bytes, bytes_mut, guard, guard_new, move_bytes, refuse_overlap, release};

/// AEADs. The nonce is 12 bytes long (CCM: 12 or 13); the tag 16, 8 for `CCM_8`.
#[repr(i32)]
#[derive(Debug, Clone, Copy)]
pub enum rustcrypto_aead_alg {
    RUSTCRYPTO_AES_128_GCM = 1,
    RUSTCRYPTO_AES_256_GCM = 2,
    RUSTCRYPTO_CHACHA20_POLY1305 = 3,
    RUSTCRYPTO_AES_128_CCM = 4,
    RUSTCRYPTO_AES_256_CCM = 5,
    RUSTCRYPTO_AES_128_CCM_8 = 6,
    RUSTCRYPTO_AES_256_CCM_8 = 7,
    RUSTCRYPTO_AES_192_GCM = 8,
}

fn algorithm_of(alg: i32) -> Result<Algorithm, Error> {
    use rustcrypto_aead_alg as I;
    const IDS: &[(I, Algorithm)] = &[
        (I::RUSTCRYPTO_AES_128_GCM, Algorithm::Aes128Gcm),
        (I::RUSTCRYPTO_AES_256_GCM, Algorithm::Aes256Gcm),
        (I::RUSTCRYPTO_CHACHA20_POLY1305, Algorithm::ChaCha20Poly1305),
        (I::RUSTCRYPTO_AES_128_CCM, Algorithm::Aes128Ccm),
        (I::RUSTCRYPTO_AES_256_CCM, Algorithm::Aes256Ccm),
        (I::RUSTCRYPTO_AES_128_CCM_8, Algorithm::Aes128Ccm8),
        (I::RUSTCRYPTO_AES_256_CCM_8, Algorithm::Aes256Ccm8),
        (I::RUSTCRYPTO_AES_192_GCM, Algorithm::Aes192Gcm),
    ];
    let found = IDS.iter().find(|(id, _)| *id as i32 == alg);
    found.map(|(_, algorithm)| *algorithm).ok_or(Error::InvalidArgument("unknown AEAD"))
}

/// A key of one AEAD. Any number of threads may seal and open with it at once.
pub struct rustcrypto_aead_ctx(Aead);

/// Expand a key.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_aead_new(alg: i32, key: *const u8, key_len: usize) -> *mut rustcrypto_aead_ctx {
    // SAFETY: the header's contract.
    guard_new(|| Ok(rustcrypto_aead_ctx(Aead::new(algorithm_of(alg)?, unsafe { bytes(key, key_len) }?)?)))
}

/// Encrypt: `out` receives ciphertext and tag. A nonce must never be used twice with one key. `in` may overlap `out`, `aad` may not.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_aead_seal(
    ctx: *const rustcrypto_aead_ctx,
    nonce: *const u8,
    nonce_len: usize,
    aad: *const u8,
    aad_len: usize,
    r#in: *const u8,
    in_len: usize,
    out: *mut u8,
    cap: usize,
    out_len: *mut usize,
) -> i32 {
    guard(|| {
        // SAFETY: the header's contract.
        let key = unsafe { &borrow(ctx)?.0 };
        let needed =
            in_len.checked_add(key.algorithm().tag_len()).ok_or(Error::InvalidArgument("length out of range"))?;
        // SAFETY: the header's contract; inputs that must not lie in `out` do not.
        unsafe {
            room(needed, out, cap, out_len)?;
            refuse_overlap(&[(nonce, nonce_len), (aad, aad_len)], out, needed)?;
            move_bytes(r#in, out, in_len)?;
            let (text, tag) = bytes_mut(out, needed)?.split_at_mut(in_len);
            key.seal_in_place(bytes(nonce, nonce_len)?, bytes(aad, aad_len)?, text, tag)
        }
    })
}

/// Decrypt: `in` is ciphertext and tag. On failure nothing of the plaintext is in `out`. `in` may overlap `out`, `aad` may not.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_aead_open(
    ctx: *const rustcrypto_aead_ctx,
    nonce: *const u8,
    nonce_len: usize,
    aad: *const u8,
    aad_len: usize,
    r#in: *const u8,
    in_len: usize,
    out: *mut u8,
    cap: usize,
    out_len: *mut usize,
) -> i32 {
    guard(|| {
        // SAFETY: the header's contract.
        let key = unsafe { &borrow(ctx)?.0 };
        let tag_len = key.algorithm().tag_len();
        let needed = in_len.checked_sub(tag_len).ok_or(Error::Authentication)?;
        let mut tag = [0; MAX_TAG];
        // SAFETY: the header's contract; the tag is a copy, and inputs that must not lie in `out` do not.
        unsafe {
            room(needed, out, cap, out_len)?;
            refuse_overlap(&[(nonce, nonce_len), (aad, aad_len)], out, needed)?;
            tag[..tag_len].copy_from_slice(&bytes(r#in, in_len)?[needed..]);
            move_bytes(r#in, out, needed)?;
            let text = bytes_mut(out, needed)?;
            key.open_in_place(bytes(nonce, nonce_len)?, bytes(aad, aad_len)?, text, &tag[..tag_len])
        }
    })
}

/// Tell the needed length, and refuse a buffer that is shorter.
///
/// # Safety
/// `out_len` is NULL or writable.
unsafe fn room(needed: usize, out: *const u8, cap: usize, out_len: *mut usize) -> Result<(), Error> {
    // SAFETY: the caller's promise above.
    if let Some(out_len) = unsafe { out_len.as_mut() } {
        *out_len = needed;
    }
    if cap < needed || (out.is_null() && needed > 0) { Err(Error::BufferTooShort { needed }) } else { Ok(()) }
}

/// Wipe and free; NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_aead_free(ctx: *mut rustcrypto_aead_ctx) {
    // SAFETY: the header's contract.
    unsafe { release(ctx) }
}
