//! What a hunt can say. There is no "correct".

use crate::budget::StopReason;
use std::fmt;

/// How states were remembered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Exactness {
    /// Whole states: two states are the same when all their words are.
    Exact,
    /// 64-bit fingerprints: two states may be mistaken for one another, with small probability.
    Fingerprints,
    /// A few bits per state: states will be overlooked when the table fills.
    Bitstate,
}

impl Exactness {
    /// The name on the command line and in reports.
    pub fn name(self) -> &'static str {
        match self {
            Exactness::Exact => "exact",
            Exactness::Fingerprints => "fingerprints",
            Exactness::Bitstate => "bitstate",
        }
    }
}

impl fmt::Display for Exactness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// How it is known that hardly anything is new any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Saturation {
    /// By an estimate of what the next walk would meet.
    Estimated,
    /// By what was met lately.
    Lately,
}

/// Why a search that found nothing cannot say more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spending {
    /// The limit on expanded states was reached.
    States,
    /// The limit on depth cut some paths.
    Depth,
    /// The number of walks was used up.
    Walks,
    /// The rounds were used up.
    Rounds,
    /// Hardly anything new was met any more.
    Saturation(Saturation),
    /// The number of populations was used up.
    Epochs,
    /// The highway ended, and some states were left beside it.
    Lanes,
    /// The memory limit was reached.
    Memory,
    /// Everything the search met was visited, but states were not stored exactly.
    Store(Exactness),
    /// Of states with too many successors only some were looked at.
    Successors,
    /// The limit on jobs of a swarm was reached.
    Jobs,
    /// The limit on preemptions left some runs out.
    Preemptions,
    /// A subsystem did more than it was said to do, and that was not followed.
    Subsystem,
    /// Ended from outside.
    Stopped(StopReason),
}

impl Spending {
    /// A word for machines, and a sentence for people.
    fn texts(self) -> (&'static str, &'static str) {
        match self {
            Spending::States => ("states", "the limit on states was reached"),
            Spending::Depth => ("depth", "paths were cut at the depth limit"),
            Spending::Walks => ("walks", "the walks were used up"),
            Spending::Rounds => ("rounds", "the rounds were used up"),
            Spending::Saturation(Saturation::Estimated) => (
                "saturation",
                "by estimate, hardly anything that further walks meet is new",
            ),
            Spending::Saturation(Saturation::Lately) => (
                "saturation",
                "hardly anything new was met lately, in too few walks for an estimate of the rest",
            ),
            Spending::Epochs => ("epochs", "the populations were used up"),
            Spending::Lanes => ("lanes", "the highway ended, with states left beside it"),
            Spending::Memory => ("memory", "the memory limit was reached"),
            Spending::Store(Exactness::Exact) => ("store", "states were stored as exact"),
            Spending::Store(Exactness::Fingerprints) => {
                ("store", "states were stored as fingerprints")
            }
            Spending::Store(Exactness::Bitstate) => ("store", "states were stored as bitstate"),
            Spending::Successors => (
                "successors",
                "of states with very many successors only some were looked at",
            ),
            Spending::Jobs => ("jobs", "the limit on jobs was reached"),
            Spending::Preemptions => ("preemptions", "runs with more preemptions were left out"),
            Spending::Subsystem => ("subsystem", "the subsystem did more than it was said to do"),
            Spending::Stopped(StopReason::Clock) => ("clock", "the time was up"),
            Spending::Stopped(StopReason::Interrupt) => ("interrupt", "it was interrupted"),
        }
    }

    /// A word for machines.
    pub fn name(self) -> &'static str {
        self.texts().0
    }
}

impl fmt::Display for Spending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.texts().1)
    }
}

/// The answer of a hunt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// What was looked for is there, and a witness shows it.
    Found,
    /// Every reachable state was visited and stored exactly: what was looked for does not exist.
    Exhausted,
    /// The budget is used up or something was left out: nothing is known about the rest.
    Spent(Spending),
    /// The model or the search failed.
    Broken(String),
}

impl Verdict {
    /// A word for machines.
    pub fn name(&self) -> &'static str {
        match self {
            Verdict::Found => "found",
            Verdict::Exhausted => "exhausted",
            Verdict::Spent(_) => "spent",
            Verdict::Broken(_) => "broken",
        }
    }
}
