//! Informed swarm: many searches that share a state space without meeting.
//!
//! A subsystem of the model is explored on its own and its traces are counted ([`Traces`]). Each job is a search of the model in which
//! the subsystem follows one trace ([`Bound`]); together the jobs visit everything, each of them a small part. A job reports what the
//! subsystem was seen to do, and traces that need more are ruled out by whole ranges of their numbers ([`Hive`]).
//!
//! [`cluster`] carries jobs and reports between a coordinator and any number of workers over NATS JetStream; it knows nothing of models.
//!
//! The same machinery runs plain swarms, in which searches differ in their seeds only ([`Flock`]).

#![forbid(unsafe_code)]

mod advice;
mod bound;
pub mod cluster;
mod crew;
mod embedded;
mod flock;
mod graph;
mod guide;
mod hive;
mod messages;
mod plan;
mod ranges;
mod rule;
mod shipped;
mod traces;
mod ways;

pub use advice::{Candidate, Trial, advise};
pub use bound::{Binding, Bound, BoundProperty, Reached};
pub use crew::{Crew, Done, follow, initial_seed};
pub use embedded::{Course, Listener, Pace, run};
pub use flock::Flock;
pub use graph::{Arc, Graph, Node};
pub use guide::{Guide, Signs};
pub use hive::{Ends, Hive};
pub use messages::{Discovery, Ending, Job, Limit, Print, Report, Seed, Task};
pub use plan::{Nonsense, Plan, Settled, Tally};
pub use ranges::Ranges;
pub use rule::{RULES, Rule, rule};
pub use shipped::{Hands, Shipped, Verify};
pub use traces::{Observed, Pruning, SwarmTrace, Traces};
pub use ways::Ways;

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
    /// A job does not fit the model.
    #[error("a job does not fit the model: {0}")]
    Strange(String),
    /// A plan and its worker disagree.
    #[error(transparent)]
    Nonsense(#[from] Nonsense),
}
