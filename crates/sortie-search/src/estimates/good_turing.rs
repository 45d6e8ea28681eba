//! How much is unseen: Good and Turing's estimate with one walk as the sampling unit.
//!
//! States met in exactly one of n walks are a sign of states met in none: divided by n, their number estimates how many states the next walk meets that
//! nobody has met. A walk's states depend on one another, so each counts once per walk. To stay within constant memory only states with small
//! fingerprints are tracked; what holds for those holds for all. What was tracked is handed out as a [`WalkSample`].

mod tracked;

use crate::estimates::walk_sample::{Met, WalkSample, share_unseen};
use sortie_model::Fingerprint;
use std::collections::BTreeMap;
use tracked::Tracked;

/// At most this many states are tracked.
pub(crate) const TRACKED: usize = 1 << 13;

/// An estimate of what was not seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unseen {
    /// Of a million states the next walk passes, how many no walk has met before.
    pub per_million: u64,
    /// How many walks it rests on.
    pub walks: u64,
}

/// Counts in how many walks each state was met.
#[derive(Debug)]
pub struct GoodTuring {
    met: Tracked,
    /// Only fingerprints below are tracked.
    bound: u64,
    tracked: usize,
    /// Where all walks begin, if that need not be told each time.
    origin: Option<u64>,
    walk: u64,
    whole: u64,
    /// States that walks passed, repeated ones included: those before this walk, their squares, and this walk's.
    passed: u64,
    passed_squares: u128,
    passing: u64,
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
        GoodTuring::tracking(TRACKED)
    }
}

impl GoodTuring {
    /// Tracks at most so many states.
    pub fn tracking(tracked: usize) -> Self {
        GoodTuring {
            met: Tracked::new(),
            bound: u64::MAX,
            tracked,
            origin: None,
            walk: 0,
            whole: 0,
            passed: 0,
            passed_squares: 0,
            passing: 0,
            meetings: Meetings::default(),
        }
    }

    /// A new walk begins.
    pub fn begin_walk(&mut self) {
        self.passed += self.passing;
        self.passed_squares += u128::from(self.passing).pow(2);
        self.passing = 0;
        self.walk += 1;
    }

    /// All walks meet this state, which need not be told each time.
    pub(crate) fn begin_at(&mut self, print: Fingerprint) {
        self.origin = Some(print.high());
    }

    /// The walk passes so many states, whether or not anybody has met them.
    #[inline]
    pub fn pass(&mut self, states: u64) {
        self.passing += states;
    }

    /// The walk has come to its own end: nothing cut it short.
    pub fn end_walk(&mut self) {
        self.whole += 1;
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
        let (met, is_new) = self.met.find(high);
        self.meetings.all += 1;
        self.meetings.first += u64::from(met.walks == 0);
        met.note(self.walk);
        if is_new && self.met.len() > self.tracked {
            self.bound /= 2;
            self.met.keep_up_to(self.bound);
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
        let once = self.met.iter().filter(|(_, met)| met.walks == 1);
        let once = once.filter(|(print, _)| Some(*print) != self.origin);
        let once = once.count() as u64;
        let passed = self.passed + self.passing;
        let per_million = share_unseen(once, self.bound, passed)?;
        (self.walk >= 2).then_some(Unseen {
            per_million,
            walks: self.walk,
        })
    }

    /// What was tracked so far.
    pub fn sample(&self) -> WalkSample {
        // A walk that the budget did not let take a single step is none.
        let idle = u64::from(self.passing == 0 && self.whole < self.walk);
        let walks = self.walk - idle;
        let mut met: BTreeMap<u64, Met> = self.met.iter().collect();
        if let Some(origin) = self.origin.filter(|&print| print <= self.bound) {
            met.insert(origin, Met::by_all(walks));
        }
        WalkSample {
            walks,
            whole: self.whole,
            passed: self.passed + self.passing,
            passed_squares: self.passed_squares + u128::from(self.passing).pow(2),
            bound: self.bound,
            met,
        }
    }
}
