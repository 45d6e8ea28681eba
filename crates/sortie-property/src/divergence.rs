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

/// About this number of steps is listed from a state, since internal steps may lead to ever new states.
const MOST: usize = 1 << 17;

/// After this number of states without an answer a monitor judges no further state that it does not know.
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
    /// By state: its predecessors.
    before: Vec<Vec<usize>>,
    /// By state: the number of its steps that may lead to a cycle.
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
    /// Explores internal steps breadth first, then takes away states without steps one after another; the states that are left lead to a
    /// cycle. There is no answer if too many steps are listed before.
    fn search(&mut self, start: &[u32]) -> Option<bool> {
        if self.given_up >= PATIENCE {
            return None;
        }
        let mut closure = Closure::default();
        closure.number(start);
        let (mut listed, mut expanded) = (0, 0);
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
                    // A step that is never taken away, because it is known to lead to a cycle.
                    Some(true) => closure.left[expanded] += 1,
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

#[cfg(test)]
mod tests {
    use super::*;
    use sortie_model::{Fingerprint, Identity, ModelError};

    /// Counts by internal steps, for ever or until a number from which it begins again.
    struct Counter(Option<u32>);

    impl Model for Counter {
        fn identity(&self) -> Identity {
            Identity::new("counter", Fingerprint::of_text("counter"))
        }
        fn width(&self) -> usize {
            1
        }
        fn initial(&self, state: &mut Vec<u32>) -> Result<(), ModelError> {
            state.push(0);
            Ok(())
        }
        fn expand(&self, state: &[u32], steps: &mut Steps) -> Result<(), ModelError> {
            let is_last = self.0.is_some_and(|end| state[0] >= end);
            let next = if is_last { 0 } else { state[0] + 1 };
            steps.push(LabelId(0), &[next]);
            Ok(())
        }
        fn label(&self, _label: LabelId) -> String {
            "tau".into()
        }
    }

    #[test]
    fn ever_new_states_are_not_judged() {
        for (end, sighting, unjudged) in [
            (Some(0), Sighting::Hit, 0),
            (Some(MOST as u32 / 2), Sighting::Hit, 0),
            (Some(2 * MOST as u32), Sighting::Plain, 9),
            (None, Sighting::Plain, 9),
        ] {
            let property = Divergence::default();
            let counter = Counter(end);
            let mut monitor = property.monitor(&counter);
            // More states than the monitor has patience for.
            for state in 0..9 {
                assert_eq!(monitor.state(&[state]), sighting, "{end:?} {state}");
            }
            let states = property.unjudged().map_or(0, |unjudged| unjudged.states);
            assert_eq!(states, unjudged, "{end:?}");
        }
    }
}
