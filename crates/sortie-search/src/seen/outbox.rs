//! What threads send to the owners of the table: see [`together`](super::together).

use crate::packed::Layout;
use std::ops::Range;

/// A thread remembers so many states that it sent lately.
const RECENT: usize = 1 << 14;

/// What a thread sends.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(crate) struct Desk {
    /// By owner.
    letters: Vec<Letters>,
    /// Hash and key of states that were sent: those need not be sent again.
    recent: Vec<u64>,
}

/// Which of what a thread sent belongs to some states that follow one another.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(crate) struct Outbox {
    pub(super) thread: usize,
    /// By owner: where they are among what the thread sent there.
    letters: Vec<Range<usize>>,
    /// The number of the first of the states.
    pub(super) first: u32,
    /// By state: how many steps there are up to its last.
    pub(super) ends: Vec<u32>,
}

/// What a thread sends to an owner, in memory of its own.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Letters {
    /// Some of them are not used yet.
    words: Vec<u64>,
    used: usize,
}

impl Letters {
    /// Begins anew. The owner has read the words, so that writing any of them would have to wait for his processor. Writing all of them at once waits once.
    fn clear(&mut self) {
        let used = std::mem::take(&mut self.used);
        let next = (used + used / 4).min(self.words.len());
        self.words[..next].fill(0);
    }

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
        }
    }

    /// Nothing is sent yet.
    pub(super) fn begin(&mut self) {
        self.letters.iter_mut().for_each(Letters::clear);
    }

    /// Makes room to remember states of so many units.
    pub(super) fn remember(&mut self, units: usize) {
        self.recent.resize(RECENT * (units + 1), 0);
    }

    pub(super) fn forget(&mut self) {
        self.recent.clear();
    }

    /// What an outbox has for an owner: hash, key and step of each successor.
    pub(super) fn letters(&self, outbox: &Outbox, owner: usize) -> &[u64] {
        &self.letters[owner].words[outbox.letters[owner].clone()]
    }

    /// Sends a state to its owner, unless that was done lately; false if it does not fit into the layout.
    #[inline]
    pub(super) fn send(
        &mut self,
        owner: usize,
        layout: &Layout,
        hash: u64,
        state: &[u32],
        step: u32,
    ) -> bool {
        let words = &mut self.letters[owner];
        let begin = words.used;
        let recent = (hash as usize % RECENT) * (layout.units() + 1);
        let (known, recent) = self.recent[recent..][..=layout.units()]
            .split_first_mut()
            .expect("an entry has a hash");
        // Zero stands for nothing.
        let mut is_known = *known == hash && hash != 0;
        *known = hash;
        words.push(hash);
        for (recent, unit) in recent.iter_mut().zip(layout.pack(state)) {
            let Some(unit) = unit else {
                return false;
            };
            is_known &= *recent == unit;
            *recent = unit;
            words.push(unit);
        }
        words.push(u64::from(step));
        if is_known {
            words.used = begin;
        }
        true
    }
}

impl Outbox {
    /// Thread number so and so will send what it finds in the states from this number on.
    pub(crate) fn open(&mut self, thread: usize, desk: &Desk, first: u32) {
        self.thread = thread;
        self.first = first;
        self.ends.clear();
        self.letters.clear();
        let sent = desk.letters.iter().map(|letters| letters.used);
        self.letters.extend(sent.map(|sent| sent..sent));
    }

    /// The next state has so many steps.
    pub(crate) fn next(&mut self, steps: usize) {
        self.ends.push(self.steps() + steps as u32);
    }

    /// All is sent.
    pub(crate) fn close(&mut self, desk: &Desk) {
        for (range, letters) in self.letters.iter_mut().zip(&desk.letters) {
            range.end = letters.used;
        }
    }

    /// How many states there were.
    pub(crate) fn states(&self) -> u32 {
        self.ends.len() as u32
    }

    pub(crate) fn steps(&self) -> u32 {
        self.ends.last().copied().unwrap_or(0)
    }
}
