//! What owners send one another: see [`together`](super::together).

use crate::packed::Layout;

/// An owner remembers so many states that it sent lately.
const RECENT: usize = 1 << 14;

/// What an owner sends.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(super) struct Desk {
    /// By receiver.
    letters: Vec<Letters>,
    /// Hash and key of states that were sent: those need not be sent again.
    recent: Vec<u64>,
    /// Whether anything was sent in this batch.
    is_open: bool,
}

/// What is sent to a receiver, in memory of its own: hash, key and order of each state.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Letters {
    /// Some of them are not used yet.
    words: Vec<u64>,
    used: usize,
}

impl Letters {
    #[inline]
    fn push(&mut self, word: u64) {
        if self.used == self.words.len() {
            self.words.resize(self.used * 2 + 4096, 0);
        }
        self.words[self.used] = word;
        self.used += 1;
    }
}

impl Desk {
    pub(super) fn new(owners: usize) -> Desk {
        Desk {
            letters: (0..owners).map(|_| Letters::default()).collect(),
            recent: Vec::new(),
            is_open: false,
        }
    }

    /// What was sent is read. A thread that is late may have nothing to send in the next batch.
    pub(super) fn close(&mut self) {
        self.is_open = false;
    }

    /// What was sent does not count.
    pub(super) fn forget(&mut self) {
        self.recent.clear();
    }

    /// Nothing is sent yet, of states of so many units.
    pub(super) fn begin(&mut self, units: usize) {
        self.recent.resize(RECENT * recent_length(units), 0);
        self.letters.iter_mut().for_each(|letters| letters.used = 0);
        self.is_open = true;
    }

    /// What there is for a receiver.
    pub(super) fn letters(&self, receiver: usize) -> &[u64] {
        let letters = &self.letters[receiver];
        match self.is_open {
            true => &letters.words[..letters.used],
            false => &[],
        }
    }

    /// Begins anew for this receiver, who is the owner itself.
    #[inline]
    pub(super) fn clear_own(&mut self, receiver: usize) {
        self.letters[receiver].used = 0;
    }

    /// Sends a state, unless that was done lately.
    #[inline]
    pub(super) fn send(
        &mut self,
        receiver: usize,
        layout: &Layout,
        (hash, state): (u64, &[u32]),
        order: u32,
    ) -> Sent {
        let letters = &mut self.letters[receiver];
        let begin = letters.used;
        let length = recent_length(layout.units());
        let recent = &mut self.recent[(hash as usize % RECENT) * length..][..=layout.units()];
        let Some((known, recent)) = recent.split_first_mut() else {
            return Sent::No;
        };
        // Zero stands for nothing.
        let mut is_known = *known == hash && hash != 0;
        *known = hash;
        letters.push(hash);
        for (recent, unit) in recent.iter_mut().zip(layout.pack(state)) {
            let Some(unit) = unit else {
                letters.used = begin;
                return Sent::No;
            };
            is_known &= *recent == unit;
            *recent = unit;
            letters.push(unit);
        }
        if is_known {
            letters.used = begin;
            return Sent::Before;
        }
        letters.push(u64::from(order));
        Sent::Now
    }
}

/// Whether a state was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sent {
    Now,
    /// It was sent lately.
    Before,
    /// It does not fit into the layout.
    No,
}

/// Words of a remembered state, few of which share two lines of memory.
#[inline]
fn recent_length(units: usize) -> usize {
    (units + 1).next_power_of_two()
}
