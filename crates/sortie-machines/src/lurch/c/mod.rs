//! The part of C that models use, compiled to the trees of [`crate::code`].
//!
//! Texts become tokens, macros are replaced, the parser knows types and constants, and what guards, effects and hooks can reach
//! is lowered to trees. What nothing reaches is only parsed: functions that print may do what they like.

pub(super) mod aggregates;
pub(super) mod build;
pub(super) mod calls;
pub(super) mod changes;
pub(super) mod commands;
pub(super) mod constant;
pub(super) mod declarations;
pub(super) mod expressions;
pub(super) mod initial;
pub(super) mod lower;
pub(super) mod parse;
pub(super) mod places;
pub(super) mod preprocess;
pub(super) mod prune;
pub(super) mod statements;
pub(super) mod syntax;
pub(super) mod token;
pub(super) mod types;
