//! The coordinator's loop: gather, decide, store, publish, acknowledge, in this order.

use super::coordinator::{CampaignEnd, Notice, Progress, Wish};
use super::envelope::{Content, Envelope};
use super::error::{ClusterError, Fault};
use super::head::{Head, Phase};
use super::intake::Intake;
use super::nats::{AckKind, Bucket, Link, Message, PAUSE, Reader, message, published};
use super::options::{ClusterOptions, CoordinatorOptions};
use super::takeover::Ready;
use futures_util::future::join_all;
use futures_util::{FutureExt, StreamExt};
use std::time::{Duration, Instant};

/// A request for results stands so long at the server.
const PULL: Duration = Duration::from_secs(1);
/// After the first result of a batch, so long for others.
const GATHER: Duration = Duration::from_millis(2);
/// The caller is asked what it wishes at least so often.
const ASK: Duration = Duration::from_millis(100);
/// The head and the status are written at least so often: a sign of life, and how one finds out about a successor.
const SIGN_OF_LIFE: Duration = Duration::from_secs(1);
/// Jobs published before their confirmations are awaited.
const PIPELINE: usize = 1024;

pub(super) struct CoordinatorSession<'a> {
    link: &'a Link,
    cluster: &'a ClusterOptions,
    options: &'a CoordinatorOptions,
    bucket: Bucket,
    intake: Intake<'a, Message>,
    observer: &'a mut dyn FnMut(Notice) -> Wish,
    head: Head,
    revision: u64,
    predecessor: Option<String>,
    reader: Reader,
    /// Whether results may have been lost on their way, so that the consumer has to be made anew.
    reader_anew: bool,
    /// When the head was last written, and when something last came in.
    signed: Instant,
    looked: Instant,
    busy: Instant,
}

impl<'a> CoordinatorSession<'a> {
    pub fn new(
        link: &'a Link,
        cluster: &'a ClusterOptions,
        options: &'a CoordinatorOptions,
        intake: Intake<'a, Message>,
        observer: &'a mut dyn FnMut(Notice) -> Wish,
        taken: Box<Ready>,
    ) -> Self {
        CoordinatorSession {
            link,
            cluster,
            options,
            bucket: taken.bucket,
            intake,
            observer,
            head: taken.head,
            revision: taken.revision,
            predecessor: taken.predecessor,
            reader: Reader::default(),
            reader_anew: true,
            signed: Instant::now(),
            looked: Instant::now(),
            busy: Instant::now(),
        }
    }

    /// To the end of the campaign, or until the caller wants to leave.
    pub async fn run(&mut self) -> Result<CampaignEnd, ClusterError> {
        let announcements = Bucket::subject(self.link, "workers.*");
        let announcements = self.link.client.subscribe(announcements).await;
        let mut announcements = announcements.map_err(|e| ClusterError::Server(e.to_string()))?;
        loop {
            while let Some(Some(said)) = announcements.next().now_or_never() {
                self.intake.announce(&said.payload, Instant::now());
            }
            let progress = self.progress();
            let wish = (self.observer)(Notice::Progress(progress));
            if self.intake.logic.finished() {
                return self.end(Phase::Finished).await;
            }
            if self.intake.broken.is_none() {
                if wish == Wish::Stop {
                    return self.end(Phase::Stopped).await;
                }
                self.intake.draw();
            }
            if self.intake.broken.is_some() {
                return self.end(Phase::Broken).await;
            }
            if self.intake.changed {
                self.commit().await?;
            }
            if wish == Wish::Leave {
                return Ok(self.outcome());
            }
            if self.looked.elapsed() >= SIGN_OF_LIFE {
                self.looked = Instant::now();
                self.look_around().await?;
            }
            for result in self.gather().await? {
                let payload = result.payload.clone();
                self.intake.receive(&payload, result);
                self.busy = Instant::now();
            }
        }
    }

    fn progress(&self) -> Progress {
        Progress {
            tally: self.intake.ledger.tally,
            out: self.intake.out.len(),
            workers: self.intake.workers(),
            threads: self.intake.threads(),
        }
    }

    fn outcome(&self) -> CampaignEnd {
        CampaignEnd {
            phase: self.head.phase,
            message: self.head.message.clone(),
            tally: self.intake.ledger.tally,
            earlier: false,
        }
    }

    /// Stores, publishes, acknowledges.
    async fn commit(&mut self) -> Result<(), ClusterError> {
        self.store().await?;
        self.publish().await?;
        self.acknowledge().await;
        self.intake.changed = false;
        if let Some(predecessor) = self.predecessor.take() {
            // What stays of it if this fails goes when the next campaign begins.
            let _ = self.bucket.clear(&format!("state.{predecessor}")).await;
        }
        Ok(())
    }

    /// The state goes into the slot that the head does not point to, then the head is turned to it.
    async fn store(&mut self) -> Result<(), ClusterError> {
        let saved = self.intake.logic.save();
        let value = self.intake.ledger.with_state(&saved).into();
        let slots = [0, 1].map(|n| format!("state.{}.{n}", self.head.owner));
        let [first, second] = slots;
        let is_first = self.head.state.slot == first;
        let slot = if is_first { second } else { first };
        self.head.generation += 1;
        self.head.tally = self.intake.ledger.tally;
        loop {
            let attempt = async {
                let state = self.bucket.put_large(slot.clone(), &value).await?;
                let head = Head {
                    state,
                    ..self.head.clone()
                };
                let revision = self.bucket.swap_head(self.revision, &head).await?;
                Ok((head, revision))
            };
            match attempt.await {
                Ok((head, revision)) => {
                    self.head = head;
                    self.revision = revision;
                    self.signed = Instant::now();
                    return Ok(());
                }
                Err(fault) => self.recover(fault).await?,
            }
        }
    }

    /// What to do about a fault: wait, make what is missing, or give up.
    async fn recover(&mut self, fault: Fault) -> Result<(), ClusterError> {
        match fault {
            Fault::Final(error) => return Err(error),
            Fault::Outdated => return Err(self.superseded().await),
            Fault::Missing => {
                // Somebody deleted a stream. What it held is known here.
                if let Err(Fault::Final(error)) = self.restore_streams().await {
                    return Err(error);
                }
            }
            Fault::Passing(reason) => {
                if (self.observer)(Notice::Waiting(reason)) != Wish::GoOn {
                    return Err(ClusterError::Interrupted);
                }
            }
        }
        tokio::time::sleep(PAUSE).await;
        Ok(())
    }

    async fn restore_streams(&mut self) -> Result<(), Fault> {
        self.link.ensure_streams(self.cluster.replicas).await?;
        let ack_wait = self.options.ack_wait;
        self.link.ensure_jobs_consumer(ack_wait).await?;
        self.bucket.ensure(self.cluster.replicas).await?;
        self.reader.end_request();
        if self.bucket.head_from_leader().await?.is_none() {
            // The bucket is new: nobody else can have written a head that we would destroy.
            let description = self.intake.logic.description().into();
            let slot = self.head.description.slot.clone();
            self.head.description = self.bucket.put_large(slot, &description).await?;
            self.revision = 0;
        }
        Ok(())
    }

    /// Results that were taken and not stored go back at once; the successor gets them.
    async fn superseded(&mut self) -> ClusterError {
        for (message, _) in self.intake.answers.drain(..) {
            let _ = message.ack_with(AckKind::Nak(None)).await;
        }
        ClusterError::Superseded(self.cluster.prefix.clone())
    }

    async fn publish(&mut self) -> Result<(), ClusterError> {
        let campaign = self.head.campaign_id()?;
        let mut left = std::mem::take(&mut self.intake.publish);
        while !left.is_empty() {
            let mut again = Vec::new();
            let mut trouble = None;
            for jobs in left.chunks(PIPELINE) {
                let mut sent = Vec::with_capacity(jobs.len());
                for (job, attempt) in jobs {
                    if job.payload.len() > self.link.piece {
                        return Err(ClusterError::TooLarge {
                            what: format!("job {}", job.id),
                            bytes: job.payload.len(),
                            limit: self.link.piece,
                        });
                    }
                    let envelope = Envelope {
                        campaign,
                        job: job.id,
                        attempt: *attempt,
                        content: Content::Job(job.payload.clone().into()),
                    };
                    let id = format!("{campaign:032x}.{}.{}", job.id, attempt.0);
                    let subject = self.link.job_subject(campaign, job.id, *attempt);
                    let message = message(&envelope, &id);
                    sent.push(
                        match self.link.jetstream.send_publish(subject, message).await {
                            Ok(confirmation) => confirmation.into_future().left_future(),
                            Err(error) => std::future::ready(Err(error)).right_future(),
                        },
                    );
                }
                for (answer, job) in join_all(sent).await.into_iter().zip(jobs) {
                    if let Err(fault) = published(answer) {
                        again.push(job.clone());
                        trouble = Some(fault);
                    }
                }
            }
            left = again;
            if let Some(fault) = trouble {
                self.recover(fault).await?;
            }
        }
        Ok(())
    }

    /// Nothing is lost if this does not arrive: the results come again and are stale.
    async fn acknowledge(&mut self) {
        for (message, kind) in self.intake.answers.drain(..) {
            let _ = message.ack_with(kind).await;
        }
    }

    /// Whatever results are there, or nothing after a while.
    async fn gather(&mut self) -> Result<Vec<Message>, ClusterError> {
        let mut batch = Vec::new();
        if !self.reader.is_waiting() {
            let consumer = (self.options.ack_wait, self.reader_anew);
            let request = (self.options.batch, PULL);
            let asked = self.reader.request_results(self.link, consumer, request);
            match asked.await {
                Ok(()) => self.reader_anew = false,
                Err(fault) => {
                    self.reader.forget();
                    self.recover(fault).await?;
                    return Ok(batch);
                }
            }
        }
        let mut wait = ASK;
        let late = self.reader.is_late();
        while batch.len() < self.options.batch {
            match tokio::time::timeout(wait, self.reader.next()).await {
                Err(_) => break,
                Ok(Some(Ok(message))) => batch.push(message),
                Ok(Some(Err(()))) => {
                    self.reader.forget();
                    // The consumer is gone or the server is going; there is no hurry to ask again.
                    tokio::time::sleep(PAUSE).await;
                    break;
                }
                Ok(None) => {
                    self.reader.end_request();
                    break;
                }
            }
            wait = GATHER;
        }
        if late {
            // The server did not even say that time is up: it was away. What it had sent may have got lost.
            self.reader.forget();
            self.reader_anew = true;
        }
        Ok(batch)
    }

    /// A sign of life, the status for others, and whether jobs have got lost.
    async fn look_around(&mut self) -> Result<(), ClusterError> {
        let mut status = self.intake.logic.status();
        if status.len() > self.link.piece {
            status = "(too long)".to_owned();
        }
        // The next sign of life brings the next status, if this one does not arrive.
        let _ = self.bucket.put("status", status.into()).await;
        if self.busy.elapsed() >= SIGN_OF_LIFE && !self.intake.out.is_empty() {
            match self.jobs_are_lost().await {
                Ok(false) => {}
                Ok(true) => self.intake.lost(),
                Err(fault) => self.recover(fault).await?,
            }
        }
        if !self.intake.changed && self.signed.elapsed() >= SIGN_OF_LIFE {
            self.sign().await?;
        }
        Ok(())
    }

    /// Writes the head alone, which is enough when nothing happened.
    async fn sign(&mut self) -> Result<(), ClusterError> {
        self.head.generation += 1;
        match self.bucket.swap_head(self.revision, &self.head).await {
            Ok(revision) => {
                self.revision = revision;
                self.signed = Instant::now();
                Ok(())
            }
            Err(fault) => {
                // Whatever it was, the state is stored again with the next head.
                self.intake.changed = true;
                self.recover(fault).await
            }
        }
    }

    /// A job leaves its stream only after its result is in the other one, and a result leaves that one only after it
    /// was taken. So when both are empty, in this order, nothing should be out.
    async fn jobs_are_lost(&self) -> Result<bool, Fault> {
        self.link.align_jobs_consumer(self.options.ack_wait).await?;
        let jobs = self.link.held(self.link.jobs_stream()).await?;
        let results = self.link.held(self.link.results_stream()).await?;
        Ok(jobs == 0 && results <= self.intake.waiting() as u64)
    }

    async fn end(&mut self, phase: Phase) -> Result<CampaignEnd, ClusterError> {
        self.intake.publish.clear();
        self.head.phase = phase;
        self.head.message = match phase {
            Phase::Broken => self.intake.broken.clone().unwrap_or_default(),
            _ => String::new(),
        };
        self.store().await?;
        self.acknowledge().await;
        let status = self.intake.logic.status();
        if status.len() <= self.link.piece {
            let _ = self.bucket.put("status", status.into()).await;
        }
        // Jobs of an ended campaign are of no use; a resumed one publishes them again, in a new edition.
        let _ = self.link.purge(self.link.jobs_stream()).await;
        Ok(self.outcome())
    }
}
