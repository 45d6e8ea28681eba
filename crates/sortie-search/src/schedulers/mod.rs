//! Searches among the runs of something that only runs and asks: a [`Walk`](sortie_model::Walk), a concurrent program under a scheduler.
//!
//! Nothing is known of states, so there is nothing to store: a search decides runs, one after another, and learns from those that are over. Run `i` draws
//! from dice made of the seed and `i`; runs are done in rounds whose length depends on numbers of runs alone, and what a search learns it learns between rounds, in the order of
//! the runs. So a search is a function of the walk, its options and the seed, however many threads work.
//!
//! ```
//! use sortie_model::*;
//! use sortie_search::schedulers::{Replay, Setup, Trials};
//! use sortie_search::strategy;
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
//! let mut trials = Trials::new(Setup { strategy: strategy("random")?, ..Setup::new(&walk) })?;
//! assert_eq!(trials.go(100)?, Some(Verdict::Found));
//! let failure = &trials.failures()[0];
//! let mut replay = Replay::new(&failure.answers);
//! assert_eq!(Counter.run(&mut replay, 100)?, End::Failed("lost".into()));
//! assert_eq!(replay.divergence(), None);
//! # Ok::<(), sortie_search::SearchError>(())
//! ```

pub(crate) mod archive;
mod class;
mod clocks;
mod depth_first;
mod dpor;
mod exhaustive;
pub(crate) mod history;
pub(crate) mod models;
pub(crate) mod pairs;
pub(crate) mod pct;
pub(crate) mod pos;
pub(crate) mod random;
pub(crate) mod record;
mod replay;
pub(crate) mod scheduler;
pub(crate) mod search;
mod shorten;
pub(crate) mod surw;
pub(crate) mod tasks;
mod trials;
pub(crate) mod urw;

pub(crate) use exhaustive::{Exhaustive, OPTIONS as EXHAUSTIVE_OPTIONS};
pub(crate) use pct::{CHANGES, OPTIONS as PCT_OPTIONS, Pct};
pub(crate) use pos::Pos;
pub(crate) use random::Random;
pub use replay::{Divergence, Replay};
pub(crate) use scheduler::{Scheduled, Scheduler};
pub use shorten::shorten;
pub(crate) use surw::Surw;
pub(crate) use trials::{Course, course, dice};
pub use trials::{Failure, MakeWalk, RunCounts, Setup, Trials};
pub(crate) use urw::Urw;

/// The answer to a question that had more than one alternative.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct Answer {
    /// The alternative taken, from 0.
    pub chosen: u32,
    /// How many there were.
    pub of: u32,
}
