//! `rustcrypto_tls_*`: sessions.

use std::ffi::{CString, c_char, c_int, c_void};

use rustcrypto::Error;
use rustcrypto::tls::{Progress, Read, Session};

use crate::boundary::{
    borrow, borrow_mut, bytes, bytes_mut, fail, guard, guard_new, guard_or, release, rustcrypto_result as R, text,
    write_out,
};
use crate::tls_config::rustcrypto_tls_config;
use crate::tls_io::{Io, rustcrypto_io_read, rustcrypto_io_write};

/// One TLS session, used by one thread at a time.
pub struct rustcrypto_tls {
    session: Session,
    io: Io,
    /// Owners of the strings handed out; a text lives until the next call of the same function.
    error: CString,
    verify_message: CString,
    subject: CString,
    alpn: CString,
}

fn c_string(text: impl Into<Vec<u8>>) -> CString {
    let mut bytes: Vec<u8> = text.into();
    bytes.retain(|&byte| byte != 0);
    CString::new(bytes).unwrap_or_default()
}

fn code(progress: Progress) -> i32 {
    (match progress {
        Progress::Done => R::RUSTCRYPTO_OK,
        Progress::WantRead => R::RUSTCRYPTO_WANT_READ,
        Progress::WantWrite => R::RUSTCRYPTO_WANT_WRITE,
    }) as i32
}

/// Run one step of a session.
fn step(f: impl FnOnce() -> Result<i32, Error>) -> i32 {
    guard_or(R::RUSTCRYPTO_INTERNAL as i32, || f().unwrap_or_else(|error| fail(&error)))
}

/// Something of a session, or `none` for a NULL or failing one.
unsafe fn ask<T>(tls: *const rustcrypto_tls, none: T, f: impl FnOnce(&Session) -> T) -> T
where
    T: Copy,
{
    // SAFETY: the header's contract.
    guard_or(none, || unsafe { borrow(tls) }.map_or(none, |tls| f(&tls.session)))
}

/// A session; the configuration is built by its first. NULL on failure.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_tls_new(config: *const rustcrypto_tls_config) -> *mut rustcrypto_tls {
    guard_new(|| {
        Ok(rustcrypto_tls {
            // SAFETY: the header's contract.
            session: Session::new(&unsafe { borrow(config) }?.0)?,
            io: Io::Unset,
            error: CString::default(),
            verify_message: CString::default(),
            subject: CString::default(),
            alpn: CString::default(),
        })
    })
}

/// Free; NULL is fine. Sends nothing and leaves the socket open.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_tls_free(tls: *mut rustcrypto_tls) {
    // SAFETY: the header's contract.
    unsafe { release(tls) };
}

/// Run over two callbacks; `io` is handed to both.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_tls_set_io(
    tls: *mut rustcrypto_tls,
    read: rustcrypto_io_read,
    write: rustcrypto_io_write,
    io: *mut c_void,
) -> i32 {
    guard(|| {
        let (Some(read), Some(write)) = (read, write) else { return Err(Error::InvalidArgument("NULL callback")) };
        // SAFETY: the header's contract.
        unsafe { borrow_mut(tls) }?.io = Io::Callbacks { read, write, io };
        Ok(())
    })
}

/// Run over a stream socket, blocking or not; it stays the caller's, who keeps it open while the session uses it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_tls_set_fd(tls: *mut rustcrypto_tls, fd: c_int) -> i32 {
    guard(|| {
        if fd < 0 {
            return Err(Error::InvalidArgument("not a file descriptor"));
        }
        // SAFETY: the header's contract.
        unsafe { borrow_mut(tls) }?.io = Io::Socket(fd);
        Ok(())
    })
}

/// The server's host name or IP address: sent as SNI (a name only) and, by default, checked against the certificate. Before the
/// handshake.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_tls_set_server_name(tls: *mut rustcrypto_tls, name: *const c_char) -> i32 {
    // SAFETY: the header's contract.
    guard(|| unsafe { borrow_mut(tls)?.session.set_server_name(text(name)?) })
}

/// Go on with the handshake: RUSTCRYPTO_OK when done, RUSTCRYPTO_WANT_READ or _WRITE, or an error, which stays.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_tls_handshake(tls: *mut rustcrypto_tls) -> i32 {
    step(|| {
        // SAFETY: the header's contract.
        let tls = unsafe { borrow_mut(tls) }?;
        tls.session.handshake(&mut tls.io).map(code)
    })
}

/// Up to `cap` decrypted bytes; `*n` is how many. RUSTCRYPTO_CLOSED at the peer's close_notify, RUSTCRYPTO_TRUNCATED if the
/// connection ended without one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_tls_read(tls: *mut rustcrypto_tls, buf: *mut u8, cap: usize, n: *mut usize) -> i32 {
    step(|| {
        // SAFETY: the header's contract.
        let (tls, buf, n) = unsafe { (borrow_mut(tls)?, bytes_mut(buf, cap)?, borrow_mut(n)?) };
        *n = 0;
        Ok(match tls.session.read(&mut tls.io, buf)? {
            Read::Data(count) => {
                *n = count;
                R::RUSTCRYPTO_OK
            }
            Read::Closed => R::RUSTCRYPTO_CLOSED,
            Read::WantRead => R::RUSTCRYPTO_WANT_READ,
            Read::WantWrite => R::RUSTCRYPTO_WANT_WRITE,
        } as i32)
    })
}

/// Encrypt and send; `*n` is how many bytes were taken. RUSTCRYPTO_WANT_WRITE if none could be. What was taken but could not
/// leave yet leaves with rustcrypto_tls_flush or the next write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_tls_write(
    tls: *mut rustcrypto_tls,
    buf: *const u8,
    len: usize,
    n: *mut usize,
) -> i32 {
    step(|| {
        // SAFETY: the header's contract.
        let (tls, buf, n) = unsafe { (borrow_mut(tls)?, bytes(buf, len)?, borrow_mut(n)?) };
        *n = 0;
        let (taken, progress) = tls.session.write(&mut tls.io, buf)?;
        *n = taken;
        Ok(code(progress))
    })
}

/// Send what is still waiting: RUSTCRYPTO_OK when nothing is left.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_tls_flush(tls: *mut rustcrypto_tls) -> i32 {
    step(|| {
        // SAFETY: the header's contract.
        let tls = unsafe { borrow_mut(tls) }?;
        tls.session.flush(&mut tls.io).map(code)
    })
}

/// Send close_notify: no more data will come from us.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_tls_close(tls: *mut rustcrypto_tls) -> i32 {
    step(|| {
        // SAFETY: the header's contract.
        let tls = unsafe { borrow_mut(tls) }?;
        tls.session.close(&mut tls.io).map(code)
    })
}

/// Decrypted bytes that wait for rustcrypto_tls_read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_tls_pending(tls: *const rustcrypto_tls) -> usize {
    // SAFETY: the header's contract.
    unsafe { ask(tls, 0, Session::pending) }
}

/// Is the peer's certificate good? RUSTCRYPTO_OK or RUSTCRYPTO_BAD_CERTIFICATE; also the latter if none was checked.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_tls_verify_result(tls: *const rustcrypto_tls) -> i32 {
    // SAFETY: the header's contract.
    guard(|| unsafe { borrow(tls) }?.session.verify_result().map_err(|sentence| Error::BadCertificate(sentence.into())))
}

/// Why the peer's certificate is not good; "" if it is. Valid until the next call of this function on the session.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_tls_verify_message(tls: *mut rustcrypto_tls) -> *const c_char {
    guard_or(c"".as_ptr(), || {
        // SAFETY: the header's contract.
        let Ok(tls) = (unsafe { borrow_mut(tls) }) else { return c"".as_ptr() };
        tls.verify_message = tls.session.verify_result().err().map(c_string).unwrap_or_default();
        tls.verify_message.as_ptr()
    })
}

/// The fatal error of the session as a sentence; "" if none. Valid until the next call of this function on the session.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_tls_error(tls: *mut rustcrypto_tls) -> *const c_char {
    guard_or(c"".as_ptr(), || {
        // SAFETY: the header's contract.
        let Ok(tls) = (unsafe { borrow_mut(tls) }) else { return c"".as_ptr() };
        tls.error = tls.session.error().map(c_string).unwrap_or_default();
        tls.error.as_ptr()
    })
}

/// Is the peer's certificate valid for this host name or IP address? RUSTCRYPTO_OK or RUSTCRYPTO_BAD_CERTIFICATE.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_tls_check_name(tls: *const rustcrypto_tls, name: *const c_char) -> i32 {
    // SAFETY: the header's contract.
    guard(|| unsafe { borrow(tls)?.session.check_name(text(name)?) })
}

/// DER of the peer's certificate number `index` (0 is the leaf). RUSTCRYPTO_BAD_STATE if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_tls_peer_certificate(
    tls: *const rustcrypto_tls,
    index: usize,
    out: *mut u8,
    cap: usize,
    out_len: *mut usize,
) -> i32 {
    guard(|| {
        // SAFETY: the header's contract.
        let certificates = unsafe { borrow(tls) }?.session.peer_certificates();
        let der =
            certificates.and_then(|all| all.get(index)).ok_or(Error::BadState("the peer sent no such certificate"))?;
        // SAFETY: the header's contract.
        unsafe { write_out(der, out, cap, out_len) }
    })
}

/// Subject of the peer's certificate, such as "CN=router, O=OpenWrt"; NULL if there is none. Valid until the next call of this
/// function on the session.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_tls_peer_subject(tls: *mut rustcrypto_tls) -> *const c_char {
    guard_or(std::ptr::null(), || {
        // SAFETY: the header's contract.
        let Ok(tls) = (unsafe { borrow_mut(tls) }) else { return std::ptr::null() };
        match tls.session.peer_subject() {
            Some(subject) => {
                tls.subject = c_string(subject);
                tls.subject.as_ptr()
            }
            None => std::ptr::null(),
        }
    })
}

/// Name number `index` of the peer's certificate, as DNS:name or IP:address, without a terminating NUL. RUSTCRYPTO_BAD_STATE
/// if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_tls_peer_alt_name(
    tls: *const rustcrypto_tls,
    index: usize,
    out: *mut u8,
    cap: usize,
    out_len: *mut usize,
) -> i32 {
    guard(|| {
        // SAFETY: the header's contract.
        let names = unsafe { borrow(tls) }?.session.peer_alt_names();
        let name = names.get(index).ok_or(Error::BadState("the peer's certificate has no such name"))?;
        // SAFETY: the header's contract.
        unsafe { write_out(name.as_bytes(), out, cap, out_len) }
    })
}

/// 0x0303 or 0x0304; 0 before it is known.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_tls_version(tls: *const rustcrypto_tls) -> u16 {
    // SAFETY: the header's contract.
    unsafe { ask(tls, 0, Session::version) }
}

/// IANA number of the cipher suite; 0 before it is known.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_tls_cipher(tls: *const rustcrypto_tls) -> u16 {
    // SAFETY: the header's contract.
    unsafe { ask(tls, 0, Session::cipher) }
}

/// OpenSSL's name of the cipher suite; "" before it is known. Static text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_tls_cipher_name(tls: *const rustcrypto_tls) -> *const c_char {
    // SAFETY: the header's contract.
    unsafe { ask(tls, c"".as_ptr(), |session| session.cipher_name().as_ptr()) }
}

/// Name of the key exchange group; "" before it is known, and where there was no exchange. Static text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_tls_group_name(tls: *const rustcrypto_tls) -> *const c_char {
    // SAFETY: the header's contract.
    unsafe { ask(tls, c"".as_ptr(), |session| session.group_name().as_ptr()) }
}

/// The application protocol agreed on; NULL if none. Valid until the next call of this function on the session.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_tls_alpn(tls: *mut rustcrypto_tls) -> *const c_char {
    guard_or(std::ptr::null(), || {
        // SAFETY: the header's contract.
        let Ok(tls) = (unsafe { borrow_mut(tls) }) else { return std::ptr::null() };
        match tls.session.alpn() {
            Some(alpn) => {
                tls.alpn = c_string(alpn);
                tls.alpn.as_ptr()
            }
            None => std::ptr::null(),
        }
    })
}

/// 1 if an earlier session was resumed, else 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_tls_resumed(tls: *const rustcrypto_tls) -> c_int {
    // SAFETY: the header's contract.
    unsafe { ask(tls, 0, |session| session.is_resumed().into()) }
}

/// 1 if our client certificate was asked for and sent, else 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_tls_own_certificate_used(tls: *const rustcrypto_tls) -> c_int {
    // SAFETY: the header's contract.
    unsafe { ask(tls, 0, |session| session.own_certificate_used().into()) }
}

/// Keying material for another protocol (RFC 5705; EAP-TLS).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_tls_export(
    tls: *const rustcrypto_tls,
    label: *const c_char,
    context: *const u8,
    context_len: usize,
    has_context: bool,
    out: *mut u8,
    out_len: usize,
) -> i32 {
    guard(|| {
        // SAFETY: the header's contract.
        let (tls, label, context, out) =
            unsafe { (borrow(tls)?, text(label)?, bytes(context, context_len)?, bytes_mut(out, out_len)?) };
        tls.session.export(label.as_bytes(), has_context.then_some(context), out)
    })
}

/// Number of the alert that we sent because of an error; -1 if none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_tls_alert_sent(tls: *const rustcrypto_tls) -> i32 {
    // SAFETY: the header's contract.
    unsafe { ask(tls, -1, |session| session.alert_sent().map_or(-1, i32::from)) }
}

/// Number of the alert that ended the session; -1 if none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rustcrypto_tls_alert_received(tls: *const rustcrypto_tls) -> i32 {
    // SAFETY: the header's contract.
    unsafe { ask(tls, -1, |session| session.alert_received().map_or(-1, i32::from)) }
}
