//! A campaign within one process: the plan and its workers on the threads of this machine.

use crate::SwarmError;
use crate::job::{Ending, Job, Limit};
use crate::plan::Plan;
use crate::worker::{FinishedJob, Worker};
use sortie_model::{Observer, Spending, Stop, StopReason};
use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// When the report of a job is taken into account. It decides which jobs there are, never how many threads do them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// In the order of jobs, so that a few of them are always under way: none at first, then a quarter of those done, at most so many.
    Rolling(u64),
    /// After every so many jobs, as if as many workers began and ended together.
    Waves(u64),
}

impl Pace {
    /// How many jobs must be settled before job `id` is drawn.
    fn settled_before(self, id: u64) -> u64 {
        match self {
            Pace::Rolling(most) => id - most.max(1).saturating_sub(1).min(id / 4),
            Pace::Waves(size) => id - id % size.max(1),
        }
    }
}

/// How a plan is carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LocalSettings {
    /// When reports are taken into account.
    pub pace: Pace,
    /// How many threads work.
    pub threads: usize,
    /// How many jobs there may be.
    pub max_jobs: Option<u64>,
}

/// After a find, jobs drawn earlier may take so long to find something themselves.
const GRACE: Duration = Duration::from_secs(1);

/// Called with every job that is done.
pub type Listener<'a> = dyn FnMut(&Job, &FinishedJob) + Send + 'a;

/// Carries out a plan on so many threads. Which jobs there are and how they end does not depend on the threads; only when a job that was
/// drawn before one with a find takes long, it is not waited for. `listener` is called with every job in the order in which they were drawn.
pub fn run(
    plan: &mut dyn Plan,
    worker: &Worker<'_>,
    settings: LocalSettings,
    stop: &Stop,
    observer: &dyn Observer,
    listener: &mut Listener<'_>,
) -> Result<(), SwarmError> {
    let shared = Shared {
        progress: Mutex::new(Progress {
            plan,
            listener,
            settings,
            drawn: 0,
            settled: 0,
            needed: 0,
            waiting: BTreeMap::new(),
            running: BTreeMap::new(),
            found: None,
            failure: None,
            over: false,
        }),
        changed: Condvar::new(),
    };
    std::thread::scope(|scope| {
        let work = || shared.serve(worker, stop, observer);
        for _ in 1..settings.threads.max(1) {
            scope.spawn(work);
        }
        work();
    });
    let progress = shared.progress.into_inner();
    let mut progress = progress.unwrap_or_else(PoisonError::into_inner);
    progress.clear_away()?;
    progress.failure.map_or(Ok(()), Err)
}

struct Shared<'a> {
    progress: Mutex<Progress<'a>>,
    changed: Condvar,
}

struct Progress<'a> {
    plan: &'a mut dyn Plan,
    listener: &'a mut Listener<'a>,
    settings: LocalSettings,
    drawn: u64,
    settled: u64,
    /// How many jobs must be settled before another can be drawn, more than the pace asks for.
    needed: u64,
    /// Jobs done before earlier ones.
    waiting: BTreeMap<u64, (Job, FinishedJob)>,
    running: BTreeMap<u64, Stop>,
    /// The first job with a find, and when it came.
    found: Option<(u64, Instant)>,
    failure: Option<SwarmError>,
    over: bool,
}

impl<'a> Shared<'a> {
    fn progress(&self) -> MutexGuard<'_, Progress<'a>> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What each thread does.
    fn serve(&self, worker: &Worker<'_>, stop: &Stop, observer: &dyn Observer) {
        while let Some((place, job, cancel)) = self.next(stop) {
            let done = worker.work(&job, &cancel, observer);
            self.progress().hand_in(place, job, done, stop);
            self.changed.notify_all();
        }
        self.changed.notify_all();
    }

    /// The next job, once it can be drawn.
    fn next(&self, stop: &Stop) -> Option<(u64, Job, Stop)> {
        let mut progress = self.progress();
        loop {
            progress.over |= stop.requested().is_some() || progress.failure.is_some();
            if progress.over {
                return None;
            }
            match progress.draw() {
                Err(error) => progress.failure = Some(error),
                Ok(Some(job)) => {
                    let place = progress.drawn;
                    let cancel = stop.child();
                    progress.drawn += 1;
                    progress.running.insert(place, cancel.clone());
                    return Some((place, job, cancel));
                }
                Ok(None) if progress.over => self.changed.notify_all(),
                Ok(None) => {
                    let waited = self.changed.wait_timeout(progress, GRACE / 10);
                    progress = waited.unwrap_or_else(PoisonError::into_inner).0;
                    progress.lose_patience();
                }
            }
        }
    }
}

impl Progress<'_> {
    /// The next job; none if other jobs have to be settled before, or all is done.
    fn draw(&mut self) -> Result<Option<Job>, SwarmError> {
        if let Some((first, _)) = self.found {
            while !self.over && self.settled <= first && self.settle_next()? {}
            return Ok(None);
        }
        loop {
            let pace = self.settings.pace;
            let needed = pace.settled_before(self.drawn).max(self.needed);
            while self.settled < needed {
                if !self.settle_next()? {
                    return Ok(None);
                }
            }
            let limit = self.settings.max_jobs.unwrap_or(u64::MAX);
            if self.drawn < limit
                && let Some(job) = self.plan.draw()
            {
                return Ok(Some(job));
            }
            if self.settled == self.drawn {
                self.over = true;
                return Ok(None);
            }
            self.needed = self.settled + 1;
        }
    }

    /// Settles the next job in order, if it is done.
    fn settle_next(&mut self) -> Result<bool, SwarmError> {
        let Some((job, done)) = self.waiting.remove(&self.settled) else {
            return Ok(false);
        };
        (self.listener)(&job, &done);
        self.plan.settle(job.id, done.result)?;
        self.settled += 1;
        self.over |= self.plan.tally().found.is_some();
        Ok(true)
    }

    fn hand_in(
        &mut self,
        place: u64,
        job: Job,
        done: Result<FinishedJob, SwarmError>,
        stop: &Stop,
    ) {
        self.running.remove(&place);
        // What the clock has cut does not count, so that the jobs that do can be repeated without a clock.
        let was_cut = |done: &FinishedJob| {
            let ending = done.result.ending;
            stop.requested().is_some()
                && matches!(ending, Ending::Spent(Limit(Spending::Stopped(_))))
        };
        let done = match done {
            Ok(done) if was_cut(&done) => return,
            Ok(done) => done,
            Err(error) => {
                self.failure.get_or_insert(error);
                return;
            }
        };
        if !done.result.found.is_empty() && self.found.is_none_or(|(first, _)| place < first) {
            let when = self.found.map_or_else(Instant::now, |(_, when)| when);
            self.found = Some((place, when));
            let later = self.running.range(place..);
            later.for_each(|(_, cancel)| cancel.request(StopReason::Interrupt));
        }
        self.waiting.insert(place, (job, done));
    }

    /// Gives up on jobs that keep a find from being reported.
    fn lose_patience(&mut self) {
        if self.found.is_some_and(|(_, when)| when.elapsed() >= GRACE) {
            let running = self.running.values();
            running.for_each(|cancel| cancel.request(StopReason::Interrupt));
        }
    }

    /// Settles what is left after the last job.
    fn clear_away(&mut self) -> Result<(), SwarmError> {
        while self.plan.tally().found.is_none() && self.settle_next()? {}
        Ok(())
    }
}
