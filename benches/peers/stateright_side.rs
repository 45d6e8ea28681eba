//! Stateright's searches, on one thread.

use crate::measure::Work;
use crate::ours::STEPS;
use stateright::{Checker, Model, UniformChooser};
use std::hash::Hash;

/// The whole state space, breadth-first. The number of generated states includes those met again.
pub fn bfs<M>(model: M) -> Work
where
    M: Model + Send + Sync + 'static,
    M::State: Hash + Send + Sync + Clone + PartialEq + 'static,
    M::Action: Clone + PartialEq,
{
    let checker = model.checker().threads(1).spawn_bfs().join();
    Work {
        states: checker.unique_state_count() as u64,
        transitions: checker.state_count() as u64 - 1,
    }
}

/// Random walks, each until a state comes again.
pub fn random<M>(model: M) -> Work
where
    M: Model + Send + Sync + 'static,
    M::State: Hash + Send + Sync + Clone + PartialEq + 'static,
    M::Action: Clone + PartialEq,
{
    let checker = model
        .checker()
        .threads(1)
        .target_state_count(STEPS as usize)
        .spawn_simulation(1, UniformChooser)
        .join();
    Work {
        states: checker.state_count() as u64,
        transitions: 0,
    }
}
