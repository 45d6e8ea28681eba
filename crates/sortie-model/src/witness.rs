//! Witnesses: what a trace says to another run, another machine, another day.

use crate::fingerprint::Fingerprint;
use crate::model::Identity;

/// A violation that can be replayed: labels and state fingerprints, no numbers of a particular run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Witness {
    /// The model it belongs to.
    pub model: Identity,
    /// Values set on the command line, as `name=value`.
    pub settings: Vec<String>,
    /// What was looked for, as typed.
    pub property: String,
    /// The strategy that found it.
    pub strategy: String,
    /// The options of the strategy, as `name=value`.
    pub options: Vec<String>,
    /// The seed of the run that found it.
    pub seed: u64,
    /// How long the trace was before it was shortened.
    pub raw_length: u64,
    /// The value observed, where an extreme was looked for.
    pub value: Option<i64>,
    /// How many steps lead to the beginning of a loop, where the steps after that go round it once.
    pub cycle: Option<usize>,
    /// The fingerprint of the initial state.
    pub start: Fingerprint,
    /// The steps.
    pub steps: Vec<WitnessStep>,
}

/// One step of a [`Witness`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WitnessStep {
    /// The text of the label.
    pub label: String,
    /// The fingerprint of the state it leads to.
    pub state: Fingerprint,
}
