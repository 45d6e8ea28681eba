//! Loops made shorter: the way to them by the passes for traces, the loop itself by leaving out loops within it and by breadth-first
//! search for a shorter one.

use crate::replay::Shown;
use crate::shorten::{Effort, Shortener};
use sortie_model::{LabelId, Model, ModelError, Trace, TraceStep};
use sortie_property::{CycleKind, Goal, Invariant};
use std::collections::{HashMap, HashSet};

/// Shortens a way to a loop of this kind and once around; the loop begins after `begin` steps.
pub(crate) fn shorten(
    model: &dyn Model,
    kind: CycleKind,
    trace: Trace,
    begin: usize,
    mut effort: Effort,
) -> Result<Shown, ModelError> {
    let mut lasso = Lasso::new(trace, begin);
    loop {
        let before = lasso.len();
        lasso = lasso.simple(model, kind);
        effort.states = lasso.shortcut(model, kind, &effort)?;
        effort.states = lasso.shorten_stem(model, &effort)?;
        if lasso.len() >= before || effort.states == 0 {
            return Ok(lasso.shown());
        }
    }
}

/// A way to a state, and from there back to it.
struct Lasso {
    stem: Trace,
    around: Vec<TraceStep>,
}

impl Lasso {
    fn new(mut trace: Trace, begin: usize) -> Self {
        let around = trace.steps.split_off(begin);
        Lasso {
            stem: trace,
            around,
        }
    }

    fn len(&self) -> usize {
        self.stem.len() + self.around.len()
    }

    fn shown(self) -> Shown {
        let begin = self.stem.len();
        let mut trace = self.stem;
        trace.steps.extend(self.around);
        Shown {
            trace,
            value: None,
            cycle: Some(begin),
        }
    }

    /// The same way to a loop that has a state in common with this one: as far as its first state on that loop.
    fn joining(&self, around: Vec<TraceStep>) -> Lasso {
        let places: HashMap<&[u32], usize> = around
            .iter()
            .enumerate()
            .map(|(place, step)| (&step.target[..], place))
            .collect();
        let mut stem = self.stem.clone();
        stem.steps.extend(self.around.iter().cloned());
        let met = (0..=stem.len()).find_map(|taken| {
            let place = places.get(stem.state(taken))?;
            Some((taken, *place))
        });
        let (taken, place) = met.expect("the loops have a state in common");
        stem.steps.truncate(taken);
        let mut around = around;
        around.rotate_left(place + 1);
        Lasso { stem, around }
    }

    /// Without loops within the loop.
    fn simple(&self, model: &dyn Model, kind: CycleKind) -> Lasso {
        match kind {
            // Every part of it that closes will do: the first one.
            CycleKind::NoProgress => {
                let start = self.stem.last();
                let mut places: HashMap<&[u32], usize> = HashMap::from([(start, 0)]);
                for (place, step) in self.around.iter().enumerate() {
                    if let Some(begin) = places.insert(&step.target, place + 1) {
                        return self.joining(self.around[begin..=place].to_vec());
                    }
                }
                self.joining(self.around.clone())
            }
            CycleKind::Accepting => {
                let accepting = |step: &TraceStep| model.status(&step.target, false).accepting;
                let place = self.around.iter().position(accepting);
                let place = place.expect("the loop has an accepting state");
                let mut around = self.around.clone();
                around.rotate_left(place + 1);
                self.joining(without_loops(around))
            }
        }
    }

    /// Looks for a shorter loop through the states that have to be on it; what is left of the budget.
    fn shortcut(
        &mut self,
        model: &dyn Model,
        kind: CycleKind,
        effort: &Effort,
    ) -> Result<u64, ModelError> {
        let through: Vec<Vec<u32>> = match kind {
            CycleKind::NoProgress => vec![self.stem.last().to_vec()],
            CycleKind::Accepting => {
                let states = self.around.iter().map(|step| &step.target);
                let accepting = states.filter(|state| model.status(state, false).accepting);
                accepting.cloned().collect()
            }
        };
        // Half of what there is, so that the way to the loop gets its share.
        let nothing = Invariant::new("nothing", |_: &[u32]| true);
        let goal = Goal::new(model, &nothing, None);
        let half = Effort {
            states: effort.states.div_ceil(2),
            stop: effort.stop.clone(),
        };
        let rest = effort.states - half.states;
        let mut shortener = Shortener::new(model, goal, half);
        let allowed = |state: &[u32]| match kind {
            CycleKind::NoProgress => !model.status(state, false).progress,
            CycleKind::Accepting => true,
        };
        for state in through {
            // Another loop may have been found that does not go there.
            let there = self.around.iter().any(|step| step.target == state);
            if !there {
                continue;
            }
            let longest = self.around.len() - 1;
            if let Some(around) = back(&mut shortener, &state, longest, &allowed)? {
                let shorter = self.joining(around);
                if shorter.len() < self.len() {
                    *self = shorter;
                }
            }
        }
        let stopped = shortener.is_stopped();
        Ok(if stopped { 0 } else { rest + shortener.left })
    }

    /// Looks for a shorter way to any state of the loop; what is left of the budget.
    fn shorten_stem(&mut self, model: &dyn Model, effort: &Effort) -> Result<u64, ModelError> {
        if self.stem.is_empty() {
            return Ok(effort.states);
        }
        let states = self.around.iter().map(|step| step.target.clone());
        let states: HashSet<Vec<u32>> = states.collect();
        let reach = Invariant::new("outside of the loop", |state: &[u32]| {
            !states.contains(state)
        });
        let goal = Goal::new(model, &reach, None);
        let mut shortener = Shortener::new(model, goal, effort.clone());
        self.stem = shortener.passes(self.stem.clone())?;
        let left = shortener.left;
        let end = self.stem.last();
        let place = self.around.iter().position(|step| step.target == end);
        let place = place.expect("the way leads to the loop");
        self.around.rotate_left(place + 1);
        Ok(left)
    }
}

/// A loop that begins and ends in the same state, without what happens between two visits of another.
fn without_loops(around: Vec<TraceStep>) -> Vec<TraceStep> {
    let mut kept: Vec<TraceStep> = Vec::new();
    let home = around.last().map(|step| step.target.clone());
    let mut places: HashMap<Vec<u32>, usize> = HashMap::new();
    for step in around {
        let closed = Some(&step.target) == home.as_ref();
        if let Some(&place) = places.get(&step.target) {
            for forgotten in kept.drain(place..) {
                if forgotten.target != step.target {
                    places.remove(&forgotten.target);
                }
            }
        } else {
            kept.push(step);
            let last = kept.last().expect("one was added");
            places.insert(last.target.clone(), kept.len());
        }
        if closed {
            break;
        }
    }
    kept
}

/// The shortest way from a state back to it in at most `longest` steps, through states that are allowed.
fn back(
    shortener: &mut Shortener<'_>,
    home: &[u32],
    longest: usize,
    allowed: &dyn Fn(&[u32]) -> bool,
) -> Result<Option<Vec<TraceStep>>, ModelError> {
    // Each state met, with how it was reached and from which.
    let mut met: Vec<(TraceStep, usize)> = Vec::new();
    let mut known: HashSet<Vec<u32>> = HashSet::new();
    let mut level = vec![None];
    for _ in 0..longest {
        let mut next = Vec::new();
        for from in level {
            let state = from.map_or(home, |place: usize| &met[place].0.target);
            let state = state.to_vec();
            if !shortener.expand(&state)? {
                return Ok(None);
            }
            for (label, target) in shortener.steps.iter() {
                if !known.contains(target) && allowed(target) {
                    known.insert(target.to_vec());
                    next.push(Some(met.len()));
                    met.push((step(label, target), from.map_or(usize::MAX, |place| place)));
                    if target == home {
                        return Ok(Some(way(&met)));
                    }
                }
            }
        }
        level = next;
    }
    Ok(None)
}

fn step(label: LabelId, target: &[u32]) -> TraceStep {
    TraceStep {
        label,
        target: target.to_vec(),
    }
}

/// The way to the state met last.
fn way(met: &[(TraceStep, usize)]) -> Vec<TraceStep> {
    let mut backwards = Vec::new();
    let mut place = met.len() - 1;
    while let Some((step, from)) = met.get(place) {
        backwards.push(step.clone());
        place = *from;
    }
    backwards.reverse();
    backwards
}
