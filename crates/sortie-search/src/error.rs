//! What keeps a search from being carried out.

use crate::strategy::{STRATEGIES, Strategy};
use sortie_model::ModelError;

/// A search could not be carried out.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SearchError {
    /// The model could not be evaluated.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// There is no strategy of this name.
    #[error("there is no strategy '{name}'; choose one of {}", names_of(|_| true))]
    UnknownStrategy {
        /// The name given.
        name: String,
    },
    /// The strategy looks at states, and a program shows none.
    #[error(
        "the strategy '{strategy}' needs visible states, and a program only runs and asks; strategies for programs: {}",
        names_of(Strategy::searches_programs)
    )]
    NeedsStates {
        /// The strategy.
        strategy: String,
    },
    /// The strategy decides runs of a program, and this is a model.
    #[error(
        "the strategy '{strategy}' needs a program whose operations are known; strategies for models: {}",
        names_of(Strategy::searches_models)
    )]
    NeedsProgram {
        /// The strategy.
        strategy: String,
    },
    /// The strategy does not have this option.
    #[error("the strategy '{strategy}' has no option '{option}'; it has {known}")]
    UnknownOption {
        /// The strategy.
        strategy: String,
        /// The option given.
        option: String,
        /// The options it has.
        known: String,
    },
    /// The option's value is not one it can have.
    #[error("--{option} cannot be '{value}': {expected}")]
    BadOption {
        /// The option.
        option: String,
        /// The value given.
        value: String,
        /// What it can be.
        expected: String,
    },
    /// The strategy follows no path long enough to see it close.
    #[error(
        "the strategy '{strategy}' looks at states and steps, and '{property}' is a loop of them; strategies that look for loops: {}",
        names_of(|strategy| strategy.cycles)
    )]
    NoCycles {
        /// The strategy.
        strategy: String,
        /// What is looked for.
        property: String,
    },
    /// A level of a breadth-bounded search was to be drawn exactly, and could not be.
    #[error(
        "level {level} cannot be drawn exactly: {lanes} of its lanes have no visited successor and share {candidates} \
             unvisited ones; without --exact it is mixed by random swaps, and other widths may not need that"
    )]
    Entangled {
        /// The level, the initial one being 0.
        level: u64,
        /// Stuck lanes that hang together.
        lanes: usize,
        /// The candidates they have.
        candidates: usize,
    },
    /// A path that the search itself recorded could not be walked again.
    #[error(
        "the path to a state could not be found again at step {step}; the model gives different successors for \
             the same state, or two states have the same fingerprint"
    )]
    LostPath {
        /// The step at which the way was lost.
        step: usize,
    },
}

/// The names of strategies, for messages.
fn names_of(wanted: impl Fn(&Strategy) -> bool) -> String {
    let fitting = STRATEGIES.iter().filter(|strategy| wanted(strategy));
    let names: Vec<&str> = fitting.map(|strategy| strategy.name).collect();
    names.join(", ")
}
