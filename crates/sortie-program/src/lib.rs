//! Real concurrent programs under a controlled scheduler.
//!
//! Tests in Rust whose threads, locks and tasks are those of [shuttle](https://docs.rs/shuttle) (feature `shuttle`, on by default).

#![forbid(unsafe_code)]

#[cfg(feature = "shuttle")]
mod rust;

#[cfg(feature = "shuttle")]
pub use rust::*;
#[cfg(feature = "shuttle")]
pub use shuttle;
