//! What stands between C and Rust: result codes, the last error, caught panics, checked pointers.

use std::cell::RefCell;
use std::ffi::CString;
use std::panic::{AssertUnwindSafe, catch_unwind};

use rustcrypto::Error;

/// What every function that can fail returns.
#[repr(i32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum rustcrypto_result {
    RUSTCRYPTO_OK = 0,
    RUSTCRYPTO_WANT_READ = -1,
    RUSTCRYPTO_WANT_WRITE = -2,
    /// The peer closed the TLS session properly (`close_notify`).
    RUSTCRYPTO_CLOSED = -3,
    RUSTCRYPTO_INVALID_ARGUMENT = -10,
    RUSTCRYPTO_BUFFER_TOO_SHORT = -11,
    RUSTCRYPTO_UNSUPPORTED = -12,
    RUSTCRYPTO_NO_MEMORY = -13,
    /// A tag, MAC or signature does not match.
    RUSTCRYPTO_AUTHENTICATION = -14,
    RUSTCRYPTO_BAD_KEY = -15,
    RUSTCRYPTO_BAD_CERTIFICATE = -16,
    RUSTCRYPTO_IO = -17,
    RUSTCRYPTO_TLS = -18,
    RUSTCRYPTO_BAD_STATE = -19,
    RUSTCRYPTO_ENTROPY = -20,
    /// End of stream without `close_notify`.
    RUSTCRYPTO_TRUNCATED = -21,
    /// A bug of ours, caught at the boundary.
    RUSTCRYPTO_INTERNAL = -99,
}
use rustcrypto_result as R;

thread_local! {
    static LAST_ERROR: RefCell<CString> = RefCell::new(CString::default());
}

/// Remember a sentence for `rustcrypto_last_error`.
pub(crate) fn set_last_error(text: &str) {
    // A NUL inside would cut the sentence; it cannot come from our own texts, but a peer's may be quoted.
    let clean = text.replace('\0', " ");
    LAST_ERROR.with(|slot| *slot.borrow_mut() = CString::new(clean).unwrap_or_default());
}

pub(crate) fn last_error_ptr() -> *const std::ffi::c_char {
    LAST_ERROR.with(|slot| slot.borrow().as_ptr())
}

/// The code for an error; also remembers its sentence.
pub(crate) fn fail(error: &Error) -> i32 {
    set_last_error(&error.to_string());
    (match error {
        Error::BufferTooShort { .. } => R::RUSTCRYPTO_BUFFER_TOO_SHORT,
        Error::Unsupported(_) => R::RUSTCRYPTO_UNSUPPORTED,
        Error::Authentication => R::RUSTCRYPTO_AUTHENTICATION,
        Error::BadKey(_) => R::RUSTCRYPTO_BAD_KEY,
        Error::BadCertificate(_) => R::RUSTCRYPTO_BAD_CERTIFICATE,
        Error::Io(_) => R::RUSTCRYPTO_IO,
        Error::Tls(_) => R::RUSTCRYPTO_TLS,
        Error::BadState(_) => R::RUSTCRYPTO_BAD_STATE,
        Error::Entropy => R::RUSTCRYPTO_ENTROPY,
        Error::Truncated(_) => R::RUSTCRYPTO_TRUNCATED,
        _ => R::RUSTCRYPTO_INVALID_ARGUMENT,
    }) as i32
}

/// Run `f`; its error or panic becomes a code.
pub(crate) fn guard(f: impl FnOnce() -> Result<(), Error>) -> i32 {
    guard_or(R::RUSTCRYPTO_INTERNAL as i32, || match f() {
        Ok(()) => R::RUSTCRYPTO_OK as i32,
        Err(error) => fail(&error),
    })
}

/// Run `f`; a panic becomes `on_panic`.
pub(crate) fn guard_or<T>(on_panic: T, f: impl FnOnce() -> T) -> T {
    // A handle may be left half-changed by a panic: that is a bug already, and every later call on it stays memory-safe.
    catch_unwind(AssertUnwindSafe(f)).unwrap_or_else(|_| {
        set_last_error("internal error (a bug in librustcrypto, caught at its boundary)");
        on_panic
    })
}

/// Run `f` and hand its value out as an owned handle, NULL on error.
pub(crate) fn guard_new<T>(f: impl FnOnce() -> Result<T, Error>) -> *mut T {
    guard_or(std::ptr::null_mut(), || match f() {
        Ok(value) => Box::into_raw(Box::new(value)),
        Err(error) => {
            fail(&error);
            std::ptr::null_mut()
        }
    })
}

/// Take back and drop a handle; NULL is fine.
///
/// # Safety
/// `handle` is NULL or came from [`guard_new`] and was not freed before.
pub(crate) unsafe fn release<T>(handle: *mut T) {
    if !handle.is_null() {
        // SAFETY: the caller's promise above.
        guard_or((), || drop(unsafe { Box::from_raw(handle) }));
    }
}

/// Borrow a handle.
///
/// # Safety
/// `handle` is NULL or points to a live `T` that nobody changes meanwhile.
pub(crate) unsafe fn borrow<'a, T>(handle: *const T) -> Result<&'a T, Error> {
    // SAFETY: the caller's promise above.
    unsafe { handle.as_ref() }.ok_or(Error::InvalidArgument("NULL handle"))
}

/// Borrow a handle to change it.
///
/// # Safety
/// `handle` is NULL or points to a live `T` that nobody else uses meanwhile.
pub(crate) unsafe fn borrow_mut<'a, T>(handle: *mut T) -> Result<&'a mut T, Error> {
    // SAFETY: the caller's promise above.
    unsafe { handle.as_mut() }.ok_or(Error::InvalidArgument("NULL handle"))
}

/// Bytes from C. NULL is allowed when `len` is 0.
///
/// # Safety
/// `data` is NULL or readable for `len` bytes.
pub(crate) unsafe fn bytes<'a>(data: *const u8, len: usize) -> Result<&'a [u8], Error> {
    match (data.is_null(), len) {
        (_, 0) => Ok(&[]),
        (true, _) => Err(Error::InvalidArgument("NULL data with a length")),
        (false, len) if len > isize::MAX as usize => Err(Error::InvalidArgument("length out of range")),
        // SAFETY: not NULL, length in range, and the caller's promise above.
        (false, len) => Ok(unsafe { std::slice::from_raw_parts(data, len) }),
    }
}

/// A buffer from C to write to. NULL is allowed when `len` is 0.
///
/// # Safety
/// `data` is NULL or writable for `len` bytes, and no other Rust reference to it is alive.
pub(crate) unsafe fn bytes_mut<'a>(data: *mut u8, len: usize) -> Result<&'a mut [u8], Error> {
    match (data.is_null(), len) {
        (_, 0) => Ok(&mut []),
        (true, _) => Err(Error::InvalidArgument("NULL buffer with a length")),
        (false, len) if len > isize::MAX as usize => Err(Error::InvalidArgument("length out of range")),
        // SAFETY: not NULL, length in range, and the caller's promise above.
        (false, len) => Ok(unsafe { std::slice::from_raw_parts_mut(data, len) }),
    }
}

/// A NUL-terminated UTF-8 string from C.
///
/// # Safety
/// `text` is NULL or NUL-terminated and readable up to there.
pub(crate) unsafe fn text<'a>(text: *const std::ffi::c_char) -> Result<&'a str, Error> {
    if text.is_null() {
        return Err(Error::InvalidArgument("NULL string"));
    }
    // SAFETY: not NULL, and the caller's promise above.
    unsafe { std::ffi::CStr::from_ptr(text) }.to_str().map_err(|_| Error::InvalidArgument("a string is not UTF-8"))
}

/// Copy a variable-length result out; `*out_len` is what was written, or what is needed when `cap` is too short.
///
/// # Safety
/// `out` is NULL or writable for `cap` bytes; `out_len` is NULL or writable.
pub(crate) unsafe fn write_out(result: &[u8], out: *mut u8, cap: usize, out_len: *mut usize) -> Result<(), Error> {
    // SAFETY: the caller's promise above.
    if let Some(out_len) = unsafe { out_len.as_mut() } {
        *out_len = result.len();
    }
    if cap < result.len() {
        return Err(Error::BufferTooShort { needed: result.len() });
    }
    // SAFETY: the caller's promise above.
    unsafe { bytes_mut(out, result.len()) }?.copy_from_slice(result);
    Ok(())
}

/// Write a fixed-length result to a buffer that must hold it.
///
/// # Safety
/// `out` is NULL or writable for `out_len` bytes, and no other Rust reference to it is alive.
pub(crate) unsafe fn write_exact(result: &[u8], out: *mut u8, out_len: usize) -> Result<(), Error> {
    // SAFETY: the caller's promise above; a NULL `out_len` is left alone.
    unsafe { write_out(result, out, out_len, std::ptr::null_mut()) }
}

/// `N` bytes from C, copied so that they may lie in a buffer that is about to be written.
///
/// # Safety
/// `data` is NULL or readable for `N` bytes.
pub(crate) unsafe fn array<const N: usize>(data: *const u8) -> Result<[u8; N], Error> {
    // SAFETY: the caller's promise above.
    let bytes = unsafe { bytes(data, N) }?;
    bytes.try_into().map_err(|_| Error::InvalidArgument("NULL data with a length"))
}

/// Pieces of an input; a few need no memory.
pub(crate) enum Parts<'a> {
    Few([&'a [u8]; FEW], usize),
    Many(Vec<&'a [u8]>),
}

/// hostapd passes up to nine where keys are derived, mostly fewer.
const FEW: usize = 8;

impl<'a> std::ops::Deref for Parts<'a> {
    type Target = [&'a [u8]];
    fn deref(&self) -> &Self::Target {
        match self {
            Self::Few(parts, n) => &parts[..*n],
            Self::Many(parts) => parts,
        }
    }
}

/// Scattered input from C: `n` pieces, as hostapd passes them.
///
/// # Safety
/// `addr` and `len` are NULL or readable for `n` items, and each piece for its length.
pub(crate) unsafe fn parts<'a>(n: usize, addr: *const *const u8, len: *const usize) -> Result<Parts<'a>, Error> {
    if n == 0 {
        return Ok(Parts::Few([&[]; FEW], 0));
    }
    if addr.is_null() || len.is_null() || n > isize::MAX as usize / size_of::<usize>() {
        return Err(Error::InvalidArgument("NULL or impossible array of pieces"));
    }
    // SAFETY: not NULL, in range, and the caller's promise above.
    let (addr, len) = unsafe { (std::slice::from_raw_parts(addr, n), std::slice::from_raw_parts(len, n)) };
    // SAFETY: the caller's promise above, piece by piece.
    let pieces = addr.iter().zip(len).map(|(addr, len)| unsafe { bytes(*addr, *len) });
    if n > FEW {
        return pieces.collect::<Result<_, _>>().map(Parts::Many);
    }
    let mut few: [&[u8]; FEW] = [&[]; FEW];
    for (slot, piece) in few.iter_mut().zip(pieces) {
        *slot = piece?;
    }
    Ok(Parts::Few(few, n))
}

/// Do two buffers share a byte?
fn overlap(a: *const u8, a_len: usize, b: *const u8, b_len: usize) -> bool {
    a_len != 0 && b_len != 0 && a.addr() < b.addr().saturating_add(b_len) && b.addr() < a.addr().saturating_add(a_len)
}

/// Refuse inputs that lie in the output buffer: they would be overwritten while they are read.
pub(crate) fn refuse_overlap(inputs: &[(*const u8, usize)], out: *const u8, out_len: usize) -> Result<(), Error> {
    if inputs.iter().any(|&(data, len)| overlap(data, len, out, out_len)) {
        return Err(Error::InvalidArgument("an input overlaps the output"));
    }
    Ok(())
}

/// Copy input to where it is then worked on in place; the two may overlap.
///
/// # Safety
/// `from` is NULL or readable, `to` NULL or writable for `len` bytes, and no Rust reference to `to` is alive.
pub(crate) unsafe fn move_bytes(from: *const u8, to: *mut u8, len: usize) -> Result<(), Error> {
    match (len, from.is_null() || to.is_null()) {
        (0, _) => Ok(()),
        (_, false) if std::ptr::eq(from, to) => Ok(()),
        (_, true) => Err(Error::InvalidArgument("NULL buffer with a length")),
        (_, false) if len > isize::MAX as usize => Err(Error::InvalidArgument("length out of range")),
        (_, false) => {
            // SAFETY: not NULL, length in range, the caller's promise above; `copy` allows overlap.
            unsafe { std::ptr::copy(from, to, len) };
            Ok(())
        }
    }
}
