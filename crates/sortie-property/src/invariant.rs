//! Conditions that every reachable state should satisfy.

use crate::{Monitor, Property, Sighting, Sights};
use sortie_intern::Interned;
use sortie_model::{Model, System};
use std::sync::Arc;

/// Looks for states in which a condition does not hold.
pub struct Invariant<F> {
    name: String,
    holds: F,
}

impl<F: Fn(&[u32]) -> bool + Send + Sync> Invariant<F> {
    /// A condition on packed states.
    pub fn new(name: impl Into<String>, holds: F) -> Self {
        Invariant {
            name: name.into(),
            holds,
        }
    }
}

/// A condition on the typed states of a system.
pub fn on_system<S: System + 'static>(
    model: &Arc<Interned<S>>,
    name: impl Into<String>,
    holds: impl Fn(&S::State) -> bool + Send + Sync + 'static,
) -> Box<dyn Property> {
    let model = Arc::clone(model);
    Box::new(Invariant::new(name, move |packed: &[u32]| {
        holds(model.state(packed))
    }))
}

impl<F: Fn(&[u32]) -> bool + Send + Sync> Property for Invariant<F> {
    fn name(&self) -> String {
        format!("invariant {}", self.name)
    }

    fn looks_at(&self) -> Sights {
        Sights {
            states: true,
            ..Sights::default()
        }
    }

    fn monitor<'a>(&'a self, _model: &'a dyn Model) -> Box<dyn Monitor + 'a> {
        Box::new(Check { holds: &self.holds })
    }
}

struct Check<'a, F> {
    holds: &'a F,
}

impl<F: Fn(&[u32]) -> bool + Sync> Monitor for Check<'_, F> {
    fn state(&mut self, state: &[u32]) -> Sighting {
        if (self.holds)(state) {
            Sighting::Plain
        } else {
            Sighting::Hit
        }
    }
}
