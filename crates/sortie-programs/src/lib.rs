//! Real concurrent programs as walks: every scheduling decision of a run is a choice that a search makes.
//!
//! - [`c`]: unmodified C and C++ programs with POSIX threads.
//! - [`rust`]: tests in Rust that are written for [shuttle](https://docs.rs/shuttle).

#[cfg(feature = "c")]
pub mod c;
mod folder;
#[cfg(feature = "rust")]
pub mod rust;

pub use folder::Folder;
