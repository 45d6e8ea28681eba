//! What a search tells while it runs.

use crate::model::Identity;
use crate::verdict::{Exactness, Verdict};

/// How well a count is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Precision {
    /// Counted.
    #[default]
    Exact,
    /// Estimated, with a standard error of 3 %.
    Estimate,
    /// Estimated as above, but only part of what should count was looked at.
    AtLeast,
}

impl Precision {
    /// A word for machines.
    pub fn name(self) -> &'static str {
        match self {
            Precision::Exact => "exact",
            Precision::Estimate => "estimate",
            Precision::AtLeast => "at least",
        }
    }
}

/// The counts every report gives, in the words of the papers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Counts {
    /// States put on a path, lane or stack.
    pub visited: u64,
    /// States all of whose successors were listed, before the one that shows what was looked for.
    pub expanded: u64,
    /// States visited or seen as a successor of an expanded one.
    pub considered: u64,
    /// How well `considered` is known.
    pub precision: Precision,
    /// Transitions listed.
    pub transitions: u64,
    /// The greatest distance from the initial state, along the search's own paths.
    pub depth: u64,
}

/// Which end of a quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Extreme {
    /// The smallest value seen.
    Smallest,
    /// The largest value seen.
    Largest,
}

/// The result of one run, as reported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunSummary {
    /// Which run, from 0.
    pub run: u64,
    /// Its seed.
    pub seed: u64,
    /// Its answer.
    pub verdict: Verdict,
    /// How many distinct things were found.
    pub found: u64,
    /// Its counts.
    pub counts: Counts,
    /// The length of the first witness as the search found it.
    pub trace: Option<u64>,
    /// The length of the first witness after shortening.
    pub shortened: Option<u64>,
    /// The estimated share of what the next walk passes that no walk has met, in millionths.
    pub unseen_ppm: Option<u64>,
}

/// Something worth telling.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A hunt begins.
    Started {
        /// The model.
        model: Identity,
        /// Values set on the command line, as `name=value`.
        settings: Vec<String>,
        /// The strategy.
        strategy: String,
        /// Its options, as `name=value`.
        options: Vec<String>,
        /// What is looked for.
        properties: Vec<String>,
        /// The seed of the whole hunt.
        seed: u64,
        /// How many runs there will be.
        runs: u64,
    },
    /// A level of a search by levels is complete.
    Level {
        /// Its number; the initial state is level 0.
        level: u64,
        /// How many states it has.
        states: u64,
    },
    /// A generation of a genetic search has lived.
    Generation {
        /// Which population, from 0.
        epoch: u64,
        /// Which generation of it, from 0.
        generation: u64,
        /// How deep its paths go.
        depth: u64,
        /// The fitness of the fittest.
        best: i64,
        /// That of the least fit.
        worst: i64,
        /// That of those who have children next, summed up.
        parents_sum: i128,
        /// How many those are.
        parents: u64,
        /// The most bits that were read from a chromosome so far.
        length: u64,
        /// How often bits change, in multiples of the usual rate.
        mutation_factor: u64,
    },
    /// How much of what a search met lately was new.
    Saturation {
        /// How many states were met so far.
        met: u64,
        /// How many states lately.
        lately: u64,
        /// How many of those were new.
        new: u64,
    },
    /// About how many states there are, as far as a small part of them tells.
    Sized {
        /// The decimal logarithm of the number, in hundredths.
        log: u64,
        /// Whether it may be many more.
        at_least: bool,
        /// Whether all of them will be visited.
        exhausting: bool,
        /// Successors for each state, in thousandths.
        branching: u64,
        /// The share of successors that had been seen, in millionths.
        revisits: u64,
        /// How far away from the initial state the farthest one seen is.
        levels: u64,
    },
    /// About how many values the components of a model and their parameters had in the states that were met.
    Values {
        /// By name.
        distinct: Vec<(String, u64)>,
    },
    /// One of several searches that take turns had its turn.
    Round {
        /// Its number, from 0.
        round: u64,
        /// The strategy.
        strategy: String,
        /// How many states it expanded.
        expanded: u64,
        /// About how many states it saw that no round had seen before.
        new: u64,
        /// How many distinct things it found.
        found: u64,
    },
    /// Something in the model that its author should know and that is no violation.
    Warning {
        /// What it is.
        message: String,
    },
    /// The store gave up exactness to stay within its memory.
    Degraded {
        /// How states were remembered until now.
        from: Exactness,
        /// How they are remembered from now on.
        to: Exactness,
        /// How many states had been visited.
        visited: u64,
    },
    /// Something was found, replayed and shortened.
    Found {
        /// The run that found it.
        run: u64,
        /// What was looked for.
        property: String,
        /// The last label of the witness, if it has one.
        label: Option<String>,
        /// Length as found.
        raw: u64,
        /// Length after shortening.
        shortened: u64,
        /// How many steps lead to the beginning of the loop, where the witness is one.
        cycle: Option<u64>,
        /// The end of the quantity and the value, where an extreme was looked for.
        value: Option<(Extreme, i64)>,
        /// The file the witness was written to.
        file: Option<String>,
    },
    /// One run is over.
    RunEnded(RunSummary),
}

/// Hears what a search tells.
pub trait Observer: Sync {
    /// Something happened.
    fn event(&self, event: &Event);

    /// A sign of life, many times a second: how many states were expanded since the last one.
    fn progress(&self, _expanded: u64) {}
}

/// An observer that ignores everything.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {
    fn event(&self, _event: &Event) {}
}
