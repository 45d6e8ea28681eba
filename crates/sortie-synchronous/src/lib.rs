//! Synchronous systems with free inputs as models.
//!
//! A [`System`] is a list of variables with finitely many values, all of which get a new one in every step: from rules, or from outside. It is read from SMV files or
//! from requirement tables and run by [`Synchronous`], as a [`Model`](sortie_model::Model) and as a [`Walk`](sortie_model::Walk) that asks for one value at a time.

#![forbid(unsafe_code)]

mod compile;
mod expression;
mod fanout;
mod fold;
mod labels;
mod layout;
mod order;
mod predicate;
pub mod rsml;
mod run;
mod sample;
pub mod smv;
mod synchronous;
mod system;
mod value;
mod walk;

pub use expression::{Binary, Expression, Unary};
pub use predicate::{Evaluator, Predicate};
pub use synchronous::Synchronous;
pub use system::{
    Claim, Definition, DefinitionId, NamedProperty, Role, Rule, Settings, System, Variable,
    VariableId,
};
pub use value::{Domain, Symbols};
