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

/// From a state no more steps than about this many are listed: internal ones may lead to ever new states.
const MOST: usize = 1 << 17;

/// After this many states that lead to too many others a monitor looks at no more that are new to it.
const PATIENCE: u32 = 4;

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
            given_up: 0,
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
            reason: "internal steps lead to too many states there".to_owned(),
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
    /// How many searches were given up.
    given_up: u32,
}

/// States that internal steps lead to, and the steps between them.
#[derive(Default)]
struct Closure {
    numbers: HashMap<Vec<u32>, usize>,
    states: Vec<Vec<u32>>,
    /// By state: those with a step to it.
    before: Vec<Vec<usize>>,
    /// By state: the number of its steps to states about which nothing is known yet.
    left: Vec<usize>,
}

impl Closure {
    /// The number of a state.
    fn number(&mut self, state: &[u32]) -> usize {
        if let Some(number) = self.numbers.get(state) {
            return *number;
        }
        let number = self.states.len();
        self.numbers.insert(state.to_vec(), number);
        self.states.push(state.to_vec());
        self.before.push(Vec::new());
        self.left.push(0);
        number
    }
}

impl Check<'_> {
    /// Breadth first along internal steps. Then states without steps are taken away one after another; those that are left lead to a
    /// cycle. There is no answer where there are too many states.
    fn search(&mut self, start: &[u32]) -> Option<bool> {
        if self.given_up >= PATIENCE {
            return None;
        }
        let mut closure = Closure::default();
        closure.number(start);
        let (mut listed, mut expanded) = (0, 0);
        // States from which none can be taken away: they lead to a cycle that is known.
        let mut lost = Vec::new();
        while expanded < closure.states.len() && listed <= MOST {
            self.steps.clear();
            // A state that cannot be expanded ends the search itself, with a better message than could be given here.
            let state = &closure.states[expanded];
            if self.model.expand(state, &mut self.steps).is_err() {
                self.steps.clear();
            }
            listed += self.steps.len();
            for (label, target) in self.steps.iter() {
                let is_internal = || self.model.label(label) == "tau";
                if !*self.internal.entry(label).or_insert_with(is_internal) {
                    continue;
                }
                match self.diverges.get(target) {
                    Some(true) => lost.push(expanded),
                    Some(false) => {}
                    None => {
                        let number = closure.number(target);
                        closure.before[number].push(expanded);
                        closure.left[expanded] += 1;
                    }
                }
            }
            expanded += 1;
        }
        let is_whole = expanded == closure.states.len();
        for state in lost {
            closure.left[state] += 1;
        }
        let ends = (0..closure.states.len()).filter(|state| closure.left[*state] == 0);
        let mut waiting: Vec<usize> = ends.collect();
        while let Some(state) = waiting.pop() {
            for &before in &closure.before[state] {
                closure.left[before] -= 1;
                if closure.left[before] == 0 {
                    waiting.push(before);
                }
            }
        }
        let diverges = closure.left[0] > 0;
        for (state, left) in closure.states.into_iter().zip(closure.left) {
            if (left > 0 || is_whole) && self.diverges.len() < REMEMBERED {
                self.diverges.insert(state, left > 0);
            }
        }
        self.given_up += u32::from(!is_whole && !diverges);
        (is_whole || diverges).then_some(diverges)
    }
}
