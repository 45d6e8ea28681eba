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
    /// A word for machines.
    pub fn name(self) -> &'static str {
        match self {
            Spending::States => "states",
            Spending::Depth => "depth",
            Spending::Walks => "walks",
            Spending::Rounds => "rounds",
            Spending::Saturation(_) => "saturation",
            Spending::Epochs => "epochs",
            Spending::Lanes => "lanes",
            Spending::Memory => "memory",
            Spending::Store(_) => "store",
            Spending::Successors => "successors",
            Spending::Jobs => "jobs",
            Spending::Preemptions => "preemptions",
            Spending::Subsystem => "subsystem",
            Spending::Stopped(StopReason::Clock) => "clock",
            Spending::Stopped(StopReason::Interrupt) => "interrupt",
        }
    }
}

impl fmt::Display for Spending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Spending::States => f.write_str("the limit on states was reached"),
            Spending::Depth => f.write_str("paths were cut at the depth limit"),
            Spending::Walks => f.write_str("the walks were used up"),
            Spending::Rounds => f.write_str("the rounds were used up"),
            Spending::Saturation(Saturation::Estimated) => {
                f.write_str("by estimate, hardly anything that further walks meet is new")
            }
            Spending::Saturation(Saturation::Lately) => f.write_str(
                "hardly anything new was met lately, in too few walks for an estimate of the rest",
            ),
            Spending::Epochs => f.write_str("the populations were used up"),
            Spending::Lanes => f.write_str("the highway ended, with states left beside it"),
            Spending::Memory => f.write_str("the memory limit was reached"),
            Spending::Store(exactness) => write!(f, "states were stored as {exactness}"),
            Spending::Successors => {
                f.write_str("of states with very many successors only some were looked at")
            }
            Spending::Jobs => f.write_str("the limit on jobs was reached"),
            Spending::Preemptions => f.write_str("runs with more preemptions were left out"),
            Spending::Subsystem => f.write_str("the subsystem did more than it was said to do"),
            Spending::Stopped(StopReason::Clock) => f.write_str("the time was up"),
            Spending::Stopped(StopReason::Interrupt) => f.write_str("it was interrupted"),
        }
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
