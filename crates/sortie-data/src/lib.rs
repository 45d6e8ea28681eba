//! Sorts, terms, rewriting and enumeration: the data language of specifications and formulas.
//!
//! A type checker hands over a [`Signature`] and typed [`Expr`]essions. An [`Evaluator`] is built from the signature;
//! it compiles an expression once ([`Evaluator::compile`]) and brings it to normal form as often as needed under the
//! bindings of an [`Env`] ([`Evaluator::eval`]). Values are [`TermId`]s in a shared, append-only [`Universe`]: normal
//! forms, terms that no rule reduces included. A variable without a value stands for itself, so partial terms
//! are terms too; [`Evaluator::solve`] finds all values of variables that make a condition true.
//!
//! The way of an expression: `compile` to code, `machine` with `apply`, `binder` and `builtin` to a term; `memo` remembers results; `rule` says
//! which equation is tried when and `decide` turns that into decision trees; `plan` finds values for sums and quantifiers by compiled loops; `rewrite` evaluates terms whose variables get values, for `enumerate`, `solve` and
//! `quantify`; `print` writes terms.

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
mod interval;
mod machine;
mod memo;
mod narrow;
pub mod number;
mod plan;
mod print;
mod quantify;
mod recall;
mod rewrite;
mod rule;
pub mod signature;
mod solve;
pub mod sort;
mod sort_table;
mod store;
mod symbol;
mod term;
mod universe;

pub use code::Code;
pub use error::EvalError;
pub use evaluator::{Env, Evaluator, Limits};
pub use expr::{Builtin, Expr, Variable};
pub use fingerprint::Fingerprint;
pub use number::Integer;
pub use signature::{Equation, Function, FunctionId, FunctionKind, Signature, SortDecl, SortId};
pub use sort::Sort;
pub use sort_table::{Numeric, SortRef};
pub use symbol::{Op, SymbolId};
pub use term::{Binder, BinderKind, BoundVariable, FreeVariable, TermId, VariableId, View};
pub use universe::Universe;
