//! Coordinating a campaign: what the caller says and hears.

use super::contract::Logic;
use super::coordinator_session::CoordinatorSession;
use super::error::ClusterError;
use super::head::{MessageTally, Phase};
use super::intake::Intake;
use super::nats::{Link, connect, runtime};
use super::options::{ClusterOptions, CoordinatorOptions};
use super::takeover::{Opened, open};

/// What the caller of [`coordinate`] hears.
#[derive(Clone, Debug)]
pub enum Notice {
    /// The server does not answer (yet, or any more); it is tried again.
    Waiting(String),
    /// A new campaign has begun.
    Began,
    /// A stored campaign goes on.
    Resumed(MessageTally),
    /// How it stands; comes at least ten times a second.
    Progress(Progress),
}

/// How a campaign stands.
#[derive(Clone, Copy, Debug, Default)]
pub struct Progress {
    /// What was counted.
    pub tally: MessageTally,
    /// Jobs waiting or running.
    pub out: usize,
    /// Workers heard of lately.
    pub workers: usize,
    /// Their threads.
    pub threads: usize,
}

/// What the caller of [`coordinate`] wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wish {
    /// To go on.
    GoOn,
    /// The campaign ends; workers leave. It can be resumed.
    Stop,
    /// Only the coordinator leaves; workers go on with what is in the queue.
    Leave,
}

/// How a campaign ended.
#[derive(Clone, Debug)]
pub struct CampaignEnd {
    /// [`Phase::Running`] if only the coordinator left.
    pub phase: Phase,
    /// Why, when it is broken.
    pub message: String,
    /// What was counted.
    pub tally: MessageTally,
    /// It had been finished before; nothing was done now.
    pub earlier: bool,
}

/// Starts a campaign, or resumes the one under the prefix. Blocks until it ends.
///
/// The logic is restored from what is stored when a campaign is resumed, and also when it had been finished before.
pub fn coordinate(
    cluster: &ClusterOptions,
    options: &CoordinatorOptions,
    logic: &mut dyn Logic,
    observer: &mut dyn FnMut(Notice) -> Wish,
) -> Result<CampaignEnd, ClusterError> {
    let runtime = runtime()?;
    let outcome = runtime.block_on(async {
        let link = connect(cluster, &mut |reason| {
            observer(Notice::Waiting(reason.to_owned())) == Wish::GoOn
        })
        .await?;
        let outcome = run(&link, cluster, options, logic, observer).await;
        // What was said last (acknowledgements) should reach the server; if it does not, it is said again.
        let _ = tokio::time::timeout(cluster.patience, link.client.flush()).await;
        outcome
    });
    runtime.shutdown_background();
    outcome
}

async fn run(
    link: &Link,
    cluster: &ClusterOptions,
    options: &CoordinatorOptions,
    logic: &mut dyn Logic,
    observer: &mut dyn FnMut(Notice) -> Wish,
) -> Result<CampaignEnd, ClusterError> {
    let opened = open(link, cluster, options, logic, observer).await?;
    let mut taken = match opened {
        Opened::Earlier(outcome) => return Ok(outcome),
        Opened::Ready(ready) => ready,
    };
    let mut intake = Intake::new(
        logic,
        std::mem::take(&mut taken.ledger),
        taken.head.campaign_id()?,
        link.message,
        cluster,
        options,
    );
    let notice = if taken.fresh {
        Notice::Began
    } else {
        intake.publish_all();
        intake.changed = true;
        Notice::Resumed(intake.ledger.tally)
    };
    observer(notice);
    let mut session = CoordinatorSession::new(link, cluster, options, intake, observer, taken);
    session.run().await
}
