//! What alternatives are called, and what makes them the same in every run.

use shuttle_engine::scheduler::Task;
use sortie_model::{Fingerprint, Key, Names};
use std::panic::Location;

/// Tasks that can move.
///
/// A task is the same wherever it was spawned by the same parent, at the same place, as its so-many-th child there. What it will do next is not known to shuttle.
pub(super) struct Movers<'a>(pub &'a [&'a Task]);

impl Names for Movers<'_> {
    fn name(&self, index: usize) -> String {
        self.0[index].display_name()
    }

    fn key(&self, index: usize) -> Key {
        Key {
            who: self.0[index].signature.signature_hash(),
            what: 0,
        }
    }
}

/// The alternatives of a choice that a test makes itself.
pub(super) struct Sides {
    /// The task that asks.
    pub who: u64,
    /// The place where it asks.
    pub site: u64,
}

impl Names for Sides {
    fn name(&self, index: usize) -> String {
        index.to_string()
    }

    fn key(&self, index: usize) -> Key {
        Key {
            who: self.who,
            what: self.site.wrapping_add(index as u64),
        }
    }
}

/// A place in the source as a number that is the same in every run.
pub(super) fn site(place: &Location<'_>) -> u64 {
    let file = Fingerprint::of_text(place.file());
    file.and(Fingerprint::of_words(&[place.line(), place.column()]))
        .low()
}
