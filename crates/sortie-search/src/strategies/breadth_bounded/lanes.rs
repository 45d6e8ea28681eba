//! The levels of a breadth-bounded search: expanded lane by lane, then the next one is drawn.

use crate::SearchError;
use crate::schedulers::dice;
use crate::store::visited::{StateId, VisitedSet};
use crate::strategies::breadth_bounded::level_choice::{Lane, Level};
use crate::strategies::breadth_bounded::slice::{Draws, Settings};
use sortie_formula::OUTSIDE;
use sortie_model::{Budget, Exactness, Fingerprint, Fingerprinter, Model, Spending, Steps};
use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::ops::Range;

/// Memory is looked at once in so many states.
const LOOK: u64 = 256;

/// Where a step leads, while its level is expanded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// To this visited state.
    Visited(u32),
    /// To this candidate, by order of arrival.
    Candidate(u32),
}

/// The levels of a breadth-bounded search. States are numbered level by level, in canonical order.
pub(crate) struct Lanes<'a> {
    model: &'a dyn Model,
    budget: &'a Budget,
    settings: Settings,
    seed: u64,
    pub(crate) seen: VisitedSet,
    /// The first state of each level.
    pub(crate) begins: Vec<u32>,
    pub(crate) draws: Draws,
    gathered: Gathered,
    /// What became of the candidates of the level before, by order of arrival: their number, or outside.
    pub(crate) fates: Vec<u32>,
    /// Whether a candidate was ever passed over.
    pub(crate) passed_over: bool,
}

/// The unvisited successors of the current level, as far as it was expanded.
#[derive(Default)]
struct Gathered {
    numbers: HashMap<Fingerprint, u32, BuildHasherDefault<Fingerprinter>>,
    /// Fingerprint, and the state each was first seen from.
    states: Vec<(Fingerprint, u32)>,
    words: Vec<u32>,
    lanes: Vec<Lane>,
}

impl<'a> Lanes<'a> {
    pub(crate) fn new(
        model: &'a dyn Model,
        settings: &Settings,
        seed: u64,
        budget: &'a Budget,
    ) -> Result<Self, SearchError> {
        let (seen, _) = VisitedSet::with_initial(model, Exactness::Exact, true, budget.memory)?;
        Ok(Lanes {
            model,
            budget,
            settings: *settings,
            seed,
            seen,
            begins: vec![0],
            draws: Draws::default(),
            gathered: Gathered::default(),
            fates: Vec::new(),
            passed_over: false,
        })
    }

    /// The states of the current level.
    pub(crate) fn level(&self) -> Range<u32> {
        let begin = *self.begins.last().expect("there is an initial level");
        begin..self.seen.len() as u32
    }

    /// How many levels there are before the current one.
    pub(crate) fn depth(&self) -> u64 {
        self.begins.len() as u64 - 1
    }

    /// Takes note of the successors of a lane. Lanes must come in order.
    pub(crate) fn take(
        &mut self,
        id: u32,
        steps: &Steps,
        prints: &[Fingerprint],
        targets: &mut Vec<Target>,
    ) {
        targets.clear();
        let gathered = &mut self.gathered;
        let mut candidates = Vec::new();
        for (step, &print) in prints.iter().enumerate() {
            let state = steps.target(step);
            if let Some(StateId(visited)) = self.seen.number(print.low(), state) {
                targets.push(Target::Visited(visited));
                continue;
            }
            let fresh = gathered.states.len() as u32;
            let number = *gathered.numbers.entry(print).or_insert(fresh);
            if number == fresh {
                gathered.states.push((print, id));
                gathered.words.extend_from_slice(state);
            }
            targets.push(Target::Candidate(number));
            candidates.push(number);
        }
        let stuck = !candidates.is_empty() && candidates.len() == targets.len();
        if stuck || !(candidates.is_empty() || self.settings.is_degrading(self.depth())) {
            self.gathered.lanes.push(Lane { candidates, stuck });
        }
    }

    /// Draws the next level from what was gathered; whether it has any states.
    pub(crate) fn advance(&mut self) -> Result<bool, SearchError> {
        let gathered = std::mem::take(&mut self.gathered);
        let (states, words, mut lanes) = (gathered.states, gathered.words, gathered.lanes);
        let width = words.len() / states.len().max(1);
        self.fates.clear();
        self.fates.resize(states.len(), OUTSIDE);
        let level = self.depth() + 1;

        // When the search degrades, only candidates of stuck lanes count.
        let mut counts = vec![false; states.len()];
        let all = lanes.iter().flat_map(|lane| &lane.candidates);
        all.for_each(|&c| counts[c as usize] = true);
        let all = 0..states.len() as u32;
        let mut order: Vec<u32> = all.filter(|&c| counts[c as usize]).collect();
        order.sort_unstable_by_key(|&c| states[c as usize].0);
        let mut places = vec![0; states.len()];
        for (place, &candidate) in order.iter().enumerate() {
            places[candidate as usize] = place as u32;
        }
        for lane in &mut lanes {
            let candidates = &mut lane.candidates;
            candidates.iter_mut().for_each(|c| *c = places[*c as usize]);
            candidates.sort_unstable();
            candidates.dedup();
        }
        let most = match self.settings.is_degrading(level - 1) {
            true => lanes.len(),
            false => self.settings.width,
        };
        let choice = Level {
            candidates: order.len(),
            wanted: most.min(order.len()),
            most,
            lanes,
        };
        if choice.wanted == 0 {
            self.passed_over |= !states.is_empty();
            return Ok(false);
        }
        let (rule, exact) = (self.settings.choice, self.settings.exact);
        let drawn = choice.draw(rule, exact, &mut dice(self.seed, level));
        let (chosen, method) = drawn.map_err(|entangled| SearchError::Entangled {
            level,
            lanes: entangled.lanes,
            candidates: entangled.candidates,
        })?;
        self.passed_over |= chosen.len() < states.len();
        self.draws.note(method);
        self.begins.push(self.seen.len() as u32);
        for place in chosen {
            let candidate = order[place as usize] as usize;
            let (print, parent) = states[candidate];
            let state = &words[candidate * width..(candidate + 1) * width];
            let id = self.seen.insert(print.low(), state, StateId(parent));
            self.fates[candidate] = id.expect("candidates are distinct and were not visited").0;
        }
        Ok(true)
    }

    /// How many candidates the current level has so far.
    pub(crate) fn gathered(&self) -> usize {
        self.gathered.states.len()
    }

    /// Why the search must end, if it must, before this state is expanded; `own` bytes are the caller's.
    pub(crate) fn limit_reached(&self, id: u32, own: u64) -> Option<Spending> {
        let expanded = u64::from(id);
        if self.budget.max_states == Some(expanded) {
            return Some(Spending::States);
        }
        if let Some(reason) = self.budget.stop.requested() {
            return Some(Spending::Stopped(reason));
        }
        if self.seen.is_full() {
            return Some(Spending::Memory);
        }
        if !expanded.is_multiple_of(LOOK) {
            return None;
        }
        let limit = self.budget.counted_memory()?;
        let held = self.seen.bytes() + self.gathered.bytes() + self.model.bytes() + own;
        (held > limit).then_some(Spending::Memory)
    }
}

impl Gathered {
    /// Memory in bytes, with what the draw will need.
    fn bytes(&self) -> u64 {
        let lists = self.lanes.iter().map(|lane| lane.candidates.len() + 8);
        (self.states.len() * 128 + self.words.len() * 4 + lists.sum::<usize>() * 8) as u64
    }
}

impl Settings {
    fn is_degrading(&self, level: u64) -> bool {
        self.degrade.is_some_and(|depth| level >= depth)
    }
}
