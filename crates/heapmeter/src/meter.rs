//! The counters, behind one spin lock that also survives fork.

use core::cell::UnsafeCell;
use core::sync::atomic::{AtomicBool, Ordering};

use crate::maps::Maps;
use crate::sys;
use crate::table::{Block, Table};

/// Call sites kept in the picture of the largest heap.
pub(crate) const SITES: usize = 512;

#[derive(Clone, Copy)]
pub(crate) struct Site {
    pub(crate) caller: usize,
    pub(crate) bytes: usize,
    pub(crate) blocks: usize,
}

pub(crate) struct Meter {
    table: Table,
    maps: Maps,
    pub(crate) live: usize,
    pub(crate) peak: usize,
    pub(crate) mapped: usize,
    pub(crate) mapped_peak: usize,
    pub(crate) allocations: u64,
    pub(crate) allocated: u64,
    pub(crate) want_sites: usize,
    pictured: usize,
    pub(crate) sites: [Site; SITES],
    pub(crate) site_count: usize,
}

pub(crate) struct Locked {
    busy: AtomicBool,
    meter: UnsafeCell<Meter>,
}

// SAFETY: the meter is only reached between lock and unlock.
unsafe impl Sync for Locked {}

pub(crate) static METER: Locked = Locked {
    busy: AtomicBool::new(false),
    meter: UnsafeCell::new(Meter {
        table: Table::new(),
        maps: Maps::new(),
        live: 0,
        peak: 0,
        mapped: 0,
        mapped_peak: 0,
        allocations: 0,
        allocated: 0,
        want_sites: 0,
        pictured: 0,
        sites: [Site { caller: 0, bytes: 0, blocks: 0 }; SITES],
        site_count: 0,
    }),
};

impl Locked {
    fn lock(&self) {
        while self.busy.swap(true, Ordering::Acquire) {
            // SAFETY: no arguments, no state.
            unsafe { sys::sched_yield() };
        }
    }

    fn unlock(&self) {
        self.busy.store(false, Ordering::Release);
    }

    /// Work on the counters. `f` must not allocate.
    pub(crate) fn with<T>(&self, f: impl FnOnce(&mut Meter) -> T) -> T {
        self.lock();
        // SAFETY: the lock is held, and nothing in this crate calls `with` from inside `with`.
        let result = f(unsafe { &mut *self.meter.get() });
        self.unlock();
        result
    }
}

impl Meter {
    pub(crate) fn add(&mut self, address: usize, size: usize, caller: usize) {
        // musl's calloc, realloc and aligned_alloc call malloc, which has counted the same block already.
        if let Some(inner) = self.take(address) {
            self.allocations -= 1;
            self.allocated -= inner.size as u64;
        }
        self.allocations += 1;
        self.allocated += size as u64;
        if self.table.insert(Block { address, size, site: caller }) {
            self.live += size;
            self.grown();
        }
    }

    /// Forget the block that an aligned one was cut from: musl's `aligned_alloc` asks malloc for more than it gives.
    pub(crate) fn remove_enclosing(&mut self, address: usize, size: usize, align: usize) {
        for back in (0..align).step_by(8) {
            match self.take(address - back) {
                Some(outer) if outer.address + outer.size >= address + size => {
                    self.allocations -= 1;
                    self.allocated -= outer.size as u64;
                    return;
                }
                Some(neighbour) => self.put_back(neighbour),
                None => {}
            }
        }
    }

    pub(crate) fn remove(&mut self, address: usize) {
        self.take(address);
    }

    /// Forget a block, and say which it was.
    pub(crate) fn take(&mut self, address: usize) -> Option<Block> {
        let block = self.table.remove(address)?;
        self.live -= block.size;
        Some(block)
    }

    /// Undo `take`: not a new allocation.
    pub(crate) fn put_back(&mut self, block: Block) {
        if self.table.insert(block) {
            self.live += block.size;
        }
    }

    pub(crate) fn map(&mut self, start: usize, len: usize) {
        if self.maps.add(start, len) {
            self.mapped += len;
            self.live += len;
            self.mapped_peak = self.mapped_peak.max(self.mapped);
            self.grown();
        }
    }

    pub(crate) fn unmap(&mut self, start: usize, len: usize) {
        let gone = self.maps.remove(start, len);
        self.mapped -= gone;
        self.live -= gone;
    }

    /// A mapping that was moved or resized stays counted if it was.
    pub(crate) fn remap(&mut self, old: usize, old_len: usize, new: usize, len: usize) {
        let before = self.mapped;
        self.unmap(old, old_len);
        if self.mapped < before {
            self.map(new, len);
        }
    }

    fn grown(&mut self) {
        if self.live <= self.peak {
            return;
        }
        self.peak = self.live;
        // A picture costs a walk over every block, so not for each new byte.
        if self.want_sites > 0 && self.live >= self.pictured + (self.pictured >> 6).max(1024) {
            self.pictured = self.live;
            self.picture();
        }
    }

    fn picture(&mut self) {
        let (sites, mut count) = (&mut self.sites, 0);
        self.table.for_each(|block| {
            // The last slot takes whatever finds no place of its own.
            let at = sites[..count].iter().position(|s| s.caller == block.site).unwrap_or_else(|| {
                let at = count.min(SITES - 1);
                if count < SITES {
                    sites[at] = Site { caller: block.site, bytes: 0, blocks: 0 };
                    count += 1;
                }
                at
            });
            sites[at].bytes += block.size;
            sites[at].blocks += 1;
        });
        self.site_count = count;
    }
}

extern "C" fn before_fork() {
    METER.lock();
}

extern "C" fn after_fork_parent() {
    METER.unlock();
}

extern "C" fn after_fork_child() {
    METER.unlock();
    METER.with(|meter| {
        meter.peak = meter.live;
        meter.mapped_peak = meter.mapped;
        meter.allocations = 0;
        meter.allocated = 0;
        meter.pictured = 0;
        meter.site_count = 0;
    });
}

pub(crate) fn start() {
    let sites = crate::report::env_number(c"HEAPMETER_SITES").unwrap_or(0);
    METER.with(|meter| meter.want_sites = sites.min(SITES));
    // SAFETY: the three handlers are static functions that only take or release the lock and reset counters.
    unsafe { sys::pthread_atfork(before_fork, after_fork_parent, after_fork_child) };
}
