//! Witnesses: traces in a form that other runs and other machines understand.

use sortie_model::{Fingerprint, Identity};
use sortie_search::schedulers::Answer;

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
    /// The schedule, if the target is a program; a program shows no states and has no steps.
    pub schedule: Option<Schedule>,
}

impl Witness {
    /// The witness of a run of a program that failed; the caller fills in what the hunt was.
    pub fn of_run(model: Identity, failure: String, schedule: Schedule) -> Self {
        Witness {
            model,
            settings: Vec::new(),
            property: failure,
            strategy: String::new(),
            options: Vec::new(),
            seed: 0,
            raw_length: schedule.answers.len() as u64,
            value: None,
            cycle: None,
            start: Fingerprint::of_words(&[]),
            steps: Vec::new(),
            schedule: Some(schedule),
        }
    }
}

/// The schedule of a run of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schedule {
    /// The arguments of the program, whose path is the name of the model.
    pub arguments: Vec<String>,
    /// The number of the run that found it, from 0.
    pub run: u64,
    /// The number of scheduling decisions that the answers may make; what comes after them the program decides itself.
    pub depth: u64,
    /// Words of memory whose accesses are scheduling points.
    pub points: Vec<u64>,
    /// The answers to all questions with more than one alternative.
    pub answers: Vec<Answer>,
    /// The run in words, for readers.
    pub story: Vec<String>,
}

/// One step of a [`Witness`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WitnessStep {
    /// The text of the label.
    pub label: String,
    /// The fingerprint of the state it leads to.
    pub state: Fingerprint,
}
