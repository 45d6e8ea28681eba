//! Strategies that look at states, one file each.

pub(crate) mod breadth_bounded;
pub(crate) mod breadth_first;
pub(crate) mod depth_first;
pub(crate) mod highway;
pub(crate) mod lurch;
pub(crate) mod random_walk;
