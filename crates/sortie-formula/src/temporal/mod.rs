//! CTL and LTL, over maximal paths: infinite ones, and those that end in a state without steps.
//!
//! Both languages share their atoms and connectives, so one parser reads them. A [`Ctl`] formula becomes a formula of the modal mu-calculus. An
//! [`Ltl`] formula is negated and becomes an automaton whose transitions say what must hold of the state and of the next step; that no path is
//! accepted is a set of [`Equations`](crate::Equations).
//!
//! The atom `<a>` says that an a-step comes next, `[a]` that nothing else does. In CTL they speak of all steps that are possible, in LTL
//! of the step that the path takes.
//!
//! The way of an LTL formula: `normal` pushes negations to the atoms, `factors` says in which ways a formula can be satisfied now and later, `automaton`
//! makes states of what is left for later, `emptiness` writes the equations. Where only fair paths count, [`fair_counterexample`] searches the
//! `product` of state space and automaton, and `lasso` makes a path of what it finds.
//! For searches that follow paths, `watched` is the same product as a model.

mod atoms;
mod automaton;
mod ctl;
mod emptiness;
mod factors;
mod fair;
mod fair_ctl;
mod fair_paths;
mod lasso;
mod lexer;
mod ltl;
mod normal;
mod parser;
mod product;
mod tree;
mod watched;
mod watched_walk;

pub use ctl::Ctl;
pub use fair::{FairAnswer, Fairness, fair_counterexample};
pub use fair_paths::FairPaths;
pub use lasso::{Ending, Hop, Lasso};
pub use ltl::Ltl;
pub use tree::PredicateText;
pub use watched::{END, WHATEVER, Watched};
