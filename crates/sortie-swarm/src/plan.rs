//! What a coordinator does, whatever carries its messages: it hands out jobs and settles them.

use crate::job::{Ending, Job, JobResult, Limit};
use serde::{Deserialize, Serialize};

/// The jobs of a campaign: a state machine without clocks, threads or messages.
pub trait Plan: Send {
    /// The next job. None while nothing can be handed out, perhaps until another job is settled.
    fn draw(&mut self) -> Option<Job>;

    /// Takes the result of a job into account.
    fn settle(&mut self, id: u64, result: JobResult) -> Result<Settled, Mismatch>;

    /// Whether there is nothing left to do.
    fn is_finished(&self) -> bool;

    /// The jobs that were handed out and not settled.
    fn outstanding(&self) -> Vec<Job>;

    /// What was done so far.
    fn tally(&self) -> &Tally;

    /// Everything that changes, as text.
    fn save(&self) -> String;

    /// Goes on from what was saved.
    fn restore(&mut self, saved: &str) -> Result<(), Mismatch>;

    /// What people want to know of a campaign that runs, as names and values.
    fn status(&self) -> Vec<(String, String)>;
}

/// What became of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Settled {
    /// It counts.
    Counted,
    /// The job had been settled before.
    Stale,
}

/// A message that makes no sense here.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Mismatch(pub String);

/// What a campaign has done.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// Jobs settled.
    pub jobs: u64,
    /// States visited by all jobs.
    pub visited: u64,
    /// States expanded by all jobs.
    pub expanded: u64,
    /// Transitions listed by all jobs.
    pub transitions: u64,
    /// States visited by the largest job.
    pub largest: u64,
    /// The greatest depth.
    pub depth: u64,
    /// Jobs that reached a limit.
    pub cut_short: u64,
    /// Why not everything was seen, the first reason there was.
    pub limit: Option<Limit>,
    /// What was found first.
    pub found: Option<JobResult>,
    /// The job that found it.
    pub found_by: Option<u64>,
}

impl Tally {
    /// Counts a result.
    pub(crate) fn add(&mut self, id: u64, result: &JobResult) {
        self.jobs += 1;
        self.visited += result.visited;
        self.expanded += result.expanded;
        self.transitions += result.transitions;
        self.largest = self.largest.max(result.visited);
        self.depth = self.depth.max(result.depth);
        if let Ending::Spent(limit) = result.ending {
            self.cut_short += 1;
            self.limit.get_or_insert(limit);
        }
        if !result.found.is_empty() && self.found.is_none() {
            self.found = Some(JobResult {
                observed: Vec::new(),
                contents: Vec::new(),
                seeds: Vec::new(),
                ..result.clone()
            });
            self.found_by = Some(id);
        }
    }
}
