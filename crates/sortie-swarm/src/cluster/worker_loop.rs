//! A worker: waits for a campaign, fetches its description, and does its jobs on some threads.

use super::contract::JobRunnerFactory;
use super::envelope::random_id;
use super::error::{ClusterError, Fault};
use super::head::{Head, Phase};
use super::nats::{Bucket, Link, PAUSE, connect, runtime};
use super::options::{ClusterOptions, WorkerOptions};
use super::queue::{Queue, run_jobs};
use super::worker_session::{SessionEnd, WorkerSession};
use std::time::Duration;
use tokio::sync::{mpsc, watch};

/// The head is looked at so often; the end of a campaign is noticed within that time.
const LOOK: Duration = Duration::from_millis(400);
/// The caller is asked whether to go on so often.
const ASK: Duration = Duration::from_millis(100);

/// What the caller of [`work`] hears.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WorkerNotice {
    /// The server does not answer yet.
    NoServer(String),
    /// There is no campaign to work for (yet).
    NoCampaign,
    /// Work for a campaign begins; its id.
    Joined(String),
    /// The campaign ended.
    Ended(String),
}

/// What a worker did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WorkerReport {
    /// Jobs whose result (or failure) is in the stream.
    pub done: u64,
    /// Messages among the jobs that were none.
    pub rejected: u64,
    /// Campaigns worked for.
    pub campaigns: u64,
}

/// Works for the campaign under the prefix until it ends, or until `interrupted` says so.
///
/// A campaign that has not begun is waited for. One that has ended is not, unless the worker is to stay.
pub fn work(
    cluster: &ClusterOptions,
    options: &WorkerOptions,
    factory: &dyn JobRunnerFactory,
    interrupted: &(dyn Fn() -> bool + Sync),
    observer: &mut dyn FnMut(WorkerNotice),
) -> Result<WorkerReport, ClusterError> {
    if options.threads == 0 {
        return Err(ClusterError::Options(
            "a worker needs at least one thread".to_owned(),
        ));
    }
    let name = key_name(&options.name);
    let runtime = runtime()?;
    let mut report = WorkerReport::default();
    let ended = (|| {
        let mut told = String::new();
        let link = runtime.block_on(connect(cluster, &mut |reason| {
            if told != reason {
                observer(WorkerNotice::NoServer(reason.to_owned()));
                reason.clone_into(&mut told);
            }
            !interrupted()
        }))?;
        let mut heads = runtime.block_on(watch_head(&link))?;
        loop {
            let found =
                runtime.block_on(find(cluster, options, &mut heads, interrupted, observer))?;
            let Some((head, description)) = found else {
                return Ok(());
            };
            observer(WorkerNotice::Joined(head.campaign.clone()));
            report.campaigns += 1;
            let queue = Queue::default();
            let end = std::thread::scope(|scope| {
                let (reporter, mut reports) = mpsc::unbounded_channel();
                for _ in 0..options.threads {
                    let (reporter, queue, description) = (reporter.clone(), &queue, &description);
                    scope.spawn(move || run_jobs(factory, description, queue, &reporter));
                }
                drop(reporter);
                runtime.block_on(async {
                    let campaign = head.campaign_id()?;
                    let ways = (&link, cluster, options);
                    let mut session =
                        WorkerSession::new(ways, &name, &queue, campaign, &mut report);
                    let end = tokio::select! {
                        end = session.run(&mut heads.receiver, &mut reports) => Some(end),
                        () = asked(interrupted) => None,
                    };
                    session.leave().await;
                    end.transpose()
                })
            })?;
            match end {
                None => return Ok(()),
                Some(SessionEnd::Refused(reason)) => return Err(ClusterError::Unfit(reason)),
                Some(SessionEnd::Over) => observer(WorkerNotice::Ended(head.campaign)),
            }
        }
    })();
    runtime.shutdown_background();
    match ended {
        Ok(()) | Err(ClusterError::Interrupted) => Ok(report),
        Err(error) => Err(error),
    }
}

async fn asked(interrupted: &(dyn Fn() -> bool + Sync)) {
    while !interrupted() {
        tokio::time::sleep(ASK).await;
    }
}

/// What a task sees of the head; the error is one that will not go away.
struct Heads {
    receiver: watch::Receiver<Option<Head>>,
    failure: watch::Receiver<Option<String>>,
    bucket: Bucket,
}

/// Looks at the head again and again, in the background.
async fn watch_head(link: &Link) -> Result<Heads, ClusterError> {
    let bucket = Bucket::open(link)
        .await
        .map_err(|_| ClusterError::Options("the prefix makes no bucket name".to_owned()))?;
    let (sender, receiver) = watch::channel(None::<Head>);
    let (failing, failure) = watch::channel(None);
    let watched = bucket.clone();
    tokio::spawn(async move {
        while !sender.is_closed() {
            match watched.head().await {
                Ok(head) => {
                    let head = head.map(|(_, head)| head);
                    failing.send_replace(None);
                    sender.send_if_modified(|known: &mut Option<Head>| {
                        let same = match (&*known, &head) {
                            (Some(a), Some(b)) => a.campaign == b.campaign && a.phase == b.phase,
                            (a, b) => a.is_none() == b.is_none(),
                        };
                        *known = head;
                        !same
                    });
                }
                Err(Fault::Final(error)) => {
                    failing.send_replace(Some(error.to_string()));
                }
                Err(_) => {}
            }
            tokio::time::sleep(LOOK).await;
        }
    });
    Ok(Heads {
        receiver,
        failure,
        bucket,
    })
}

/// Waits for a campaign that runs; `None` if there is nothing to wait for.
async fn find(
    cluster: &ClusterOptions,
    options: &WorkerOptions,
    heads: &mut Heads,
    interrupted: &(dyn Fn() -> bool + Sync),
    observer: &mut dyn FnMut(WorkerNotice),
) -> Result<Option<(Head, Vec<u8>)>, ClusterError> {
    let mut told = false;
    loop {
        if interrupted() {
            return Ok(None);
        }
        if let Some(reason) = heads.failure.borrow().clone() {
            return Err(ClusterError::Unfit(reason));
        }
        let head = heads.receiver.borrow_and_update().clone();
        match head {
            Some(head) if head.phase == Phase::Running => {
                let stored = heads
                    .bucket
                    .get_large(&head.description, cluster.limits.stored, "its description")
                    .await;
                match stored {
                    Ok(description) => return Ok(Some((head, description))),
                    // A fresh campaign may be replacing it right now: what the head says then decides.
                    Err(Fault::Final(error)) => match heads.bucket.head().await {
                        Ok(Some((_, now))) if now.campaign == head.campaign => return Err(error),
                        _ => {}
                    },
                    Err(_) => {}
                }
            }
            Some(_) if !options.stay => return Ok(None),
            _ if !told => {
                told = true;
                observer(WorkerNotice::NoCampaign);
            }
            _ => {}
        }
        tokio::select! {
            _ = heads.receiver.changed() => {}
            () = tokio::time::sleep(PAUSE) => {}
        }
    }
}

/// A name that can be a key, and that no other worker has.
fn key_name(wanted: &str) -> String {
    let host = std::env::var("HOSTNAME").unwrap_or_default();
    let mut names = [wanted, &host, "worker"].into_iter();
    let base = names.find(|name| !name.is_empty()).unwrap_or_default();
    let allowed = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let letters = base.chars().map(|c| if allowed(c) { c } else { '_' });
    let name: String = letters.take(64).collect();
    format!("{name}-{:08x}", random_id() as u32)
}
