//! Version, errors, random bytes, and what memory needs done to it in constant time.

use std::ffi::{c_char, c_int, c_void};

use rustcrypto::Error;
use rustcrypto::primitives::{cpu, rng};
use subtle::ConstantTimeEq;
use zeroize::Zeroize;

use crate::boundary::{bytes, bytes_mut, guard, guard_or, last_error_ptr, rustcrypto_result as R, write_out};

/// The library's version, for example "0.1.0". Static text.
#[unsafe(no_mangle)]
pub extern "C" fn rustcrypto_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

/// The ABI's version: the number in the SONAME. It grows only when a symbol or its meaning is taken away.
#[unsafe(no_mangle)]
pub extern "C" fn rustcrypto_abi_version() -> u32 {
    0
}

/// This thread's last failure as a sentence, "" if there was none. Valid until this thread's next call.
#[unsafe(no_mangle)]
pub extern "C" fn rustcrypto_last_error() -> *const c_char {
    guard_or(c"".as_ptr(), last_error_ptr)
}

/// What a result code means. Static text, also for codes that do not exist.
#[unsafe(no_mangle)]
pub extern "C" fn rustcrypto_strerror(result: i32) -> *const c_char {
    const TEXTS: &[(R, &std::ffi::CStr)] = &[
        (R::RUSTCRYPTO_OK, c"success"),
        (R::RUSTCRYPTO_WANT_READ, c"call again when there is something to read"),
        (R::RUSTCRYPTO_WANT_WRITE, c"call again when there is room to write"),
        (R::RUSTCRYPTO_CLOSED, c"the peer closed the TLS session"),
        (R::RUSTCRYPTO_INVALID_ARGUMENT, c"invalid argument"),
        (R::RUSTCRYPTO_BUFFER_TOO_SHORT, c"output buffer too short"),
        (R::RUSTCRYPTO_UNSUPPORTED, c"not supported by this build or on this CPU"),
        (R::RUSTCRYPTO_NO_MEMORY, c"out of memory"),
        (R::RUSTCRYPTO_AUTHENTICATION, c"authentication failed: tag or signature does not match"),
        (R::RUSTCRYPTO_BAD_KEY, c"key refused"),
        (R::RUSTCRYPTO_BAD_CERTIFICATE, c"certificate refused"),
        (R::RUSTCRYPTO_IO, c"input or output failed"),
        (R::RUSTCRYPTO_TLS, c"the TLS protocol failed"),
        (R::RUSTCRYPTO_BAD_STATE, c"called out of order"),
        (R::RUSTCRYPTO_ENTROPY, c"the operating system gave no random bytes"),
        (R::RUSTCRYPTO_TRUNCATED, c"the stream ended without a close_notify"),
        (R::RUSTCRYPTO_INTERNAL, c"internal error (a bug in librustcrypto)"),
    ];
    TEXTS.iter().find(|(code, _)| *code as i32 == result).map_or(c"unknown result code", |(_, text)| text).as_ptr()
}

/// One line per algorithm: its name, the implementation that serves it on this CPU, and why. Not NUL-terminated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_cpu_report(out: *mut u8, cap: usize, out_len: *mut usize) -> i32 {
    // SAFETY: the header's contract.
    guard(|| unsafe { write_out(cpu::report().as_bytes(), out, cap, out_len) })
}

/// Random bytes from the operating system. On failure nothing in `out` may be used.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_random(out: *mut u8, len: usize) -> i32 {
    // SAFETY: the header's contract.
    guard(|| rng::fill(unsafe { bytes_mut(out, len) }?))
}

/// Overwrite memory with zeros in a way that the compiler keeps.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_wipe(p: *mut c_void, len: usize) {
    guard(|| {
        // SAFETY: the header's contract.
        unsafe { bytes_mut(p.cast(), len) }?.zeroize();
        Ok::<_, Error>(())
    });
}

/// 1 if `len` bytes are equal, else 0; the time taken depends on `len` alone. NULL equals nothing but length 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_equal(a: *const c_void, b: *const c_void, len: usize) -> c_int {
    guard_or(0, || {
        // SAFETY: the header's contract.
        match unsafe { (bytes(a.cast(), len), bytes(b.cast(), len)) } {
            (Ok(a), Ok(b)) => c_int::from(bool::from(a.ct_eq(b))),
            _ => 0,
        }
    })
}
