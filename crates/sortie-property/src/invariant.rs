//! Invariants: conditions that should hold in every reachable state, in whatever language they are written.

use crate::{
    Flag, Monitor, Property, PropertyKind, PropertyRow, Shows, Sighting, Sights, Unjudged,
    on_states,
};
use sortie_model::{Fingerprint, Model, ModelError};
use std::collections::{BTreeSet, HashSet};
use std::sync::{Mutex, PoisonError};

/// The row of conditions that a user wrote for the states of a model.
pub const INVARIANT: &PropertyRow = &PropertyRow {
    flag: Some(Flag::new(
        "invariant",
        Some("EXPR"),
        "States where a condition fails, in the words of the model: 'S.n < 3', '!(Phil(1) @ Eat)'",
    )),
    shows: Shows::Violation,
    of_condition: Some(|kind, condition| Box::new(Invariant::of_kind(kind, condition))),
    ..PropertyRow::new("invariant {}")
};

/// The largest number of states without an answer that an invariant remembers, so that memory stays bounded.
const REMEMBERED: usize = 1 << 20;

/// The value of a condition in a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Evaluation {
    /// The condition holds.
    True,
    /// The condition does not hold.
    False,
    /// No answer: the state only stands for the choice of a first state.
    NotBegun,
    /// No answer: the condition depends on these names, which have no value in the state.
    Missing(Vec<String>),
    /// No answer: the condition becomes this expression.
    Undefined(String),
}

impl Evaluation {
    /// The answer, if there is one.
    pub fn decided(&self) -> Option<bool> {
        match self {
            Evaluation::True => Some(true),
            Evaluation::False => Some(false),
            Evaluation::NotBegun | Evaluation::Missing(_) | Evaluation::Undefined(_) => None,
        }
    }
}

impl From<bool> for Evaluation {
    fn from(holds: bool) -> Evaluation {
        match holds {
            true => Evaluation::True,
            false => Evaluation::False,
        }
    }
}

/// A condition on the states of a model. Functions from packed states to `bool` are conditions.
///
/// ```
/// use sortie_property::{Condition, Evaluation};
/// let small = |state: &[u32]| state[0] < 3;
/// assert_eq!(small.evaluate(&[7]), Ok(Evaluation::False));
/// ```
pub trait Condition: Send + Sync {
    /// The value of the condition in a packed state.
    fn evaluate(&self, state: &[u32]) -> Result<Evaluation, ModelError>;

    /// An evaluator for one thread, if one with memory and caches of its own is faster.
    fn evaluator(&self) -> Option<Evaluator<'_>> {
        None
    }
}

/// Evaluates a condition on one thread.
pub type Evaluator<'a> = Box<dyn FnMut(&[u32]) -> Result<Evaluation, ModelError> + Send + 'a>;

impl Condition for Box<dyn Condition> {
    fn evaluate(&self, state: &[u32]) -> Result<Evaluation, ModelError> {
        (**self).evaluate(state)
    }

    fn evaluator(&self) -> Option<Evaluator<'_>> {
        (**self).evaluator()
    }
}

impl<F: Fn(&[u32]) -> bool + Send + Sync> Condition for F {
    fn evaluate(&self, state: &[u32]) -> Result<Evaluation, ModelError> {
        Ok(self(state).into())
    }
}

/// Looks for states in which a condition does not hold.
pub struct Invariant<C> {
    kind: PropertyKind,
    condition: C,
    open: Mutex<Open>,
}

/// The states in which a condition has no answer, and the reasons.
#[derive(Default)]
struct Open {
    states: HashSet<Fingerprint>,
    overflow: bool,
    missing: BTreeSet<String>,
    /// The first in the order of texts.
    undefined: Option<String>,
}

impl<C: Condition> Invariant<C> {
    /// An invariant that a user wrote, with its text or name.
    pub fn new(name: impl Into<String>, condition: C) -> Self {
        Invariant::of_kind(INVARIANT.kind(name), condition)
    }

    /// A condition that belongs to a property of another kind, such as the absence of a fault.
    pub fn of_kind(kind: PropertyKind, condition: C) -> Self {
        Invariant {
            kind,
            condition,
            open: Mutex::default(),
        }
    }

    /// Notes that there is no answer in a state.
    fn note(&self, print: Fingerprint, reason: Evaluation) {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if open.states.len() < REMEMBERED {
            open.states.insert(print);
        } else {
            open.overflow |= !open.states.contains(&print);
        }
        match reason {
            Evaluation::Missing(names) => open.missing.extend(names),
            Evaluation::Undefined(value) => {
                let known = open.undefined.take().into_iter();
                open.undefined = known.chain([value]).min();
            }
            Evaluation::True | Evaluation::False | Evaluation::NotBegun => {}
        }
    }
}

impl<C: Condition> Property for Invariant<C> {
    fn kind(&self) -> PropertyKind {
        self.kind.clone()
    }

    fn looks_at(&self) -> Sights {
        Sights::STATES
    }

    fn monitor<'a>(&'a self, model: &'a dyn Model) -> Box<dyn Monitor + 'a> {
        let judge = |state: &[u32], value| match value {
            Ok(Evaluation::True | Evaluation::NotBegun) => Sighting::Plain,
            // A condition whose evaluation fails does not hold.
            Ok(Evaluation::False) | Err(_) => Sighting::Hit,
            Ok(reason) => {
                self.note(model.fingerprint(state), reason);
                Sighting::Plain
            }
        };
        match self.condition.evaluator() {
            Some(mut evaluate) => on_states(move |state| judge(state, evaluate(state))),
            None => on_states(move |state| judge(state, self.condition.evaluate(state))),
        }
    }

    fn unjudged(&self) -> Option<Unjudged> {
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let missing: Vec<&str> = open.missing.iter().map(String::as_str).collect();
        let mut reasons = Vec::new();
        if !missing.is_empty() {
            let verb = if missing.len() == 1 { "has" } else { "have" };
            reasons.push(format!("{} {verb} no value there", missing.join(", ")));
        }
        if let Some(value) = &open.undefined {
            reasons.push(format!("it becomes {value}"));
        }
        (!reasons.is_empty()).then(|| Unjudged {
            states: open.states.len() as u64,
            at_least: open.overflow,
            reason: reasons.join("; "),
        })
    }
}
