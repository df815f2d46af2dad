//! Key encapsulation: ML-KEM (FIPS 203).

use rustcrypto::Error;
use rustcrypto::primitives::kem::{self, Kem, SecretKey};

use crate::boundary::{borrow, bytes, guard, guard_new, release, write_exact, write_out};

/// Parameter sets.
#[repr(i32)]
#[derive(Debug, Clone, Copy)]
pub enum rustcrypto_kem {
    RUSTCRYPTO_MLKEM512 = 1,
    RUSTCRYPTO_MLKEM768 = 2,
    RUSTCRYPTO_MLKEM1024 = 3,
}

fn kem_of(alg: i32) -> Result<Kem, Error> {
    match alg {
        _ if alg == rustcrypto_kem::RUSTCRYPTO_MLKEM512 as i32 => Ok(Kem::MlKem512),
        _ if alg == rustcrypto_kem::RUSTCRYPTO_MLKEM768 as i32 => Ok(Kem::MlKem768),
        _ if alg == rustcrypto_kem::RUSTCRYPTO_MLKEM1024 as i32 => Ok(Kem::MlKem1024),
        _ => Err(Error::InvalidArgument("unknown key encapsulation mechanism")),
    }
}

/// A decapsulation key.
pub struct rustcrypto_kem_key(SecretKey);

/// A fresh key; NULL on error.
#[unsafe(no_mangle)]
pub extern "C" fn rustcrypto_kem_generate(alg: i32) -> *mut rustcrypto_kem_key {
    guard_new(|| SecretKey::generate(kem_of(alg)?).map(rustcrypto_kem_key))
}

/// Wipe and free; NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_kem_free(key: *mut rustcrypto_kem_key) {
    // SAFETY: the header's contract.
    unsafe { release(key) }
}

/// The encapsulation key: 800, 1184 or 1568 bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_kem_public(
    key: *const rustcrypto_kem_key,
    out: *mut u8,
    cap: usize,
    out_len: *mut usize,
) -> i32 {
    // SAFETY: the header's contract.
    guard(|| unsafe { write_out(&borrow(key)?.0.public(), out, cap, out_len) })
}

/// Ciphertext (768, 1088 or 1568 bytes) and shared secret (32 bytes) for the holder of an encapsulation key.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_kem_encapsulate(
    alg: i32,
    pub_: *const u8,
    pub_len: usize,
    ct: *mut u8,
    ct_cap: usize,
    ct_len: *mut usize,
    secret: *mut u8,
    secret_len: usize,
) -> i32 {
    guard(|| {
        if secret_len < 32 {
            return Err(Error::BufferTooShort { needed: 32 });
        }
        // SAFETY: the header's contract; the key is no longer used when the results are written.
        let (ciphertext, shared) = kem::encapsulate(kem_of(alg)?, unsafe { bytes(pub_, pub_len) }?)?;
        // SAFETY: the header's contract.
        unsafe {
            write_out(&ciphertext, ct, ct_cap, ct_len)?;
            write_exact(&*shared, secret, secret_len)
        }
    })
}

/// The shared secret (32 bytes) of a ciphertext. A wrong ciphertext of the right length gives one that nobody else has.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_kem_decapsulate(
    key: *const rustcrypto_kem_key,
    ct: *const u8,
    ct_len: usize,
    secret: *mut u8,
    secret_len: usize,
) -> i32 {
    guard(|| {
        // SAFETY: the header's contract; the ciphertext is no longer used when the secret is written.
        let shared = unsafe { borrow(key)?.0.decapsulate(bytes(ct, ct_len)?)? };
        // SAFETY: the header's contract.
        unsafe { write_exact(&*shared, secret, secret_len) }
    })
}
