//! What threads do at scheduling points.

use crate::c::region::Move;
use sortie_model::Operation;

/// The wait was given up.
pub const FLAG_TIMEOUT: u8 = 1;
/// The thread would rather have others move.
pub const FLAG_YIELD: u8 = 2;

/// No move: the thread cannot do it from here on.
pub const FLAG_BLOCKED: u8 = 4;

/// What people call a kind of move, and the kind of its object. In the order of the list in runtime/shared.h.
const KINDS: [(&str, &str); 31] = [
    ("begins", ""),
    ("creates a thread", ""),
    ("joins", "thread"),
    ("ends", ""),
    ("exits", ""),
    ("locks", "lock"),
    ("tries to lock", "lock"),
    ("unlocks", "lock"),
    ("locks for reading", "lock"),
    ("tries to lock for reading", "lock"),
    ("waits for", "condition"),
    ("wakes from", "condition"),
    ("signals", "condition"),
    ("signals to all", "condition"),
    ("waits for", "semaphore"),
    ("tries", "semaphore"),
    ("posts", "semaphore"),
    ("looks at", "semaphore"),
    ("arrives at", "barrier"),
    ("passes", "barrier"),
    ("does once", "once"),
    ("sleeps", ""),
    ("yields", ""),
    ("reads", "word"),
    ("writes", "word"),
    ("reads atomically", "word"),
    ("changes atomically", "word"),
    ("looks whether to wait for", "futex"),
    ("passes", "futex"),
    ("wakes waiters of", "futex"),
    ("goes on", ""),
];

const JOIN: u8 = 2;
const EXIT: u8 = 4;
const WAIT: u8 = 10;

impl Move {
    /// What the thread does, and to what kind of object.
    pub fn words(&self) -> (&'static str, &'static str) {
        KINDS.get(self.kind as usize).copied().unwrap_or(("?", ""))
    }

    /// Whether the thread waits for another to end.
    pub fn is_join(&self) -> bool {
        self.kind == JOIN
    }

    /// Whether the thread stops waiting.
    pub fn times_out(&self) -> bool {
        self.flags & FLAG_TIMEOUT != 0
    }

    /// Whether the thread would rather have others move.
    pub fn yields(&self) -> bool {
        self.flags & FLAG_YIELD != 0
    }

    /// Whether this tells of a thread that cannot move, rather than of a move.
    pub fn is_blocked(&self) -> bool {
        self.flags & FLAG_BLOCKED != 0
    }

    /// What a search is told. Waiting for a condition also gives a lock back, and exiting ends everybody.
    pub fn operation(&self) -> Operation {
        match self.kind {
            EXIT | WAIT => Operation::ANY,
            _ => Operation {
                object: self.object,
                looks: self.looks != 0,
            },
        }
    }

    /// The same for the same thing done at the same place, in every run.
    pub fn what(&self) -> u64 {
        let place = self.place.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (place ^ u64::from(self.kind)).wrapping_mul(0xff51_afd7_ed55_8ccd)
    }
}
