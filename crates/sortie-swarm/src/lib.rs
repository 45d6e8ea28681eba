//! Informed swarm: many searches that share a state space without meeting.
//!
//! A subsystem of the model is explored on its own and its traces are counted ([`Traces`]). Each job is a search of the model in which
//! the subsystem follows one trace ([`Bound`]); together the jobs visit everything, each of them a small part. A result says what the
//! subsystem was seen to do, and traces that need more are ruled out by whole ranges of their numbers ([`InformedSwarm`]).
//!
//! With the feature `cluster`, the module of that name carries jobs and results between a coordinator and any number of workers over NATS
//! JetStream.
//!
//! The same machinery runs plain swarms, in which searches differ in their seeds only ([`PlainSwarm`]).

#![forbid(unsafe_code)]

#[cfg(feature = "cluster")]
pub mod cluster;
mod informed;
mod job;
mod local;
mod plain;
mod plan;
mod site;
mod swarm;
mod worker;

pub use informed::advice::{Candidate, Trial, advise};
pub use informed::bound_search::{Binding, Bound, BoundProperty, Reached};
pub use informed::informed_swarm::{Ends, InformedSwarm};
pub use informed::selection::{RULES, Rule, rule};
pub use informed::subsystem::{MAX_STATES, Renames, Subsystem, SubsystemSettings, split_list};
pub use informed::subsystem_graph::{Arc, Graph, Node};
pub use informed::subsystem_steps::{Signs, SubsystemSteps};
pub use informed::trace_counting::{Observed, Pruning, SwarmTrace, Traces};
pub use informed::trace_ranges::Ranges;
pub use informed::trace_space::TraceSpace;
pub use job::{Discovery, Ending, Job, JobResult, Limit, Print, Seed, Task};
pub use local::{Listener, LocalSettings, Pace, run};
pub use plain::plain_swarm::PlainSwarm;
pub use plan::{Mismatch, Plan, Settled, Tally};
pub use site::{SearchSettings, Site};
pub use swarm::{Swarm, SwarmKind};
pub use worker::{FinishedJob, Worker, follow, initial_seed};

use sortie_model::ModelError;
use sortie_search::SearchError;

/// A swarm could not be carried out.
#[derive(Debug, thiserror::Error)]
pub enum SwarmError {
    /// The model could not be evaluated.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// A search failed.
    #[error(transparent)]
    Search(#[from] SearchError),
    /// What was found does not replay.
    #[error(transparent)]
    Campaign(#[from] sortie_hunt::CampaignError),
    /// There is no such subsystem.
    #[error("{0}")]
    Subsystem(String),
    /// A job does not fit the model.
    #[error("a job does not fit the model: {0}")]
    Strange(String),
    /// A plan and its worker disagree.
    #[error(transparent)]
    Mismatch(#[from] Mismatch),
}
