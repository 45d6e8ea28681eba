//! A look at a campaign from outside. Nothing is changed by it.

use super::error::{ClusterError, Fault};
use super::head::{Announcement, MessageTally, Phase};
use super::nats::{Bucket, connect_once, runtime};
use super::options::ClusterOptions;
use serde::Serialize;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// How a campaign stands.
#[derive(Clone, Debug, Serialize)]
pub struct CampaignStatus {
    /// Its id.
    pub campaign: String,
    /// How it stands.
    pub phase: Phase,
    /// Why, when it is broken.
    pub message: String,
    /// What was counted, rejected messages among it.
    pub tally: MessageTally,
    /// What [`Logic::status`](super::Logic::status) said last.
    pub logic: String,
    /// Jobs waiting or running.
    pub jobs: u64,
    /// Results that the coordinator has not taken.
    pub results: u64,
    /// Since the coordinator was last heard of.
    pub coordinator_silent: Duration,
    /// Workers that have not said goodbye.
    pub workers: Vec<WorkerStatus>,
}

/// A worker as it describes itself.
#[derive(Clone, Debug, Serialize)]
pub struct WorkerStatus {
    /// Its name.
    pub name: String,
    /// Jobs it does at a time.
    pub threads: usize,
    /// Jobs it has done.
    pub done: u64,
    /// Messages among the jobs that were none.
    pub rejected: u64,
    /// Since it was last heard of; more than ten seconds mean that it is gone.
    pub silent: Duration,
}

/// Looks at the campaign under the prefix. Does not wait for a server that is not there.
pub fn status(cluster: &ClusterOptions) -> Result<CampaignStatus, ClusterError> {
    let runtime = runtime()?;
    let found = runtime.block_on(look(cluster));
    runtime.shutdown_background();
    found
}

async fn look(cluster: &ClusterOptions) -> Result<CampaignStatus, ClusterError> {
    let link = connect_once(cluster).await?;
    let trouble = |fault: Fault| match fault {
        Fault::Final(error) => error,
        Fault::Passing(reason) => ClusterError::Unreachable {
            servers: cluster.servers.join(","),
            reason,
        },
        Fault::Missing | Fault::Outdated => ClusterError::NoCampaign(cluster.prefix.clone()),
    };
    let bucket = Bucket::open(&link).await.map_err(trouble)?;
    let none = || ClusterError::NoCampaign(cluster.prefix.clone());
    let (_, head) = bucket.head().await.map_err(trouble)?.ok_or_else(none)?;
    let written = bucket.head_written().await.map_err(trouble)?;
    let written = written.ok_or_else(none)?;
    let logic = bucket.get("status").await.map_err(trouble)?;
    let mut workers = Vec::new();
    for name in bucket.names_below("workers").await.map_err(trouble)? {
        let said = bucket.get(&format!("workers.{name}")).await;
        if let Some(said) = said.map_err(trouble)?
            && let Some(worker) = Announcement::read(&said.payload)
            && !worker.leaving
        {
            workers.push(WorkerStatus {
                name: worker.name,
                threads: worker.threads,
                done: worker.done,
                rejected: worker.rejected,
                silent: since(said.written),
            });
        }
    }
    Ok(CampaignStatus {
        campaign: head.campaign,
        phase: head.phase,
        message: head.message,
        tally: head.tally,
        logic: logic
            .map(|m| String::from_utf8_lossy(&m.payload).into_owned())
            .unwrap_or_default(),
        jobs: link.held(link.jobs_stream()).await.map_err(trouble)?,
        results: link.held(link.results_stream()).await.map_err(trouble)?,
        coordinator_silent: since(written),
        workers,
    })
}

/// The server's clock may be ahead of ours; then it was just now.
fn since(nanoseconds: i128) -> Duration {
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
        .as_nanos();
    let then = u128::try_from(nanoseconds).unwrap_or(0);
    Duration::from_nanos(u64::try_from(now.saturating_sub(then)).unwrap_or(u64::MAX))
}
