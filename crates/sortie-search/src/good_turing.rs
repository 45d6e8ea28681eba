//! How much is unseen: Good and Turing's estimate with one walk as the sampling unit.
//!
//! States met in exactly one of n walks are a sign of states met in none: their share among all meetings estimates
//! the chance that a state the next walk meets is new. A walk's states depend on one another, so each counts once
//! per walk. To stay within constant memory only states with small fingerprints are tracked; the share among those is
//! the share among all.

use sortie_model::{Fingerprint, Fingerprinter};
use std::collections::HashMap;
use std::hash::BuildHasherDefault;

/// At most this many states are tracked.
const TRACKED: usize = 1 << 13;

/// An estimate of what was not seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unseen {
    /// Of a million states the next walk meets, how many no walk has met before.
    pub per_million: u64,
    /// How many walks it rests on.
    pub walks: u64,
}

/// Counts in how many walks each state was met.
#[derive(Debug)]
pub struct GoodTuring {
    /// By the upper half of the fingerprint: the last walk that met it, and how many walks did.
    met: HashMap<u64, (u64, u64), BuildHasherDefault<Fingerprinter>>,
    /// Only fingerprints below are tracked.
    bound: u64,
    walk: u64,
    /// Meetings with states that are tracked, over all walks, and how many of those states were new.
    meetings: Meetings,
}

/// A sample of meetings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Meetings {
    /// How many there were.
    pub(crate) all: u64,
    /// With states that were not met before.
    pub(crate) first: u64,
}

impl Default for GoodTuring {
    fn default() -> Self {
        GoodTuring {
            met: HashMap::default(),
            bound: u64::MAX,
            walk: 0,
            meetings: Meetings::default(),
        }
    }
}

impl GoodTuring {
    /// A new walk begins.
    pub fn begin_walk(&mut self) {
        self.walk += 1;
    }

    /// How many walks have begun.
    pub(crate) fn walks(&self) -> u64 {
        self.walk
    }

    /// A sample of the meetings so far.
    pub(crate) fn meetings(&self) -> Meetings {
        self.meetings
    }

    /// The walk meets a state.
    #[inline]
    pub fn meet(&mut self, print: Fingerprint) {
        self.meet_half(print.high());
    }

    /// The walk meets a state, of which the upper half of the fingerprint is enough. Whether such meetings matter; once they do not, they
    /// never will.
    #[inline]
    pub(crate) fn meet_half(&mut self, high: u64) -> bool {
        if high > self.bound {
            return false;
        }
        let (last, walks) = self.met.entry(high).or_insert((0, 0));
        self.meetings.all += 1;
        self.meetings.first += u64::from(*walks == 0);
        if *last != self.walk {
            *last = self.walk;
            *walks += 1;
        }
        if self.met.len() > TRACKED {
            self.bound /= 2;
            let bound = self.bound;
            self.met.retain(|&print, _| print <= bound);
        }
        high <= self.bound
    }

    /// About how many distinct states were met.
    pub fn distinct(&self) -> u64 {
        let tracked = self.met.len() as u128;
        (tracked * (1 << 64) / (u128::from(self.bound) + 1)) as u64
    }

    /// The estimate; none before the second walk, as one walk alone cannot tell.
    pub fn unseen(&self) -> Option<Unseen> {
        let once = self.met.values().filter(|(_, walks)| *walks == 1).count() as u64;
        let meetings: u64 = self.met.values().map(|(_, walks)| walks).sum();
        (self.walk >= 2 && meetings > 0).then(|| Unseen {
            per_million: once * 1_000_000 / meetings,
            walks: self.walk,
        })
    }
}
