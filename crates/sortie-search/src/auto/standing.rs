//! What has to be known of a hunt to take it up again between two rounds.

use super::coverage::Seen;
use super::ledger::Account;
use super::probe::Extent;
use super::{Auto, Found};
use crate::estimates::sketch::Sketch;
use crate::paths::{path_of, retrace_whole};
use crate::{SearchError, WalkSample};
use serde::{Deserialize, Serialize};
use sortie_model::{Counts, Extreme};

/// A hunt between two rounds: sums, samples, and the paths to what was found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Standing {
    /// Rounds that are over.
    pub rounds: u64,
    /// Visited, expanded, transitions, depth.
    pub counts: [u64; 4],
    /// What is known of each arm.
    pub arms: Vec<Account>,
    /// The samples of states and of pairs: the bound and the hashes.
    pub seen: [(u64, Vec<u64>); 2],
    /// The same for the values of components and parameters, by name.
    pub values: Vec<(String, u64, Vec<u64>)>,
    /// How many states there are, once all of them were seen.
    pub all: Option<u64>,
    /// What the probes found out.
    pub probes: Vec<Extent>,
    /// About how many states there are, where all of them are visited next.
    pub exhausting: Option<u64>,
    /// More states than this there are.
    pub beyond: u64,
    /// How many states the search that is continued had expanded; none if it is over.
    pub continued: Option<u64>,
    /// What tells the violations that were found apart.
    pub distinct: Vec<u64>,
    /// How many a single search told apart.
    pub most_found: u64,
    /// What plain random walks met.
    pub walks: Option<Box<WalkSample>>,
    /// What was found.
    pub found: Vec<FoundWay>,
}

/// Something found: its property, the way to it, where it closes a loop, which end and value.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FoundWay {
    /// Index of the property.
    pub property: usize,
    /// Which of the listed steps is taken in each state.
    pub way: Vec<u32>,
    /// After how many steps a loop begins.
    pub cycle: Option<usize>,
    /// Whether it is the largest value, and the value.
    pub record: Option<(bool, i64)>,
}

/// Keeps standings somewhere safe.
pub trait Keeper: Sync {
    /// Where to begin, if not at the beginning.
    fn kept(&self) -> Option<Standing>;

    /// The hunt has come this far.
    fn keep(&self, standing: &Standing);
}

impl Auto<'_> {
    /// What there is to keep.
    pub(super) fn put_down(&self) -> Result<Standing, SearchError> {
        let model = self.hunt.model;
        let values = |(name, sketch): (&String, &Sketch)| {
            let (bound, kept) = sketch.parts();
            (name.clone(), bound, kept)
        };
        let mut found = Vec::new();
        for one in &self.found {
            let record = one.record;
            found.push(FoundWay {
                property: one.property,
                way: path_of(model, &one.trace)?,
                cycle: one.cycle,
                record: record.map(|(end, value)| (end == Extreme::Largest, value)),
            });
        }
        let mut distinct: Vec<u64> = self.distinct.iter().copied().collect();
        distinct.sort_unstable();
        Ok(Standing {
            rounds: self.rounds,
            counts: [
                self.counts.visited,
                self.counts.expanded,
                self.counts.transitions,
                self.counts.depth,
            ],
            arms: self.ledger.accounts.clone(),
            seen: [self.seen.states.parts(), self.seen.pairs.parts()],
            values: self.seen.values.iter().map(values).collect(),
            probes: self.extents.clone(),
            all: self.all,
            exhausting: self.exhausting,
            beyond: self.beyond,
            continued: self.continued,
            distinct,
            most_found: self.most_found,
            walks: self.walks.clone(),
            found,
        })
    }

    /// Goes on from there.
    pub(super) fn take_up(&mut self, standing: &Standing) -> Result<(), SearchError> {
        self.rounds = standing.rounds;
        let [visited, expanded, transitions, depth] = standing.counts;
        self.counts = Counts {
            visited,
            expanded,
            transitions,
            depth,
            ..Counts::default()
        };
        for (account, kept) in self.ledger.accounts.iter_mut().zip(&standing.arms) {
            account.clone_from(kept);
        }
        self.extents.clone_from(&standing.probes);
        let [states, pairs] = &standing.seen;
        let sketch = |(bound, kept): &(u64, Vec<u64>)| {
            Sketch::default().holding(*bound, kept.iter().copied())
        };
        self.seen = Seen {
            states: sketch(states),
            pairs: sketch(pairs),
            ..Seen::default()
        };
        for (name, bound, kept) in &standing.values {
            let values = self.seen.values_of(name);
            *values = values.clone().holding(*bound, kept.iter().copied());
        }
        self.all = standing.all;
        self.exhausting = standing.exhausting;
        self.beyond = standing.beyond;
        self.continued = standing.continued;
        self.walks.clone_from(&standing.walks);
        self.distinct = standing.distinct.iter().copied().collect();
        self.most_found = standing.most_found;
        for one in &standing.found {
            let end = |largest| match largest {
                true => Extreme::Largest,
                false => Extreme::Smallest,
            };
            self.found.push(Found {
                property: one.property,
                trace: retrace_whole(self.hunt.model, &one.way)?,
                record: one.record.map(|(largest, value)| (end(largest), value)),
                cycle: one.cycle,
            });
        }
        Ok(())
    }
}
