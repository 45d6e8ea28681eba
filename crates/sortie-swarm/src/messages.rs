//! What coordinators and workers tell one another. Everything can be sent: states travel as paths, labels as fingerprints.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sortie_model::{Exactness, Fingerprint, Saturation, Spending, StopReason};
use std::collections::BTreeSet;

/// A fingerprint that can be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Print(pub Fingerprint);

impl Serialize for Print {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Print {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Print, D::Error> {
        let text = String::deserialize(deserializer)?;
        let print = Fingerprint::parse(&text);
        print
            .map(Print)
            .ok_or_else(|| serde::de::Error::custom("this is no fingerprint"))
    }
}

/// Something a worker is to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Job {
    /// Its number in the campaign.
    pub id: u64,
    /// What it is.
    pub task: Task,
}

/// What a job is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Task {
    /// A search bound to a trace of the subsystem.
    Informed {
        /// The labels of the trace.
        labels: Vec<Print>,
        /// Whether states beyond its end are to be reported.
        cut: bool,
        /// Where to begin.
        seeds: std::sync::Arc<[Seed]>,
        /// Decides all random choices.
        seed: u64,
    },
    /// A search of the whole model.
    Plain {
        /// Decides all random choices.
        seed: u64,
    },
}

/// A state to begin at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seed {
    /// Its content.
    pub print: Print,
    /// A path to it from the initial state: of each state on the way, which of its steps is taken.
    pub path: Vec<u32>,
    /// The state, where it is known.
    #[serde(skip)]
    pub state: Option<Vec<u32>>,
}

/// What came of a job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// How it ended.
    pub ending: Ending,
    /// What it found.
    pub found: Vec<Discovery>,
    /// By phase, the labels of the subsystem that were seen; `None` for phases that were never entered. Only of an exhaustive search.
    pub observed: Vec<Option<BTreeSet<Print>>>,
    /// By phase, what stands for the set of states that were visited in it.
    pub contents: Vec<Option<Print>>,
    /// States beyond the end of a trace that was cut, with the label of the subsystem that leads there.
    pub seeds: Vec<(Print, Seed)>,
    /// States visited.
    pub visited: u64,
    /// States expanded.
    pub expanded: u64,
    /// Transitions listed.
    pub transitions: u64,
    /// The greatest depth.
    pub depth: u64,
}

/// How a job ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Ending {
    /// What was looked for is there.
    Found,
    /// Everything the job covers was visited.
    Exhausted,
    /// A limit was reached before.
    Spent(Limit),
}

/// Something found by a worker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Discovery {
    /// The number of the property.
    pub property: usize,
    /// The path to where it shows, as in [`Seed::path`].
    pub path: Vec<u32>,
}

/// A limit of a search, as it is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "they are those of `Spending`")]
pub enum Limit {
    States,
    Depth,
    Walks,
    Lanes,
    Memory,
    Fingerprints,
    Bitstate,
    Clock,
    Interrupt,
    Jobs,
    Subsystem,
    Epochs,
    Preemptions,
    Saturation,
    Rounds,
    Successors,
    SaturationLately,
}

impl From<Spending> for Limit {
    fn from(spending: Spending) -> Limit {
        match spending {
            Spending::States => Limit::States,
            Spending::Depth => Limit::Depth,
            Spending::Walks => Limit::Walks,
            Spending::Lanes => Limit::Lanes,
            Spending::Memory => Limit::Memory,
            Spending::Store(Exactness::Bitstate) => Limit::Bitstate,
            Spending::Store(_) => Limit::Fingerprints,
            Spending::Stopped(StopReason::Clock) => Limit::Clock,
            Spending::Stopped(StopReason::Interrupt) => Limit::Interrupt,
            Spending::Jobs => Limit::Jobs,
            Spending::Subsystem => Limit::Subsystem,
            Spending::Epochs => Limit::Epochs,
            Spending::Preemptions => Limit::Preemptions,
            Spending::Rounds => Limit::Rounds,
            Spending::Saturation(Saturation::Estimated) => Limit::Saturation,
            Spending::Saturation(Saturation::Lately) => Limit::SaturationLately,
            Spending::Successors => Limit::Successors,
        }
    }
}

impl From<Limit> for Spending {
    fn from(limit: Limit) -> Spending {
        match limit {
            Limit::States => Spending::States,
            Limit::Depth => Spending::Depth,
            Limit::Walks => Spending::Walks,
            Limit::Lanes => Spending::Lanes,
            Limit::Memory => Spending::Memory,
            Limit::Fingerprints => Spending::Store(Exactness::Fingerprints),
            Limit::Bitstate => Spending::Store(Exactness::Bitstate),
            Limit::Clock => Spending::Stopped(StopReason::Clock),
            Limit::Interrupt => Spending::Stopped(StopReason::Interrupt),
            Limit::Jobs => Spending::Jobs,
            Limit::Subsystem => Spending::Subsystem,
            Limit::Epochs => Spending::Epochs,
            Limit::Preemptions => Spending::Preemptions,
            Limit::Rounds => Spending::Rounds,
            Limit::Saturation => Spending::Saturation(Saturation::Estimated),
            Limit::SaturationLately => Spending::Saturation(Saturation::Lately),
            Limit::Successors => Spending::Successors,
        }
    }
}
