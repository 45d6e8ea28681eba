//! Threads, locks and atomics: those of std, and in tests those of shuttle.

#[cfg(test)]
pub use sortie_programs::rust::shuttle::{sync, thread};
#[cfg(test)]
pub use sortie_programs::rust::toss;
#[cfg(not(test))]
pub use std::{sync, thread};

/// A number below `alternatives`. In tests the search picks it.
#[cfg(not(test))]
pub fn toss(alternatives: usize) -> usize {
    use std::hash::{BuildHasher, RandomState};
    (RandomState::new().hash_one(0) % alternatives as u64) as usize
}
