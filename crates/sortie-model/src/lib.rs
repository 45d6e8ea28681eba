//! The contract between models and searches.
//!
//! A [`Model`] shows its states: a state is a packed slice of words, and [`Model::expand`] lists the labelled
//! successors. A [`Walk`] only runs and asks a [`Chooser`] whenever there is a choice; every model is a walk
//! ([`ModelWalk`]). A Rust program implements [`System`] with any hashable state type and is turned into a
//! model by [`Interned`].
//!
//! The crate has no dependencies, so that a model can be written without pulling anything in.
//!
//! ```
//! use sortie_model::{Interned, Model, Steps, System};
//!
//! /// A counter that wraps at three.
//! struct Counter;
//!
//! impl System for Counter {
//!     type State = u8;
//!     type Action = &'static str;
//!     fn initial(&self) -> u8 {
//!         0
//!     }
//!     fn steps(&self, state: &u8, out: &mut Vec<(&'static str, u8)>) {
//!         out.push(("tick", (state + 1) % 3));
//!     }
//! }
//!
//! let model = Interned::new(Counter);
//! let mut state = Vec::new();
//! model.initial(&mut state)?;
//! let mut steps = Steps::new(model.width());
//! model.expand(&state, &mut steps)?;
//! assert_eq!(steps.len(), 1);
//! assert_eq!(model.label(steps.label(0)), "tick");
//! # Ok::<(), sortie_model::ModelError>(())
//! ```

#![forbid(unsafe_code)]

mod budget;
mod chunks;
mod composed;
mod diagnostic;
mod dice;
mod directory;
mod event;
mod expander;
mod fingerprint;
mod intern;
mod layers;
mod model;
mod model_walk;
mod parts;
mod random;
mod reduction;
mod register;
mod stroll;
mod suggestion;
mod system;
mod trace;
mod verdict;
mod walk;
mod witness;

pub use budget::{Budget, Stop, StopReason};
pub use chunks::Chunks;
pub use composed::{Composed, Selection, Subsystem, SubsystemState, SubsystemStep};
pub use diagnostic::{Diagnostic, Severity, Source};
pub use dice::{Dice, derive_seed};
pub use directory::{Adding, Directory};
pub use event::{Counts, Event, Extreme, Observer, Precision, RunSummary, Silent};
pub use expander::Expander;
pub use fingerprint::{Fingerprint, Fingerprinter};
pub use intern::Interner;
pub use layers::{Layer, Layers};
pub use model::{Change, Field, Identity, Indexed, LabelId, Model, ModelError, Remarks, Steps};
pub use model_walk::ModelWalk;
pub use parts::{MOST_PARTS, PartSet, Parts};
pub use random::Transition;
pub use reduction::Reducing;
pub use register::{Entering, Register};
pub use stroll::{Lookout, Stroll};
pub use suggestion::did_you_mean;
pub use system::{Interned, System};
pub use trace::{Trace, TraceStep};
pub use verdict::{Exactness, Saturation, Spending, Verdict};
pub use walk::{
    Choice, Chooser, Drawing, End, Flow, Key, Kind, Names, Operation, Passed, View, Walk,
};
pub use witness::{Witness, WitnessStep};
