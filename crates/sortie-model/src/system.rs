//! Systems written in Rust with states of any type.

use crate::fingerprint::Fingerprint;
use crate::intern::Interner;
use crate::model::{Field, Identity, LabelId, Model, ModelError, Steps};
use std::fmt::Debug;
use std::hash::Hash;

/// A transition system with typed states and actions. [`Interned`] makes it a [`Model`].
///
/// ```
/// use sortie_model::System;
///
/// /// Two processes that increment a shared counter without a lock.
/// struct Race;
///
/// impl System for Race {
///     /// The counter, and for each process what it has read.
///     type State = (u8, [Option<u8>; 2]);
///     type Action = (&'static str, usize);
///
///     fn initial(&self) -> Self::State {
///         (0, [None; 2])
///     }
///
///     fn steps(&self, &(counter, read): &Self::State, out: &mut Vec<(Self::Action, Self::State)>) {
///         for process in 0..2 {
///             let mut next = read;
///             match read[process] {
///                 None if counter < 2 => {
///                     next[process] = Some(counter);
///                     out.push((("read", process), (counter, next)));
///                 }
///                 Some(value) => {
///                     next[process] = None;
///                     out.push((("write", process), (value + 1, next)));
///                 }
///                 None => {}
///             }
///         }
///     }
/// }
/// ```
pub trait System: Send + Sync {
    /// A state. Two states are the same when they are equal.
    type State: Clone + Eq + Hash + Send + Sync;
    /// What a step is called.
    type Action: Clone + Eq + Hash + Debug + Send + Sync;

    /// Where every run begins.
    fn initial(&self) -> Self::State;

    /// Adds every step from `state`: its action and where it leads.
    fn steps(&self, state: &Self::State, out: &mut Vec<(Self::Action, Self::State)>);

    /// A name for reports; the type's name unless overridden.
    fn name(&self) -> String {
        let full = std::any::type_name::<Self>();
        full.rsplit("::").next().unwrap_or(full).to_string()
    }

    /// What distinguishes this instance from others of the same type (its parameters), for witness files.
    fn parameters(&self) -> String {
        String::new()
    }

    /// The text of an action: its `Debug` form without quotes unless overridden.
    fn label(&self, action: &Self::Action) -> String {
        format!("{action:?}").replace('"', "")
    }

    /// The parts of a state for people to read. Without it, a state is shown by its number.
    fn describe(&self, _state: &Self::State) -> Vec<Field> {
        Vec::new()
    }
}

/// A [`System`] as a [`Model`]: states and actions are interned, a packed state is one number.
pub struct Interned<S: System> {
    system: S,
    states: Interner<S::State>,
    actions: Interner<S::Action>,
}

impl<S: System> Interned<S> {
    /// Wraps `system`.
    pub fn new(system: S) -> Self {
        Interned {
            system,
            states: Interner::new(),
            actions: Interner::new(),
        }
    }

    /// The wrapped system.
    pub fn system(&self) -> &S {
        &self.system
    }

    /// The typed state behind a packed one.
    pub fn state(&self, packed: &[u32]) -> &S::State {
        self.states.get(packed[0])
    }
}

impl<S: System> Model for Interned<S> {
    fn identity(&self) -> Identity {
        let name = self.system.name();
        let content =
            Fingerprint::of_text(&name).and(Fingerprint::of_text(&self.system.parameters()));
        Identity { name, content }
    }

    fn width(&self) -> usize {
        1
    }

    fn initial(&self, state: &mut Vec<u32>) -> Result<(), ModelError> {
        state.push(self.states.intern(self.system.initial()));
        Ok(())
    }

    fn expand(&self, state: &[u32], steps: &mut Steps) -> Result<(), ModelError> {
        let mut listed = Vec::with_capacity(16);
        self.system.steps(self.state(state), &mut listed);
        for (action, target) in listed {
            let label = LabelId(self.actions.intern(action));
            steps.push(label, &[self.states.intern(target)]);
        }
        Ok(())
    }

    fn label(&self, label: LabelId) -> String {
        self.system.label(self.actions.get(label.0))
    }

    fn fingerprint(&self, state: &[u32]) -> Fingerprint {
        self.states.fingerprint(state[0])
    }

    fn describe(&self, state: &[u32]) -> Vec<Field> {
        let fields = self.system.describe(self.state(state));
        if fields.is_empty() {
            return vec![Field {
                name: "state".into(),
                value: self.fingerprint(state).to_string(),
            }];
        }
        fields
    }

    fn is_dense(&self) -> bool {
        true
    }

    fn bytes(&self) -> u64 {
        self.states.bytes() + self.actions.bytes()
    }
}
