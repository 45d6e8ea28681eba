//! A swarm of either kind, and what it comes to.

use crate::SwarmError;
use crate::informed::informed_swarm::InformedSwarm;
use crate::informed::selection::Rule;
use crate::informed::subsystem::Subsystem;
use crate::job::{Ending, Job, Task};
use crate::plain::plain_swarm::PlainSwarm;
use crate::plan::{Plan, Tally};
use crate::worker::{FinishedJob, follow, initial_seed};
use sortie_hunt::{Campaign, Reported};
use sortie_model::{Counts, Model, Precision, RunSummary, Spending, Stop, Verdict};
use sortie_search::Found;

/// The two kinds of swarms.
pub enum SwarmKind {
    /// Each job follows a trace of a subsystem.
    Informed(Box<Subsystem>, Box<InformedSwarm>),
    /// Each job is a run with a seed of its own.
    Plain(Box<PlainSwarm>),
}

/// The jobs of a swarm.
pub struct Swarm {
    /// Its kind.
    pub kind: SwarmKind,
    seed: u64,
}

impl Swarm {
    /// Independent runs, so many of them.
    pub fn plain(seed: u64, runs: u64) -> Swarm {
        let kind = SwarmKind::Plain(Box::new(PlainSwarm::new(seed, runs)));
        Swarm { kind, seed }
    }

    /// All traces of a subsystem, chosen by a rule.
    pub fn informed(
        model: &dyn Model,
        subsystem: Subsystem,
        rule: &'static Rule,
        seed: u64,
    ) -> Result<Swarm, SwarmError> {
        let start = initial_seed(model)?;
        let plan = InformedSwarm::new(subsystem.traces.clone(), rule, subsystem.ends, seed, start);
        let kind = SwarmKind::Informed(Box::new(subsystem), Box::new(plan));
        Ok(Swarm { kind, seed })
    }

    /// The seed of all random choices.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The jobs.
    pub fn plan(&mut self) -> &mut dyn Plan {
        match &mut self.kind {
            SwarmKind::Informed(_, plan) => &mut **plan,
            SwarmKind::Plain(plan) => &mut **plan,
        }
    }

    /// What was done so far.
    pub fn tally(&self) -> &Tally {
        match &self.kind {
            SwarmKind::Informed(_, plan) => plan.tally(),
            SwarmKind::Plain(plan) => plan.tally(),
        }
    }

    /// The answer of all jobs together.
    pub fn verdict(&self, stop: &Stop) -> Verdict {
        let tally = self.tally();
        let (finished, covered) = match &self.kind {
            SwarmKind::Informed(_, plan) => (plan.is_finished(), tally.limit.is_none()),
            SwarmKind::Plain(plan) => (plan.is_finished(), plan.is_exhausted()),
        };
        if tally.found.is_some() {
            return Verdict::Found;
        }
        if finished && covered {
            return Verdict::Exhausted;
        }
        let stopped = stop.requested().map(Spending::Stopped);
        let limit = tally.limit.map(|limit| limit.0);
        Verdict::Spent(stopped.or(limit).unwrap_or(Spending::Jobs))
    }

    /// The violations that were found, replayed and shortened, and the number of those that the limits did not allow to replay.
    pub fn reported(
        &self,
        campaign: &Campaign<'_>,
        model: &dyn Model,
    ) -> Result<(Vec<Reported>, u64), SwarmError> {
        let tally = self.tally();
        let (mut reported, mut unreplayed) = (Vec::new(), 0);
        for discovery in tally.found.iter().flat_map(|result| &result.found) {
            let found = Found {
                property: discovery.property,
                trace: follow(model, &discovery.path)?,
                record: None,
                cycle: None,
            };
            let job = tally.found_by.unwrap_or(0);
            match campaign.report(job, &found, tally.expanded)? {
                Some(shown) => reported.push(shown),
                None => unreplayed += 1,
            }
        }
        Ok((reported, unreplayed))
    }

    /// All jobs as one run.
    pub fn summary(&self, found: &[Reported]) -> RunSummary {
        let tally = self.tally();
        let sums = (
            tally.visited,
            tally.expanded,
            tally.transitions,
            tally.depth,
        );
        RunSummary {
            run: 0,
            seed: self.seed,
            verdict: self.verdict(&Stop::default()),
            found: found.len() as u64,
            counts: counts(sums),
            trace: found.first().map(|found| found.witness.raw_length),
            shortened: found.first().map(|found| found.trace.len() as u64),
            unseen_ppm: None,
        }
    }
}

/// Visited and expanded states, transitions and depth as counts of a run.
fn counts((visited, expanded, transitions, depth): (u64, u64, u64, u64)) -> Counts {
    Counts {
        visited,
        expanded,
        considered: visited,
        precision: Precision::AtLeast,
        transitions,
        depth,
    }
}

impl FinishedJob {
    /// The job as a run.
    pub fn summary(&self, job: &Job) -> RunSummary {
        let result = &self.result;
        let sums = (
            result.visited,
            result.expanded,
            result.transitions,
            result.depth,
        );
        RunSummary {
            run: job.id,
            seed: match job.task {
                Task::Plain { seed } | Task::Informed { seed, .. } => seed,
            },
            verdict: match result.ending {
                Ending::Found => Verdict::Found,
                Ending::Exhausted => Verdict::Exhausted,
                Ending::Spent(limit) => Verdict::Spent(limit.0),
            },
            found: result.found.len() as u64,
            counts: counts(sums),
            trace: result.found.first().map(|found| found.path.len() as u64),
            shortened: None,
            unseen_ppm: None,
        }
    }
}
