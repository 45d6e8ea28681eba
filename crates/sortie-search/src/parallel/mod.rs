//! Threads: how work is shared among them, and on which processors they run.

mod processors;
pub(crate) mod share;
pub(crate) mod team;
