//! Witnesses: traces in a form that other runs and other machines understand.

use sortie_model::{Fingerprint, Identity};

/// A violation that can be replayed: labels and state fingerprints, no numbers of a particular run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Witness {
    /// The model it belongs to.
    pub model: Identity,
    /// Values set on the command line, as `name=value`.
    pub settings: Vec<String>,
    /// The property that is violated, as typed.
    pub property: String,
    /// The strategy that found it.
    pub strategy: String,
    /// The options of the strategy, as `name=value`.
    pub options: Vec<String>,
    /// The seed of the run that found it.
    pub seed: u64,
    /// The length of the trace before it was shortened.
    pub raw_length: u64,
    /// The value observed, where an extreme was looked for.
    pub value: Option<i64>,
    /// The number of steps that lead to a loop, if the rest of the steps are one round of it.
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
