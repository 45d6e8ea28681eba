//! The contract between models and searches.
//!
//! A [`Model`] shows its states: a state is a packed slice of words, and [`Model::expand`] lists the labelled
//! successors. A [`Walk`] only runs and asks a [`Chooser`] whenever there is a choice; every model is a walk
//! ([`ModelWalk`]). A Rust program implements [`System`] with any hashable state type; the crate `sortie-intern`
//! turns it into a model.
//!
//! The crate has no dependencies, so that a model can be written without pulling anything in.

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
    LabelledSteps, Lookout, Stroll, WalkEngines, WantedLabel,
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
