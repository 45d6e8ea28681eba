//! The two streams and their consumers.

use super::connect::Link;
use super::envelope::{Attempt, Envelope};
use super::error::{ClusterError, Fault};
use super::refusal::refusal;
use async_nats::jetstream;
use async_nats::jetstream::consumer::{AckPolicy, PullConsumer, pull};
use async_nats::jetstream::context::{PublishError, PublishErrorKind};
use async_nats::jetstream::message::PublishMessage;
use async_nats::jetstream::stream::{Config, DiscardPolicy, RetentionPolicy, StorageType};
use bytes::Bytes;
use std::time::Duration;

/// The one consumer of the jobs, shared by all workers, and the one of the results, used by the coordinator.
const JOBS_CONSUMER: &str = "workers";
const RESULTS_CONSUMER: &str = "coordinator";

/// The server recognises repeated message ids for so long. Jobs are protected by their subjects as well, results by
/// the logic.
const WINDOW: Duration = Duration::from_secs(120);

impl Link {
    pub fn jobs_stream(&self) -> String {
        format!("{}-jobs", self.prefix)
    }

    pub fn results_stream(&self) -> String {
        format!("{}-results", self.prefix)
    }

    /// One subject per attempt at a job: the stream keeps one message per subject and refuses a second, so a job that
    /// waits or runs cannot be put in the queue again, however much time has passed.
    pub fn job_subject(&self, campaign: u128, job: u64, attempt: Attempt) -> String {
        format!("{}.jobs.{campaign:032x}.{job}.{}", self.prefix, attempt.0)
    }

    pub fn results_subject(&self) -> String {
        format!("{}.results", self.prefix)
    }

    /// Makes the streams that are not there.
    pub async fn ensure_streams(&self, replicas: usize) -> Result<(), Fault> {
        let jobs = Config {
            name: self.jobs_stream(),
            subjects: vec![format!("{}.jobs.>", self.prefix)],
            max_messages_per_subject: 1,
            discard: DiscardPolicy::New,
            discard_new_per_subject: true,
            ..queue(replicas)
        };
        let results = Config {
            name: self.results_stream(),
            subjects: vec![self.results_subject()],
            ..queue(replicas)
        };
        for config in [jobs, results] {
            self.jetstream
                .get_or_create_stream(config)
                .await
                .map_err(|e| refusal(&e))?;
        }
        Ok(())
    }

    /// Makes the workers' consumer, or brings its waiting time up to date.
    pub async fn ensure_jobs_consumer(&self, ack_wait: Duration) -> Result<(), Fault> {
        let config = pull::Config {
            ack_wait,
            max_waiting: 16_384,
            ..explicit(JOBS_CONSUMER)
        };
        self.jetstream
            .create_consumer_on_stream(config, self.jobs_stream())
            .await
            .map_err(|e| refusal(&e))?;
        Ok(())
    }

    pub async fn jobs_consumer(&self) -> Result<PullConsumer, Fault> {
        self.jetstream
            .get_consumer_from_stream(JOBS_CONSUMER, self.jobs_stream())
            .await
            .map_err(|e| refusal(&e))
    }

    /// Makes the workers' consumer anew when it passes over jobs.
    ///
    /// A server that was killed may have kept less of the stream than of the consumer, which then takes new jobs for
    /// old ones. In a work queue every message waits for delivery or for its acknowledgement; if there are more
    /// messages than that, some would never be delivered.
    pub async fn align_jobs_consumer(&self, ack_wait: Duration) -> Result<(), Fault> {
        let consumer = self.jobs_consumer().await?;
        let info = consumer.cached_info();
        let known = info.num_pending + info.num_ack_pending as u64;
        if self.held(self.jobs_stream()).await? > known {
            self.jetstream
                .delete_consumer_from_stream(JOBS_CONSUMER, self.jobs_stream())
                .await
                .map_err(|e| refusal(&e))?;
            self.ensure_jobs_consumer(ack_wait).await?;
        }
        Ok(())
    }

    /// The coordinator's consumer. `anew` forgets what an earlier coordinator was given and did not acknowledge, so
    /// that it comes at once and not when its time is up.
    pub async fn results_consumer(
        &self,
        ack_wait: Duration,
        anew: bool,
    ) -> Result<PullConsumer, Fault> {
        if anew {
            // That there is none to delete is as good; anything else shows when it is made.
            let _ = self
                .jetstream
                .delete_consumer_from_stream(RESULTS_CONSUMER, self.results_stream())
                .await;
        }
        let config = pull::Config {
            ack_wait,
            ..explicit(RESULTS_CONSUMER)
        };
        self.jetstream
            .create_consumer_on_stream(config, self.results_stream())
            .await
            .map_err(|e| refusal(&e))
    }

    /// How many messages a stream holds.
    pub async fn held(&self, stream: String) -> Result<u64, Fault> {
        let stream = self
            .jetstream
            .get_stream(stream)
            .await
            .map_err(|e| refusal(&e))?;
        Ok(stream.cached_info().state.messages)
    }

    pub async fn purge(&self, stream: String) -> Result<(), Fault> {
        let stream = self
            .jetstream
            .get_stream_no_info(stream)
            .await
            .map_err(|e| refusal(&e))?;
        stream.purge().await.map_err(|e| refusal(&e))?;
        Ok(())
    }
}

fn queue(replicas: usize) -> Config {
    Config {
        retention: RetentionPolicy::WorkQueue,
        storage: StorageType::File,
        num_replicas: replicas,
        duplicate_window: WINDOW,
        ..Config::default()
    }
}

fn explicit(name: &str) -> pull::Config {
    pull::Config {
        durable_name: Some(name.to_owned()),
        ack_policy: AckPolicy::Explicit,
        max_ack_pending: -1,
        ..pull::Config::default()
    }
}

/// A message with an id by which the stream recognises repetitions.
pub(super) fn message(envelope: &Envelope, id: &str) -> PublishMessage {
    let payload: Bytes = envelope.encode();
    PublishMessage::build().payload(payload).message_id(id)
}

/// What an answer to a publication means. `Ok(false)`: the stream has that message already.
pub(super) fn published(
    answer: Result<jetstream::publish::PublishAck, PublishError>,
) -> Result<bool, Fault> {
    match answer {
        Ok(ack) => Ok(!ack.duplicate),
        Err(e) if e.to_string().contains("maximum messages per subject") => Ok(false),
        Err(e) => Err(match e.kind() {
            PublishErrorKind::StreamNotFound => Fault::Missing,
            PublishErrorKind::WrongLastSequence => Fault::Outdated,
            PublishErrorKind::MaxPayloadExceeded => {
                Fault::Final(ClusterError::Server(e.to_string()))
            }
            _ => Fault::Passing(e.to_string()),
        }),
    }
}
