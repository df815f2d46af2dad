//! heapmeter: `LD_PRELOAD=libheapmeter.so HEAPMETER_OUT=heap.jsonl program` counts what the program keeps on the heap.
//!
//! One line of JSON per process, appended when it ends (also through `_exit`); after a fork the child counts on its own,
//! from what it inherited. Environment:
//!
//! - `HEAPMETER_OUT`: file to append to; `HEAPMETER_FD`: or the number of an open descriptor. Neither: stderr.
//! - `HEAPMETER_SITES=N`: also the N call sites that held most when the heap was largest (to within 1/64).
//!
//! Counted: requested bytes of malloc, calloc, realloc, `aligned_alloc`, `posix_memalign`, memalign, strdup and the like (they
//! call malloc), and anonymous private mappings that the program makes itself (arenas). Not counted: stacks, code, static
//! data, and what the allocator adds to a block. Works on glibc and musl, with threads.

mod calls;
mod maps;
mod meter;
mod report;
mod sys;
mod table;
