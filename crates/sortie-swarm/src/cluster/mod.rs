//! Campaigns over NATS JetStream: jobs out, results in, nothing lost and nothing counted twice.
//!
//! A campaign is a subject prefix on a NATS server. Under it live
//!
//! - a work-queue stream of **jobs**, one subject each, so that a job can be in the queue only once;
//! - a work-queue stream of **results**, which one coordinator reads;
//! - a key-value **bucket** with the *head* (who coordinates, which phase, where the state is), the state and the
//!   description in chunks, and a key for every worker.
//!
//! The coordinator takes a batch of results, applies them, draws new jobs, stores the state, publishes the jobs, and
//! only then acknowledges the results. A worker acknowledges a job only after the stream has its result. Whoever is
//! killed, and whenever, what was not acknowledged comes again, and what comes twice is recognised: by the stream
//! (message ids, one message per subject) or by [`Logic::take`] ([`Taken::Stale`]).
//!
//! Every write of the head is a compare-and-set, so of two coordinators the older one finds out at its next write and
//! stops.

mod assembly;
mod bucket;
mod connect;
mod contract;
mod coordinator;
mod desk;
mod envelope;
mod error;
mod head;
mod opening;
mod options;
mod queue;
mod refusal;
mod session;
mod shift;
mod status;
mod streams;
mod worker;

pub use contract::{Job, Labour, LabourFactory, Logic, Rejection, Taken};
pub use coordinator::{Notice, Outcome, Progress, Wish, coordinate};
pub use error::ClusterError;
pub use head::{Phase, Tally};
pub use options::{ClusterOptions, CoordinatorOptions, Limits, Login, Tls, WorkerOptions};
pub use status::{CampaignStatus, WorkerStatus, status};
pub use worker::{WorkerNotice, WorkerReport, work};
