//! Subsystems: every change that a specification makes is there, and not much else.

mod corpus;
mod examples;
#[path = "../public/mod.rs"]
mod public;
mod sound;
