//! Paths that go round for ever.

use crate::{Monitor, Property, PropertyKind, Sights};
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

/// Looks for cycles. No single state shows them: searches that follow paths notice where a path closes.
#[derive(Clone, Debug)]
pub struct Cycle(PropertyKind);

impl Cycle {
    /// Cycles without progress.
    pub fn no_progress() -> Self {
        Cycle(PropertyKind::NoProgress)
    }

    /// Cycles through an accepting state.
    pub fn accepting() -> Self {
        Cycle(PropertyKind::Acceptance)
    }

    /// Cycles through an accepting state, which show that a formula of LTL is violated.
    pub fn violating(formula: impl Into<String>) -> Self {
        Cycle(PropertyKind::Ltl(formula.into()))
    }
}

impl Property for Cycle {
    fn kind(&self) -> PropertyKind {
        self.0.clone()
    }

    fn looks_at(&self) -> Sights {
        Sights::default()
    }

    fn monitor<'a>(&'a self, _model: &'a dyn Model) -> Box<dyn Monitor + 'a> {
        Box::new(Blind)
    }
}

struct Blind;

impl Monitor for Blind {}
