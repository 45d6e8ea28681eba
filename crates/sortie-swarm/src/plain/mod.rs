//! Plain swarm: independent runs of one strategy.

pub(crate) mod plain_swarm;
