//! Hunts bugs in state spaces too large to exhaust, from a Rust test.
//!
//! Write the system, say what must not happen, look at the verdict:
//!
//! ```
//! use sortie::{System, Verdict, hunt};
//!
//! /// Two processes increment a shared counter without a lock.
//! struct Race;
//!
//! #[derive(Clone, Debug, PartialEq, Eq, Hash)]
//! enum Act {
//!     Read(usize),
//!     Write(usize),
//! }
//!
//! /// The counter; what each process has read; how many writes are done.
//! type State = (u8, [Option<u8>; 2], u8);
//!
//! impl System for Race {
//!     type State = State;
//!     type Action = Act;
//!
//!     fn initial(&self) -> State {
//!         (0, [None; 2], 0)
//!     }
//!
//!     fn steps(&self, &(counter, read, done): &State, out: &mut Vec<(Act, State)>) {
//!         for process in 0..2 {
//!             let mut next = read;
//!             match read[process] {
//!                 Some(value) => {
//!                     next[process] = None;
//!                     out.push((Act::Write(process), (value + 1, next, done + 1)));
//!                 }
//!                 None if done + (read.iter().flatten().count() as u8) < 2 => {
//!                     next[process] = Some(counter);
//!                     out.push((Act::Read(process), (counter, next, done)));
//!                 }
//!                 None => {}
//!             }
//!         }
//!     }
//! }
//!
//! let report = hunt(Race).invariant("no update is lost", |&(counter, _, done)| counter == done).run().unwrap();
//! assert_eq!(report.verdict, Verdict::Found);
//! assert_eq!(report.found[0].labels.len(), 4); // both read before either writes
//! ```
//!
//! Models in files are hunted in alike: `sortie::open("x.mcrl2")?.hunt().action("error").run()?`; see `open`.
//!
//! The same hunt with another strategy and seed: `.strategy("rdfs").seed(7)`. A report says *found*, *exhausted*
//! (every reachable state was visited: it does not exist) or *spent* (the budget is used up), never "correct".

#![forbid(unsafe_code)]

mod hunter;
#[cfg(feature = "languages")]
mod open;
#[cfg(feature = "stateright")]
pub mod stateright;

pub use hunter::{Finding, HuntError, Hunter, Report, hunt, hunt_model};
#[cfg(feature = "languages")]
pub use open::{Opened, open, open_with};
pub use sortie_formula as formula;
pub use sortie_hunt::{CampaignError, HuntSettings};
pub use sortie_intern::Interned;
pub use sortie_model::{
    Budget, Choice, Chooser, Counts, Dice, Field, Fingerprint, Identity, LabelId, Model,
    ModelError, ModelWalk, Steps, System, Trace, Verdict, Walk,
};
#[cfg(feature = "languages")]
pub use sortie_open as languages;
pub use sortie_property as property;
pub use sortie_search::{STRATEGIES, Strategy};
pub use sortie_witness::Witness;
