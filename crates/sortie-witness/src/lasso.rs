//! Loops made shorter: the way to them by the passes for traces, the loop itself by leaving out loops within it and by breadth-first
//! search for a shorter one.

use crate::cut_cycles;
use crate::replay::Shown;
use crate::shorten::{Effort, Result, Shortener, beginning};
use crate::tree::Tree;
use sortie_model::{Model, Trace, TraceStep};
use sortie_property::{CycleKind, Goal, Invariant};
use std::collections::{HashMap, HashSet};

/// Shortens a way to a loop of this kind and once around; the loop begins after `begin` steps.
pub(crate) fn shorten(
    model: &dyn Model,
    kind: CycleKind,
    trace: Trace,
    begin: usize,
    mut effort: Effort,
) -> Result<Shown> {
    let mut stem = trace;
    let around = stem.steps.split_off(begin);
    let mut lasso = Lasso { stem, around };
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
    fn len(&self) -> usize {
        self.stem.len() + self.around.len()
    }

    fn shown(self) -> Shown {
        Shown {
            trace: beginning(&self.stem, self.stem.len(), self.around),
            value: None,
            cycle: Some(self.stem.len()),
        }
    }

    /// The same way to a loop that has a state in common with this one: as far as its first state on that loop.
    fn joining(&self, mut around: Vec<TraceStep>) -> Lasso {
        let places = around.iter().enumerate();
        let places = places.map(|(place, step)| (&step.target[..], place));
        let places: HashMap<&[u32], usize> = places.collect();
        let mut stem = beginning(&self.stem, self.stem.len(), self.around.clone());
        let place = |taken| Some((taken, *places.get(stem.state(taken))?));
        let met = (0..=stem.len()).find_map(place);
        let (taken, place) = met.expect("the loops have a state in common");
        stem.steps.truncate(taken);
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
                let home = self.around[place].target.clone();
                let closed = around.iter().position(|step| step.target == home);
                around.truncate(closed.map_or(around.len(), |last| last + 1));
                let once = Trace {
                    start: home,
                    steps: around,
                };
                self.joining(cut_cycles::cut(once).steps)
            }
        }
    }

    /// Looks for a shorter loop through the states that have to be on it; what is left of the budget.
    fn shortcut(&mut self, model: &dyn Model, kind: CycleKind, effort: &Effort) -> Result<u64> {
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
            if !self.around.iter().any(|step| step.target == state) {
                continue;
            }
            let longest = self.around.len() - 1;
            let around = back(&mut shortener, &state, longest, &allowed)?;
            let shorter = around.map(|around| self.joining(around));
            if let Some(shorter) = shorter.filter(|shorter| shorter.len() < self.len()) {
                *self = shorter;
            }
        }
        let stopped = shortener.is_stopped();
        Ok(if stopped { 0 } else { rest + shortener.left })
    }

    /// Looks for a shorter way to any state of the loop; what is left of the budget.
    fn shorten_stem(&mut self, model: &dyn Model, effort: &Effort) -> Result<u64> {
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

/// The shortest way from a state back to it in at most `longest` steps, through states that are allowed.
fn back(
    shortener: &mut Shortener<'_>,
    home: &[u32],
    longest: usize,
    allowed: &dyn Fn(&[u32]) -> bool,
) -> Result<Option<Vec<TraceStep>>> {
    let mut met = Tree::new(home);
    let mut next = 0;
    while let Some((state, depth)) = met.get(next) {
        if depth == longest || !shortener.expand(&state)? {
            break;
        }
        for (label, target) in shortener.steps.iter().filter(|(_, target)| allowed(target)) {
            if target == home {
                let target = target.to_vec();
                let path = met.path(next).into_iter();
                return Ok(Some(path.chain([TraceStep { label, target }]).collect()));
            }
            met.add(next, label, target);
        }
        next += 1;
    }
    Ok(None)
}
