//! Searches among the runs of something that only runs and asks: a [`Walk`](sortie_model::Walk), a concurrent program under a scheduler.
//!
//! Nothing is known of states, so there is nothing to store: a search decides runs, one after another, and learns from those that are over. Run `i` draws
//! from dice made of the seed and `i`; runs are done in rounds whose length depends on numbers of runs alone, and what a search learns it learns between rounds, in the order of
//! the runs. So a search is a function of the walk, its options and the seed, however many threads work.
//!
//! ```
//! use sortie_model::*;
//! use sortie_search::runs::{Replay, Setup, Trials, run_search};
//!
//! /// Two tasks read a counter, then write one more than they read; an increment may get lost.
//! struct Counter;
//!
//! struct Tasks<'a>(&'a [u64]);
//! impl Names for Tasks<'_> {
//!     fn name(&self, index: usize) -> String {
//!         format!("task {}", self.0[index])
//!     }
//!     fn key(&self, index: usize) -> Key {
//!         Key { who: self.0[index], what: 0 }
//!     }
//! }
//!
//! impl Walk for Counter {
//!     fn run(&mut self, chooser: &mut dyn Chooser, _limit: u64) -> Result<End, ModelError> {
//!         let (mut counter, mut read, mut moves) = (0, [0; 2], [0; 2]);
//!         loop {
//!             let able: Vec<u64> = (0..2).filter(|&t| moves[t] < 2).map(|t| t as u64 + 1).collect();
//!             if able.is_empty() {
//!                 break;
//!             }
//!             let names = Tasks(&able);
//!             let task = able[chooser.choose(Choice::new(able.len(), Kind::Task, &names))] as usize - 1;
//!             match moves[task] {
//!                 0 => read[task] = counter,
//!                 _ => counter = read[task] + 1,
//!             }
//!             moves[task] += 1;
//!         }
//!         Ok(if counter == 2 { End::DeadEnd } else { End::Failed("lost".into()) })
//!     }
//! }
//!
//! let walk = || Box::new(Counter) as Box<dyn Walk + Send>;
//! let mut trials = Trials::new(Setup { search: run_search("random")?, ..Setup::new(&walk) })?;
//! assert_eq!(trials.go(100)?, Some(Verdict::Found));
//! let failure = &trials.failures()[0];
//! let mut replay = Replay::new(&failure.answers);
//! assert_eq!(Counter.run(&mut replay, 100)?, End::Failed("lost".into()));
//! assert_eq!(replay.divergence(), None);
//! # Ok::<(), sortie_search::SearchError>(())
//! ```

mod archive;
mod auto;
mod cast;
mod class;
mod clocks;
mod depth_first;
mod dpor;
mod exhaustive;
mod genetic;
mod lore;
mod pairs;
mod pct;
mod pos;
mod random;
mod record;
mod replay;
mod search;
mod shorten;
mod surw;
mod trials;
mod urw;

pub use replay::{Divergence, Replay};
pub use shorten::shorten;
pub use trials::{Failure, MakeWalk, RunCounts, Setup, Trials};

use crate::{OptionSpec, SearchError};
use trials::{Course, course};

/// The answer to a question that had more than one alternative.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Answer {
    /// The alternative taken, from 0.
    pub chosen: u32,
    /// How many there were.
    pub of: u32,
}

/// A way to search among runs: its name, its options, and what makes it.
pub struct RunSearch {
    /// The name on the command line.
    pub name: &'static str,
    /// What it does, in one line.
    pub help: &'static str,
    /// Its options.
    pub options: &'static [OptionSpec],
    /// Whether different seeds give different runs.
    pub random: bool,
    make: for<'a> fn(&Setup<'a>) -> Result<Box<dyn Course + Send + 'a>, SearchError>,
}

/// All searches among runs, the default first. A new one is a file and a line here.
pub static SEARCHES: &[RunSearch] = &[
    RunSearch {
        name: "auto",
        help: "several searches in turns, learning from one another",
        options: &[],
        random: true,
        make: |setup| Ok(course(auto::Auto::default(), setup)),
    },
    RunSearch {
        name: "random",
        help: "every alternative is equally likely",
        options: &[],
        random: true,
        make: |setup| Ok(course(random::Random, setup)),
    },
    RunSearch {
        name: "pct",
        help: "random priorities that change at a few random moves",
        options: pct::OPTIONS,
        random: true,
        make: |setup| Ok(course(pct::Pct::of(&setup.options), setup)),
    },
    RunSearch {
        name: "urw",
        help: "every interleaving is equally likely, by what tasks have left to do",
        options: &[],
        random: true,
        make: |setup| Ok(course(urw::Urw::default(), setup)),
    },
    RunSearch {
        name: "surw",
        help: "every order of operations on one object is equally likely",
        options: &[],
        random: true,
        make: |setup| Ok(course(surw::Surw::default(), setup)),
    },
    RunSearch {
        name: "pos",
        help: "random priorities of events, drawn anew for those that race",
        options: &[],
        random: true,
        make: |setup| Ok(course(pos::Pos::default(), setup)),
    },
    RunSearch {
        name: "genetic",
        help: "runs compete, and the fittest are mixed and changed",
        options: genetic::OPTIONS,
        random: true,
        make: |setup| {
            Ok(course(
                genetic::Genetic::of(&setup.options, setup.keep_going)?,
                setup,
            ))
        },
    },
    RunSearch {
        name: "archive",
        help: "runs go on from places of those that showed something new",
        options: &[],
        random: true,
        make: |setup| Ok(course(archive::Archive::default(), setup)),
    },
    RunSearch {
        name: "exhaustive",
        help: "all runs but for the order of what commutes, or all with few preemptions",
        options: exhaustive::OPTIONS,
        random: false,
        make: |setup| Ok(course(exhaustive::Exhaustive::of(&setup.options), setup)),
    },
];

/// The search with this name.
pub fn run_search(name: &str) -> Result<&'static RunSearch, SearchError> {
    let found = SEARCHES.iter().find(|search| search.name == name);
    found.ok_or_else(|| SearchError::UnknownRunSearch { name: name.into() })
}

/// The names of all searches, for messages.
pub(crate) fn names() -> String {
    let names: Vec<&str> = SEARCHES.iter().map(|search| search.name).collect();
    names.join(", ")
}

fn default_search() -> &'static RunSearch {
    &SEARCHES[0]
}
