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
//! (message ids, one message per subject) or by [`Logic::take`] ([`Stale`](crate::Settled::Stale)).
//!
//! Every write of the head is a compare-and-set, so of two coordinators the older one finds out at its next write and
//! stops.

mod bucket;
mod chunks;
mod contract;
mod coordinator;
mod coordinator_session;
mod envelope;
mod error;
mod head;
mod intake;
mod nats;
mod options;
mod queue;
mod shipped;
mod status;
mod takeover;
mod worker_loop;
mod worker_session;

pub use contract::{JobRunner, JobRunnerFactory, Logic, SentJob};
pub use coordinator::{CampaignEnd, Notice, Progress, Wish, coordinate};
pub use error::ClusterError;
pub use head::{MessageTally, Phase};
pub use options::{ClusterOptions, CoordinatorOptions, Limits, Login, Tls, WorkerOptions};
pub use shipped::{Description, Note, ShippedPlan, Workshop};
pub use status::{CampaignStatus, WorkerStatus, status};
pub use worker_loop::{WorkerNotice, WorkerReport, work};
