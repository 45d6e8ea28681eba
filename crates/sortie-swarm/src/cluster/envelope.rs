//! The few bytes in front of every job and result, and the careful reading of them.
//!
//! ```text
//! "sortie" | version u8 | kind u8 | campaign u128 | job u64 | attempt u64 | [chunk header] | payload
//! chunk header: set u128 | index u32 | count u32 | total u64 | fingerprint u128
//! ```
//! All numbers are little-endian.

use bytes::Bytes;
use sortie_model::{Fingerprint, Fingerprinter};
use std::hash::Hasher;

const MAGIC: &[u8; 6] = b"sortie";
const VERSION: u8 = 1;
const JOB: u8 = 1;
const RESULT: u8 = 2;
const FAILURE: u8 = 3;
const CHUNK: u8 = 4;
const PLAIN_HEADER: usize = 6 + 1 + 1 + 16 + 8 + 8;
const CHUNK_HEADER: usize = 16 + 4 + 4 + 8 + 16;

/// Room that envelopes and message headers need.
pub(super) const OVERHEAD: usize = 512;

/// Which try at a job this is: a new one gets a new message id, so that the stream does not take it for a repetition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Attempt(pub u64);

/// A message between coordinator and worker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Envelope {
    pub campaign: u128,
    pub job: u64,
    pub attempt: Attempt,
    pub content: Content,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Content {
    Job(Bytes),
    Result(Bytes),
    /// The worker could not do it; the text says why.
    Failure(Bytes),
    Chunk(Chunk),
}

/// A part of a result that is too large for one message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Chunk {
    /// Which chunks belong together: a random number, as two workers may send different results of one job.
    pub set: u128,
    pub index: u32,
    pub count: u32,
    /// Bytes of the whole.
    pub total: u64,
    /// Of the whole.
    pub fingerprint: Fingerprint,
    pub bytes: Bytes,
}

/// Why a message is not one of ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Strange {
    Malformed,
    Version,
    Campaign,
    Oversized,
}

impl Envelope {
    pub fn encode(&self) -> Bytes {
        let (kind, payload) = match &self.content {
            Content::Job(payload) => (JOB, payload),
            Content::Result(payload) => (RESULT, payload),
            Content::Failure(payload) => (FAILURE, payload),
            Content::Chunk(chunk) => (CHUNK, &chunk.bytes),
        };
        let mut out = Vec::with_capacity(PLAIN_HEADER + CHUNK_HEADER + payload.len());
        out.extend_from_slice(MAGIC);
        out.extend([VERSION, kind]);
        out.extend(self.campaign.to_le_bytes());
        out.extend(self.job.to_le_bytes());
        out.extend(self.attempt.0.to_le_bytes());
        if let Content::Chunk(chunk) = &self.content {
            out.extend(chunk.set.to_le_bytes());
            out.extend(chunk.index.to_le_bytes());
            out.extend(chunk.count.to_le_bytes());
            out.extend(chunk.total.to_le_bytes());
            out.extend(chunk.fingerprint.0.to_le_bytes());
        }
        out.extend_from_slice(payload);
        out.into()
    }

    /// Reads a message of the given campaign, or says why it is none.
    pub fn decode(message: &Bytes, campaign: u128, limit: usize) -> Result<Self, Strange> {
        if message.len() > limit {
            return Err(Strange::Oversized);
        }
        let mut reader = Reader { message, at: 0 };
        if reader.take::<6>()? != *MAGIC {
            return Err(Strange::Malformed);
        }
        if reader.take::<1>()? != [VERSION] {
            return Err(Strange::Version);
        }
        let [kind] = reader.take()?;
        if u128::from_le_bytes(reader.take()?) != campaign {
            return Err(Strange::Campaign);
        }
        let job = u64::from_le_bytes(reader.take()?);
        let attempt = Attempt(u64::from_le_bytes(reader.take()?));
        let content = match kind {
            JOB => Content::Job(reader.rest()),
            RESULT => Content::Result(reader.rest()),
            FAILURE => Content::Failure(reader.rest()),
            CHUNK => Content::Chunk(Chunk {
                set: u128::from_le_bytes(reader.take()?),
                index: u32::from_le_bytes(reader.take()?),
                count: u32::from_le_bytes(reader.take()?),
                total: u64::from_le_bytes(reader.take()?),
                fingerprint: Fingerprint(u128::from_le_bytes(reader.take()?)),
                bytes: reader.rest(),
            }),
            _ => return Err(Strange::Malformed),
        };
        Ok(Envelope {
            campaign,
            job,
            attempt,
            content,
        })
    }
}

struct Reader<'a> {
    message: &'a Bytes,
    at: usize,
}

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N], Strange> {
        let piece = self
            .message
            .get(self.at..self.at + N)
            .ok_or(Strange::Malformed)?;
        self.at += N;
        Ok(piece.try_into().expect("the slice has N bytes"))
    }

    fn rest(&self) -> Bytes {
        self.message.slice(self.at..)
    }
}

/// The fingerprint of some bytes.
pub(super) fn fingerprint(bytes: &[u8]) -> Fingerprint {
    let mut printer = Fingerprinter::new();
    printer.write(bytes);
    printer.fingerprint()
}

/// A number nobody else has.
pub(super) fn random_id() -> u128 {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).expect("the operating system has random numbers");
    u128::from_le_bytes(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples() -> Vec<Envelope> {
        let chunk = Chunk {
            set: 7,
            index: 1,
            count: 3,
            total: 12,
            fingerprint: fingerprint(b"abcdabcdabcd"),
            bytes: Bytes::from_static(b"abcd"),
        };
        let contents = [
            Content::Job(Bytes::from_static(b"do it")),
            Content::Result(Bytes::new()),
            Content::Failure(Bytes::from_static(b"no")),
            Content::Chunk(chunk),
        ];
        let envelope = |content| Envelope {
            campaign: 99,
            job: 1 << 40,
            attempt: Attempt(2),
            content,
        };
        contents.into_iter().map(envelope).collect()
    }

    #[test]
    fn what_was_encoded_is_read_back() {
        for envelope in samples() {
            assert_eq!(Envelope::decode(&envelope.encode(), 99, 4096), Ok(envelope));
        }
    }

    #[test]
    fn cut_and_foreign_messages_are_refused() {
        for envelope in samples() {
            let whole = envelope.encode();
            let header = match envelope.content {
                Content::Chunk(_) => PLAIN_HEADER + CHUNK_HEADER,
                _ => PLAIN_HEADER,
            };
            let refused = |message: &Bytes| Envelope::decode(message, 99, 4096).unwrap_err();
            for end in 0..header {
                assert_eq!(refused(&whole.slice(..end)), Strange::Malformed);
            }
            assert_eq!(Envelope::decode(&whole, 98, 4096), Err(Strange::Campaign));
            assert_eq!(Envelope::decode(&whole, 99, 16), Err(Strange::Oversized));
            let mut newer = whole.to_vec();
            newer[6] = VERSION + 1;
            assert_eq!(refused(&newer.into()), Strange::Version);
        }
    }
}
