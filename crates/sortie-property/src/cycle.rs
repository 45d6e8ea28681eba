//! Paths that go round for ever.

use crate::{Monitor, Property, PropertyKind, PropertyRow, Shows, Sighting, Sights, on_steps};
use sortie_model::{Model, Status};

/// The row of cycles without progress.
pub const NO_PROGRESS: &PropertyRow = &PropertyRow {
    cycle: Some(CycleKind::NoProgress),
    of_data: Some(|_| Ok(Box::new(Cycle::no_progress()))),
    ..PropertyRow::new("no-progress cycle")
};

/// The row of cycles through an accepting state.
pub const ACCEPTANCE: &PropertyRow = &PropertyRow {
    cycle: Some(CycleKind::Accepting),
    of_data: Some(|_| Ok(Box::new(Cycle::accepting()))),
    ..PropertyRow::new("acceptance cycle")
};

/// The row of formulas of LTL, whose violations only a model shows that watches for them.
pub const LTL: &PropertyRow = &PropertyRow {
    shows: Shows::Violation,
    cycle: Some(CycleKind::Accepting),
    ..PropertyRow::new("ltl {}")
};

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
        Cycle(NO_PROGRESS.kind(""))
    }

    /// Cycles through an accepting state.
    pub fn accepting() -> Self {
        Cycle(ACCEPTANCE.kind(""))
    }

    /// Cycles through an accepting state, which show that a formula of LTL is violated.
    pub fn violating(formula: impl Into<String>) -> Self {
        Cycle(LTL.kind(formula))
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
        on_steps(|_| Sighting::Plain)
    }
}
