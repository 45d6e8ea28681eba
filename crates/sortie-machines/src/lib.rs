//! Communicating state machines as models.
//!
//! A [`System`] is a list of machines with local states and transitions, and variables that they share. Guards and effects are
//! small programs ([`code`]). It is read from files of the original LURCH or from our own language and run by [`Machines`], as a
//! [`Model`](sortie_model::Model) and as a [`Walk`](sortie_model::Walk) that asks small questions.

#![forbid(unsafe_code)]

pub mod code;
mod conflicts;
mod contents;
mod deeds;
pub mod draw;
mod eval;
mod fanout;
mod index;
pub mod language;
mod layout;
mod live;
pub mod lurch;
mod machines;
mod memory;
mod rivals;
mod simplify;
mod spell_out;
mod system;
mod visit;
mod walk;
mod watching;

pub use machines::Machines;

pub use system::{
    Effects, LocalState, Machine, Settings, System, Timing, Transition, Variable, Watchers,
    WordKind,
};
