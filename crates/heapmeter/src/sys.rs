//! The few libc symbols used, declared here so that the crate has no dependency.

use core::ffi::{c_char, c_int, c_void};

pub(crate) const PROT_READ: c_int = 1;
pub(crate) const PROT_WRITE: c_int = 2;
pub(crate) const MAP_PRIVATE: c_int = 2;
#[cfg(any(target_arch = "mips", target_arch = "mips64"))]
pub(crate) const MAP_ANONYMOUS: c_int = 0x800;
#[cfg(not(any(target_arch = "mips", target_arch = "mips64")))]
pub(crate) const MAP_ANONYMOUS: c_int = 0x20;
pub(crate) const O_WRONLY: c_int = 1;
#[cfg(any(target_arch = "mips", target_arch = "mips64"))]
pub(crate) const O_APPEND_CREAT: c_int = 0x8 | 0x100;
#[cfg(not(any(target_arch = "mips", target_arch = "mips64")))]
pub(crate) const O_APPEND_CREAT: c_int = 0x400 | 0x40;
/// "The next definition after mine", for `dlsym`.
pub(crate) const RTLD_NEXT: *mut c_void = usize::MAX as *mut c_void;

/// What `dladdr` fills in.
#[repr(C)]
pub(crate) struct DlInfo {
    pub(crate) object: *const c_char,
    pub(crate) base: *mut c_void,
    pub(crate) symbol: *const c_char,
    pub(crate) address: *mut c_void,
}

unsafe extern "C" {
    pub(crate) fn dlsym(handle: *mut c_void, name: *const c_char) -> *mut c_void;
    pub(crate) fn dladdr(address: *const c_void, info: *mut DlInfo) -> c_int;
    pub(crate) fn getenv(name: *const c_char) -> *const c_char;
    pub(crate) fn open(path: *const c_char, flags: c_int, ...) -> c_int;
    pub(crate) fn close(fd: c_int) -> c_int;
    pub(crate) fn read(fd: c_int, buf: *mut c_void, len: usize) -> isize;
    pub(crate) fn write(fd: c_int, buf: *const c_void, len: usize) -> isize;
    pub(crate) fn getpid() -> c_int;
    pub(crate) fn sched_yield() -> c_int;
    pub(crate) fn pthread_atfork(prepare: extern "C" fn(), parent: extern "C" fn(), child: extern "C" fn()) -> c_int;
}

/// The next definition of a function after this library's own. `name` ends with NUL.
pub(crate) fn next(name: &'static [u8]) -> *mut c_void {
    debug_assert_eq!(name.last(), Some(&0));
    // SAFETY: name is NUL-terminated and static.
    unsafe { dlsym(RTLD_NEXT, name.as_ptr().cast()) }
}
