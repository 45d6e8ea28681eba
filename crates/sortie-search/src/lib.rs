//! The searches: one file per strategy, and the stores and frontiers they share.
//!
//! A strategy is a function from a [`Hunt`] to an [`Outcome`] and one line in [`STRATEGIES`]. It is a pure
//! function of the model, the properties, its options, the seed and the budget: the number of threads and the
//! order in which they run never show.
//!
//! ```
//! use sortie_intern::Interned;
//! use sortie_model::{Silent, System, Verdict};
//! use sortie_property::{Deadlock, Property};
//! use sortie_search::{Hunt, strategy};
//!
//! struct Countdown;
//! impl System for Countdown {
//!     type State = u32;
//!     type Action = &'static str;
//!     fn initial(&self) -> u32 {
//!         5
//!     }
//!     fn steps(&self, n: &u32, out: &mut Vec<(&'static str, u32)>) {
//!         if *n > 0 {
//!             out.push(("down", n - 1));
//!         }
//!     }
//! }
//!
//! let model = Interned::new(Countdown);
//! let wanted: Vec<Box<dyn Property>> = vec![Box::new(Deadlock)];
//! let bfs = strategy("bfs").expect("a known strategy");
//! let outcome = bfs.hunt(&Hunt::new(&model, &wanted, &Silent))?;
//! assert_eq!(outcome.verdict, Verdict::Found);
//! assert_eq!(outcome.found[0].trace.len(), 5);
//! # Ok::<(), sortie_search::SearchError>(())
//! ```

#![forbid(unsafe_code)]

mod approximate_highway;
mod archive;
mod auto;
mod bit_table;
mod bottom_k;
mod bounded_hunt;
mod breadth_bounded;
mod breadth_first;
mod breadth_first_slice;
mod component_walks;
mod considered;
mod depth_first;
mod error;
mod expansion;
mod explore;
mod findings;
mod fresh;
pub mod genetic;
mod good_turing;
mod highway;
mod hunt;
mod lanes;
pub mod level_choice;
mod lurch;
mod mapping;
mod options;
mod outing;
mod packed;
mod processors;
mod random_walk;
pub mod retrace;
pub mod runs;
#[cfg(test)]
mod same_with_a_map;
pub mod seen;
mod share;
mod small_set;
mod strategy;
pub mod table;
mod team;
mod unfolding;
mod walk_map;
mod walk_sample;
mod walked;

pub use auto::{Keeper, Standing};
pub use bottom_k::{BottomK, Candidate, Draw, Known};
pub use breadth_bounded::{Bounded, Draws, Settings as BoundedSettings, breadth_bounded};
pub use breadth_first_slice::{breadth_first_slice, first_states};
pub use error::SearchError;
pub use expansion::Expansion;
pub use explore::{Explored, explore, explore_transitions};
pub use good_turing::{GoodTuring, Unseen};
pub use highway::{Highway, with_highway};
pub use hunt::{Found, Hunt, Outcome};
pub use options::{Kind as OptionKind, OptionSpec, Options};
pub use strategy::{STRATEGIES, Strategy, strategy};
pub use unfolding::Unfolding;
pub use walk_sample::{Met, WalkSample};
pub use walked::walked_whole;
