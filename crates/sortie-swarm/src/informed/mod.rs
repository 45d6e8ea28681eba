//! Informed swarm: traces of a subsystem, counted and numbered, each searched as a job of its own.

pub(crate) mod advice;
pub(crate) mod bound_search;
pub(crate) mod informed_swarm;
pub(crate) mod selection;
pub(crate) mod subsystem;
pub(crate) mod subsystem_graph;
pub(crate) mod subsystem_steps;
pub(crate) mod trace_counting;
pub(crate) mod trace_ranges;
pub(crate) mod trace_space;
