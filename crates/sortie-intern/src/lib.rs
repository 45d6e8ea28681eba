//! Lock-free intern tables and chunked arenas.
//!
//! The tables only grow and are shared by threads: finding and reading take no lock. [`Chunks`] stores values by number, [`Directory`] finds
//! numbers by a short hash, [`Register`] combines the two into a table from fingerprints to values, and [`Interner`] numbers values of any type.
//! [`Interned`] turns a [`System`](sortie_model::System) into a [`Model`](sortie_model::Model), and [`Layers`] stores states with
//! their predecessors.
//!
//! ```
//! use sortie_intern::Interned;
//! use sortie_model::{Model, Steps, System};
//!
//! /// A counter that wraps at three.
//! struct Counter;
//!
//! impl System for Counter {
//!     type State = u8;
//!     type Action = &'static str;
//!     fn initial(&self) -> u8 {
//!         0
//!     }
//!     fn steps(&self, state: &u8, out: &mut Vec<(&'static str, u8)>) {
//!         out.push(("tick", (state + 1) % 3));
//!     }
//! }
//!
//! let model = Interned::new(Counter);
//! let mut state = Vec::new();
//! model.initial(&mut state)?;
//! let mut steps = Steps::new(model.width());
//! model.expand(&state, &mut steps)?;
//! assert_eq!(steps.len(), 1);
//! assert_eq!(model.label(steps.label(0)), "tick");
//! # Ok::<(), sortie_model::ModelError>(())
//! ```

#![forbid(unsafe_code)]

mod chunks;
mod directory;
mod intern;
mod interned;
mod layers;
mod register;

pub use chunks::Chunks;
pub use directory::{Adding, Directory};
pub use intern::Interner;
pub use interned::Interned;
pub use layers::{Layer, Layers};
pub use register::{Entering, Register};
