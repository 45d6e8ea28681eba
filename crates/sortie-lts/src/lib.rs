//! Explicit labelled transition systems, the Aldebaran format (`.aut`) they are stored in, and strong bisimulation.
//!
//! ```
//! use sortie_lts::Lts;
//! use sortie_model::Model;
//! use sortie_syntax::Source;
//!
//! let text = "des (0,2,3)\n(0,\"coin\",1)\n(1,i,2)\n";
//! let lts = Lts::parse(Source { name: "machine.aut", text })?;
//! assert_eq!((lts.states(), lts.transitions()), (3, 2));
//! assert_eq!(lts.labels(), ["coin", "tau"]);
//! # Ok::<(), sortie_syntax::Diagnostic>(())
//! ```

#![forbid(unsafe_code)]

mod aut;
mod bisimulation;
mod build;
mod lumping;
mod random;
mod refinable;

pub use aut::Growing;
pub use bisimulation::bisimilar;
pub use build::Builder;
pub use random::{Distribution, Leaving};

use random::Random;
use sortie_model::{
    BatchExpansion, Extensions, Field, Fingerprint, Identity, LabelId, Model, ModelError, Steps,
    Traits,
};
use sortie_syntax::{Diagnostic, Source};

/// A labelled transition system held in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lts {
    name: String,
    content: Fingerprint,
    initial: u32,
    states: u32,
    labels: Vec<String>,
    /// Where the transitions of each state begin; states beyond the end have none.
    begins: Vec<u32>,
    /// Label and target, grouped by source.
    edges: Vec<(LabelId, u32)>,
    /// Which edges are outcomes of random transitions, in order.
    random: Vec<Random>,
    /// The initial state only stands for a random choice of where to begin.
    random_start: bool,
}

impl Lts {
    /// Reads the text of an `.aut` file.
    pub fn parse(source: Source<'_>) -> Result<Self, Diagnostic> {
        aut::parse(source)
    }

    /// Writes the system as an `.aut` file.
    pub fn write(&self, out: &mut dyn std::io::Write) -> std::io::Result<()> {
        aut::write(self, out)
    }

    /// How many states there are; with a random start, one of them stands for it.
    pub fn states(&self) -> u32 {
        self.states
    }

    /// How many transitions there are; a random one counts once, a random start is one.
    pub fn transitions(&self) -> usize {
        let outcomes = |random: &Random| random.weights.len() - 1;
        self.edges.len() - self.random.iter().map(outcomes).sum::<usize>()
    }

    /// The number of the initial state.
    pub fn initial_state(&self) -> u32 {
        self.initial
    }

    /// All labels, by number; internal steps are called `tau`.
    pub fn labels(&self) -> &[String] {
        &self.labels
    }

    /// States from this number on have no transitions.
    pub(crate) fn sources(&self) -> u32 {
        self.begins.len() as u32 - 1
    }

    /// Label and target of every transition from `state`.
    pub fn edges(&self, state: u32) -> &[(LabelId, u32)] {
        let state = state as usize;
        match (self.begins.get(state), self.begins.get(state + 1)) {
            (Some(&begin), Some(&end)) => &self.edges[begin as usize..end as usize],
            _ => &[],
        }
    }
}

impl Model for Lts {
    fn identity(&self) -> Identity {
        // A header may promise more states than the transitions mention.
        let dense = self.states as usize / 16 <= self.edges.len() + 64;
        Identity::new(self.name.clone(), self.content).with(Traits {
            random_start: self.random_start,
            dense,
        })
    }

    fn width(&self) -> usize {
        1
    }

    fn initial(&self, state: &mut Vec<u32>) -> Result<(), ModelError> {
        state.push(self.initial);
        Ok(())
    }

    fn expand(&self, state: &[u32], steps: &mut Steps) -> Result<(), ModelError> {
        if self.random.is_empty() {
            for &(label, target) in self.edges(state[0]) {
                steps.push(label, &[target]);
            }
            return Ok(());
        }
        for leaving in self.leaving(state[0]) {
            for &(label, target) in leaving.edges {
                steps.push(label, &[target]);
            }
            if !leaving.weights.is_empty() {
                steps.mark_random(leaving.weights);
            }
        }
        Ok(())
    }

    fn label(&self, label: LabelId) -> String {
        self.labels[label.0 as usize].clone()
    }

    fn describe(&self, state: &[u32]) -> Vec<Field> {
        vec![Field {
            name: "state".into(),
            value: match self.random_start && state[0] == self.initial {
                true => "before the random choice of an initial state".into(),
                false => state[0].to_string(),
            },
        }]
    }

    fn extensions(&self) -> Extensions<'_> {
        Extensions {
            batch_expansion: Some(self),
            ..Extensions::default()
        }
    }
}

impl BatchExpansion for Lts {}
