//! How many states were considered: visited, or seen as a successor of an expanded one.
//!
//! Remembering all of them costs more than the search itself, so by default their number is estimated by a [`Sketch`], from the smallest k
//! of their hashes (with k = 1024 the standard error is 3 %, and at least as many are kept). The papers count them
//! exactly, and the traces of their random search follow back-pointers set when a state is first considered; for both
//! every state is remembered.

use super::sketch::Sketch;
use crate::retrace::retrace;
use crate::store::visited::Key;
use crate::{Hunt, Outcome, SearchError};
use sortie_model::{Fingerprint, Precision, Trace, Verdict};
use std::collections::HashMap;

const SKETCH: usize = 2048;

/// The number of a considered state, where all are remembered.
pub type ConsideredId = u32;

/// Counts considered states.
#[derive(Debug)]
pub enum Considered {
    /// An estimate in constant memory, from the upper halves of the fingerprints.
    Estimated(Sketch),
    /// All of them, each with the one it was first seen from.
    Remembered {
        /// By fingerprint.
        numbers: HashMap<Fingerprint, ConsideredId>,
        /// Fingerprint and back-pointer; the initial state points to itself.
        entries: Vec<(Fingerprint, ConsideredId)>,
    },
}

impl Considered {
    /// Counts exactly or approximately, as the hunt asks.
    pub fn new(hunt: &Hunt<'_>) -> Self {
        if hunt.paper_counts {
            Considered::Remembered {
                numbers: HashMap::new(),
                entries: Vec::new(),
            }
        } else {
            Considered::Estimated(Sketch::with_room(SKETCH))
        }
    }

    /// States whose fingerprint's upper half is not below this need not be noted.
    pub fn bound(&self) -> u64 {
        match self {
            Considered::Estimated(sketch) => sketch.bound().saturating_add(1),
            Considered::Remembered { .. } => u64::MAX,
        }
    }

    /// Takes note of a state seen from another; its number, where states are remembered.
    #[inline]
    pub fn note(&mut self, print: Fingerprint, from: ConsideredId) -> ConsideredId {
        match self {
            Considered::Estimated(sketch) => {
                sketch.note(print.high());
                0
            }
            Considered::Remembered { numbers, entries } => {
                let fresh = entries.len() as ConsideredId;
                let number = *numbers.entry(print).or_insert(fresh);
                if number == fresh {
                    let parent = if fresh == 0 { 0 } else { from };
                    entries.push((print, parent));
                }
                number
            }
        }
    }

    /// Writes into the outcome of a search how many states it considered: when nothing is left, those that were visited.
    pub fn count_into(&self, outcome: &mut Outcome) {
        let counts = &mut outcome.counts;
        (counts.considered, counts.precision) = match outcome.verdict {
            Verdict::Exhausted => (counts.visited, Precision::Exact),
            _ => self.count(),
        };
    }

    /// How many there were, and how well that is known.
    pub fn count(&self) -> (u64, Precision) {
        match self {
            Considered::Estimated(sketch) if sketch.bound() == u64::MAX => {
                (sketch.distinct(), Precision::Exact)
            }
            Considered::Estimated(sketch) => (sketch.distinct(), Precision::Estimate),
            Considered::Remembered { entries, .. } => (entries.len() as u64, Precision::Exact),
        }
    }

    /// The path to a state along back-pointers, where states are remembered.
    pub fn trace(&self, hunt: &Hunt<'_>, print: Fingerprint) -> Option<Result<Trace, SearchError>> {
        let Considered::Remembered { numbers, entries } = self else {
            return None;
        };
        let mut at = *numbers.get(&print)?;
        let mut path = vec![Key::Print(entries[at as usize].0)];
        while at != 0 {
            at = entries[at as usize].1;
            path.push(Key::Print(entries[at as usize].0));
        }
        path.reverse();
        Some(retrace(hunt.model, &path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 100,000 distinct values, each noted three times; the standard error of the estimate is 3.1 %, so 15 % is
    /// beyond four standard errors.
    #[test]
    fn the_estimate_is_close() {
        let mut considered = Considered::Estimated(Sketch::with_room(SKETCH));
        for i in 0..300_000u32 {
            considered.note(Fingerprint::of_words(&[i % 100_000]), 0);
        }
        let (count, precision) = considered.count();
        assert_eq!(precision, Precision::Estimate);
        assert!(count.abs_diff(100_000) < 15_000, "{count}");
    }

    #[test]
    fn small_numbers_are_exact() {
        let mut considered = Considered::Estimated(Sketch::with_room(SKETCH));
        for i in 0..1000u32 {
            considered.note(Fingerprint::of_words(&[i % 77]), 0);
        }
        assert_eq!(considered.count(), (77, Precision::Exact));
    }
}
