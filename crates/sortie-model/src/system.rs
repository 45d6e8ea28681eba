//! Systems written in Rust with states of any type.

use crate::model::Field;
use std::fmt::Debug;
use std::hash::Hash;

/// A transition system with typed states and actions. `Interned` of the crate `sortie-intern` makes it a [`Model`](crate::Model).
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
