//! Live blocks by address: open addressing in memory taken straight from the kernel, so that counting never allocates.

use core::ffi::c_void;
use core::ptr;

use crate::calls::raw_mmap;

#[derive(Clone, Copy)]
pub(crate) struct Block {
    pub(crate) address: usize,
    pub(crate) size: usize,
    pub(crate) site: usize,
}

/// A key that no block has: 0 means never used, TOMB means removed.
const TOMB: usize = 1;

pub(crate) struct Table {
    slots: *mut Block,
    capacity: usize,
    /// Slots that are not 0, tombs included: when these fill up, lookups get slow and the table is rewritten.
    used: usize,
    live: usize,
}

// SAFETY: the table is only reached under the meter's lock.
unsafe impl Send for Table {}

fn start(address: usize, capacity: usize) -> usize {
    // Fibonacci hashing; blocks are at least 8-aligned, so the low bits say nothing.
    ((address >> 3) as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) as usize >> 7 & (capacity - 1)
}

impl Table {
    pub(crate) const fn new() -> Self {
        Self { slots: ptr::null_mut(), capacity: 0, used: 0, live: 0 }
    }

    /// Remember a block. False if the kernel gives no memory: the block is then simply not counted.
    pub(crate) fn insert(&mut self, block: Block) -> bool {
        if self.used * 4 >= self.capacity * 3 && !self.rewrite() {
            return false;
        }
        let mut at = start(block.address, self.capacity);
        loop {
            // SAFETY: at < capacity and slots has capacity entries.
            let slot = unsafe { &mut *self.slots.add(at) };
            if slot.address == 0 || slot.address == TOMB {
                self.used += usize::from(slot.address == 0);
                self.live += 1;
                *slot = block;
                return true;
            }
            at = (at + 1) & (self.capacity - 1);
        }
    }

    pub(crate) fn remove(&mut self, address: usize) -> Option<Block> {
        if self.capacity == 0 {
            return None;
        }
        let mut at = start(address, self.capacity);
        loop {
            // SAFETY: at < capacity and slots has capacity entries.
            let slot = unsafe { &mut *self.slots.add(at) };
            if slot.address == 0 {
                return None;
            }
            if slot.address == address {
                let found = *slot;
                slot.address = TOMB;
                self.live -= 1;
                return Some(found);
            }
            at = (at + 1) & (self.capacity - 1);
        }
    }

    pub(crate) fn for_each(&self, mut f: impl FnMut(&Block)) {
        for at in 0..self.capacity {
            // SAFETY: at < capacity and slots has capacity entries.
            let slot = unsafe { &*self.slots.add(at) };
            if slot.address > TOMB {
                f(slot);
            }
        }
    }

    /// Move the live blocks to a fresh table with room for twice as many.
    fn rewrite(&mut self) -> bool {
        let mut capacity = 4096;
        while capacity < self.live * 4 {
            capacity *= 2;
        }
        let bytes = capacity * size_of::<Block>();
        let memory = raw_mmap(bytes);
        if memory.is_null() {
            return false;
        }
        let old = Self { slots: self.slots, capacity: self.capacity, used: 0, live: 0 };
        // Fresh pages are zero, which is the empty slot.
        *self = Self { slots: memory.cast(), capacity, used: 0, live: 0 };
        old.for_each(|block| {
            self.insert(*block);
        });
        if old.capacity > 0 {
            crate::calls::raw_munmap(old.slots.cast::<c_void>(), old.capacity * size_of::<Block>());
        }
        true
    }
}
