//! Anonymous mappings that the program makes itself: which ranges are live.

const RANGES: usize = 1024;

pub(crate) struct Maps {
    ranges: [(usize, usize); RANGES],
    count: usize,
}

impl Maps {
    pub(crate) const fn new() -> Self {
        Self { ranges: [(0, 0); RANGES], count: 0 }
    }

    /// Remember [start, start + len). False when the list is full: the mapping is then not counted.
    pub(crate) fn add(&mut self, start: usize, len: usize) -> bool {
        if self.count == RANGES || len == 0 {
            return false;
        }
        self.ranges[self.count] = (start, start + len);
        self.count += 1;
        true
    }

    /// Forget whatever lies in [start, start + len); returns how many counted bytes that was.
    pub(crate) fn remove(&mut self, start: usize, len: usize) -> usize {
        let end = start + len;
        let mut gone = 0;
        let mut at = 0;
        while at < self.count {
            let (from, to) = self.ranges[at];
            let (cut_from, cut_to) = (from.max(start), to.min(end));
            if cut_from >= cut_to {
                at += 1;
                continue;
            }
            gone += cut_to - cut_from;
            self.count -= 1;
            self.ranges[at] = self.ranges[self.count];
            // What is left on either side goes to the end of the list; neither overlaps the cut, so it is not met again.
            self.add(from, cut_from - from);
            self.add(cut_to, to - cut_to);
        }
        gone
    }
}
