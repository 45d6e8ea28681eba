//! States from which nothing can happen.

use crate::{Monitor, Property, Sighting, Sights};
use sortie_model::Model;

/// Looks for states without successors.
#[derive(Clone, Copy, Debug, Default)]
pub struct Deadlock;

impl Property for Deadlock {
    fn name(&self) -> String {
        "deadlock".into()
    }

    fn looks_at(&self) -> Sights {
        Sights {
            deadlocks: true,
            ..Sights::default()
        }
    }

    fn monitor<'a>(&'a self, _model: &'a dyn Model) -> Box<dyn Monitor + 'a> {
        Box::new(Deadlock)
    }
}

impl Monitor for Deadlock {
    fn deadlock(&mut self, _state: &[u32]) -> Sighting {
        Sighting::Hit
    }
}
