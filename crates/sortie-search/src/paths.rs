//! Searches along paths: one state after another is expanded and judged with all its successors, and the path to it is remembered.

use crate::estimates::good_turing::GoodTuring;
use crate::findings::Findings;
use crate::walked::erase_loop;
use crate::{Expansion, Hunt, Outcome, SearchError};
use sortie_model::{Counts, Dice, Exactness, Model, Precision, Spending, Steps, Trace, Verdict};
use std::collections::HashMap;

/// Searches without a natural end get one.
const DEFAULT_STATES: u64 = 1_000_000;

/// After so many expanded states the observer is told, and memory and the clock are looked at.
const TELLING: u64 = 1024;

/// A path from the initial state: which of the listed steps is taken in each state.
pub(crate) type Path = Vec<u32>;

/// The last step of a path in a [`PathTree`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PathNode(u32);

impl PathNode {
    /// The end of the path without steps.
    pub(crate) const START: PathNode = PathNode(u32::MAX);
}

/// All steps of a search that returns to states it has visited, so that the path to each is known.
#[derive(Default)]
pub(crate) struct PathTree {
    /// Which of the listed steps it is, and the one before.
    steps: Vec<(u32, PathNode)>,
}

impl PathTree {
    /// Takes a step.
    pub(crate) fn extend(&mut self, before: PathNode, step: usize) -> PathNode {
        self.steps.push((step as u32, before));
        PathNode(self.steps.len() as u32 - 1)
    }

    /// The path from the initial state.
    pub(crate) fn to(&self, mut arrival: PathNode) -> Path {
        let mut path = Path::new();
        while arrival != PathNode::START {
            let (step, before) = self.steps[arrival.0 as usize];
            path.push(step);
            arrival = before;
        }
        path.reverse();
        path
    }

    /// How many more steps can be taken.
    pub(crate) fn room(&self) -> u64 {
        u64::from(u32::MAX) - self.steps.len() as u64
    }

    pub(crate) fn bytes(&self) -> u64 {
        (self.steps.capacity() * size_of::<(u32, PathNode)>()) as u64
    }
}

/// A search that expands one state after another.
pub(crate) struct PathSearch<'a> {
    hunt: &'a Hunt<'a>,
    expansion: Expansion<'a>,
    findings: Findings<'a, Path>,
    /// Counts the states that were expanded.
    met: GoodTuring,
    counts: Counts,
    max_states: u64,
    /// What the caller keeps in memory, in bytes.
    pub(crate) held: u64,
    /// Why the search is over, once it is.
    pub(crate) end: Option<Verdict>,
}

impl<'a> PathSearch<'a> {
    /// Judges the initial state. If that is wanted, steps say which components of the model take part in them.
    pub(crate) fn begin(hunt: &'a Hunt<'a>, initial: &[u32], parts: bool) -> Self {
        let mut expansion = Expansion::new(hunt);
        expansion.fingerprints = false;
        expansion.steps.want_parts(parts);
        expansion.begin(initial);
        let mut search = PathSearch {
            hunt,
            expansion,
            findings: Findings::new(hunt),
            met: GoodTuring::default(),
            counts: Counts::default(),
            max_states: hunt.budget.max_states.unwrap_or(DEFAULT_STATES),
            held: 0,
            end: None,
        };
        search.take_findings(initial, &Path::new);
        search
    }

    /// Another walk begins.
    pub(crate) fn begin_walk(&mut self) {
        self.met.begin_walk();
    }

    /// Lists the steps of a state and judges them; none once the search is over.
    pub(crate) fn look(
        &mut self,
        state: &[u32],
        depth: u64,
        path: &dyn Fn() -> Path,
    ) -> Result<Option<&Steps>, SearchError> {
        if self.end.is_none() {
            self.end = self.spent().map(Verdict::Spent);
        }
        if self.end.is_some() {
            return Ok(None);
        }
        self.expansion.expand(state, |_, _| false)?;
        self.met.meet(self.hunt.model.fingerprint(state));
        self.counts.visited += 1;
        self.counts.depth = self.counts.depth.max(depth);
        self.take_findings(state, path);
        if self.end.is_some() {
            return Ok(None);
        }
        self.counts.expanded += 1;
        self.counts.transitions += self.expansion.steps.len() as u64;
        if self.counts.expanded.is_multiple_of(TELLING) {
            self.hunt.observer.progress(TELLING);
        }
        Ok(Some(&self.expansion.steps))
    }

    fn take_findings(&mut self, state: &[u32], path: &dyn Fn() -> Path) {
        let Expansion {
            findings, steps, ..
        } = &self.expansion;
        if self.findings.take(findings, state, steps, path) {
            self.end = Some(Verdict::Found);
        }
    }

    fn spent(&self) -> Option<Spending> {
        if self.counts.expanded == self.max_states {
            return Some(Spending::States);
        }
        let looks = self.counts.expanded.is_multiple_of(TELLING);
        let over = |limit| self.hunt.model.bytes() + self.held > limit;
        if looks && self.hunt.budget.counted_memory().is_some_and(over) {
            return Some(Spending::Memory);
        }
        self.hunt.budget.stop.requested().map(Spending::Stopped)
    }

    /// What there is to say at the end.
    pub(crate) fn finish(self) -> Result<Outcome, SearchError> {
        let told = self.counts.expanded % TELLING;
        self.hunt.observer.progress(told);
        let distinct = self.findings.distinct();
        let mut found = Vec::new();
        for hit in self.findings.hits() {
            found.push(hit.found(follow(self.hunt.model, &hit.place, Some(HashMap::new()))?));
        }
        let counts = Counts {
            considered: self.met.distinct(),
            precision: Precision::AtLeast,
            ..self.counts
        };
        let exactness = Exactness::Exact;
        Ok(Outcome::at_end(
            self.end, found, distinct, counts, exactness,
        ))
    }
}

/// Follows a path again, which says which of the listed steps is taken in each state, and keeps every step.
pub fn retrace_whole(model: &dyn Model, path: &[u32]) -> Result<Trace, SearchError> {
    follow(model, path, None)
}

/// Follows a path again; where states are given with their places in the trace, loops are left out.
fn follow(
    model: &dyn Model,
    path: &[u32],
    mut places: Option<HashMap<Vec<u32>, usize>>,
) -> Result<Trace, SearchError> {
    let mut start = Vec::new();
    model.initial(&mut start)?;
    if let Some(places) = &mut places {
        places.insert(start.clone(), 0);
    }
    let steps = Vec::new();
    let mut trace = Trace { start, steps };
    let mut steps = Steps::new(model.width());
    for (step, &index) in path.iter().enumerate() {
        steps.clear();
        model.expand(trace.last(), &mut steps)?;
        let index = index as usize;
        if index >= steps.len() {
            return Err(SearchError::LostPath { step });
        }
        let target = steps.target(index);
        trace.push(steps.label(index), target);
        if let Some(places) = &mut places {
            erase_loop(&mut trace, places, target);
        }
    }
    Ok(trace)
}

/// Which of the listed steps a trace takes in each state.
pub fn path_of(model: &dyn Model, trace: &Trace) -> Result<Vec<u32>, SearchError> {
    let mut path = Path::new();
    let mut steps = Steps::new(model.width());
    for (taken, step) in trace.steps.iter().enumerate() {
        steps.clear();
        model.expand(trace.state(taken), &mut steps)?;
        let is_it = |(label, target)| label == step.label && target == &step.target[..];
        let index = steps.iter().position(is_it);
        path.push(index.ok_or(SearchError::LostPath { step: taken })? as u32);
    }
    Ok(path)
}

/// The step that a transition takes: its only one, or an outcome by its exact probability.
pub(crate) fn outcome(steps: &Steps, transition: usize, dice: &mut Dice) -> usize {
    let transition = steps.transition(transition);
    let mut chosen = transition.steps.start;
    if !transition.weights.is_empty() {
        chosen += dice.weighted(transition.weights);
    }
    chosen
}

/// A length drawn such that walks of all scales cost the same: half of them have the shortest length, a quarter twice that, and so on.
pub(crate) fn heavy_tailed(dice: &mut Dice, shortest: u64, longest: u64) -> u64 {
    let doublings = dice.bits().trailing_zeros();
    let length = u128::from(shortest) << doublings;
    u64::try_from(length).unwrap_or(u64::MAX).min(longest)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hypothesis: a length of at least 2^k times the shortest has probability 2^-k. Chi-square with 6 classes (5 degrees of freedom) stays below 20.5,
    /// the bound for 0.1 %.
    #[test]
    fn lengths_halve_in_number_as_they_double() {
        let mut dice = Dice::new(7);
        let draws = 64_000;
        let mut counts = [0u64; 6];
        for _ in 0..draws {
            let length = heavy_tailed(&mut dice, 10, 320);
            assert!(length.is_multiple_of(10) && length <= 320);
            counts[(length / 10).ilog2() as usize] += 1;
        }
        let expected = [0.5, 0.25, 0.125, 0.0625, 0.03125, 0.03125].map(|p| p * draws as f64);
        let chi: f64 = counts
            .iter()
            .zip(expected)
            .map(|(&seen, expected)| (seen as f64 - expected).powi(2) / expected)
            .sum();
        assert!(chi < 20.5, "{counts:?}: {chi}");
    }
}
