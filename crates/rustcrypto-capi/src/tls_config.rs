//! `rustcrypto_tls_config_*`

use std::ffi::c_char;
use std::fs;
use std::path::Path;

use rustcrypto::Error;
use rustcrypto::tls::{Config, Role, Verify};

use crate::boundary::{borrow_mut, bytes, guard, guard_new, release, text};

/// Which side of a session.
#[repr(i32)]
#[derive(Debug, Clone, Copy)]
pub enum rustcrypto_role {
    RUSTCRYPTO_CLIENT = 1,
    RUSTCRYPTO_SERVER = 2,
}

/// What becomes of the peer's certificate.
#[repr(i32)]
#[derive(Debug, Clone, Copy)]
pub enum rustcrypto_verify {
    /// Not looked at; a server does not ask for one.
    RUSTCRYPTO_VERIFY_NONE = 0,
    /// Checked; a failure is told by rustcrypto_tls_verify_result and does not end the handshake.
    RUSTCRYPTO_VERIFY_OPTIONAL = 1,
    /// Checked; a failure ends the handshake.
    RUSTCRYPTO_VERIFY_REQUIRED = 2,
}

/// Largest certificate, key or CRL file that is read into memory. CA files are streamed and have no limit.
const LARGEST_FILE: u64 = 1 << 20;

/// The parameters of TLS sessions. Many sessions, on any threads, may share one that is not being changed.
pub struct rustcrypto_tls_config(pub(crate) Config);

/// Read a small file whole.
unsafe fn file(path: *const c_char) -> Result<Vec<u8>, Error> {
    // SAFETY: the header's contract.
    let path = unsafe { text(path) }?;
    let failed = |error| Error::Io(format!("cannot read {path}: {error}"));
    if fs::metadata(path).map_err(failed)?.len() > LARGEST_FILE {
        return Err(Error::Io(format!("cannot read {path}: it is larger than 1 MiB")));
    }
    fs::read(path).map_err(failed)
}

/// Name the file in what went wrong with its contents.
unsafe fn in_file(result: Result<(), Error>, path: *const c_char) -> Result<(), Error> {
    // SAFETY: the header's contract.
    let path = unsafe { text(path) }?;
    result.map_err(|error| match error {
        Error::BadKey(why) => Error::BadKey(format!("{path}: {why}").into()),
        Error::BadCertificate(why) => Error::BadCertificate(format!("{path}: {why}").into()),
        other => other,
    })
}

/// A configuration for clients (verify: required) or servers (verify: none). NULL on failure.
#[unsafe(no_mangle)]
pub extern "C" fn rustcrypto_tls_config_new(role: i32) -> *mut rustcrypto_tls_config {
    guard_new(|| {
        let role = match role {
            1 => Role::Client,
            2 => Role::Server,
            _ => return Err(Error::InvalidArgument("a role is RUSTCRYPTO_CLIENT or RUSTCRYPTO_SERVER")),
        };
        Ok(rustcrypto_tls_config(Config::new(role)))
    })
}

/// Free; NULL is fine. Sessions go on: they keep what they need.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_tls_config_free(config: *mut rustcrypto_tls_config) {
    // SAFETY: the header's contract.
    unsafe { release(config) };
}

/// Trust the certificates in a PEM bundle or DER file; cumulative. Only the path is kept: each verification streams the file.
/// RUSTCRYPTO_IO if it cannot be read, RUSTCRYPTO_BAD_CERTIFICATE if no certificate is in it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_tls_config_add_ca_file(
    config: *mut rustcrypto_tls_config,
    path: *const c_char,
) -> i32 {
    // SAFETY: the header's contract.
    guard(|| unsafe { borrow_mut(config)?.0.add_ca_file(Path::new(text(path)?)) })
}

/// Trust the certificates in `data` (PEM or DER); cumulative.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_tls_config_add_ca(
    config: *mut rustcrypto_tls_config,
    data: *const u8,
    len: usize,
) -> i32 {
    // SAFETY: the header's contract.
    guard(|| unsafe { borrow_mut(config)?.0.add_ca(bytes(data, len)?) })
}

/// Refuse what a certificate revocation list names (PEM or DER); cumulative.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_tls_config_add_crl(
    config: *mut rustcrypto_tls_config,
    data: *const u8,
    len: usize,
) -> i32 {
    // SAFETY: the header's contract.
    guard(|| unsafe { borrow_mut(config)?.0.add_crl(bytes(data, len)?) })
}

/// Our certificate chain from a file (PEM, leaf first, or one DER). Certificate and key in any order: the second is checked
/// against the first, RUSTCRYPTO_BAD_KEY if they do not belong together.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_tls_config_set_cert_file(
    config: *mut rustcrypto_tls_config,
    path: *const c_char,
) -> i32 {
    // SAFETY: the header's contract.
    guard(|| unsafe { in_file(borrow_mut(config)?.0.set_certificate(&file(path)?), path) })
}

/// Our private key from a file (PEM or DER; PKCS#1, SEC1 or PKCS#8, not encrypted).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_tls_config_set_key_file(
    config: *mut rustcrypto_tls_config,
    path: *const c_char,
) -> i32 {
    guard(|| {
        // SAFETY: the header's contract.
        let mut key = unsafe { file(path) }?;
        // SAFETY: the header's contract.
        let result = unsafe { borrow_mut(config) }.and_then(|config| config.0.set_key(&key));
        zeroize::Zeroize::zeroize(&mut key);
        // SAFETY: the header's contract.
        unsafe { in_file(result, path) }
    })
}

/// As rustcrypto_tls_config_set_cert_file, from memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_tls_config_set_cert(
    config: *mut rustcrypto_tls_config,
    data: *const u8,
    len: usize,
) -> i32 {
    // SAFETY: the header's contract.
    guard(|| unsafe { borrow_mut(config)?.0.set_certificate(bytes(data, len)?) })
}

/// As rustcrypto_tls_config_set_key_file, from memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_tls_config_set_key(
    config: *mut rustcrypto_tls_config,
    data: *const u8,
    len: usize,
) -> i32 {
    // SAFETY: the header's contract.
    guard(|| unsafe { borrow_mut(config)?.0.set_key(bytes(data, len)?) })
}

/// Cipher suites in order of preference, ':' or ',' between them, as OpenSSL, IANA or Mbed TLS write them. Unknown names are
/// skipped; RUSTCRYPTO_INVALID_ARGUMENT if none is known. A list without TLS 1.3 suites leaves those as they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_tls_config_set_ciphers(
    config: *mut rustcrypto_tls_config,
    list: *const c_char,
) -> i32 {
    // SAFETY: the header's contract.
    guard(|| unsafe { borrow_mut(config)?.0.set_ciphers(text(list)?) })
}

/// Key exchange groups in order of preference, of X25519MLKEM768, X25519, P-256, P-384, P-521.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_tls_config_set_groups(
    config: *mut rustcrypto_tls_config,
    list: *const c_char,
) -> i32 {
    // SAFETY: the header's contract.
    guard(|| unsafe { borrow_mut(config)?.0.set_groups(text(list)?) })
}

/// Lowest and highest version, 0x0303 (TLS 1.2) or 0x0304 (TLS 1.3).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_tls_config_set_versions(
    config: *mut rustcrypto_tls_config,
    min: u16,
    max: u16,
) -> i32 {
    // SAFETY: the header's contract.
    guard(|| unsafe { borrow_mut(config) }?.0.set_versions(min, max))
}

/// Application protocols, best first, ',' between them; "" for none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_tls_config_set_alpn(
    config: *mut rustcrypto_tls_config,
    list: *const c_char,
) -> i32 {
    // SAFETY: the header's contract.
    guard(|| unsafe { borrow_mut(config)?.0.set_alpn(text(list)?) })
}

/// What becomes of the peer's certificate: one of rustcrypto_verify.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_tls_config_set_verify(config: *mut rustcrypto_tls_config, mode: i32) -> i32 {
    guard(|| {
        let mode = match mode {
            0 => Verify::None,
            1 => Verify::Optional,
            2 => Verify::Required,
            _ => return Err(Error::InvalidArgument("unknown verify mode")),
        };
        // SAFETY: the header's contract.
        unsafe { borrow_mut(config) }?.0.set_verify(mode);
        Ok(())
    })
}

/// Off: the chain is checked and the host name is left to the caller (rustcrypto_tls_check_name). Default: on.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_tls_config_set_verify_name(config: *mut rustcrypto_tls_config, on: bool) -> i32 {
    guard(|| {
        // SAFETY: the header's contract.
        unsafe { borrow_mut(config) }?.0.set_verify_name(on);
        Ok(())
    })
}

/// Judge certificates as of this time; 0 is now.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_tls_config_set_time(config: *mut rustcrypto_tls_config, unix_seconds: i64) -> i32 {
    guard(|| {
        let time = u64::try_from(unix_seconds).map_err(|_| Error::InvalidArgument("a time before 1970"))?;
        // SAFETY: the header's contract.
        unsafe { borrow_mut(config) }?.0.set_time((time != 0).then_some(time));
        Ok(())
    })
}

/// Sessions to remember for resumption (default: client 4 servers, server 8 and tickets); 0 turns resumption off.
/// A server's TLS 1.3 tickets have nonces of 32 bytes, at which clients on wolfSSL before 5.6 give up (they keep 8): 0 serves them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_tls_config_set_session_cache(
    config: *mut rustcrypto_tls_config,
    entries: usize,
) -> i32 {
    guard(|| {
        // SAFETY: the header's contract.
        unsafe { borrow_mut(config) }?.0.set_session_cache(entries);
        Ok(())
    })
}

/// Most plaintext per record sent, 512 to 16384 bytes: what a slow peer can make a session hold. Default: client 16384, server 4096.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_tls_config_set_record_size(
    config: *mut rustcrypto_tls_config,
    bytes: usize,
) -> i32 {
    // SAFETY: the header's contract.
    guard(|| unsafe { borrow_mut(config) }?.0.set_record_size(bytes))
}
