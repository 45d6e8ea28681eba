//! What a hunt looks for.
//!
//! A [`Property`] says what it looks at and makes [`Monitor`]s, one per thread; a [`Judge`] asks all monitors
//! about every expanded state. The objective is tested on *every* outgoing transition of every expanded state,
//! not only on those a search follows.
//!
//! ```
//! use sortie_property::{Action, Deadlock, Property};
//! let wanted: Vec<Box<dyn Property>> =
//!     vec![Box::new(Deadlock), Box::new(Action::matching("lost(_, 3)")?)];
//! assert_eq!(wanted[1].name(), "action lost(_, 3)");
//! # Ok::<(), sortie_property::PropertyError>(())
//! ```

#![forbid(unsafe_code)]

mod action;
mod alarm;
mod cycle;
mod deadlock;
mod divergence;
mod extreme;
mod goal;
mod invariant;
mod judge;
mod kind;
mod pattern;
mod required;

pub use action::{ACTION, Action};
pub use alarm::{alarm, raises_alarm};
pub use cycle::{Cycle, CycleKind, LTL};
pub use deadlock::Deadlock;
pub use divergence::Divergence;
pub use extreme::{EXTREMES, Extremes};
pub use goal::Goal;
pub use invariant::{Condition, Evaluation, Evaluator, INVARIANT, Invariant};
pub use judge::{At, Finding, Judge};
pub use kind::{
    FAULT, Flag, OBSERVER, OTHER, OfCondition, OfData, PROPERTIES, PropertyKind, PropertyRow,
    STATED, Shows,
};
pub use pattern::{Pattern, actions_of, is_like, split_top};
pub use required::Required;

use sortie_model::{LabelId, Model};

/// A property could not be understood.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PropertyError {
    /// The pattern is not of the form `name`, `name(argument, ...)` or several joined by `|`; the second text says what is wrong with it.
    #[error(
        "the pattern '{0}' cannot be read: {1}; write an action name, or name(argument, ...) \
             where _ stands for any one argument and * for any number of them"
    )]
    Pattern(String, String),
    /// The regular expression is malformed; the second text says what is wrong with it.
    #[error("the regular expression '{0}' cannot be read: {1}")]
    Regex(String, String),
    /// The property exists in a program only.
    #[error("'{0}' cannot be checked from outside the program that defines it; replay it there")]
    Unknown(String),
    /// A pattern for extremes must mark one argument to be observed, and marks this number of them.
    #[error(
        "the pattern '{0}' marks {1} arguments; write # once, for the argument whose extremes are wanted, \
             as in delivered(_, #)"
    )]
    Mark(String, usize),
}

/// Which things a property needs to be shown. What nobody looks at costs nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Sights {
    /// States without successors.
    pub deadlocks: bool,
    /// Labels of steps.
    pub steps: bool,
    /// States.
    pub states: bool,
}

impl Sights {
    /// States without successors alone.
    pub const DEADLOCKS: Sights = Sights::of(true, false, false);
    /// Labels of steps alone.
    pub const STEPS: Sights = Sights::of(false, true, false);
    /// States alone.
    pub const STATES: Sights = Sights::of(false, false, true);

    const fn of(deadlocks: bool, steps: bool, states: bool) -> Sights {
        Sights {
            deadlocks,
            steps,
            states,
        }
    }
}

/// What a monitor makes of a thing it is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sighting {
    /// Nothing.
    Plain,
    /// This is what was looked for.
    Hit,
    /// A value of the observed quantity.
    Value(i64),
}

impl Sighting {
    /// A hit where a condition holds.
    pub fn hit_if(hit: bool) -> Sighting {
        match hit {
            true => Sighting::Hit,
            false => Sighting::Plain,
        }
    }
}

/// States about which a property has no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unjudged {
    /// How many of those shown so far.
    pub states: u64,
    /// Whether there may be more.
    pub at_least: bool,
    /// Why.
    pub reason: String,
}

/// Something a hunt can look for.
pub trait Property: Send + Sync {
    /// The kind of the property, by which it is recognised.
    fn kind(&self) -> PropertyKind;

    /// The text of its kind, for people and for files.
    fn name(&self) -> String {
        self.kind().to_string()
    }

    /// What the property needs to be shown.
    fn looks_at(&self) -> Sights;

    /// A fresh evaluator for one thread.
    fn monitor<'a>(&'a self, model: &'a dyn Model) -> Box<dyn Monitor + 'a>;

    /// The cycles that violate it, if cycles do.
    fn cycle(&self) -> Option<CycleKind> {
        self.kind().row.cycle
    }

    /// The states shown to its monitors about which there is no answer.
    fn unjudged(&self) -> Option<Unjudged> {
        None
    }

    /// What should have been shown to its monitors and was not, in the end.
    fn missing(&self) -> Vec<String> {
        Vec::new()
    }
}

impl<P: Property + ?Sized> Property for &P {
    fn kind(&self) -> PropertyKind {
        (**self).kind()
    }

    fn looks_at(&self) -> Sights {
        (**self).looks_at()
    }

    fn monitor<'a>(&'a self, model: &'a dyn Model) -> Box<dyn Monitor + 'a> {
        (**self).monitor(model)
    }

    fn unjudged(&self) -> Option<Unjudged> {
        (**self).unjudged()
    }

    fn missing(&self) -> Vec<String> {
        (**self).missing()
    }
}

/// Evaluates a property on one thread. The answers depend on what is shown alone, never on what was shown before.
pub trait Monitor: Send {
    /// A state without successors.
    fn deadlock(&mut self, _state: &[u32]) -> Sighting {
        Sighting::Plain
    }

    /// The label of a step.
    fn step(&mut self, _label: LabelId) -> Sighting {
        Sighting::Plain
    }

    /// A state.
    fn state(&mut self, _state: &[u32]) -> Sighting {
        Sighting::Plain
    }
}

/// A monitor of labels alone.
pub(crate) fn on_steps<'a>(
    look: impl FnMut(LabelId) -> Sighting + Send + 'a,
) -> Box<dyn Monitor + 'a> {
    struct OnSteps<F>(F);

    impl<F: FnMut(LabelId) -> Sighting + Send> Monitor for OnSteps<F> {
        fn step(&mut self, label: LabelId) -> Sighting {
            (self.0)(label)
        }
    }
    Box::new(OnSteps(look))
}

/// A monitor of states alone.
pub(crate) fn on_states<'a>(
    look: impl FnMut(&[u32]) -> Sighting + Send + 'a,
) -> Box<dyn Monitor + 'a> {
    struct OnStates<F>(F);

    impl<F: FnMut(&[u32]) -> Sighting + Send> Monitor for OnStates<F> {
        fn state(&mut self, state: &[u32]) -> Sighting {
            (self.0)(state)
        }
    }
    Box::new(OnStates(look))
}
