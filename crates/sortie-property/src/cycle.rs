//! Paths that go round for ever.

use crate::{Monitor, Property, Sights};
use sortie_model::{Model, Status};

/// What makes a cycle a violation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CycleKind {
    /// None of its states is marked as progress.
    NoProgress,
    /// One of its states is accepting.
    Accepting,
}

impl CycleKind {
    /// Whether a cycle through states with this status is a violation.
    pub fn shows(self, mut states: impl Iterator<Item = Status>) -> bool {
        match self {
            CycleKind::NoProgress => states.all(|status| !status.progress),
            CycleKind::Accepting => states.any(|status| status.accepting),
        }
    }
}

/// Looks for cycles of a kind. No single state shows them: searches that follow paths notice where a path closes.
#[derive(Clone, Debug)]
pub struct Cycle {
    kind: CycleKind,
    name: String,
}

/// The [name](Property::name) of [`Cycle::no_progress`].
pub(crate) const NO_PROGRESS: &str = "no-progress cycle";
/// The [name](Property::name) of [`Cycle::accepting`].
pub(crate) const ACCEPTING: &str = "acceptance cycle";

impl Cycle {
    /// Cycles without progress.
    pub fn no_progress() -> Self {
        Cycle {
            kind: CycleKind::NoProgress,
            name: NO_PROGRESS.into(),
        }
    }

    /// Cycles through an accepting state.
    pub fn accepting() -> Self {
        Cycle::violating(ACCEPTING)
    }

    /// Cycles through an accepting state, which show that something of this name is violated.
    pub fn violating(name: impl Into<String>) -> Self {
        Cycle {
            kind: CycleKind::Accepting,
            name: name.into(),
        }
    }
}

impl Property for Cycle {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn looks_at(&self) -> Sights {
        Sights::default()
    }

    fn monitor<'a>(&'a self, _model: &'a dyn Model) -> Box<dyn Monitor + 'a> {
        Box::new(Blind)
    }

    fn cycle(&self) -> Option<CycleKind> {
        Some(self.kind)
    }
}

struct Blind;

impl Monitor for Blind {}
