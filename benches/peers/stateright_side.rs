//! Stateright's searches, on one thread.

use crate::measure::Work;
use crate::ours::STEPS;
use stateright::{Checker, Model, UniformChooser};
use std::fmt::Debug;
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

/// The same model through sortie's adapter, the whole state space, breadth-first.
pub fn adapted_bfs<M>(model: M) -> Work
where
    M: Model + Send + Sync + 'static,
    M::State: Hash + Debug + Send + Sync + Clone + PartialEq + 'static,
    M::Action: Clone + Debug + PartialEq + Send + Sync,
{
    let report = sortie::stateright::hunt(model)
        .strategy("bfs")
        .keep_going()
        .run()
        .expect("a model that runs");
    // The adapter has one state and one step more: the choice of an initial state.
    Work {
        states: report.counts.visited - 1,
        transitions: report.counts.transitions - 1,
    }
}
