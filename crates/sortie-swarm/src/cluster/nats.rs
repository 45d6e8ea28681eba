//! Everything that talks to NATS: the connection, the two streams and their consumers, the key-value bucket, and what the server's answers mean.
//!
//! The bucket's stream is made by hand, as servers before 2.10 lack fields that the client's own function expects.
//! Keys are the subjects `$KV.<bucket>.<key>`, as for any other NATS client.

use super::bucket::HEAD;
use super::envelope::{Attempt, Envelope, OVERHEAD};
use super::error::{ClusterError, Fault};
use super::options::{ClusterOptions, Login};
use async_nats::jetstream::consumer::pull::Batch;
use async_nats::jetstream::consumer::{AckPolicy, PullConsumer, pull};
use async_nats::jetstream::context::{
    ContextBuilder, CreateStreamErrorKind, GetStreamByNameErrorKind, GetStreamErrorKind,
    PublishError, PublishErrorKind, RequestErrorKind,
};
use async_nats::jetstream::message::StreamMessage;
use async_nats::jetstream::stream::{
    Config, ConsumerErrorKind, DirectGetErrorKind, DiscardPolicy, LastRawMessageErrorKind,
    PurgeErrorKind, RetentionPolicy, StorageType, Stream,
};
use async_nats::jetstream::{self, Error, ErrorCode};
use async_nats::{Client, ConnectError, ConnectErrorKind, ConnectOptions, StatusCode};
use bytes::Bytes;
use futures_util::{StreamExt, TryStreamExt};
use std::fmt::{Debug, Display};
use std::path::Path;
use std::time::{Duration, Instant};

pub(super) use async_nats::jetstream::message::{Acker, PublishMessage};
pub(super) use async_nats::jetstream::{AckKind, Message};

/// Between two attempts at something that did not work.
pub(super) const PAUSE: Duration = Duration::from_millis(200);

/// A connection and what is needed to use it.
#[derive(Clone)]
pub(super) struct Link {
    pub client: Client,
    pub jetstream: jetstream::Context,
    pub prefix: String,
    /// The largest message, and the largest piece that fits in one with its envelope.
    pub message: usize,
    pub piece: usize,
}

/// The runtime of one blocking call. The connection has a thread of its own, so that it stays alive while the caller's
/// thread is busy with its logic.
pub(super) fn runtime() -> Result<tokio::runtime::Runtime, ClusterError> {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .thread_name("sortie-cluster")
        .enable_all()
        .build()
        .map_err(|e| ClusterError::Options(format!("no runtime for the connection: {e}")))
}

/// Connects, waiting for a server that is not there. `waiting` hears why and says whether to go on.
pub(super) async fn connect(
    options: &ClusterOptions,
    waiting: &mut dyn FnMut(&str) -> bool,
) -> Result<Link, ClusterError> {
    options.validate()?;
    loop {
        match connect_once(options).await {
            Err(ClusterError::Unreachable { reason, .. }) => {
                if !waiting(&reason) {
                    return Err(ClusterError::Interrupted);
                }
                tokio::time::sleep(PAUSE).await;
            }
            settled => return settled,
        }
    }
}

/// One attempt.
pub(super) async fn connect_once(options: &ClusterOptions) -> Result<Link, ClusterError> {
    options.validate()?;
    let client = settings(options)
        .await?
        .connect(options.servers.as_slice())
        .await
        .map_err(|e| failure(options, &e))?;
    let message = options.limits.message.min(client.max_payload());
    let piece = message.checked_sub(OVERHEAD).filter(|&n| n > 0);
    let too_small = || format!("messages are limited to {message} bytes, which is too small");
    let piece = piece.ok_or_else(|| ClusterError::Server(too_small()))?;
    Ok(Link {
        jetstream: ContextBuilder::new()
            .timeout(options.patience)
            .build(client.clone()),
        client,
        prefix: options.prefix.clone(),
        message,
        piece,
    })
}

async fn settings(options: &ClusterOptions) -> Result<ConnectOptions, ClusterError> {
    let unreadable = |what: &str, path: &Path, e: &dyn Display| {
        ClusterError::Options(format!("{what} file {}: {e}", path.display()))
    };
    let mut settings = ConnectOptions::new()
        .name(&options.name)
        .connection_timeout(options.patience)
        .request_timeout(Some(options.patience))
        .reconnect_delay_callback(|attempts| {
            Duration::from_millis((attempts as u64 * 50).min(1000))
        });
    settings = match &options.login {
        Login::Anonymous => settings,
        Login::Credentials(path) => settings
            .credentials_file(path)
            .await
            .map_err(|e| unreadable("credentials", path, &e))?,
        Login::Password { user, password } => {
            settings.user_and_password(user.clone(), password.clone())
        }
        Login::Token(token) => settings.token(token.clone()),
        Login::Nkey(path) => {
            let seed = std::fs::read_to_string(path);
            let seed = seed.map_err(|e| unreadable("nkey", path, &e))?;
            settings.nkey(seed.trim().to_owned())
        }
    };
    let tls = &options.tls;
    if tls.required {
        settings = settings.require_tls(true);
    }
    let own = tls.client.iter().flat_map(|(cert, key)| [cert, key]);
    for path in tls.authority.iter().chain(own) {
        std::fs::metadata(path).map_err(|e| unreadable("TLS", path, &e))?;
    }
    if let Some(authority) = &tls.authority {
        settings = settings.add_root_certificates(authority.clone());
    }
    if let Some((certificate, key)) = &tls.client {
        settings = settings.add_client_certificate(certificate.clone(), key.clone());
    }
    Ok(settings)
}

fn failure(options: &ClusterOptions, error: &ConnectError) -> ClusterError {
    let mut reason = error.to_string();
    // A TLS handshake that fails on certificates arrives as an input error of kind "invalid data".
    let mut untrusted = false;
    let mut source = std::error::Error::source(error);
    while let Some(deeper) = source {
        let text = deeper.to_string();
        if !reason.contains(&text) {
            reason = format!("{reason}: {text}");
        }
        let io = deeper.downcast_ref::<std::io::Error>();
        untrusted |= io.is_some_and(|io| io.kind() == std::io::ErrorKind::InvalidData);
        source = deeper.source();
    }
    let servers = options.servers.join(",");
    match error.kind() {
        ConnectErrorKind::ServerParse => {
            ClusterError::Options(format!("`{servers}` names no server: {reason}"))
        }
        ConnectErrorKind::Authentication
        | ConnectErrorKind::AuthorizationViolation
        | ConnectErrorKind::Tls => ClusterError::Refused(reason),
        ConnectErrorKind::Io if untrusted => ClusterError::Refused(reason),
        _ => ClusterError::Unreachable { servers, reason },
    }
}

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
            ..work_queue(replicas)
        };
        let results = Config {
            name: self.results_stream(),
            subjects: vec![self.results_subject()],
            ..work_queue(replicas)
        };
        for config in [jobs, results] {
            self.jetstream.get_or_create_stream(config).await?;
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
            .await?;
        Ok(())
    }

    async fn jobs_consumer(&self) -> Result<PullConsumer, Fault> {
        let stream = self.jobs_stream();
        let consumer = self
            .jetstream
            .get_consumer_from_stream(JOBS_CONSUMER, stream);
        Ok(consumer.await?)
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
                .await?;
            self.ensure_jobs_consumer(ack_wait).await?;
        }
        Ok(())
    }

    /// The coordinator's consumer. `anew` forgets what an earlier coordinator was given and did not acknowledge, so
    /// that it comes at once and not when its time is up.
    async fn results_consumer(
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
        let stream = self.results_stream();
        let consumer = self.jetstream.create_consumer_on_stream(config, stream);
        Ok(consumer.await?)
    }

    /// How many messages a stream holds.
    pub async fn held(&self, stream: String) -> Result<u64, Fault> {
        let stream = self.jetstream.get_stream(stream).await?;
        Ok(stream.cached_info().state.messages)
    }

    pub async fn purge(&self, stream: String) -> Result<(), Fault> {
        let stream = self.jetstream.get_stream_no_info(stream).await?;
        stream.purge().await?;
        Ok(())
    }
}

fn work_queue(replicas: usize) -> Config {
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
    let message = PublishMessage::build().payload(envelope.encode());
    message.message_id(id)
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
            PublishErrorKind::MaxPayloadExceeded => ClusterError::Server(e.to_string()).into(),
            _ => Fault::Passing(e.to_string()),
        }),
    }
}

/// A consumer of a stream and its standing request for messages.
#[derive(Default)]
pub(super) struct Reader {
    consumer: Option<PullConsumer>,
    request: Option<(Batch, Instant)>,
}

impl Reader {
    /// Whether the server has been asked for messages and has not said that there are no more.
    pub fn is_waiting(&self) -> bool {
        self.request.is_some()
    }

    /// Whether the server did not even say that the time of the request is up.
    pub fn is_late(&self) -> bool {
        let deadline = self.request.as_ref().map(|(_, deadline)| *deadline);
        deadline.is_some_and(|deadline| Instant::now() > deadline)
    }

    /// Gives up the request.
    pub fn end_request(&mut self) {
        self.request = None;
    }

    /// Gives up the consumer too, so that it is looked up or made again.
    pub fn forget(&mut self) {
        *self = Reader::default();
    }

    /// Asks for at most so many results, which come within a time. `anew` makes the consumer anew if there is none here.
    pub async fn request_results(
        &mut self,
        link: &Link,
        (ack_wait, anew): (Duration, bool),
        (most, time): (usize, Duration),
    ) -> Result<(), Fault> {
        if self.consumer.is_none() {
            self.consumer = Some(link.results_consumer(ack_wait, anew).await?);
        }
        self.request(most, time).await
    }

    /// Asks for at most so many jobs, which come within a time; how long a job may be silent.
    pub async fn request_jobs(
        &mut self,
        link: &Link,
        most: usize,
        time: Duration,
    ) -> Result<Duration, Fault> {
        if self.consumer.is_none() {
            self.consumer = Some(link.jobs_consumer().await?);
        }
        self.request(most, time).await?;
        let consumer = self.consumer.as_ref().expect("it was just there");
        Ok(consumer.cached_info().config.ack_wait)
    }

    async fn request(&mut self, most: usize, time: Duration) -> Result<(), Fault> {
        let consumer = self.consumer.as_ref().expect("the caller has made it");
        let request = consumer.batch().max_messages(most).expires(time).messages();
        match request.await {
            Ok(batch) => {
                self.request = Some((batch, Instant::now() + time + time / 2));
                Ok(())
            }
            Err(error) => {
                self.forget();
                Err(Fault::Passing(error.to_string()))
            }
        }
    }

    /// The next message of the standing request, or none when there are no more. Waits for ever without a request.
    pub async fn next(&mut self) -> Option<Result<Message, ()>> {
        match &mut self.request {
            Some((batch, _)) => batch.next().await.map(|message| message.map_err(|_| ())),
            None => std::future::pending().await,
        }
    }
}

#[derive(Clone)]
pub(super) struct Bucket {
    pub link: Link,
    stream: Stream<()>,
}

impl Bucket {
    fn name(link: &Link) -> String {
        format!("{}-state", link.prefix)
    }

    /// The bucket, whether or not it is there.
    pub async fn open(link: &Link) -> Result<Bucket, Fault> {
        let name = format!("KV_{}", Bucket::name(link));
        Ok(Bucket {
            link: link.clone(),
            stream: link.jetstream.get_stream_no_info(name).await?,
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
        self.link.jetstream.get_or_create_stream(config).await?;
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
    pub async fn get(&self, key: &str) -> Result<Option<Value>, Fault> {
        let subject = Bucket::subject(&self.link, key);
        match self.stream.direct_get_last_for_subject(subject).await {
            Ok(message) => Ok(Some(message.into())),
            Err(e) => Err(match e.kind() {
                DirectGetErrorKind::NotFound => return Ok(None),
                DirectGetErrorKind::ErrorResponse(StatusCode::NO_RESPONDERS, _) => Fault::Missing,
                _ => Fault::Passing(e.to_string()),
            }),
        }
    }

    /// A value as the stream's leader knows it; only for a bucket that is known to be there.
    pub async fn get_from_leader(&self, key: &str) -> Result<Option<Value>, Fault> {
        let subject = Bucket::subject(&self.link, key);
        match self.stream.get_last_raw_message_by_subject(&subject).await {
            Ok(message) => Ok(Some(message.into())),
            Err(e) => match e.kind() {
                LastRawMessageErrorKind::NoMessageFound => Ok(None),
                LastRawMessageErrorKind::JetStream(answer) => Err(judge(&answer)),
                _ => Err(Fault::Passing(e.to_string())),
            },
        }
    }

    pub async fn publish(&self, key: &str, message: PublishMessage) -> Result<u64, Fault> {
        let subject = Bucket::subject(&self.link, key);
        let answer = match self.link.jetstream.send_publish(subject, message).await {
            Ok(sent) => sent.await,
            Err(e) => Err(e),
        };
        let sequence = answer.as_ref().map_or(0, |ack| ack.sequence);
        published(answer)?;
        Ok(sequence)
    }

    /// Whether the bucket is there. Asking a bucket that is not for a value gets no answer at all.
    pub async fn exists(&self) -> Result<bool, Fault> {
        let subject = Bucket::subject(&self.link, HEAD);
        match self.link.jetstream.stream_by_subject(subject).await {
            Ok(_) => Ok(true),
            Err(e) if e.kind() == GetStreamByNameErrorKind::NotFound => Ok(false),
            Err(e) => Err(e.into()),
        }
    }

    /// Removes the keys below `key`, without leaving tombstones.
    pub async fn clear(&self, key: &str) -> Result<(), Fault> {
        let filter = Bucket::subject(&self.link, &format!("{key}.>"));
        self.stream.purge().filter(filter).await?;
        Ok(())
    }

    /// The last parts of the keys below `key`.
    pub async fn names_below(&self, key: &str) -> Result<Vec<String>, Fault> {
        let start = Bucket::subject(&self.link, key);
        let info = self.stream.info_builder().subjects(format!("{start}.>"));
        let mut info = info.fetch().await?;
        let mut names = Vec::new();
        let start = format!("{start}.");
        while let Some((subject, _)) = info.try_next().await? {
            names.extend(subject.strip_prefix(&start).map(str::to_owned));
        }
        names.sort();
        Ok(names)
    }
}

/// A value of the bucket.
pub(super) struct Value {
    pub sequence: u64,
    pub payload: Bytes,
    /// The time of writing by the server's clock, in nanoseconds since 1970.
    pub written: i128,
}

impl From<StreamMessage> for Value {
    fn from(message: StreamMessage) -> Value {
        Value {
            sequence: message.sequence,
            payload: message.payload,
            written: message.time.unix_timestamp_nanos(),
        }
    }
}

/// Kinds of errors that may carry an answer of the server.
pub(super) trait Answered: Clone + Debug + Display + PartialEq {
    fn answer(&self) -> Option<&Error>;
}

macro_rules! answered {
    ($($kind:ident),*) => {$(
        impl Answered for $kind {
            fn answer(&self) -> Option<&Error> {
                match self {
                    $kind::JetStream(error) => Some(error),
                    _ => None,
                }
            }
        }
    )*};
}

answered!(
    CreateStreamErrorKind,
    GetStreamErrorKind,
    GetStreamByNameErrorKind,
    ConsumerErrorKind,
    PurgeErrorKind
);

impl Answered for RequestErrorKind {
    fn answer(&self) -> Option<&Error> {
        None
    }
}

/// What an error means. Whatever is no answer (silence, nobody there while the server starts) passes.
impl<K: Answered> From<async_nats::error::Error<K>> for Fault {
    fn from(error: async_nats::error::Error<K>) -> Fault {
        let kind = error.kind();
        let source = std::error::Error::source(&error);
        let answer = kind.answer().or(source.and_then(|s| s.downcast_ref()));
        answer.map_or_else(|| Fault::Passing(error.to_string()), judge)
    }
}

/// What an answer means. Codes of 500 and above tell of the server's own trouble.
pub(super) fn judge(answer: &Error) -> Fault {
    match answer.error_code() {
        ErrorCode::STREAM_NOT_FOUND | ErrorCode::CONSUMER_NOT_FOUND => Fault::Missing,
        _ if answer.code() >= 500 => Fault::Passing(answer.to_string()),
        _ => Fault::Final(ClusterError::Server(answer.to_string())),
    }
}
