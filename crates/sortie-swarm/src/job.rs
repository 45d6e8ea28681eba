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

/// The result of a job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobResult {
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

/// A limit of a search, sent by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit(pub Spending);

/// The names of limits in messages.
const LIMITS: [(&str, Spending); 17] = [
    ("States", Spending::States),
    ("Depth", Spending::Depth),
    ("Walks", Spending::Walks),
    ("Lanes", Spending::Lanes),
    ("Memory", Spending::Memory),
    ("Fingerprints", Spending::Store(Exactness::Fingerprints)),
    ("Bitstate", Spending::Store(Exactness::Bitstate)),
    ("Clock", Spending::Stopped(StopReason::Clock)),
    ("Interrupt", Spending::Stopped(StopReason::Interrupt)),
    ("Jobs", Spending::Jobs),
    ("Subsystem", Spending::Subsystem),
    ("Epochs", Spending::Epochs),
    ("Preemptions", Spending::Preemptions),
    ("Saturation", Spending::Saturation(Saturation::Estimated)),
    ("SaturationLately", Spending::Saturation(Saturation::Lately)),
    ("Rounds", Spending::Rounds),
    ("Successors", Spending::Successors),
];

impl Serialize for Limit {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let known = LIMITS.iter().find(|(_, limit)| *limit == self.0);
        let (name, _) = known.ok_or_else(|| serde::ser::Error::custom("a limit without a name"))?;
        serializer.serialize_str(name)
    }
}

impl<'de> Deserialize<'de> for Limit {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Limit, D::Error> {
        let text = String::deserialize(deserializer)?;
        let known = LIMITS.iter().find(|(name, _)| *name == text);
        let known = known.map(|(_, limit)| Limit(*limit));
        known.ok_or_else(|| serde::de::Error::custom("this is no limit"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_sent_by_name() {
        for (name, limit) in LIMITS {
            let text = serde_json::to_string(&Limit(limit)).expect("it has a name");
            assert_eq!(text, format!("\"{name}\""));
            assert_eq!(
                serde_json::from_str::<Limit>(&text).ok(),
                Some(Limit(limit))
            );
        }
    }
}
