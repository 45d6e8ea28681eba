//! Tests written for shuttle.

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
pub use walk::ShuttleTest;
