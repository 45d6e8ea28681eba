//! Models made of components that run in parallel.

use crate::budget::Stop;
use crate::fingerprint::Fingerprint;
use crate::model::{Model, ModelError};

/// A model made of components: word `i` of a state is the local state of component `i`.
pub trait Composed: Model {
    /// What people call the components, each name once.
    fn components(&self) -> Vec<String>;

    /// The content of a local state; local states of different components have different ones.
    fn local_fingerprint(&self, component: usize, word: u32) -> Fingerprint;

    /// What some of the components can do while the others do anything that they could do if everything they wait for came.
    fn subsystem(&self, selection: &Selection<'_>) -> Result<Subsystem, ModelError>;

    /// The content of the local states of these components in a state.
    fn project(&self, components: &[usize], state: &[u32]) -> Fingerprint {
        components
            .iter()
            .fold(Fingerprint::of_words(&[]), |print, &component| {
                print.and(self.local_fingerprint(component, state[component]))
            })
    }
}

/// Which components make up a subsystem, and what helps to find its behaviour.
#[derive(Clone, Copy, Debug)]
pub struct Selection<'a> {
    /// Numbers of components, ascending.
    pub components: &'a [usize],
    /// For names of actions, the argument lists that may be received with them, as written in the language of the model. Without an
    /// entry, they are found by running the components that may send them.
    pub domains: &'a [(String, Vec<String>)],
    /// How many local states a component run on its own may have, and how many states the subsystem.
    pub max_states: usize,
    /// Ends the search for its behaviour from outside.
    pub stop: Option<&'a Stop>,
}

impl Selection<'_> {
    /// An error once it is to end.
    pub fn check(&self) -> Result<(), ModelError> {
        match self.stop.and_then(Stop::requested) {
            Some(_) => Err(ModelError::new("its behaviour was not found in time")),
            None => Ok(()),
        }
    }
}

/// A graph that contains all that a subsystem does: whenever a step of the model changes local states of the subsystem, there is
/// a step here that changes them in the same way. Steps that leave all of them as they are do not appear.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Subsystem {
    /// The initial one first, then in order of generation; the same in every run of the program.
    pub states: Vec<SubsystemState>,
}

/// Local states of the selected components.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubsystemState {
    /// Their content, as [`Composed::project`] gives it.
    pub print: Fingerprint,
    /// For people.
    pub text: String,
    /// One for each target, ascending; never the state itself.
    pub steps: Vec<SubsystemStep>,
}

/// A change of local states of a subsystem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubsystemStep {
    /// The number of the state it leads to.
    pub target: usize,
    /// Which components do what, for people.
    pub text: String,
}
