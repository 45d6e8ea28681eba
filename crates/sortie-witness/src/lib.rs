//! Witnesses: replay, shorten, store.
//!
//! A search hands over a [`Trace`](sortie_model::Trace) in the model's own numbers. It is checked against the model
//! ([`check`]), shortened ([`shorten`]), and turned into a [`Witness`] of texts and
//! fingerprints ([`describe`]), which can be written to a file and replayed on another day ([`replay`]).

#![forbid(unsafe_code)]

mod answers;
mod beam;
mod cut_cycles;
mod drop_blocks;
mod drop_inputs;
mod exchange;
mod file;
mod group;
mod lasso;
mod replay;
mod shortcut;
mod shorten;
mod tree;
mod witness;

pub use answers::{answer_words, answers_of};
pub use file::{WitnessError, read, write};
pub use group::{Ending, Group, bare, groups};
pub use replay::{Divergence, Reason, Replay, Shown, check, check_until, describe, replay};
pub use shorten::{Effort, PASSES, Pass, Result, shorten};
pub use witness::{Schedule, Witness, WitnessStep};
