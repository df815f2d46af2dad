//! The kernel's initramfs format ("newc" cpio), written with fixed owners and times.

use std::io::Write;

/// An archive being written to memory.
#[derive(Default)]
pub(super) struct Cpio {
    bytes: Vec<u8>,
    inode: u32,
}

const DIRECTORY: u32 = 0o040_755;
const FILE: u32 = 0o100_000;

impl Cpio {
    pub(super) fn directory(&mut self, path: &str) {
        self.entry(path, DIRECTORY, &[]);
    }

    pub(super) fn file(&mut self, path: &str, mode: u32, content: &[u8]) {
        self.entry(path, FILE | mode, content);
    }

    /// The archive with its trailer.
    pub(super) fn finish(mut self) -> Vec<u8> {
        self.entry("TRAILER!!!", 0, &[]);
        self.bytes
    }

    fn entry(&mut self, path: &str, mode: u32, content: &[u8]) {
        self.inode += 1;
        let links = if mode & DIRECTORY == DIRECTORY { 2 } else { 1 };
        // magic, inode, mode, uid, gid, links, mtime, size, device (2), special device (2), name length, checksum
        let fields = [self.inode, mode, 0, 0, links, 0, content.len() as u32, 0, 0, 0, 0, path.len() as u32 + 1, 0];
        self.bytes.extend_from_slice(b"070701");
        for field in fields {
            write!(self.bytes, "{field:08X}").expect("writing to memory");
        }
        self.bytes.extend_from_slice(path.as_bytes());
        self.bytes.push(0);
        self.pad();
        self.bytes.extend_from_slice(content);
        self.pad();
    }

    fn pad(&mut self) {
        while !self.bytes.len().is_multiple_of(4) {
            self.bytes.push(0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Command, Stdio};

    #[test]
    fn another_program_reads_it_back() {
        let mut cpio = Cpio::default();
        cpio.directory("dir");
        cpio.file("dir/hello", 0o755, b"#!/bin/sh\n");
        let bytes = cpio.finish();
        if !crate::sources::have("cpio") {
            // Same facts without cpio: the header and the aligned content are where the format says.
            assert_eq!(&bytes[..6], b"070701");
            assert!(bytes.windows(10).any(|w| w == b"#!/bin/sh\n"));
            eprintln!("SKIPPED: reading the archive with cpio: not installed (apt-get install cpio)");
            return;
        }
        let mut child =
            Command::new("cpio").args(["-tv", "--quiet"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(&bytes).unwrap();
        let listing = String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap();
        assert!(listing.contains("-rwxr-xr-x") && listing.contains("dir/hello"), "{listing}");
    }
}
