//! Tests in Rust whose threads, locks and tasks are those of [shuttle](https://docs.rs/shuttle), hunted by the searches of sortie.
//!
//! One line in a test that was written for shuttle:
//!
//! ```
//! # fn queue_test() {}
//! // shuttle::check_random(queue_test, 1000);
//! # if false {
//! sortie_programs::rust::hunt(queue_test);
//! # }
//! ```
//!
//! [`Hunter`] says how; [`toss`] and [`count`] are for the test itself; [`ShuttleTest`] is the test as a [`Walk`](sortie_model::Walk). shuttle is re-exported, so that one dev-dependency
//! is enough.

mod ask;
mod campaign;
mod child;
mod failing;
mod hunter;
mod naming;
mod outcome;
mod panics;
mod saved;
mod scheduler;
mod shown;
mod walk;

pub use ask::{count, toss};
pub use hunter::{Hunter, hunt};
pub use outcome::{Found, Outcome};
pub use shuttle;
pub use walk::ShuttleTest;
