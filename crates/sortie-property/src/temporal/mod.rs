//! CTL and LTL, over maximal paths: infinite ones, and those that end in a state without steps.
//!
//! Both languages share their atoms and connectives, so one parser reads them. A [`Ctl`] formula becomes a formula of the modal mu-calculus. An
//! [`Ltl`] formula is negated and becomes an automaton whose transitions say what must hold of the state and of the next step; that no path is
//! accepted is a set of [`Equations`](crate::formula::Equations).
//!
//! The atom `<a>` says that an a-step comes next, `[a]` that nothing else does. In CTL they speak of all steps that are possible, in LTL
//! of the step that the path takes.

mod atoms;
mod ctl;
mod lexer;
mod parser;
mod tree;

pub use ctl::Ctl;
pub use tree::PredicateText;
