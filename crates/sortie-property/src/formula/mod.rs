//! Formulas of the first-order modal mu-calculus, judged on state spaces that may be known in part only.
//!
//! The way of a formula: a [`tree`] is compiled to [`Equations`], fixpoints with ranks over a handful of node kinds; `instantiate` turns
//! equations and a [`Space`](crate::Space) into the vertices of a parity game, on demand; `parity` solves it; [`Examination`] grows
//! the game until the answer is certain; `evidence` cuts out the part of the space that shows it.
//!
//! Truth is three-valued. A step that leaves what is known leads to a state where every modality is unknown; what is nevertheless true or
//! false holds for the whole system.

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
pub mod tree;
mod vertices;

pub use compile::compile;
pub use equations::{
    Actions, Bound, Equations, MultiAction, Node, NodeId, Player, Quantifier, SetId,
};
pub use error::FormulaError;
pub use evidence::{Evidence, Shape, Taken, cut_out};
pub use examine::{Allowance, Examination, Truth};
pub use instantiate::{Context, StatePredicate};
pub use labels::{Happening, Labels};
pub use product::Product;
pub use requirement::{Fragment, Requirement, Stated};
