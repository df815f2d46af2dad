//! The functions that replace libc's: count, then call the real one.

use core::ffi::{c_int, c_void};
use core::mem::transmute;
use core::ptr;
use core::sync::atomic::{AtomicUsize, Ordering};

use crate::meter::{self, METER};
use crate::{report, sys};

/// A real function of libc, looked up on first use.
struct Real(AtomicUsize, &'static [u8]);

impl Real {
    const fn new(name: &'static [u8]) -> Self {
        Self(AtomicUsize::new(0), name)
    }

    fn get(&self) -> usize {
        match self.0.load(Ordering::Relaxed) {
            0 => {
                let found = sys::next(self.1) as usize;
                self.0.store(found, Ordering::Relaxed);
                found
            }
            found => found,
        }
    }
}

static MALLOC: Real = Real::new(b"malloc\0");
static CALLOC: Real = Real::new(b"calloc\0");
static REALLOC: Real = Real::new(b"realloc\0");
static FREE: Real = Real::new(b"free\0");
static ALIGNED: Real = Real::new(b"aligned_alloc\0");
static POSIX_MEMALIGN: Real = Real::new(b"posix_memalign\0");
static MMAP: Real = Real::new(b"mmap\0");
static MUNMAP: Real = Real::new(b"munmap\0");
static MREMAP: Real = Real::new(b"mremap\0");
static EXIT: Real = Real::new(b"_exit\0");

type Malloc = unsafe extern "C" fn(usize) -> *mut c_void;
type Calloc = unsafe extern "C" fn(usize, usize) -> *mut c_void;
type Realloc = unsafe extern "C" fn(*mut c_void, usize) -> *mut c_void;
type Free = unsafe extern "C" fn(*mut c_void);
type PosixMemalign = unsafe extern "C" fn(*mut *mut c_void, usize, usize) -> c_int;
type Mmap = unsafe extern "C" fn(*mut c_void, usize, c_int, c_int, c_int, i64) -> *mut c_void;
type Munmap = unsafe extern "C" fn(*mut c_void, usize) -> c_int;
type Mremap = unsafe extern "C" fn(*mut c_void, usize, usize, c_int, *mut c_void) -> *mut c_void;
type Exit = unsafe extern "C" fn(c_int) -> !;

macro_rules! real {
    ($real:expr, $type:ty) => {
        // The symbol of that name in libc has this type. Used inside the caller's unsafe block.
        transmute::<usize, $type>($real.get())
    };
}

/// glibc's `dlsym` may itself call calloc, before the real one is known: such requests are served from here and never freed.
mod early {
    use super::{AtomicUsize, Ordering, c_void, ptr};
    const SIZE: usize = 16 << 10;
    #[repr(align(16))]
    struct Arena(core::cell::UnsafeCell<[u8; SIZE]>);
    // SAFETY: each byte is handed out once, by the atomic counter.
    unsafe impl Sync for Arena {}
    static ARENA: Arena = Arena(core::cell::UnsafeCell::new([0; SIZE]));
    static USED: AtomicUsize = AtomicUsize::new(0);

    pub(super) fn take(size: usize) -> *mut c_void {
        let at = USED.fetch_add((size + 15) & !15, Ordering::Relaxed);
        if at + size > SIZE { ptr::null_mut() } else { (ARENA.0.get() as usize + at) as *mut c_void }
    }

    pub(super) fn owns(p: *mut c_void) -> bool {
        (p as usize).wrapping_sub(ARENA.0.get() as usize) < SIZE
    }
}

/// 0: nothing looked up yet; 1: being looked up (by whoever calls malloc now); 2: ready.
static STATE: AtomicUsize = AtomicUsize::new(0);

/// True once the real functions are known. False only inside the lookup itself.
fn ready() -> bool {
    match STATE.load(Ordering::Acquire) {
        2 => true,
        1 => false,
        _ => {
            STATE.store(1, Ordering::Release);
            for real in [&MALLOC, &CALLOC, &REALLOC, &FREE, &ALIGNED, &POSIX_MEMALIGN, &MMAP, &MUNMAP, &MREMAP, &EXIT] {
                real.get();
            }
            STATE.store(2, Ordering::Release);
            meter::start();
            true
        }
    }
}

fn counted(p: *mut c_void, size: usize, caller: usize) -> *mut c_void {
    if !p.is_null() {
        METER.with(|meter| meter.add(p as usize, size, caller));
    }
    p
}

fn counted_aligned(p: *mut c_void, align: usize, size: usize, caller: usize) -> *mut c_void {
    if !p.is_null() {
        METER.with(|meter| meter.remove_enclosing(p as usize, size, align));
    }
    counted(p, size, caller)
}

extern "C" fn do_malloc(size: usize, caller: usize) -> *mut c_void {
    if !ready() {
        return early::take(size);
    }
    // SAFETY: libc's malloc.
    counted(unsafe { real!(MALLOC, Malloc)(size) }, size, caller)
}

extern "C" fn do_calloc(n: usize, size: usize, caller: usize) -> *mut c_void {
    if !ready() {
        return early::take(n.saturating_mul(size));
    }
    // SAFETY: libc's calloc, which checks the product; it fits if the result is not NULL.
    counted(unsafe { real!(CALLOC, Calloc)(n, size) }, n.wrapping_mul(size), caller)
}

extern "C" fn do_realloc(old: *mut c_void, size: usize, caller: usize) -> *mut c_void {
    if early::owns(old) {
        let new = do_malloc(size, caller);
        if !new.is_null() {
            // SAFETY: both are ours; the arena is longer than any block in it, and reading past the block stays in the arena.
            unsafe { ptr::copy_nonoverlapping(old.cast::<u8>(), new.cast::<u8>(), size.min(256)) };
        }
        return new;
    }
    if !ready() {
        return early::take(size);
    }
    // Forget first: another thread may be given the old address as soon as libc lets go of it.
    let was = METER.with(|meter| meter.take(old as usize));
    // SAFETY: libc's realloc on a block of libc's.
    let new = unsafe { real!(REALLOC, Realloc)(old, size) };
    METER.with(|meter| match (new.is_null(), was) {
        (false, _) => meter.add(new as usize, size, caller),
        // A failed realloc leaves the old block as it was.
        (true, Some(block)) if size > 0 => meter.put_back(block),
        _ => {}
    });
    new
}

extern "C" fn do_aligned_alloc(align: usize, size: usize, caller: usize) -> *mut c_void {
    ready();
    // SAFETY: libc's aligned_alloc.
    counted_aligned(unsafe { real!(ALIGNED, Calloc)(align, size) }, align, size, caller)
}

extern "C" fn do_posix_memalign(out: *mut *mut c_void, align: usize, size: usize, caller: usize) -> c_int {
    ready();
    // SAFETY: libc's posix_memalign with the caller's arguments.
    let result = unsafe { real!(POSIX_MEMALIGN, PosixMemalign)(out, align, size) };
    if result == 0 {
        // SAFETY: on success *out was written.
        counted_aligned(unsafe { *out }, align, size, caller);
    }
    result
}

/// An exported function that passes its return address on as one more argument: who asked for the memory.
macro_rules! with_caller {
    ($name:ident($($arg:ident: $type:ty),*) -> $ret:ty, $to:ident, $x86:literal, $arm:literal, $riscv:literal) => {
        // SAFETY: same name and type as libc's; see each body.
        #[cfg(any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64"))]
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        unsafe extern "C" fn $name($($arg: $type),*) -> $ret {
            #[cfg(target_arch = "x86_64")]
            core::arch::naked_asm!(concat!("mov ", $x86, ", [rsp]"), "jmp {to}", to = sym $to);
            #[cfg(target_arch = "aarch64")]
            core::arch::naked_asm!(concat!("mov ", $arm, ", x30"), "b {to}", to = sym $to);
            #[cfg(target_arch = "riscv64")]
            core::arch::naked_asm!(concat!("mv ", $riscv, ", ra"), "tail {to}", to = sym $to);
        }
        // SAFETY: same name and type as libc's. No stable way to the return address here, so every site is "unknown".
        #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64")))]
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name($($arg: $type),*) -> $ret {
            $to($($arg,)* 0)
        }
    };
}

with_caller!(malloc(size: usize) -> *mut c_void, do_malloc, "rsi", "x1", "a1");
with_caller!(calloc(n: usize, size: usize) -> *mut c_void, do_calloc, "rdx", "x2", "a2");
with_caller!(realloc(old: *mut c_void, size: usize) -> *mut c_void, do_realloc, "rdx", "x2", "a2");
with_caller!(aligned_alloc(align: usize, size: usize) -> *mut c_void, do_aligned_alloc, "rdx", "x2", "a2");
with_caller!(memalign(align: usize, size: usize) -> *mut c_void, do_aligned_alloc, "rdx", "x2", "a2");
with_caller!(posix_memalign(out: *mut *mut c_void, align: usize, size: usize) -> c_int, do_posix_memalign, "rcx", "x3", "a3");

/// libc's free.
// SAFETY: same name and type as libc's.
#[unsafe(no_mangle)]
unsafe extern "C" fn free(p: *mut c_void) {
    if p.is_null() || early::owns(p) || !ready() {
        return;
    }
    METER.with(|meter| meter.remove(p as usize));
    // SAFETY: a block of libc's.
    unsafe { real!(FREE, Free)(p) };
}

/// Memory for the table, past the counting. NULL if there is none.
pub(crate) fn raw_mmap(len: usize) -> *mut c_void {
    let (protection, flags) = (sys::PROT_READ | sys::PROT_WRITE, sys::MAP_PRIVATE | sys::MAP_ANONYMOUS);
    // SAFETY: libc's mmap of fresh anonymous memory.
    let p = unsafe { real!(MMAP, Mmap)(ptr::null_mut(), len, protection, flags, -1, 0) };
    if p as usize == usize::MAX { ptr::null_mut() } else { p }
}

pub(crate) fn raw_munmap(p: *mut c_void, len: usize) {
    // SAFETY: a mapping of the table's that nothing uses any more.
    unsafe { real!(MUNMAP, Munmap)(p, len) };
}

fn pages(len: usize) -> usize {
    (len + 4095) & !4095
}

/// libc's mmap (and mmap64: file offsets are 64 bits wide on musl and on 64-bit glibc).
// SAFETY: same name and type as libc's.
#[cfg(not(all(target_env = "gnu", target_pointer_width = "32")))]
#[unsafe(no_mangle)]
unsafe extern "C" fn mmap(
    at: *mut c_void,
    len: usize,
    protection: c_int,
    flags: c_int,
    fd: c_int,
    offset: i64,
) -> *mut c_void {
    ready();
    // SAFETY: libc's mmap with the caller's arguments.
    let p = unsafe { real!(MMAP, Mmap)(at, len, protection, flags, fd, offset) };
    if p as usize != usize::MAX
        && flags & sys::MAP_ANONYMOUS != 0
        && flags & sys::MAP_PRIVATE != 0
        && protection & sys::PROT_WRITE != 0
    {
        METER.with(|meter| {
            meter.unmap(p as usize, pages(len));
            meter.map(p as usize, pages(len));
        });
    }
    p
}

/// libc's munmap.
// SAFETY: same name and type as libc's.
#[unsafe(no_mangle)]
unsafe extern "C" fn munmap(p: *mut c_void, len: usize) -> c_int {
    ready();
    METER.with(|meter| meter.unmap(p as usize, pages(len)));
    // SAFETY: libc's munmap with the caller's arguments.
    unsafe { real!(MUNMAP, Munmap)(p, len) }
}

/// libc's mremap; the fifth argument is read only with `MREMAP_FIXED` and passing it on always is harmless.
// SAFETY: same name as libc's, whose fifth argument is variadic; on every Linux ABI used it travels like a fixed one.
#[unsafe(no_mangle)]
unsafe extern "C" fn mremap(
    old: *mut c_void,
    old_len: usize,
    len: usize,
    flags: c_int,
    at: *mut c_void,
) -> *mut c_void {
    ready();
    // SAFETY: libc's mremap with the caller's arguments.
    let p = unsafe { real!(MREMAP, Mremap)(old, old_len, len, flags, at) };
    if p as usize != usize::MAX {
        METER.with(|meter| meter.remap(old as usize, pages(old_len), p as usize, pages(len)));
    }
    p
}

/// libc's `_exit`, which runs no destructors.
// SAFETY: same name and type as libc's.
#[unsafe(no_mangle)]
unsafe extern "C" fn _exit(status: c_int) -> ! {
    ready();
    report::finish();
    // SAFETY: libc's _exit.
    unsafe { real!(EXIT, Exit)(status) }
}

extern "C" fn at_start() {
    ready();
}

extern "C" fn at_end() {
    report::finish();
}

#[used]
#[unsafe(link_section = ".init_array")]
static AT_START: extern "C" fn() = at_start;
#[used]
#[unsafe(link_section = ".fini_array")]
static AT_END: extern "C" fn() = at_end;
