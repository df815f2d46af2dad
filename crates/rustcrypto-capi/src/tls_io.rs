//! What a TLS session runs over, as C hands it: two callbacks, or a socket.

use std::ffi::{c_int, c_void};
use std::io::{self, ErrorKind, Read, Write};
use std::mem::ManuallyDrop;
use std::net::TcpStream;
use std::os::fd::FromRawFd;

use crate::boundary::rustcrypto_result as R;

/// Reads at most `len` bytes: returns how many, 0 at the end, `RUSTCRYPTO_WANT_READ`, or `RUSTCRYPTO_IO`.
pub type rustcrypto_io_read = Option<unsafe extern "C" fn(io: *mut c_void, buf: *mut u8, len: usize) -> isize>;
/// Writes at most `len` bytes: returns how many, `RUSTCRYPTO_WANT_WRITE`, or `RUSTCRYPTO_IO`.
pub type rustcrypto_io_write = Option<unsafe extern "C" fn(io: *mut c_void, buf: *const u8, len: usize) -> isize>;

#[derive(Default)]
pub(crate) enum Io {
    #[default]
    Unset,
    Socket(c_int),
    Callbacks {
        read: unsafe extern "C" fn(*mut c_void, *mut u8, usize) -> isize,
        write: unsafe extern "C" fn(*mut c_void, *const u8, usize) -> isize,
        io: *mut c_void,
    },
}

const WANT_READ: isize = R::RUSTCRYPTO_WANT_READ as isize;
const WANT_WRITE: isize = R::RUSTCRYPTO_WANT_WRITE as isize;

/// The count that a callback returned, which is never trusted to be within the buffer.
fn count(returned: isize, len: usize) -> io::Result<usize> {
    match returned {
        WANT_READ | WANT_WRITE => Err(ErrorKind::WouldBlock.into()),
        n if n < 0 => Err(io::Error::other("the connection failed")),
        n if n as usize > len => Err(io::Error::other("the I/O callback returned more than it was asked for")),
        n => Ok(n as usize),
    }
}

fn unset() -> io::Error {
    io::Error::other("no connection was set (rustcrypto_tls_set_fd or rustcrypto_tls_set_io)")
}

/// The socket as a stream that does not own it. `TcpStream` is used for its `recv` and `send` with `MSG_NOSIGNAL`, which
/// serve any stream socket.
fn socket(fd: c_int) -> ManuallyDrop<TcpStream> {
    // SAFETY: the caller keeps the socket open while the session uses it (contract of rustcrypto_tls_set_fd), and `fd` is not
    // negative; never dropped, so never closed here.
    ManuallyDrop::new(unsafe { TcpStream::from_raw_fd(fd) })
}

impl Read for Io {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Unset => Err(unset()),
            Self::Socket(fd) => socket(*fd).read(buf),
            Self::Callbacks { read, io, .. } => {
                // SAFETY: the callback and its context are the caller's promise; the buffer is ours and as long as told.
                count(unsafe { read(*io, buf.as_mut_ptr(), buf.len()) }, buf.len())
            }
        }
    }
}

impl Write for Io {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        match self {
            Self::Unset => Err(unset()),
            Self::Socket(fd) => socket(*fd).write(buf),
            Self::Callbacks { write, io, .. } => {
                // SAFETY: as for reading; the callback only reads the buffer.
                count(unsafe { write(*io, buf.as_ptr(), buf.len()) }, buf.len())
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
