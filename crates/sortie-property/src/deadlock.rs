//! States from which nothing can happen.

use crate::{Flag, Monitor, Property, PropertyKind, PropertyRow, Sighting, Sights};
use sortie_model::Model;

/// The row of [`Deadlock`].
pub const DEADLOCK: &PropertyRow = &PropertyRow {
    flag: Some(Flag::new("deadlock", None, "States without successors")),
    of_data: Some(|_| Ok(Box::new(Deadlock))),
    ..PropertyRow::new("deadlock")
};

/// Looks for states without successors that are not meant to be the end.
#[derive(Clone, Copy, Debug, Default)]
pub struct Deadlock;

impl Property for Deadlock {
    fn kind(&self) -> PropertyKind {
        DEADLOCK.kind("")
    }

    fn looks_at(&self) -> Sights {
        Sights::DEADLOCKS
    }

    fn monitor<'a>(&'a self, model: &'a dyn Model) -> Box<dyn Monitor + 'a> {
        Box::new(Check { model })
    }
}

struct Check<'a> {
    model: &'a dyn Model,
}

impl Monitor for Check<'_> {
    fn deadlock(&mut self, state: &[u32]) -> Sighting {
        Sighting::hit_if(!self.model.status(state, true).may_end)
    }
}
