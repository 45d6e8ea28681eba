//! What can go wrong for good. Absent servers and lost connections are waited for and are no errors.

/// Why a campaign, a worker or a look at the status ended early.
#[derive(Debug, thiserror::Error)]
pub enum ClusterError {
    /// An option makes no sense.
    #[error("{0}")]
    Options(String),
    /// The server cannot be reached (only [`status`](super::status) gives up on that).
    #[error("no NATS server answers at {servers}: {reason}")]
    Unreachable {
        /// Where it was looked for.
        servers: String,
        /// What the last attempt said.
        reason: String,
    },
    /// The server does not let us in, or the TLS set-up is wrong.
    #[error("the NATS server refuses the connection: {0}; check credentials and TLS options")]
    Refused(String),
    /// The server answers that it cannot do what is needed.
    #[error("the NATS server says: {0}")]
    Server(String),
    /// Another coordinator has taken the campaign over.
    #[error(
        "another coordinator has taken over the campaign under the prefix `{0}`; this one stops"
    )]
    Superseded(String),
    /// The prefix is taken by something else.
    #[error(
        "under the prefix `{0}` there is a campaign with another description (another model or other options); choose another prefix, or start afresh"
    )]
    OtherCampaign(String),
    /// What is stored cannot be used.
    #[error("the stored campaign cannot be used: {0}; start afresh to replace it")]
    Damaged(String),
    /// The campaign was stored by another version of this program.
    #[error(
        "the campaign under the prefix `{prefix}` has format {found}, this program knows format {known}"
    )]
    Version {
        /// The subject prefix.
        prefix: String,
        /// The format of what is stored.
        found: u64,
        /// The format that is understood.
        known: u64,
    },
    /// A job or description does not fit.
    #[error("{what} has {bytes} bytes, the limit is {limit}")]
    TooLarge {
        /// What does not fit.
        what: String,
        /// Its size.
        bytes: usize,
        /// What would fit.
        limit: usize,
    },
    /// The campaign cannot be worked for.
    #[error("this worker cannot take part: {0}")]
    Unfit(String),
    /// There is no campaign under the prefix.
    #[error("there is no campaign under the prefix `{0}`")]
    NoCampaign(String),
    /// The caller asked to stop while the server was being waited for.
    #[error("interrupted while waiting for the NATS server")]
    Interrupted,
}

/// What an attempt to talk to the server came to.
#[derive(Debug)]
pub(super) enum Fault {
    /// It may work later: the connection is down, a time limit passed, the server is starting.
    Passing(String),
    /// The stream behind the request is not there.
    Missing,
    /// Compare-and-set found another value.
    Outdated,
    /// Trying again is of no use.
    Final(ClusterError),
}

impl From<ClusterError> for Fault {
    fn from(error: ClusterError) -> Self {
        Fault::Final(error)
    }
}
