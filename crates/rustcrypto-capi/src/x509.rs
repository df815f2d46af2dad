//! Certificates.

use std::ffi::c_char;

use rustcrypto::Error;
use rustcrypto::x509::SelfSigned;

use crate::boundary::{borrow, guard, text, write_out};
use crate::key::{rustcrypto_format, rustcrypto_key};

/// Most strings worth reading from an array: more is a caller's mistake.
const MOST: usize = 1000;

/// The strings of a C array.
unsafe fn texts<'a>(array: *const *const c_char, n: usize) -> Result<Vec<&'a str>, Error> {
    if n > MOST || (array.is_null() && n > 0) {
        return Err(Error::InvalidArgument("a broken array of strings"));
    }
    // SAFETY: the header's contract: `n` pointers to NUL-terminated strings, which `text` checks for NULL.
    (0..n).map(|at| unsafe { text(*array.add(at)) }).collect()
}

/// A self-signed certificate for a server: version 3, subjectAltName, key usage digitalSignature, extended key usage serverAuth,
/// CA:FALSE, a random serial. `subject` is an array of "KEY=value" (C, ST, L, O, OU, CN), `sans` of "DNS:name" and "IP:address";
/// times are unix seconds.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_x509_self_signed(
    key: *const rustcrypto_key,
    subject: *const *const c_char,
    n_subject: usize,
    sans: *const *const c_char,
    n_sans: usize,
    not_before: i64,
    not_after: i64,
    format: i32,
    out: *mut u8,
    cap: usize,
    out_len: *mut usize,
) -> i32 {
    guard(|| {
        // SAFETY: the header's contract.
        let (key, subject, alt_names) = unsafe { (borrow(key)?, texts(subject, n_subject)?, texts(sans, n_sans)?) };
        let request = SelfSigned { subject: &subject, alt_names: &alt_names, not_before, not_after };
        let der = request.create(key.private()?)?;
        let bytes = match format {
            f if f == rustcrypto_format::RUSTCRYPTO_DER as i32 => der,
            f if f == rustcrypto_format::RUSTCRYPTO_PEM as i32 => rustcrypto::x509::certificate_to_pem(&der),
            _ => return Err(Error::InvalidArgument("a format is RUSTCRYPTO_PEM or RUSTCRYPTO_DER")),
        };
        // SAFETY: the header's contract.
        unsafe { write_out(&bytes, out, cap, out_len) }
    })
}
