//! What is known of guards.

use crate::index::Bits;
use crate::memory::Mask;

/// What is known of guards.
pub(super) struct Guards {
    /// Transitions that have one.
    pub(super) guarded: Bits,
    /// Those whose guard was evaluated and has not changed since.
    pub(super) known: Bits,
    /// Those whose guard holds.
    pub(super) hold: Bits,
    /// What each read when it was evaluated.
    pub(super) reads: Vec<Mask>,
    pub(super) any: bool,
}

impl Guards {
    pub(super) fn learn(&mut self, number: usize, holds: bool, reads: Mask) {
        self.known.set(number);
        self.reads[number] = reads;
        if holds {
            self.hold.set(number);
        } else {
            self.hold.clear(number);
        }
    }

    /// Forgets guards that read what was written, and those of transitions that are not ready.
    pub(super) fn forget(&mut self, written: Mask, ready: &Bits) {
        for word in 0..self.known.0.len() {
            self.known.0[word] &= ready.0[word];
            let mut left = self.known.0[word];
            while left != 0 {
                let number = word * 64 + left.trailing_zeros() as usize;
                left &= left - 1;
                if self.reads[number] & written != 0 {
                    self.known.clear(number);
                }
            }
        }
    }
}
