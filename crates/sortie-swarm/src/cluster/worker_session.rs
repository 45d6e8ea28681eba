//! One worker's part in one campaign: jobs in, results out, and every few seconds a sign of life.

use super::envelope::{Attempt, Chunk, Content, Envelope, fingerprint, random_id};
use super::error::ClusterError;
use super::head::{Announcement, FORMAT, Head, Phase};
use super::nats::{
    AckKind, Acker, Bucket, Link, Message, PAUSE, PublishMessage, Reader, message, published,
};
use super::options::{ClusterOptions, WorkerOptions};
use super::queue::{Assignment, Queue, ThreadReport};
use super::worker_loop::WorkerReport;
use bytes::Bytes;
use futures_util::future::{BoxFuture, FutureExt};
use futures_util::stream::{FuturesUnordered, StreamExt};
use std::collections::HashMap;
use std::time::{Duration, Instant};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::sync::watch;

/// A request for jobs stands so long at the server.
const PULL: Duration = Duration::from_secs(2);
/// How often a worker says that it is there.
const ANNOUNCE: Duration = Duration::from_secs(2);
/// So much work is fetched ahead: enough to hide the way to the server, too little to keep others waiting.
const AHEAD: Duration = Duration::from_millis(60);
/// Jobs per thread at most, however short they are.
const MOST_AHEAD: u32 = 128;

/// Chunks of one result sent before their confirmations are awaited.
const PIPELINE: usize = 16;

/// Why a session ended.
pub(super) enum SessionEnd {
    /// The campaign ended or was replaced.
    Over,
    /// A thread refused.
    Refused(String),
}

/// A job that was fetched and not acknowledged.
struct Held {
    acker: Acker,
    job: u64,
    attempt: Attempt,
}

pub(super) struct WorkerSession<'a> {
    link: &'a Link,
    options: &'a WorkerOptions,
    cluster: &'a ClusterOptions,
    name: &'a str,
    queue: &'a Queue,
    campaign: u128,
    report: &'a mut WorkerReport,
    held: HashMap<u64, Held>,
    tickets: u64,
    sending: FuturesUnordered<BoxFuture<'static, u64>>,
    reader: Reader,
    /// How long jobs take, the recent ones above all.
    typical: Duration,
    /// Jobs done since progress was last told.
    lately: u64,
    ack_wait: Duration,
}

impl<'a> WorkerSession<'a> {
    pub fn new(
        (link, cluster, options): (&'a Link, &'a ClusterOptions, &'a WorkerOptions),
        name: &'a str,
        queue: &'a Queue,
        campaign: u128,
        report: &'a mut WorkerReport,
    ) -> Self {
        WorkerSession {
            link,
            options,
            cluster,
            name,
            queue,
            campaign,
            report,
            held: HashMap::new(),
            tickets: 0,
            sending: FuturesUnordered::new(),
            reader: Reader::default(),
            typical: AHEAD,
            lately: 0,
            ack_wait: Duration::from_secs(30),
        }
    }

    /// Works until the campaign ends.
    pub async fn run(
        &mut self,
        head: &mut watch::Receiver<Option<Head>>,
        reports: &mut UnboundedReceiver<ThreadReport>,
    ) -> Result<SessionEnd, ClusterError> {
        let mut announced: Option<Instant> = None;
        let mut progress = Instant::now();
        loop {
            if self.is_over(&head.borrow_and_update()) {
                return Ok(SessionEnd::Over);
            }
            if announced.is_none_or(|at| at.elapsed() >= ANNOUNCE) {
                announced = Some(Instant::now());
                self.announce(false).await;
            }
            // Queued and running jobs alike are kept from coming back.
            if progress.elapsed() >= self.ack_wait / 3 {
                progress = Instant::now();
                self.say_progress().await;
            }
            if self.reader.is_late() {
                self.reader.end_request();
            }
            let room = self.capacity().saturating_sub(self.held.len());
            let wanted = !self.reader.is_waiting() && room * 2 >= self.capacity();
            if wanted && !self.request(room).await {
                tokio::select! {
                    () = tokio::time::sleep(PAUSE) => {}
                    _ = head.changed() => {}
                }
                continue;
            }
            let tick = (self.ack_wait / 3).saturating_sub(progress.elapsed());
            tokio::select! {
                biased;
                _ = head.changed() => {}
                Some(report) = reports.recv() => {
                    if let Some(end) = self.heard(report) {
                        return Ok(end);
                    }
                }
                Some(ticket) = self.sending.next(), if !self.sending.is_empty() => {
                    self.confirmed(ticket).await;
                }
                fetched = self.reader.next() => self.fetched(fetched).await,
                () = tokio::time::sleep(tick.min(ANNOUNCE)) => {}
            }
        }
    }

    /// `None` means that the head is not known at the moment, which ends nothing.
    fn is_over(&self, head: &Option<Head>) -> bool {
        head.as_ref().is_some_and(|head| {
            head.phase != Phase::Running || head.campaign_id().ok() != Some(self.campaign)
        })
    }

    /// How many jobs to hold: what the threads do within [`AHEAD`], one per thread at least.
    fn capacity(&self) -> usize {
        let threads = u32::try_from(self.options.threads).unwrap_or(u32::MAX);
        let ahead = AHEAD.as_nanos() / self.typical.as_nanos().max(1);
        let ahead = u32::try_from(ahead)
            .unwrap_or(u32::MAX)
            .clamp(1, MOST_AHEAD);
        threads.saturating_mul(ahead) as usize
    }

    /// Asks for jobs; false if that cannot be done now.
    async fn request(&mut self, room: usize) -> bool {
        match self.reader.request_jobs(self.link, room, PULL).await {
            Ok(ack_wait) => {
                self.ack_wait = ack_wait.max(Duration::from_millis(300));
                true
            }
            Err(_) => false,
        }
    }

    async fn fetched(&mut self, fetched: Option<Result<Message, ()>>) {
        let message = match fetched {
            Some(Ok(message)) => message,
            Some(Err(())) => {
                self.reader.forget();
                tokio::time::sleep(PAUSE).await;
                return;
            }
            None => return self.reader.end_request(),
        };
        let deliveries = message.info().map_or(1, |info| info.delivered);
        let (message, acker) = message.split();
        let read = Envelope::decode(&message.payload, self.campaign, self.link.message);
        let Ok(Envelope {
            job,
            attempt,
            content: Content::Job(payload),
            ..
        }) = read
        else {
            self.report.rejected += 1;
            // If this does not arrive, the message comes again and is refused again.
            let _ = acker.ack_with(AckKind::Term).await;
            return;
        };
        self.tickets += 1;
        let ticket = self.tickets;
        let held = Held {
            acker,
            job,
            attempt,
        };
        self.held.insert(ticket, held);
        if deliveries > self.options.deliveries {
            let text = format!("it was handed out {deliveries} times, and its workers died");
            self.send(ticket, Err(text));
        } else {
            self.queue.push(Assignment { ticket, payload });
        }
    }

    fn heard(&mut self, report: ThreadReport) -> Option<SessionEnd> {
        match report {
            ThreadReport::Refused(reason) => return Some(SessionEnd::Refused(reason)),
            ThreadReport::Dropped => {}
            ThreadReport::Done(ticket, result, took) => {
                self.lately += 1;
                self.typical = (self.typical * 7 + took) / 8;
                self.send(ticket, result);
            }
        }
        None
    }

    /// Starts to send a result; the job is acknowledged when the stream has it.
    fn send(&mut self, ticket: u64, result: Result<Vec<u8>, String>) {
        let Some(held) = self.held.get(&ticket) else {
            return;
        };
        let limit = self.cluster.limits.result;
        let result = result.and_then(|bytes| match bytes.len() {
            size if size <= limit => Ok(bytes),
            size => Err(format!("its result has {size} bytes, the limit is {limit}")),
        });
        let messages = self.letters(held, result);
        let link = self.link.clone();
        let sending = async move {
            deliver(&link, messages).await;
            ticket
        };
        self.sending.push(sending.boxed());
    }

    fn letters(&self, held: &Held, result: Result<Vec<u8>, String>) -> Vec<PublishMessage> {
        let letter = |content, id: String| {
            let envelope = Envelope {
                campaign: self.campaign,
                job: held.job,
                attempt: held.attempt,
                content,
            };
            message(&envelope, &id)
        };
        let id = format!("{:032x}.{}.{}", self.campaign, held.job, held.attempt.0);
        let piece = self.link.piece;
        match result {
            Err(mut text) => {
                let mut ends = (0..=text.len().min(piece).min(4096)).rev();
                let end = ends.find(|&i| text.is_char_boundary(i));
                text.truncate(end.unwrap_or(0));
                vec![letter(
                    Content::Failure(text.into()),
                    format!("{id}.failure"),
                )]
            }
            Ok(bytes) if bytes.len() <= piece => {
                vec![letter(
                    Content::Result(bytes.into()),
                    format!("{id}.result"),
                )]
            }
            Ok(bytes) => {
                let whole = Bytes::from(bytes);
                let set = random_id();
                let fingerprint = fingerprint(&whole);
                let starts = (0..whole.len()).step_by(piece);
                let count = u32::try_from(starts.len()).expect("results are limited in size");
                let chunk = |(index, start): (usize, usize)| {
                    let chunk = Chunk {
                        set,
                        index: u32::try_from(index).expect("it is below the count"),
                        count,
                        total: whole.len() as u64,
                        fingerprint,
                        bytes: whole.slice(start..whole.len().min(start + piece)),
                    };
                    letter(Content::Chunk(chunk), format!("{set:032x}.{index}"))
                };
                starts.enumerate().map(chunk).collect()
            }
        }
    }

    async fn confirmed(&mut self, ticket: u64) {
        if let Some(held) = self.held.remove(&ticket) {
            self.report.done += 1;
            // If this does not arrive, the job is done again and its second result is stale.
            let _ = held.acker.ack().await;
        }
    }

    async fn say_progress(&mut self) {
        // Jobs that got longer than expected leave more waiting here than is good for others.
        let ahead = match std::mem::take(&mut self.lately) {
            0 => 0,
            _ => self.capacity().saturating_sub(self.options.threads),
        };
        for assignment in self.queue.shrink(ahead) {
            if let Some(held) = self.held.remove(&assignment.ticket) {
                let _ = held.acker.ack_with(AckKind::Nak(None)).await;
            }
        }
        for held in self.held.values() {
            let _ = held.acker.ack_with(AckKind::Progress).await;
        }
    }

    /// Says who is here, to the coordinator and to whoever asks for the status.
    pub async fn announce(&self, leaving: bool) {
        let announcement = Announcement {
            format: FORMAT,
            name: self.name.to_owned(),
            threads: self.options.threads,
            done: self.report.done,
            rejected: self.report.rejected,
            leaving,
        };
        let value = serde_json::to_vec(&announcement).expect("an announcement is plain data");
        let subject = Bucket::subject(self.link, &format!("workers.{}", self.name));
        // The next one follows soon.
        let _ = self.link.client.publish(subject, value.into()).await;
    }

    /// Leaves in good order: results on their way arrive if the server is there, all other jobs go back at once.
    pub async fn leave(&mut self) {
        self.queue.close();
        self.reader.end_request();
        let patience = self.cluster.patience;
        let _ = tokio::time::timeout(patience, async {
            while let Some(ticket) = self.sending.next().await {
                self.confirmed(ticket).await;
            }
            for (_, held) in self.held.drain() {
                let _ = held.acker.ack_with(AckKind::Nak(None)).await;
            }
        })
        .await;
        let _ = tokio::time::timeout(patience, async {
            self.announce(true).await;
            let _ = self.link.client.flush().await;
        })
        .await;
    }
}

/// Publishes until the stream has everything. Repetitions do no harm: every message has an id.
async fn deliver(link: &Link, mut messages: Vec<PublishMessage>) {
    while !messages.is_empty() {
        let mut again = Vec::new();
        for some in messages.chunks(PIPELINE) {
            let mut sent = Vec::with_capacity(some.len());
            for message in some {
                let subject = link.results_subject();
                sent.push(link.jetstream.send_publish(subject, message.clone()).await);
            }
            for (sent, message) in sent.into_iter().zip(some) {
                let answer = match sent {
                    Ok(confirmation) => confirmation.await,
                    Err(error) => Err(error),
                };
                if published(answer).is_err() {
                    again.push(message.clone());
                }
            }
        }
        messages = again;
        if !messages.is_empty() {
            tokio::time::sleep(PAUSE).await;
        }
    }
}
