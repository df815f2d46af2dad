//! The line of JSON that a process leaves behind.

use core::ffi::{CStr, c_int, c_void};
use core::fmt::{self, Write};
use core::sync::atomic::{AtomicBool, Ordering};

use crate::meter::{METER, Meter, Site};
use crate::sys;

/// Text built without allocating; what does not fit is cut (only call sites can be that many).
struct Line {
    bytes: [u8; 16 << 10],
    len: usize,
}

impl Write for Line {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let room = self.bytes.len() - self.len;
        if text.len() > room {
            return Err(fmt::Error);
        }
        self.bytes[self.len..self.len + text.len()].copy_from_slice(text.as_bytes());
        self.len += text.len();
        Ok(())
    }
}

/// Prints a name with the characters JSON minds replaced.
struct Safe<'a>(&'a [u8]);

impl fmt::Display for Safe<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|&b| {
            f.write_char(if b.is_ascii_graphic() && b != b'"' && b != b'\\' { b as char } else { '_' })
        })
    }
}

fn env(name: &CStr) -> Option<&'static CStr> {
    // SAFETY: name is NUL-terminated; the environment's strings live until the process ends or changes them.
    let value = unsafe { sys::getenv(name.as_ptr()) };
    // SAFETY: getenv returns NULL or a NUL-terminated string.
    (!value.is_null()).then(|| unsafe { CStr::from_ptr(value) })
}

pub(crate) fn env_number(name: &CStr) -> Option<usize> {
    env(name)?.to_str().ok()?.parse().ok()
}

fn process_name(buffer: &mut [u8; 64]) -> &[u8] {
    // SAFETY: a constant path; the buffer is as long as said.
    let len = unsafe {
        let fd = sys::open(c"/proc/self/comm".as_ptr(), 0);
        let n = sys::read(fd, buffer.as_mut_ptr().cast(), buffer.len());
        sys::close(fd);
        n
    };
    buffer[..usize::try_from(len).unwrap_or(0)].trim_ascii_end()
}

fn write_sites(line: &mut Line, sites: &mut [Site], wanted: usize) {
    sites.sort_unstable_by_key(|s| core::cmp::Reverse(s.bytes));
    for (i, site) in sites.iter().take(wanted).enumerate() {
        let before = line.len;
        let mut info = sys::DlInfo {
            object: core::ptr::null(),
            base: core::ptr::null_mut(),
            symbol: core::ptr::null(),
            address: core::ptr::null_mut(),
        };
        // SAFETY: dladdr only compares the address with the loaded objects and fills in info.
        let found = site.caller != 0
            && unsafe { sys::dladdr(site.caller as *const c_void, &raw mut info) } != 0
            && !info.object.is_null();
        let object: &[u8] = if found {
            // SAFETY: dladdr set object to the NUL-terminated path of a loaded object.
            unsafe { CStr::from_ptr(info.object) }.to_bytes().rsplit(|&b| b == b'/').next().unwrap_or_default()
        } else {
            b"?"
        };
        let offset = site.caller - if found { info.base as usize } else { 0 };
        let comma = if i == 0 { "" } else { "," };
        // A `]}` and newline must still fit behind the last site.
        if write!(
            line,
            "{comma}{{\"site\":\"{}+{offset:#x}\",\"bytes\":{},\"blocks\":{}}}",
            Safe(object),
            site.bytes,
            site.blocks
        )
        .is_err()
            || line.len + 4 > line.bytes.len()
        {
            line.len = before;
            break;
        }
    }
}

fn write_line(line: &mut Line, meter: &mut Meter) -> fmt::Result {
    let mut name = [0; 64];
    // SAFETY: getpid has no arguments and cannot fail.
    let pid = unsafe { sys::getpid() };
    write!(
        line,
        "{{\"process\":\"{}\",\"pid\":{pid},\"peak_bytes\":{},\"live_bytes\":{},\"mapped_peak_bytes\":{},\"allocations\":{},\"allocated_bytes\":{}",
        Safe(process_name(&mut name)),
        meter.peak,
        meter.live,
        meter.mapped_peak,
        meter.allocations,
        meter.allocated
    )?;
    if meter.want_sites > 0 {
        line.write_str(",\"sites\":[")?;
        let count = meter.site_count;
        write_sites(line, &mut meter.sites[..count], meter.want_sites);
        line.write_str("]")?;
    }
    line.write_str("}\n")
}

/// Write this process's line, once. A child after fork has its own turn.
pub(crate) fn finish() {
    static DONE_BY: AtomicBool = AtomicBool::new(false);
    static DONE_PID: core::sync::atomic::AtomicI32 = core::sync::atomic::AtomicI32::new(0);
    // SAFETY: getpid has no arguments and cannot fail.
    let pid = unsafe { sys::getpid() };
    if DONE_BY.swap(true, Ordering::AcqRel) && DONE_PID.load(Ordering::Acquire) == pid {
        return;
    }
    DONE_PID.store(pid, Ordering::Release);
    let mut line = Line { bytes: [0; 16 << 10], len: 0 };
    if METER.with(|meter| write_line(&mut line, meter)).is_err() {
        return;
    }
    let (fd, opened): (c_int, bool) = match (env(c"HEAPMETER_OUT"), env_number(c"HEAPMETER_FD")) {
        // SAFETY: the path is NUL-terminated.
        (Some(path), _) => (unsafe { sys::open(path.as_ptr(), sys::O_WRONLY | sys::O_APPEND_CREAT, 0o644) }, true),
        (None, Some(fd)) => (fd as c_int, false),
        (None, None) => (2, false),
    };
    // One write, so that lines of processes ending together do not mix.
    // SAFETY: line.bytes holds line.len bytes; a bad descriptor is an error return, nothing more.
    unsafe { sys::write(fd, line.bytes.as_ptr().cast(), line.len) };
    if opened {
        // SAFETY: opened here.
        unsafe { sys::close(fd) };
    }
}
