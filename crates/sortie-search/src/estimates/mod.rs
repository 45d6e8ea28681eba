//! Estimates: how many states were considered, and how much random walks have not seen.

pub(crate) mod considered;
pub(crate) mod good_turing;
pub(crate) mod sketch;
pub(crate) mod walk_sample;
