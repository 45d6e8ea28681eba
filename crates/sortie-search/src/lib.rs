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

mod auto;
mod error;
mod estimates;
mod expansion;
mod explore;
mod findings;
pub mod genetic;
mod hunt;
mod options;
mod parallel;
mod paths;
mod retrace;
pub mod schedulers;
mod store;
mod strategies;
mod strategy;
mod unfolding;
mod walked;

pub use auto::{Keeper, Standing};
pub use error::SearchError;
pub use estimates::good_turing::{GoodTuring, Unseen};
pub use estimates::walk_sample::{Met, WalkSample};
pub use expansion::Expansion;
pub use explore::{Explored, breadth_first_slice, explore, explore_transitions, first_states};
pub use hunt::{Found, Hunt, Outcome};
pub use options::{Kind as OptionKind, OptionSpec, Options};
pub use paths::{path_of, retrace_whole};
pub use strategies::breadth_bounded::level_choice;
pub use strategies::breadth_bounded::slice::{
    Bounded, Draws, Settings as BoundedSettings, breadth_bounded,
};
pub use strategies::highway::bottom_k::{BottomK, Candidate, Draw, Known};
pub use strategies::highway::{Highway, with_highway};
pub use strategy::{STRATEGIES, Strategy, strategy};
pub use unfolding::Unfolding;
