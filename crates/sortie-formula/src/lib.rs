//! Formulas of the modal mu-calculus, CTL and LTL, judged on state spaces that may be known in part only.
//!
//! [`compile`] turns the [`tree`] of a first-order modal mu-calculus formula into [`Equations`], fixpoints with ranks over a handful of node
//! kinds; `instantiate` turns equations and a [`Space`] into the vertices of a parity game, on demand; `parity` solves it; [`Examination`]
//! extends the game until the answer is certain; `evidence` cuts out the part of the space that shows it. [`temporal`] reads CTL and LTL.
//!
//! Truth is three-valued. A step that leaves what is known leads to a state where every modality is unknown; what is nevertheless true or
//! false holds for the whole system.

#![forbid(unsafe_code)]

mod bounds;
mod compile;
mod equations;
mod error;
mod evidence;
mod examine;
mod instantiate;
mod labels;
mod matching;
mod narrow;
mod parity;
mod product;
mod rank;
mod requirement;
mod space;
mod strongly_connected;
pub mod temporal;
pub mod tree;
mod vertices;

pub use compile::compile;
pub use equations::{
    Actions, Bound, Equations, MultiAction, Node, NodeId, Player, Quantifier, SetId,
};
pub use error::FormulaError;
pub use evidence::{Evidence, Shape, Taken, cut_out};
pub use examine::{Allowance, Examination, Truth};
pub use instantiate::Context;
pub use labels::{Happening, Labels};
pub use product::Product;
pub use requirement::{Fragment, Requirement, Stated};
pub use space::{Edge, OUTSIDE, Slice, Space};
