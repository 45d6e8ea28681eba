//! Where the server is, who we are, and how much is too much.

use super::error::ClusterError;
use std::path::PathBuf;
use std::time::Duration;

/// How a client identifies itself.
#[derive(Clone, Default)]
pub enum Login {
    /// Not at all (or through the URL: `nats://user:password@host`).
    #[default]
    Anonymous,
    /// A `.creds` file as written by `nsc`.
    Credentials(PathBuf),
    /// A name and a password.
    Password {
        /// The name.
        user: String,
        /// The password.
        password: String,
    },
    /// A token.
    Token(String),
    /// A file with an nkey seed (`SU...`).
    Nkey(PathBuf),
}

/// How the connection is encrypted.
#[derive(Clone, Debug, Default)]
pub struct Tls {
    /// Refuse to talk in the clear. Also implied by a `tls://` URL.
    pub required: bool,
    /// Certificates to trust besides the system's.
    pub authority: Option<PathBuf>,
    /// Our certificate and its key, for servers that ask for one.
    pub client: Option<(PathBuf, PathBuf)>,
}

/// Sizes in bytes.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The largest message. The server's own limit holds as well. At least [`Limits::LEAST_MESSAGE`].
    pub message: usize,
    /// The largest result; it may need many messages.
    pub result: usize,
    /// The largest state or description.
    pub stored: usize,
}

impl Limits {
    /// Below this there is no room for headers.
    pub const LEAST_MESSAGE: usize = 2048;
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            message: 1 << 20,
            result: 64 << 20,
            stored: 1 << 30,
        }
    }
}

/// What coordinator, worker and status have in common.
#[derive(Clone)]
pub struct ClusterOptions {
    /// Servers of one NATS cluster, as `nats://host:port` or `tls://host:port`.
    pub servers: Vec<String>,
    /// The campaign's subject prefix: letters, digits, `-` and `_`.
    pub prefix: String,
    /// How to log in.
    pub login: Login,
    /// How to encrypt.
    pub tls: Tls,
    /// The name of the connection, shown by the server's own tools.
    pub name: String,
    /// Sizes.
    pub limits: Limits,
    /// How long one request may take before it is tried again.
    pub patience: Duration,
    /// On how many servers of a NATS cluster everything is stored (1 to 5).
    pub replicas: usize,
}

impl ClusterOptions {
    /// Everything by default, on one server.
    pub fn new(server: impl Into<String>, prefix: impl Into<String>) -> Self {
        ClusterOptions {
            servers: vec![server.into()],
            prefix: prefix.into(),
            login: Login::Anonymous,
            tls: Tls::default(),
            name: "sortie".to_owned(),
            limits: Limits::default(),
            patience: Duration::from_secs(5),
            replicas: 1,
        }
    }

    /// Checks what can be checked without a server.
    pub fn validate(&self) -> Result<(), ClusterError> {
        let wrong = |text: String| Err(ClusterError::Options(text));
        let allowed = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        if self.prefix.is_empty() || self.prefix.len() > 64 || !self.prefix.chars().all(allowed) {
            return wrong(format!(
                "`{}` is no subject prefix: 1 to 64 letters, digits, `-` and `_` are allowed",
                self.prefix
            ));
        }
        if self.servers.is_empty() {
            return wrong(
                "no NATS server is named; give a URL such as nats://host:4222".to_owned(),
            );
        }
        if self.limits.message < Limits::LEAST_MESSAGE {
            return wrong(format!(
                "messages of {} bytes are too small, at least {} are needed",
                self.limits.message,
                Limits::LEAST_MESSAGE
            ));
        }
        if !(1..=5).contains(&self.replicas) {
            return wrong(format!(
                "{} replicas are asked for; 1 to 5 are possible",
                self.replicas
            ));
        }
        if self.patience < Duration::from_millis(100) {
            return wrong("a request needs at least 100 ms".to_owned());
        }
        Ok(())
    }
}

/// What only the coordinator needs to know.
#[derive(Clone, Debug)]
pub struct CoordinatorOptions {
    /// Throw away what is stored under the prefix and start anew.
    pub fresh: bool,
    /// A job whose worker has been silent for so long is handed out again.
    pub ack_wait: Duration,
    /// Jobs kept out per worker thread seen.
    pub jobs_per_thread: usize,
    /// Jobs kept out in any case.
    pub least_jobs: usize,
    /// Jobs kept out at most, whatever workers claim.
    pub most_jobs: usize,
    /// Results taken at a time.
    pub batch: usize,
    /// A job that failed so often breaks the campaign.
    pub attempts: u32,
}

impl Default for CoordinatorOptions {
    fn default() -> Self {
        CoordinatorOptions {
            fresh: false,
            ack_wait: Duration::from_secs(30),
            jobs_per_thread: 4,
            least_jobs: 64,
            most_jobs: 65_536,
            batch: 512,
            attempts: 3,
        }
    }
}

/// What only a worker needs to know.
#[derive(Clone, Debug)]
pub struct WorkerOptions {
    /// Jobs done at the same time.
    pub threads: usize,
    /// The name shown by the status; made up when empty.
    pub name: String,
    /// Wait for the next campaign when one has ended.
    pub stay: bool,
    /// A job handed out so often without a result (its workers died) counts as failed.
    pub deliveries: i64,
}

impl Default for WorkerOptions {
    fn default() -> Self {
        WorkerOptions {
            threads: 1,
            name: String::new(),
            stay: false,
            deliveries: 5,
        }
    }
}
