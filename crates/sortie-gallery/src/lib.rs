//! Native models with known answers: for tests, examples, the command line and experiments.
//!
//! Each model is one file and one line in [`GALLERY`]. All of them are packed [`Model`]s: a state is a few words, and a
//! step allocates nothing.
//!
//! ```
//! let model = sortie_gallery::build("philosophers", &[("n".into(), 3)])?;
//! assert_eq!(model.identity().name, "philosophers(n=3)");
//!
//! let error = sortie_gallery::build("philosophers", &[("n".into(), 1)]).err().unwrap();
//! assert_eq!(
//!     error.to_string(),
//!     "n of philosophers cannot be 1: it must be from 2 to 42 (philosophers and forks)"
//! );
//! # Ok::<(), sortie_gallery::GalleryError>(())
//! ```

#![forbid(unsafe_code)]

mod backloops;
mod bits;
mod buffers;
mod diamond;
mod funnel;
mod graph;
mod line;
mod needham_schroeder;
mod philosophers;
mod queens;
mod random_graph;
mod ring;
mod scc;
mod tictactoe;
mod tossing_philosophers;
mod tree;
mod two_phase_commit;
mod values;

pub use values::{GalleryError, Values};

use sortie_model::Model;
use std::ops::RangeInclusive;

/// A model with parameters.
pub struct Entry {
    /// The name on the command line.
    pub name: &'static str,
    /// What it is and what to look for, in one line.
    pub help: &'static str,
    /// Its parameters.
    pub parameters: &'static [Parameter],
    /// Makes the model. The values are complete and within their ranges.
    pub build: fn(&Values) -> Box<dyn Model>,
    /// Values that differ from the defaults and make a state space of at most a few thousand states.
    pub small: &'static [(&'static str, u64)],
}

/// A number that shapes a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// The name on the command line.
    pub name: &'static str,
    /// What it is, in a few words.
    pub help: &'static str,
    /// The value when none is given.
    pub default: u64,
    /// The smallest value it takes.
    pub least: u64,
    /// The largest value it takes.
    pub most: u64,
}

impl Parameter {
    const fn new(name: &'static str, default: u64, range: RangeInclusive<u64>) -> Self {
        Parameter {
            name,
            help: "",
            default,
            least: *range.start(),
            most: *range.end(),
        }
    }

    const fn help(self, help: &'static str) -> Self {
        Parameter { help, ..self }
    }
}

/// All models. A new one is a file and a line here.
pub static GALLERY: &[Entry] = &[
    backloops::ENTRY,
    buffers::ENTRY,
    diamond::ENTRY,
    funnel::ENTRY,
    line::ENTRY,
    needham_schroeder::ENTRY,
    philosophers::ENTRY,
    queens::ENTRY,
    random_graph::ENTRY,
    ring::ENTRY,
    scc::ENTRY,
    tictactoe::ENTRY,
    tossing_philosophers::ENTRY,
    tree::ENTRY,
    two_phase_commit::ENTRY,
];

/// The entry with this name.
pub fn entry(name: &str) -> Option<&'static Entry> {
    GALLERY.iter().find(|entry| entry.name == name)
}

/// The model with this name and these parameters; what is not given has its default.
pub fn build(name: &str, settings: &[(String, u64)]) -> Result<Box<dyn Model>, GalleryError> {
    let entry = entry(name).ok_or_else(|| GalleryError::unknown_model(name))?;
    entry.build_with(settings)
}

impl Entry {
    /// The model with these parameters; what is not given has its default.
    pub fn build_with(&self, settings: &[(String, u64)]) -> Result<Box<dyn Model>, GalleryError> {
        Ok((self.build)(&Values::new(self, settings)?))
    }

    /// A small instance: at most a few thousand states.
    pub fn build_small(&self) -> Box<dyn Model> {
        let small: Vec<_> = self.small.iter().map(|&(n, v)| (n.into(), v)).collect();
        self.build_with(&small)
            .expect("the small values of an entry are values of its parameters")
    }
}
