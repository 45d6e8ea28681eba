//! The coordinator's intake: what comes in is read, judged and handed to the logic. No connection is needed for that.

use super::chunks::{Added, Assembly};
use super::contract::{Logic, SentJob};
use super::envelope::{Attempt, Content, Envelope};
use super::head::{Announcement, Ledger};
use super::nats::AckKind;
use super::options::{ClusterOptions, CoordinatorOptions, Limits};
use crate::plan::Settled;
use bytes::Bytes;
use std::collections::{BTreeSet, HashMap};
use std::time::{Duration, Instant};

/// A worker that has not announced itself for so long does not count.
const SILENCE: Duration = Duration::from_secs(10);

/// Jobs for so long are kept out, however small they are; results are counted over twice that time.
const AHEAD: Duration = Duration::from_millis(300);

/// Names remembered at most, whatever strangers announce.
const MOST_WORKERS: usize = 10_000;

/// How fast results come in.
struct Pace {
    since: Instant,
    results: u32,
    /// So many of them come in the time that jobs are kept out for.
    ahead: usize,
}

impl Pace {
    fn measure(&mut self) {
        let elapsed = self.since.elapsed();
        if elapsed >= AHEAD * 2 {
            self.ahead = (AHEAD * self.results).div_duration_f64(elapsed) as usize;
            self.since = Instant::now();
            self.results = 0;
        }
    }
}

/// Messages are of type `M`, which is only kept and given back.
pub(super) struct Intake<'a, M> {
    pub logic: &'a mut dyn Logic,
    pub ledger: Ledger,
    /// Jobs that were drawn and are not settled.
    pub out: BTreeSet<u64>,
    /// What is to be answered after the next store; what is worth nothing is never to come again.
    pub answers: Vec<(M, AckKind)>,
    /// Jobs to be published after the next store.
    pub publish: Vec<(SentJob, Attempt)>,
    /// Why the campaign cannot go on.
    pub broken: Option<String>,
    /// Something happened that has to be stored.
    pub changed: bool,
    assembly: Assembly<M>,
    workers: HashMap<String, (usize, Instant)>,
    pace: Pace,
    campaign: u128,
    limit: usize,
    options: &'a CoordinatorOptions,
}

impl<'a, M> Intake<'a, M> {
    pub fn new(
        logic: &'a mut dyn Logic,
        ledger: Ledger,
        campaign: u128,
        limit: usize,
        cluster: &ClusterOptions,
        options: &'a CoordinatorOptions,
    ) -> Self {
        let out = logic.outstanding().iter().map(|job| job.id).collect();
        Intake {
            logic,
            ledger,
            out,
            answers: Vec::new(),
            publish: Vec::new(),
            broken: None,
            changed: false,
            assembly: Assembly::new(
                cluster.limits.result,
                Limits::LEAST_MESSAGE - super::envelope::OVERHEAD,
            ),
            workers: HashMap::new(),
            pace: Pace {
                since: Instant::now(),
                results: 0,
                ahead: 0,
            },
            campaign,
            limit,
            options,
        }
    }

    /// A message from the stream of results.
    pub fn receive(&mut self, payload: &Bytes, message: M) {
        let Ok(envelope) = Envelope::decode(payload, self.campaign, self.limit) else {
            return self.reject([message]);
        };
        let job = envelope.job;
        match envelope.content {
            Content::Job(_) => self.reject([message]),
            Content::Result(payload) => self.settle(job, &payload, vec![message]),
            Content::Failure(text) => {
                self.changed = true;
                self.answers.push((message, AckKind::Ack));
                if envelope.attempt == self.attempt(job) {
                    self.failed(job, &String::from_utf8_lossy(&text));
                }
            }
            Content::Chunk(chunk) => match self.assembly.add(job, chunk, message) {
                Added::Kept => {
                    while let Some((job, messages)) = self.assembly.shed() {
                        self.reject(messages);
                        self.failed(job, "its result did not come completely");
                    }
                }
                Added::Again(earlier) => self.answers.push((earlier, AckKind::Ack)),
                Added::Complete(whole, messages) => self.settle(job, &whole, messages),
                Added::Strange(messages) => self.reject(messages),
            },
        }
    }

    fn settle(&mut self, job: u64, payload: &[u8], messages: Vec<M>) {
        self.changed = true;
        self.pace.results += 1;
        match self.logic.take(job, payload) {
            Ok(taken) => {
                match taken {
                    Settled::Counted => self.ledger.tally.results += 1,
                    Settled::Stale => self.ledger.tally.stale += 1,
                }
                self.out.remove(&job);
                self.ledger.failures.remove(&job);
                let messages = messages.into_iter().chain(self.assembly.forget(job));
                self.answers.extend(messages.map(|m| (m, AckKind::Ack)));
            }
            Err(rejection) => {
                self.reject(messages);
                self.failed(job, &format!("its result makes no sense: {rejection}"));
            }
        }
    }

    fn reject(&mut self, messages: impl IntoIterator<Item = M>) {
        for message in messages {
            self.ledger.tally.rejected += 1;
            self.answers.push((message, AckKind::Term));
        }
        self.changed = true;
    }

    /// The job is handed out again, unless that has been tried often enough.
    fn failed(&mut self, job: u64, reason: &str) {
        if !self.out.contains(&job) {
            return;
        }
        self.changed = true;
        self.ledger.tally.failures += 1;
        let failures = self.ledger.failures.entry(job).or_default();
        *failures += 1;
        if *failures >= self.options.attempts {
            let text = format!("job {job} failed {failures} times; the last time: {reason}");
            self.broken.get_or_insert(text);
            return;
        }
        let found = self.logic.outstanding().into_iter().find(|j| j.id == job);
        let attempt = self.attempt(job);
        self.publish.extend(found.map(|j| (j, attempt)));
    }

    /// All jobs that are out have vanished from the queue without a result: somebody deleted them, or every worker
    /// takes them for garbage.
    pub fn lost(&mut self) {
        self.changed = true;
        for &job in &self.out {
            self.ledger.tally.failures += 1;
            let failures = self.ledger.failures.entry(job).or_default();
            *failures += 1;
            if *failures >= self.options.attempts {
                let text = format!("job {job} vanished from the queue {failures} times");
                self.broken.get_or_insert(text);
            }
        }
        self.publish_all();
    }

    /// The current attempt at a job.
    pub fn attempt(&self, job: u64) -> Attempt {
        let failures = self.ledger.failures.get(&job).copied().unwrap_or(0);
        Attempt(u64::from(self.ledger.edition) << 32 | u64::from(failures))
    }

    /// Draws jobs until enough are out.
    pub fn draw(&mut self) {
        self.pace.measure();
        let target = self.target();
        while self.out.len() < target && self.broken.is_none() {
            let Some(job) = self.logic.draw() else { break };
            self.changed = true;
            self.ledger.tally.jobs += 1;
            self.out.insert(job.id);
            let attempt = self.attempt(job.id);
            self.publish.push((job, attempt));
        }
        if self.out.is_empty() && !self.logic.finished() {
            self.broken.get_or_insert(
                "no job is out and none is left, but the campaign is not finished".to_owned(),
            );
        }
    }

    fn target(&self) -> usize {
        let jobs = self.threads().saturating_mul(self.options.jobs_per_thread);
        let jobs = jobs.max(self.options.least_jobs).max(self.pace.ahead);
        jobs.min(self.options.most_jobs).max(1)
    }

    /// Everything that is out is published, as after a restart.
    pub fn publish_all(&mut self) {
        let jobs = self.logic.outstanding();
        let attempts: Vec<Attempt> = jobs.iter().map(|job| self.attempt(job.id)).collect();
        self.publish = jobs.into_iter().zip(attempts).collect();
    }

    /// A worker (or a stranger) says who it is.
    pub fn announce(&mut self, payload: &[u8], now: Instant) {
        self.workers
            .retain(|_, (_, seen)| now.saturating_duration_since(*seen) < SILENCE);
        match Announcement::read(payload) {
            Some(worker) if worker.leaving => {
                self.workers.remove(&worker.name);
            }
            Some(worker) if self.workers.len() < MOST_WORKERS => {
                self.workers.insert(worker.name, (worker.threads, now));
            }
            Some(_) => {}
            None => {
                self.ledger.tally.rejected += 1;
                self.changed = true;
            }
        }
    }

    pub fn workers(&self) -> usize {
        self.workers.len()
    }

    pub fn threads(&self) -> usize {
        self.workers
            .values()
            .fold(0, |sum, (threads, _)| sum.saturating_add(*threads))
    }

    /// Messages kept until the rest of a result comes.
    pub fn waiting(&self) -> usize {
        self.assembly.waiting()
    }
}
