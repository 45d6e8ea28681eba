//! Between the connection and the threads that do the jobs.

use super::contract::JobRunnerFactory;
use bytes::Bytes;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::mpsc::UnboundedSender;

/// A job as the threads see it: a number of this process, and what to do.
pub(super) struct Assignment {
    pub ticket: u64,
    pub payload: Bytes,
}

/// What a thread says.
pub(super) enum ThreadReport {
    /// It cannot take part.
    Refused(String),
    /// The number of the job, its result, and how long it took.
    Done(u64, Result<Vec<u8>, String>, Duration),
    /// It was told to stop before the job was done.
    Dropped,
}

/// The jobs that wait for a thread.
#[derive(Default)]
pub(super) struct Queue {
    waiting: Mutex<VecDeque<Assignment>>,
    news: Condvar,
    stop: AtomicBool,
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, VecDeque<Assignment>> {
        // Nothing that holds the lock can panic half way.
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn push(&self, assignment: Assignment) {
        self.lock().push_back(assignment);
        self.news.notify_one();
    }

    /// Takes back jobs that nobody has begun, until so many are left.
    pub fn shrink(&self, left: usize) -> Vec<Assignment> {
        let mut waiting = self.lock();
        let left = left.min(waiting.len());
        waiting.split_off(left).into()
    }

    /// Ends all threads as soon as their runners let them.
    pub fn close(&self) {
        self.stop.store(true, Ordering::Relaxed);
        let _lock = self.lock();
        self.news.notify_all();
    }

    fn next(&self) -> Option<Assignment> {
        let mut waiting = self.lock();
        loop {
            if self.stop.load(Ordering::Relaxed) {
                return None;
            }
            if let Some(assignment) = waiting.pop_front() {
                return Some(assignment);
            }
            waiting = self
                .news
                .wait(waiting)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// The loop of one thread. A runner that panics is replaced; the job counts as failed.
pub(super) fn run_jobs(
    factory: &dyn JobRunnerFactory,
    description: &[u8],
    queue: &Queue,
    reports: &UnboundedSender<ThreadReport>,
) {
    let stop = || queue.stop.load(Ordering::Relaxed);
    let tell = |report| {
        // Nobody listens once the session is over, and then it does not matter.
        let _ = reports.send(report);
    };
    loop {
        let mut runner = match caught(|| factory.open(description)) {
            (Ok(runner), _) => runner,
            (Err(reason), _) => return tell(ThreadReport::Refused(reason)),
        };
        let mut panicked = false;
        while !panicked {
            let Some(Assignment { ticket, payload }) = queue.next() else {
                return;
            };
            let begun = Instant::now();
            let result;
            (result, panicked) = caught(|| runner.run(&payload, &stop));
            let took = begun.elapsed();
            if stop() {
                return tell(ThreadReport::Dropped);
            }
            tell(ThreadReport::Done(ticket, result, took));
        }
    }
}

/// What a call gave, and whether it panicked, which counts as an error.
fn caught<T>(call: impl FnOnce() -> Result<T, String>) -> (Result<T, String>, bool) {
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(result) => (result, false),
        Err(panic) => {
            let owned = panic.downcast_ref::<String>().map(String::as_str);
            let said = owned.or_else(|| panic.downcast_ref::<&str>().copied());
            let said = said.unwrap_or("without a word");
            (Err(format!("it panicked: {said}")), true)
        }
    }
}
