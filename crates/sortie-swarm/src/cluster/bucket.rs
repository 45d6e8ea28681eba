//! The key-value bucket: values of any size in chunks, and the head under compare-and-set.
//!
//! The bucket's stream is made by hand, as servers before 2.10 lack fields that the client's own function expects.
//! Keys are the subjects `$KV.<bucket>.<key>`, as for any other NATS client.

use super::connect::Link;
use super::envelope::fingerprint;
use super::error::{ClusterError, Fault};
use super::head::{Head, Stored};
use super::refusal::{judge, refusal};
use super::streams::published;
use async_nats::StatusCode;
use async_nats::jetstream::context::GetStreamByNameErrorKind;
use async_nats::jetstream::message::{PublishMessage, StreamMessage};
use async_nats::jetstream::stream::{
    Config, DirectGetErrorKind, DiscardPolicy, LastRawMessageErrorKind, StorageType, Stream,
};
use bytes::Bytes;
use futures_util::{StreamExt, TryStreamExt, stream};

/// Chunks on their way at the same time.
const IN_FLIGHT: usize = 32;

pub(super) const HEAD: &str = "head";

#[derive(Clone)]
pub(super) struct Bucket {
    link: Link,
    stream: Stream<()>,
}

impl Bucket {
    fn name(link: &Link) -> String {
        format!("{}-state", link.prefix)
    }

    /// The bucket, whether or not it is there.
    pub async fn open(link: &Link) -> Result<Bucket, Fault> {
        let stream = link
            .jetstream
            .get_stream_no_info(format!("KV_{}", Bucket::name(link)))
            .await
            .map_err(|e| refusal(&e))?;
        Ok(Bucket {
            link: link.clone(),
            stream,
        })
    }

    /// Makes it if it is not there.
    pub async fn ensure(&self, replicas: usize) -> Result<(), Fault> {
        let name = Bucket::name(&self.link);
        let config = Config {
            name: format!("KV_{name}"),
            subjects: vec![format!("$KV.{name}.>")],
            max_messages_per_subject: 1,
            discard: DiscardPolicy::New,
            storage: StorageType::File,
            num_replicas: replicas,
            allow_rollup: true,
            deny_delete: true,
            allow_direct: true,
            ..Config::default()
        };
        self.link
            .jetstream
            .get_or_create_stream(config)
            .await
            .map_err(|e| refusal(&e))?;
        Ok(())
    }

    /// The subject of a key.
    pub fn subject(link: &Link, key: &str) -> String {
        format!("$KV.{}.{key}", Bucket::name(link))
    }

    /// A value. On a cluster it may be a little old.
    ///
    /// This way is the one for a bucket that may not be there yet: a server of version 2.9 crashes when it is asked for
    /// a message in the other way while it is making the stream.
    pub async fn get(&self, key: &str) -> Result<Option<StreamMessage>, Fault> {
        let subject = Bucket::subject(&self.link, key);
        match self.stream.direct_get_last_for_subject(subject).await {
            Ok(message) => Ok(Some(message)),
            Err(e) => match e.kind() {
                DirectGetErrorKind::NotFound => Ok(None),
                DirectGetErrorKind::ErrorResponse(StatusCode::NO_RESPONDERS, _) => {
                    Err(Fault::Missing)
                }
                _ => Err(Fault::Passing(e.to_string())),
            },
        }
    }

    /// A value as the stream's leader knows it; only for a bucket that is known to be there.
    async fn get_from_leader(&self, key: &str) -> Result<Option<StreamMessage>, Fault> {
        let subject = Bucket::subject(&self.link, key);
        match self.stream.get_last_raw_message_by_subject(&subject).await {
            Ok(message) => Ok(Some(message)),
            Err(e) => match e.kind() {
                LastRawMessageErrorKind::NoMessageFound => Ok(None),
                LastRawMessageErrorKind::JetStream(answer) => Err(judge(&answer)),
                _ => Err(Fault::Passing(e.to_string())),
            },
        }
    }

    /// Sets a value without asking what it was.
    pub async fn put(&self, key: &str, value: Bytes) -> Result<(), Fault> {
        self.publish(key, PublishMessage::build().payload(value))
            .await?;
        Ok(())
    }

    async fn publish(&self, key: &str, message: PublishMessage) -> Result<u64, Fault> {
        let subject = Bucket::subject(&self.link, key);
        let answer = match self.link.jetstream.send_publish(subject, message).await {
            Ok(sent) => sent.await,
            Err(e) => Err(e),
        };
        let sequence = answer.as_ref().map_or(0, |ack| ack.sequence);
        published(answer)?;
        Ok(sequence)
    }

    /// The head and its revision; `None` also when there is no bucket.
    pub async fn head(&self) -> Result<Option<(u64, Head)>, Fault> {
        if !self.exists().await? {
            return Ok(None);
        }
        match self.get(HEAD).await {
            Err(Fault::Missing) => Ok(None),
            found => self.read_head(found?),
        }
    }

    /// Whether the bucket is there. Asking a bucket that is not for a value gets no answer at all.
    async fn exists(&self) -> Result<bool, Fault> {
        let subject = Bucket::subject(&self.link, HEAD);
        match self.link.jetstream.stream_by_subject(subject).await {
            Ok(_) => Ok(true),
            Err(e) if e.kind() == GetStreamByNameErrorKind::NotFound => Ok(false),
            Err(e) => Err(refusal(&e)),
        }
    }

    /// The head as the stream's leader knows it; only for a bucket that is known to be there.
    pub async fn head_from_leader(&self) -> Result<Option<(u64, Head)>, Fault> {
        self.read_head(self.get_from_leader(HEAD).await?)
    }

    fn read_head(&self, found: Option<StreamMessage>) -> Result<Option<(u64, Head)>, Fault> {
        let read = |message: StreamMessage| {
            let head = Head::read(&message.payload, &self.link.prefix)?;
            Ok((message.sequence, head))
        };
        found.map(read).transpose()
    }

    /// When the head was last written, by the server's clock, in nanoseconds since 1970.
    pub async fn head_written(&self) -> Result<Option<i128>, Fault> {
        Ok(self.get(HEAD).await?.map(|m| m.time.unix_timestamp_nanos()))
    }

    /// Replaces the head if it still has the expected revision (0: there is none).
    ///
    /// When the answer to an earlier attempt was lost, the head may be ours already; that is as good.
    pub async fn swap_head(&self, expected: u64, head: &Head) -> Result<u64, Fault> {
        let value = serde_json::to_vec(head).expect("a head is plain data");
        let message = PublishMessage::build()
            .payload(value.into())
            .expected_last_subject_sequence(expected);
        match self.publish(HEAD, message).await {
            Err(Fault::Outdated) => match self.head_from_leader().await? {
                Some((revision, found))
                    if found.owner == head.owner && found.generation == head.generation =>
                {
                    Ok(revision)
                }
                _ => Err(Fault::Outdated),
            },
            other => other,
        }
    }

    /// Stores a value of any size under `slot.0`, `slot.1` and so on.
    pub async fn put_large(&self, slot: String, value: &Bytes) -> Result<Stored, Fault> {
        let pieces = (0..value.len()).step_by(self.link.piece);
        let chunks = pieces.len();
        stream::iter(pieces.enumerate())
            .map(|(i, start)| {
                let end = value.len().min(start + self.link.piece);
                let key = format!("{slot}.{i}");
                let piece = value.slice(start..end);
                async move { self.put(&key, piece).await }
            })
            .buffer_unordered(IN_FLIGHT)
            .try_collect::<()>()
            .await?;
        Ok(Stored {
            slot,
            chunks,
            bytes: value.len(),
            fingerprint: fingerprint(value).to_string(),
        })
    }

    /// Reads a value of any size and compares it with its fingerprint.
    pub async fn get_large(
        &self,
        stored: &Stored,
        limit: usize,
        what: &str,
    ) -> Result<Vec<u8>, Fault> {
        let damaged = |text: &str| Fault::Final(ClusterError::Damaged(format!("{what} {text}")));
        if stored.bytes > limit {
            return Err(Fault::Final(ClusterError::TooLarge {
                what: what.to_owned(),
                bytes: stored.bytes,
                limit,
            }));
        }
        if stored.chunks > stored.bytes {
            return Err(damaged("has more chunks than bytes"));
        }
        let mut pieces = stream::iter(0..stored.chunks)
            .map(|i| {
                let key = format!("{}.{i}", stored.slot);
                async move { self.get_from_leader(&key).await }
            })
            .buffered(IN_FLIGHT);
        let mut value = Vec::with_capacity(stored.bytes);
        while let Some(piece) = pieces.try_next().await? {
            let piece = piece.ok_or_else(|| damaged("is incomplete"))?;
            if value.len() + piece.payload.len() > stored.bytes {
                return Err(damaged("is longer than it says"));
            }
            value.extend_from_slice(&piece.payload);
        }
        if value.len() != stored.bytes || fingerprint(&value).to_string() != stored.fingerprint {
            return Err(damaged("does not match its fingerprint"));
        }
        Ok(value)
    }

    /// Removes the keys below `key`, without leaving tombstones.
    pub async fn clear(&self, key: &str) -> Result<(), Fault> {
        let filter = Bucket::subject(&self.link, &format!("{key}.>"));
        self.stream
            .purge()
            .filter(filter)
            .await
            .map_err(|e| refusal(&e))?;
        Ok(())
    }

    /// The last parts of the keys below `key`.
    pub async fn names_below(&self, key: &str) -> Result<Vec<String>, Fault> {
        let start = Bucket::subject(&self.link, key);
        let mut info = self
            .stream
            .info_builder()
            .subjects(format!("{start}.>"))
            .fetch()
            .await
            .map_err(|e| refusal(&e))?;
        let mut names = Vec::new();
        while let Some((subject, _)) = info.try_next().await.map_err(|e| refusal(&e))? {
            names.extend(
                subject
                    .strip_prefix(&format!("{start}."))
                    .map(str::to_owned),
            );
        }
        names.sort();
        Ok(names)
    }
}
