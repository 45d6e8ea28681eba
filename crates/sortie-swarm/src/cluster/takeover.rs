//! How a coordinator takes a campaign: a new one, a stored one, or one that another coordinator still holds.

use super::bucket::HEAD;
use super::contract::Logic;
use super::coordinator::{CampaignEnd, Notice, Wish};
use super::envelope::{fingerprint, random_id};
use super::error::{ClusterError, Fault};
use super::head::{FORMAT, Head, Ledger, Phase};
use super::nats::{Bucket, Link, PAUSE};
use super::options::{ClusterOptions, CoordinatorOptions};
use bytes::Bytes;

/// What was found under the prefix.
pub(super) enum Opened {
    /// A campaign that had been finished; the logic has its state.
    Earlier(CampaignEnd),
    /// A campaign that is ours now.
    Ready(Box<Ready>),
}

pub(super) struct Ready {
    pub head: Head,
    pub revision: u64,
    pub ledger: Ledger,
    pub bucket: Bucket,
    /// It is new.
    pub fresh: bool,
    /// The coordinator before us, whose state can go once ours is stored.
    pub predecessor: Option<String>,
}

/// Takes the campaign, waiting for the server as long as the observer likes.
pub(super) async fn open(
    link: &Link,
    cluster: &ClusterOptions,
    options: &CoordinatorOptions,
    logic: &mut dyn Logic,
    observer: &mut dyn FnMut(Notice) -> Wish,
) -> Result<Opened, ClusterError> {
    loop {
        let reason = match attempt(link, cluster, options, logic).await {
            Ok(opened) => return Ok(opened),
            Err(Fault::Final(error)) => return Err(error),
            Err(Fault::Passing(reason)) => reason,
            Err(Fault::Missing) => "a stream vanished".to_owned(),
            Err(Fault::Outdated) => "another coordinator is busy with the campaign".to_owned(),
        };
        let reason = format!("{reason} (is JetStream enabled?)");
        if observer(Notice::Waiting(reason)) != Wish::GoOn {
            return Err(ClusterError::Interrupted);
        }
        tokio::time::sleep(PAUSE).await;
    }
}

async fn attempt(
    link: &Link,
    cluster: &ClusterOptions,
    options: &CoordinatorOptions,
    logic: &mut dyn Logic,
) -> Result<Opened, Fault> {
    link.ensure_streams(cluster.replicas).await?;
    link.ensure_jobs_consumer(options.ack_wait).await?;
    let bucket = Bucket::open(link).await?;
    bucket.ensure(cluster.replicas).await?;
    let description = Bytes::from(logic.description());
    if description.len() > cluster.limits.stored {
        return Err(Fault::Final(ClusterError::TooLarge {
            what: "the description of the campaign".to_owned(),
            bytes: description.len(),
            limit: cluster.limits.stored,
        }));
    }
    let found = bucket.get(HEAD).await?;
    match found {
        Some(found) if !options.fresh => {
            let head = Head::read(&found.payload, &cluster.prefix)?;
            if head.description.fingerprint != fingerprint(&description).to_string() {
                return Err(Fault::Final(ClusterError::OtherCampaign(
                    cluster.prefix.clone(),
                )));
            }
            resume(link, cluster, bucket, found.sequence, head, logic).await
        }
        found => {
            let revision = found.as_ref().map_or(0, |message| message.sequence);
            begin(link, bucket, revision, description, logic).await
        }
    }
}

async fn resume(
    link: &Link,
    cluster: &ClusterOptions,
    bucket: Bucket,
    revision: u64,
    head: Head,
    logic: &mut dyn Logic,
) -> Result<Opened, Fault> {
    let stored = bucket
        .get_large(&head.state, cluster.limits.stored, "its state")
        .await?;
    let (mut ledger, state) = Ledger::split(&stored)?;
    logic
        .restore(state)
        .map_err(|rejection| ClusterError::Damaged(rejection.to_string()))?;
    if head.phase == Phase::Finished {
        return Ok(Opened::Earlier(CampaignEnd {
            phase: head.phase,
            message: head.message,
            tally: ledger.tally,
            earlier: true,
        }));
    }
    let ended = head.phase != Phase::Running;
    if ended {
        ledger.edition += 1;
        ledger.failures.clear();
    }
    let predecessor = head.owner.clone();
    let head = Head {
        owner: format!("{:032x}", random_id()),
        generation: head.generation + 1,
        phase: Phase::Running,
        message: String::new(),
        ..head
    };
    let revision = bucket.swap_head(revision, &head).await?;
    if ended {
        link.purge(link.jobs_stream()).await?;
    }
    Ok(Opened::Ready(Box::new(Ready {
        head,
        revision,
        ledger,
        bucket,
        fresh: false,
        predecessor: Some(predecessor),
    })))
}

async fn begin(
    link: &Link,
    bucket: Bucket,
    revision: u64,
    description: Bytes,
    logic: &mut dyn Logic,
) -> Result<Opened, Fault> {
    let campaign = format!("{:032x}", random_id());
    let owner = format!("{:032x}", random_id());
    let ledger = Ledger::default();
    let state = ledger.with_state(&logic.save()).into();
    // Leftovers of earlier campaigns go before anything new is written, but not the state that the head points to: it
    // is thrown away by turning the head.
    let leftovers = bucket.names_below("description").await?;
    let states = bucket.names_below("state").await?;
    let head = Head {
        format: FORMAT,
        description: bucket
            .put_large(format!("description.{campaign}"), &description)
            .await?,
        state: bucket.put_large(format!("state.{owner}.0"), &state).await?,
        campaign,
        owner,
        generation: 0,
        phase: Phase::Running,
        message: String::new(),
        tally: ledger.tally,
    };
    let revision = bucket.swap_head(revision, &head).await?;
    link.purge(link.jobs_stream()).await?;
    link.purge(link.results_stream()).await?;
    for (kind, names) in [("description", leftovers), ("state", states)] {
        let mut groups: Vec<_> = names.iter().filter_map(|n| n.split('.').next()).collect();
        groups.dedup();
        for group in groups {
            bucket.clear(&format!("{kind}.{group}")).await?;
        }
    }
    bucket.clear("workers").await?;
    Ok(Opened::Ready(Box::new(Ready {
        head,
        revision,
        ledger,
        bucket,
        fresh: true,
        predecessor: None,
    })))
}
