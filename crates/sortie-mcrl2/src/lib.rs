//! mCRL2 specifications and modal mu-calculus formulas: from text to typed trees, or to messages that help.
//!
//! The way of a text: `lexer` (tokens), `brackets` (which token closes which), `parser` (`ast`: syntax trees), `check` (names
//! and sorts resolved, [`specification`] and [`formula`]: typed trees). Data expressions end up as [`sortie_data::Expr`].
//!
//! What holds throughout: every node knows the bytes it came from; a mistake is reported once, where it is, and the rest of
//! the text is still looked at; no text makes this crate panic, hang or exhaust the stack; nothing here evaluates anything.

#![forbid(unsafe_code)]

mod ast;
mod brackets;
mod check;
pub mod formula;
mod lexer;
mod model;
mod operation;
mod parser;
pub mod print;
mod print_process;
pub mod specification;

pub use check::{
    TypedExpression, check_formula, check_specification, override_constant, parse_expression,
};
pub use formula::{Formula, FormulaSpecification};
pub use model::{
    FormulaFailure, Judged, Keep, Mcrl2Model, Sequential, StateCondition, StateExpression,
    StateValues, TypedLabels, open, open_keeping, open_with_formula, open_within, type_labels,
};
pub use parser::MAX_HEIGHT;
pub use print_process::print_process;
pub use specification::{
    Action, ActionCall, ActionId, Communication, Proc, ProcKind, Process, ProcessId, Specification,
};
