//! Values of any size in chunks, and the head under compare-and-set.

use super::envelope::fingerprint;
use super::error::{ClusterError, Fault};
use super::head::{Head, Stored};
use super::nats::{Bucket, PublishMessage, Value};
use bytes::Bytes;
use futures_util::{StreamExt, TryStreamExt, stream};

/// Number of chunks on their way at the same time.
const IN_FLIGHT: usize = 32;

/// The key of the head.
pub(super) const HEAD: &str = "head";

impl Bucket {
    /// Sets a value without asking what it was.
    pub async fn put(&self, key: &str, value: Bytes) -> Result<(), Fault> {
        self.publish(key, PublishMessage::build().payload(value))
            .await?;
        Ok(())
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

    /// The head as the stream's leader knows it; only for a bucket that is known to be there.
    pub async fn head_from_leader(&self) -> Result<Option<(u64, Head)>, Fault> {
        self.read_head(self.get_from_leader(HEAD).await?)
    }

    fn read_head(&self, found: Option<Value>) -> Result<Option<(u64, Head)>, Fault> {
        let read = |message: Value| {
            let head = Head::read(&message.payload, &self.link.prefix)?;
            Ok((message.sequence, head))
        };
        found.map(read).transpose()
    }

    /// When the head was last written, by the server's clock, in nanoseconds since 1970.
    pub async fn head_written(&self) -> Result<Option<i128>, Fault> {
        Ok(self.get(HEAD).await?.map(|value| value.written))
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
}
