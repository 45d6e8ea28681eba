//! States from which internal steps can go on for ever.

use crate::{
    Flag, Monitor, Property, PropertyKind, PropertyRow, Sighting, Sights, Unjudged, on_states,
};
use sortie_model::{Fingerprint, LabelId, Model, Steps};
use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, PoisonError};

/// Beyond this many states nothing more is remembered, so that memory stays bounded.
const REMEMBERED: usize = 1 << 20;

/// The row of [`Divergence`].
pub const DIVERGENCE: &PropertyRow = &PropertyRow {
    flag: Some(Flag::new(
        "divergence",
        None,
        "States from which internal steps can go on for ever",
    )),
    of_data: Some(|_| Ok(Box::new(Divergence::default()))),
    ..PropertyRow::new("divergence")
};

/// From a state no more states than this are looked at: internal steps may lead to ever new ones.
const MOST: usize = 1 << 12;

/// Looks for states from which a cycle of `tau` steps can be reached by `tau` steps alone. A witness ends at such a state.
#[derive(Debug, Default)]
pub struct Divergence {
    /// States from which internal steps lead to too many others.
    open: Mutex<HashSet<Fingerprint>>,
}

impl Property for Divergence {
    fn kind(&self) -> PropertyKind {
        DIVERGENCE.kind("")
    }

    fn looks_at(&self) -> Sights {
        Sights::STATES
    }

    fn monitor<'a>(&'a self, model: &'a dyn Model) -> Box<dyn Monitor + 'a> {
        let mut check = Check {
            model,
            steps: Steps::new(model.width()),
            internal: HashMap::new(),
            diverges: HashMap::new(),
        };
        on_states(move |state| {
            let known = check.diverges.get(state).copied();
            let diverges = known.or_else(|| check.search(state));
            if diverges.is_none() {
                let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
                if open.len() < REMEMBERED {
                    open.insert(model.fingerprint(state));
                }
            }
            Sighting::hit_if(diverges == Some(true))
        })
    }

    fn unjudged(&self) -> Option<Unjudged> {
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        (!open.is_empty()).then(|| Unjudged {
            states: open.len() as u64,
            at_least: open.len() == REMEMBERED,
            reason: format!("internal steps lead to more than {MOST} states there"),
        })
    }
}

struct Check<'a> {
    model: &'a dyn Model,
    steps: Steps,
    /// Which labels are `tau`.
    internal: HashMap<LabelId, bool>,
    /// What is known of states looked at before.
    diverges: HashMap<Vec<u32>, bool>,
}

/// A state on the path of the search, with the internal successors not yet tried.
type Frame = (Vec<u32>, Vec<Vec<u32>>);

impl Check<'_> {
    fn enter(&mut self, state: &[u32]) -> Frame {
        self.steps.clear();
        // A state that cannot be expanded ends the search itself, with a better message than could be given here.
        if self.model.expand(state, &mut self.steps).is_err() {
            self.steps.clear();
        }
        let is_internal = |label| self.model.label(label) == "tau";
        let steps = self.steps.iter().filter(|&(label, _)| {
            let known = self.internal.entry(label);
            *known.or_insert_with(|| is_internal(label))
        });
        let successors = steps.map(|(_, target)| target.to_vec());
        (state.to_vec(), successors.collect())
    }

    /// Depth-first along internal steps. Meeting the path again closes a cycle, and every state of the path leads there. There is no answer
    /// where that takes too long.
    fn search(&mut self, start: &[u32]) -> Option<bool> {
        let mut entered = 1;
        let mut path = vec![self.enter(start)];
        let mut on_path: HashSet<Vec<u32>> = HashSet::from([start.to_vec()]);
        while let Some((_, left)) = path.last_mut() {
            let Some(next) = left.pop() else {
                let (done, _) = path.pop().expect("the path has a last state");
                on_path.remove(&done);
                self.remember(done, false);
                continue;
            };
            let known = self.diverges.get(&next).copied();
            if known == Some(true) || on_path.contains(&next) {
                for (state, _) in path {
                    self.remember(state, true);
                }
                return Some(true);
            }
            if known.is_none() {
                entered += 1;
                if entered > MOST {
                    return None;
                }
                on_path.insert(next.clone());
                let frame = self.enter(&next);
                path.push(frame);
            }
        }
        Some(false)
    }

    fn remember(&mut self, state: Vec<u32>, diverges: bool) {
        if self.diverges.len() < REMEMBERED {
            self.diverges.insert(state, diverges);
        }
    }
}
