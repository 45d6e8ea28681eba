//! The contract between models and searches.
//!
//! A [`Model`] shows its states: a state is a packed slice of words, and [`Model::expand`] lists the labelled
//! successors. A [`Walk`] only runs and asks a [`Chooser`] whenever there is a choice; every model is a walk
//! ([`ModelWalk`]). A Rust program implements [`System`] with any hashable state type; the crate `sortie-intern`
//! turns it into a model.
//!
//! The crate has no dependencies, so that a model can be written without pulling anything in.
//!
//! ```
//! use sortie_model::{Fingerprint, Identity, LabelId, Model, ModelError, Steps};
//!
//! /// A counter that wraps at three.
//! struct Counter;
//!
//! impl Model for Counter {
//!     fn identity(&self) -> Identity {
//!         Identity::new("counter", Fingerprint::of_text("counter 3"))
//!     }
//!     fn width(&self) -> usize {
//!         1
//!     }
//!     fn initial(&self, state: &mut Vec<u32>) -> Result<(), ModelError> {
//!         state.push(0);
//!         Ok(())
//!     }
//!     fn expand(&self, state: &[u32], steps: &mut Steps) -> Result<(), ModelError> {
//!         steps.push(LabelId(0), &[(state[0] + 1) % 3]);
//!         Ok(())
//!     }
//!     fn label(&self, _label: LabelId) -> String {
//!         "tick".into()
//!     }
//! }
//!
//! let mut state = Vec::new();
//! Counter.initial(&mut state)?;
//! let mut steps = Steps::new(Counter.width());
//! Counter.expand(&state, &mut steps)?;
//! assert_eq!(steps.target(0), [1]);
//! assert_eq!(Counter.label(steps.label(0)), "tick");
//! # Ok::<(), sortie_model::ModelError>(())
//! ```

#![forbid(unsafe_code)]

mod budget;
mod components;
mod dice;
mod event;
mod extensions;
mod fingerprint;
mod model;
mod model_walk;
mod random;
mod reduction;
mod steps;
mod system;
mod trace;
mod verdict;
mod walk;

pub use budget::{Budget, Stop, StopReason};
pub use components::{
    Components, LocalStates, MOST_PARTS, PartSet, Selection, Subsystem, SubsystemState,
    SubsystemStep,
};
pub use dice::{Dice, derive_seed};
pub use event::{Counts, Event, Extreme, Observer, Precision, RunSummary, Silent};
pub use extensions::{
    BatchExpansion, ByLabel, CompositeChoices, Expander, Extensions, Indexed, Inputs,
    LabelledSteps, Lookout, Stroll, WalkEngines,
};
pub use fingerprint::{Fingerprint, Fingerprinter};
pub use model::{Field, Identity, LabelId, Model, ModelError, Notes, Status, Traits};
pub use model_walk::ModelWalk;
pub use random::Transition;
pub use reduction::Reducing;
pub use steps::{Change, Steps};
pub use system::System;
pub use trace::{Trace, TraceStep};
pub use verdict::{Exactness, Saturation, Spending, Verdict};
pub use walk::{
    Choice, Chooser, Drawing, End, Flow, Key, Kind, Names, Operation, Passed, View, Walk,
};
