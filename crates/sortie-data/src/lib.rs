//! Sorts, terms, rewriting and enumeration: the data language of specifications and formulas.
//!
//! A type checker hands over a [`Signature`] and typed [`Expr`]essions. An [`Evaluator`] is built from the signature;
//! it compiles an expression once ([`Evaluator::compile`]) and brings it to normal form as often as needed under the
//! bindings of an [`Env`] ([`Evaluator::eval`]). Values are [`TermId`]s in a shared, append-only [`Universe`]: normal
//! forms, terms that no rule reduces included. A variable without a value stands for itself, so partial terms
//! are terms too; [`Evaluator::solve`] finds all values of variables that make a condition true.
//!
//! The way of an expression: `compile` turns it into code, a tree of nodes with symbols resolved and variables numbered; `machine`
//! runs code on a stack of terms, with `select`, `apply`, `binder` and `builtin`. `rule` says which equation is tried
//! when, `decide` turns that into decision trees, `memo` remembers results. `plan`, `planner`, `range`, `unpack` and `follow` find values for sums and
//! quantifiers by compiled loops; where that is not possible, `enumerate`, `solve` and `quantify` search with open
//! variables, for which `rewrite` evaluates terms again as variables get values. `print` writes terms.

#![forbid(unsafe_code)]

mod apply;
mod binder;
mod builtin;
mod code;
mod compile;
mod decide;
mod domain;
mod enumerate;
mod error;
mod evaluator;
pub mod expr;
mod fingerprint;
mod follow;
mod interval;
mod machine;
mod memo;
mod narrow;
pub mod number;
mod plan;
mod planner;
mod print;
mod quantify;
mod range;
mod recall;
mod rewrite;
mod rule;
mod select;
pub mod signature;
mod solve;
pub mod sort;
mod sort_table;
mod store;
mod symbol;
mod term;
mod universe;
mod unpack;

pub use code::Code;
pub use error::EvalError;
pub use evaluator::{Env, Evaluator, Limits};
pub use expr::{Builtin, Expr, Notation, Variable};
pub use fingerprint::Fingerprint;
pub use number::Integer;
pub use signature::{Equation, Function, FunctionId, FunctionKind, Signature, SortDecl, SortId};
pub use sort::{Container, Sort};
pub use sort_table::{Numeric, SortRef};
pub use symbol::{Op, SymbolId};
pub use term::{Binder, BinderKind, BoundVariable, FreeVariable, TermId, VariableId, View};
pub use universe::Universe;
