//! What the transport asks of a campaign: plain bytes in and out, nothing asynchronous.

use crate::plan::{Mismatch, Settled};

/// A piece of work for one worker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SentJob {
    /// Its number: ascending, never used twice in a campaign.
    pub id: u64,
    /// What the worker's [`JobRunner`] gets. It has to fit in one message.
    pub payload: Vec<u8>,
}

/// Decides what is to be done: a state machine without clocks and connections.
pub trait Logic: Send {
    /// What a worker needs to know before it can do jobs (the model, options). It is sent once, may be several MiB,
    /// and is the same whenever the same campaign is resumed.
    fn description(&self) -> Vec<u8>;

    /// The next job, or `None` while nothing can be handed out until results come in.
    fn draw(&mut self) -> Option<SentJob>;

    /// A result came in. An error means that it makes no sense (a stranger, a bug): it is counted, and the job is
    /// handed out again.
    fn take(&mut self, id: u64, payload: &[u8]) -> Result<Settled, Mismatch>;

    /// Whether all is done or something was found: the campaign ends.
    fn finished(&self) -> bool;

    /// The whole state, to be stored. It includes the jobs that are out.
    fn save(&self) -> Vec<u8>;

    /// Goes back to a stored state.
    fn restore(&mut self, saved: &[u8]) -> Result<(), Mismatch>;

    /// The jobs that were drawn and are not settled.
    fn outstanding(&self) -> Vec<SentJob>;

    /// A few lines (or JSON) for people who look from outside.
    fn status(&self) -> String;
}

/// Does jobs. One thread has one.
pub trait JobRunner {
    /// Does a job. Once `stop` says true the result is not wanted any more and anything may be returned, soon.
    fn run(&mut self, job: &[u8], stop: &(dyn Fn() -> bool + Sync)) -> Result<Vec<u8>, String>;
}

/// Makes [`JobRunner`] from a campaign's description, once per thread.
pub trait JobRunnerFactory: Sync {
    /// Refusing (say, a description of another version) makes the worker leave with that message.
    fn open(&self, description: &[u8]) -> Result<Box<dyn JobRunner>, String>;
}
