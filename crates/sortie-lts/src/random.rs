//! Random transitions: a label and a distribution over targets.
//!
//! A distribution is stored in one form, so that equal ones are equal: every target once, in the order of first mention, with weights that
//! have no common divisor.

use crate::Lts;
use sortie_model::LabelId;
use std::collections::HashMap;

/// Targets with weights; the probability of a target is its share of the sum of the weights.
pub type Distribution = Vec<(u32, u64)>;

/// A transition as it leaves a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leaving<'a> {
    /// What it is called.
    pub label: LabelId,
    /// Label and target of every outcome; a plain transition has one.
    pub edges: &'a [(LabelId, u32)],
    /// The weights of the outcomes; empty for a plain transition.
    pub weights: &'a [u64],
}

impl Leaving<'_> {
    /// Where it leads; a plain transition leads to its target with weight one.
    pub fn distribution(&self) -> Distribution {
        let targets = self.edges.iter().map(|(_, to)| *to);
        match self.weights {
            [] => targets.map(|to| (to, 1)).collect(),
            weights => targets.zip(weights.iter().copied()).collect(),
        }
    }
}

/// The outcomes of the edges from number `first` on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Random {
    pub(crate) first: u32,
    pub(crate) weights: Box<[u64]>,
}

impl Lts {
    /// Whether some transition is random.
    pub fn has_random(&self) -> bool {
        !self.random.is_empty()
    }

    /// The transitions from `state`, in order.
    pub fn leaving(&self, state: u32) -> impl Iterator<Item = Leaving<'_>> {
        let edges = self.edges(state);
        let begin = self.begins.get(state as usize).copied().unwrap_or(0);
        let earlier = self.random.partition_point(|random| random.first < begin);
        let mut random = self.random[earlier..].iter().peekable();
        let mut at = 0;
        std::iter::from_fn(move || {
            let &(label, _) = edges.get(at)?;
            let first = at;
            let here = |random: &&Random| random.first == begin + first as u32;
            let weights: &[u64] = random.next_if(here).map_or(&[], |found| &found.weights);
            at += weights.len().max(1);
            Some(Leaving {
                label,
                edges: &edges[first..at],
                weights,
            })
        })
    }

    /// Where the system begins: at its initial state, or where the random choice leads that this state stands for.
    pub fn start(&self) -> Distribution {
        let choice = self.leaving(self.initial).next();
        match choice.filter(|_| self.random_start) {
            Some(choice) => choice.distribution(),
            None => vec![(self.initial, 1)],
        }
    }
}

/// Brings a distribution to its one form. `None` when the sum of the weights does not fit in 64 bits, or is zero.
pub(crate) fn normal(outcomes: impl IntoIterator<Item = (u32, u64)>) -> Option<Distribution> {
    let mut places: HashMap<u32, usize> = HashMap::new();
    let mut merged = Distribution::new();
    let mut sum = 0u64;
    for (to, weight) in outcomes {
        sum = sum.checked_add(weight)?;
        let place = *places.entry(to).or_insert(merged.len());
        if place == merged.len() {
            merged.push((to, 0));
        }
        merged[place].1 += weight;
    }
    merged.retain(|(_, weight)| *weight > 0);
    let weights = merged.iter().map(|(_, weight)| *weight);
    let divisor = weights.fold(0, common_divisor);
    for (_, weight) in &mut merged {
        *weight /= divisor;
    }
    (sum > 0).then_some(merged)
}

/// The greatest common divisor.
pub(crate) fn common_divisor(mut a: u64, mut b: u64) -> u64 {
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}
