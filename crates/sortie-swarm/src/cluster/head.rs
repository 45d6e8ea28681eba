//! The one small value that says how a campaign stands, and what is stored beside it.

use super::error::{ClusterError, Fault};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The format of everything stored.
pub(super) const FORMAT: u64 = 1;

/// How a campaign stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// Jobs are handed out, now or as soon as a coordinator resumes it.
    Running,
    /// [`Logic::finished`](super::Logic::finished): nothing is left to do.
    Finished,
    /// Ended on request; it can be resumed.
    Stopped,
    /// A job failed too often; it can be resumed once the reason is gone.
    Broken,
}

/// What was counted so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessageTally {
    /// Jobs drawn.
    pub jobs: u64,
    /// Results that counted.
    pub results: u64,
    /// Results of jobs that had been settled before.
    pub stale: u64,
    /// Failed attempts at jobs.
    pub failures: u64,
    /// Messages from strangers: malformed, of another version or campaign, oversized, or senseless.
    pub rejected: u64,
}

/// Where a large value is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Stored {
    /// The key before the chunk's number.
    pub slot: String,
    pub chunks: usize,
    pub bytes: usize,
    pub fingerprint: String,
}

/// The value that every coordinator changes by compare-and-set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Head {
    pub format: u64,
    pub campaign: String,
    /// The coordinator that wrote this: a random number per process.
    pub owner: String,
    /// Goes up with every write; with the owner it tells whether a write whose confirmation was lost took place.
    pub generation: u64,
    pub phase: Phase,
    pub message: String,
    pub state: Stored,
    pub description: Stored,
    pub tally: MessageTally,
}

impl Head {
    /// The format is looked at before anything else, as everything else may have changed with it.
    pub fn read(bytes: &[u8], prefix: &str) -> Result<Head, Fault> {
        #[derive(Deserialize)]
        struct Format {
            format: u64,
        }
        let damaged =
            |e: serde_json::Error| ClusterError::Damaged(format!("its head is no head: {e}"));
        let Format { format } = serde_json::from_slice(bytes).map_err(damaged)?;
        if format != FORMAT {
            return Err(Fault::Final(ClusterError::Version {
                prefix: prefix.to_owned(),
                found: format,
                known: FORMAT,
            }));
        }
        Ok(serde_json::from_slice(bytes).map_err(damaged)?)
    }

    pub fn campaign_id(&self) -> Result<u128, ClusterError> {
        u128::from_str_radix(&self.campaign, 16)
            .map_err(|_| ClusterError::Damaged("its campaign id is no number".to_owned()))
    }
}

/// What the transport itself has to remember, stored in front of the logic's state.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Ledger {
    pub tally: MessageTally,
    /// Failed attempts per job that is out.
    pub failures: BTreeMap<u64, u32>,
    /// Goes up when a campaign that had ended goes on: its jobs are published again although they had been.
    pub edition: u32,
}

impl Ledger {
    pub fn with_state(&self, state: &[u8]) -> Vec<u8> {
        let own = serde_json::to_vec(self).expect("a ledger is plain data");
        let mut out = Vec::with_capacity(8 + own.len() + state.len());
        out.extend((own.len() as u64).to_le_bytes());
        out.extend_from_slice(&own);
        out.extend_from_slice(state);
        out
    }

    pub fn split(stored: &[u8]) -> Result<(Ledger, &[u8]), ClusterError> {
        let damaged = || ClusterError::Damaged("its state is not in order".to_owned());
        let (length, rest) = stored.split_first_chunk::<8>().ok_or_else(damaged)?;
        let length = usize::try_from(u64::from_le_bytes(*length)).map_err(|_| damaged())?;
        let (own, state) = rest.split_at_checked(length).ok_or_else(damaged)?;
        let ledger = serde_json::from_slice(own).map_err(|_| damaged())?;
        Ok((ledger, state))
    }
}

/// What a worker says about itself every few seconds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Announcement {
    pub format: u64,
    pub name: String,
    pub threads: usize,
    pub done: u64,
    pub rejected: u64,
    /// It says goodbye.
    pub leaving: bool,
}

impl Announcement {
    /// Long enough for any name that a worker may have.
    const LONGEST: usize = 1024;

    pub fn read(bytes: &[u8]) -> Option<Announcement> {
        if bytes.len() > Self::LONGEST {
            return None;
        }
        let announcement: Announcement = serde_json::from_slice(bytes).ok()?;
        (announcement.format == FORMAT).then_some(announcement)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ledger_comes_back_with_its_state() {
        let mut ledger = Ledger {
            edition: 3,
            ..Ledger::default()
        };
        ledger.failures.insert(17, 2);
        let stored = ledger.with_state(b"state");
        assert_eq!(Ledger::split(&stored).unwrap(), (ledger, &b"state"[..]));
        for end in 0..stored.len() - 5 {
            assert!(Ledger::split(&stored[..end]).is_err());
        }
    }

    #[test]
    fn another_format_is_named() {
        let error = Head::read(br#"{"format": 9, "other": true}"#, "p").unwrap_err();
        assert!(matches!(
            error,
            Fault::Final(ClusterError::Version { found: 9, .. })
        ));
    }
}
