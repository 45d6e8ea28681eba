//! Plain swarm: many searches of the whole model that differ in their seeds.

use crate::job::{Ending, Job, JobResult, Task};
use crate::plan::{Mismatch, Plan, Settled, Tally};
use serde::{Deserialize, Serialize};
use sortie_model::derive_seed;
use std::collections::BTreeSet;

/// Independent runs of one strategy, each with its own seed.
pub struct PlainSwarm {
    seed: u64,
    runs: u64,
    state: State,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct State {
    next: u64,
    outstanding: BTreeSet<u64>,
    exhausted: bool,
    tally: Tally,
}

impl PlainSwarm {
    /// A plan for so many runs.
    pub fn new(seed: u64, runs: u64) -> PlainSwarm {
        PlainSwarm {
            seed,
            runs,
            state: State::default(),
        }
    }

    /// Whether some run visited everything.
    pub fn is_exhausted(&self) -> bool {
        self.state.exhausted
    }

    fn job(&self, id: u64) -> Job {
        Job {
            id,
            task: Task::Plain {
                seed: derive_seed(self.seed, id),
            },
        }
    }

    fn is_over(&self) -> bool {
        self.state.tally.found.is_some()
    }
}

impl Plan for PlainSwarm {
    fn draw(&mut self) -> Option<Job> {
        if self.state.next >= self.runs || self.is_over() {
            return None;
        }
        let id = self.state.next;
        self.state.next += 1;
        self.state.outstanding.insert(id);
        Some(self.job(id))
    }

    fn settle(&mut self, id: u64, result: JobResult) -> Result<Settled, Mismatch> {
        if id >= self.state.next {
            return Err(Mismatch(format!("job {id} was never handed out")));
        }
        if !self.state.outstanding.remove(&id) {
            return Ok(Settled::Stale);
        }
        self.state.exhausted |= result.ending == Ending::Exhausted;
        self.state.tally.add(id, &result);
        Ok(Settled::Counted)
    }

    fn is_finished(&self) -> bool {
        self.is_over() || (self.state.next >= self.runs && self.state.outstanding.is_empty())
    }

    fn outstanding(&self) -> Vec<Job> {
        let ids = self.state.outstanding.iter();
        ids.map(|id| self.job(*id)).collect()
    }

    fn tally(&self) -> &Tally {
        &self.state.tally
    }

    fn save(&self) -> String {
        serde_json::to_string(&self.state).expect("numbers and texts can be written")
    }

    fn restore(&mut self, saved: &str) -> Result<(), Mismatch> {
        self.state = serde_json::from_str(saved).map_err(|error| Mismatch(error.to_string()))?;
        Ok(())
    }

    fn status(&self) -> Vec<(String, String)> {
        vec![(
            "runs".into(),
            format!("{} of {}", self.state.tally.jobs, self.runs),
        )]
    }
}
