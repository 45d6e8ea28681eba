//! What random walks met: for a sample of states, in which walks. Estimates are made from it.

use crate::estimates::good_turing::{TRACKED, Unseen};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The walks that met a state. Walks are numbered from 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Met {
    /// The first of them.
    pub first: u64,
    /// The second, or 0.
    pub second: u64,
    /// The last.
    pub last: u64,
    /// How many they are.
    pub walks: u64,
}

impl Met {
    /// So many walks met it, all there were.
    pub(crate) fn by_all(walks: u64) -> Met {
        Met {
            first: walks.min(1),
            second: if walks > 1 { 2 } else { 0 },
            last: walks,
            walks,
        }
    }

    /// A walk meets it, perhaps not for the first time.
    #[inline]
    pub(crate) fn note(&mut self, walk: u64) {
        if self.last == walk {
            return;
        }
        match self.walks {
            0 => self.first = walk,
            1 => self.second = walk,
            _ => {}
        }
        self.last = walk;
        self.walks += 1;
    }

    /// This, and then those of walks that came after `earlier` others.
    fn and_then(self, later: Met, earlier: u64) -> Met {
        let shifted = |walk: u64| if walk == 0 { 0 } else { walk + earlier };
        Met {
            first: if self.walks > 0 {
                self.first
            } else {
                shifted(later.first)
            },
            second: match self.walks {
                0 => shifted(later.second),
                1 => shifted(later.first),
                _ => self.second,
            },
            last: shifted(later.last),
            walks: self.walks + later.walks,
        }
    }
}

/// What walks of one kind met. States are sampled by their fingerprints, walks are all there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WalkSample {
    /// How many walks began.
    pub walks: u64,
    /// How many of them came to their own end.
    pub whole: u64,
    /// How many states they passed, repeated ones included.
    pub passed: u64,
    /// The squares of these numbers, summed over walks.
    pub passed_squares: u128,
    pub(crate) bound: u64,
    pub(crate) met: BTreeMap<u64, Met>,
}

impl WalkSample {
    /// The share of all states that would be in the sample if they were met.
    pub fn rate(&self) -> f64 {
        (self.bound as f64 + 1.0) / (u64::MAX as f64 + 1.0)
    }

    /// The states in the sample, by the upper halves of their fingerprints.
    pub fn states(&self) -> impl Iterator<Item = (u64, Met)> {
        self.met.iter().map(|(&print, &met)| (print, met))
    }

    /// How many states are in the sample.
    pub fn len(&self) -> usize {
        self.met.len()
    }

    /// Whether no state is.
    pub fn is_empty(&self) -> bool {
        self.met.is_empty()
    }

    /// Takes in walks of the same kind that came later.
    pub fn merge(&mut self, later: &WalkSample) {
        self.bound = self.bound.min(later.bound);
        for (&print, &met) in &later.met {
            let own = self.met.entry(print).or_default();
            *own = own.and_then(met, self.walks);
        }
        self.met.retain(|&print, _| print <= self.bound);
        while self.met.len() > TRACKED {
            self.bound /= 2;
            self.met.retain(|&print, _| print <= self.bound);
        }
        self.walks += later.walks;
        self.whole += later.whole;
        self.passed += later.passed;
        self.passed_squares += later.passed_squares;
    }

    /// Good and Turing's estimate; none before the second walk, as one walk alone cannot tell.
    pub fn unseen(&self) -> Option<Unseen> {
        let once = self.met.values().filter(|met| met.walks == 1).count() as u64;
        let per_million = share_unseen(once, self.bound, self.passed)?;
        (self.walks >= 2).then_some(Unseen {
            per_million,
            walks: self.walks,
        })
    }
}

/// Of a million states passed, how many are unlike all that other walks met: `once` states in the sample were met by one walk.
pub(crate) fn share_unseen(once: u64, bound: u64, passed: u64) -> Option<u64> {
    let all = (u128::from(bound) + 1).saturating_mul(u128::from(passed));
    let share = ((u128::from(once) * 1_000_000) << 64).checked_div(all)?;
    Some(share.min(1_000_000) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::GoodTuring;
    use sortie_model::{Dice, Fingerprint};

    /// Walks `from..to` of many, each through a few dozen states out of 1000, small numbers more often.
    fn walks(from: u64, to: u64, tracked: usize) -> WalkSample {
        let mut turing = GoodTuring::tracking(tracked);
        for walk in from..to {
            let mut dice = Dice::new(walk);
            turing.begin_walk();
            for _ in 0..40 {
                let state = dice.below(1000).min(dice.below(1000)) as u32;
                turing.meet(Fingerprint::of_words(&[state]));
            }
            turing.pass(40);
            turing.end_walk();
        }
        turing.sample()
    }

    #[test]
    fn samples_of_rounds_are_that_of_all_walks() {
        let whole = walks(0, 50, TRACKED);
        assert_eq!(whole.rate(), 1.0);
        for cut in [0, 1, 2, 20, 49, 50] {
            let mut merged = walks(0, cut, TRACKED);
            merged.merge(&walks(cut, 50, TRACKED));
            assert_eq!(merged, whole, "cut after {cut} walks");
        }
        // Where one part tracks fewer states, so does the whole, and it knows of them what it would have known.
        let mut merged = walks(0, 20, 100);
        merged.merge(&walks(20, 50, TRACKED));
        assert!(merged.rate() < 1.0 && merged.len() < whole.len());
        for (print, met) in merged.states() {
            assert_eq!(whole.met.get(&print), Some(&met));
        }
        let kept = whole.states().filter(|(print, _)| *print <= merged.bound);
        assert_eq!(kept.count(), merged.len());
    }

    #[test]
    fn the_share_of_a_part_is_about_that_of_all() {
        let (all, part) = (walks(0, 50, TRACKED), walks(0, 50, 400));
        let share = |sample: &WalkSample| sample.unseen().expect("many walks").per_million as f64;
        assert!(part.rate() <= 0.5);
        assert!((share(&part) / share(&all) - 1.0).abs() < 0.3);
    }
}
