//! Concurrent code with known bugs, each beside its repaired version, as a package that uses sortie would have it.
//!
//! The code takes threads and locks from [`concurrency`]: those of std, and in tests those of shuttle.

#![forbid(unsafe_code)]

pub mod account;
pub mod authentication;
pub mod buffer;
pub mod cache;
pub mod concurrency;
pub mod philosophers;
pub mod sessions;
pub mod settings;
pub mod singleton;
pub mod stealing;
pub mod wakeup;

#[cfg(test)]
mod hunting;

/// Which code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// With the bug.
    Broken,
    /// Without it.
    Repaired,
}
