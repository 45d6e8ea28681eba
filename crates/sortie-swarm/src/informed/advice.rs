//! Which components make a good subsystem: few traces, of about the same weight, that feedback rules out in great numbers.
//!
//! Every component, and pairs of the best, is tried with a few small jobs. From what they visit and rule out follows how long so many
//! workers would take: at least as long as the largest job, and as long as all jobs together divided among them.

use crate::SwarmError;
use crate::informed::informed_swarm::{Ends, InformedSwarm};
use crate::informed::selection::RULES;
use crate::informed::subsystem_graph::Graph;
use crate::informed::subsystem_steps::{Signs, SubsystemSteps};
use crate::informed::trace_space::TraceSpace;
use crate::job::Ending;
use crate::plan::Plan;
use crate::worker::{Worker, initial_seed};
use num_bigint::BigUint;
use sortie_model::{LocalStates, Model, Selection, Silent, Stop};
use sortie_search::{Options, strategy};
use std::collections::BTreeMap;

/// Jobs tried for each candidate without cycles.
const JOBS: u64 = 12;

/// States that the jobs of all candidates may visit together, and those of one candidate at least and at most.
const STATES: u64 = 100_000;
const LEAST: u64 = 1_000;
const MOST_STATES: u64 = 15_000;

/// Subsystems with more states are not looked at closely.
const SUBSYSTEM: usize = 500;

/// The estimate is made for so many workers.
const WORKERS: u64 = 16;

/// Number of the best components that are tried in pairs.
const PAIRED: usize = 4;

/// Networks with more components are tried for the first ones only.
const COMPONENTS: usize = 64;

/// A subsystem, and what was found out about it.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The components it is made of.
    pub components: Vec<usize>,
    /// What a few jobs have shown.
    pub trial: Trial,
}

/// What a few jobs have shown.
#[derive(Clone, Debug)]
pub struct Trial {
    /// States of the subsystem, if they can be listed.
    pub states: Option<usize>,
    /// How many traces it has, if it has no cycles.
    pub traces: Option<BigUint>,
    /// Jobs that were done.
    pub jobs: u64,
    /// How many there will be if every job rules out the same share of what is left; those done where that cannot be said.
    pub jobs_in_all: u64,
    /// Whether there were limits, so that all numbers of states are too small.
    pub limited: bool,
    /// States visited by the largest job.
    pub largest: u64,
    /// States visited by all jobs that there will be.
    pub together: u64,
    /// States visited one after another when sixteen workers share the jobs.
    pub time: u64,
}

impl Trial {
    /// Subsystems that divide the work come first, then those that were tried to the end, then the fastest. Where limits were
    /// reached, the share of the whole that one worker has to do says more than the time.
    fn rank(&self) -> (bool, bool, u64) {
        let share = self.time * 1000 / self.together.max(1);
        let cost = if self.limited { share } else { self.time };
        (share == 1000, self.limited, cost)
    }
}

/// All candidates, the best first.
pub fn advise(
    model: &dyn Model,
    domains: &[(String, Vec<String>)],
    stop: &Stop,
) -> Result<Vec<Candidate>, SwarmError> {
    let Some(composed) = model.extensions().local_states() else {
        return Ok(Vec::new());
    };
    let count = composed.component_names().len();
    if count < 2 {
        return Ok(Vec::new());
    }
    let tried = count.min(COMPONENTS) + PAIRED * (PAIRED - 1) / 2;
    let states = (STATES / tried as u64).clamp(LEAST, MOST_STATES);
    let attempt = |components: Vec<usize>| {
        let selection = Selection {
            components: &components,
            domains,
            max_states: SUBSYSTEM,
            stop: Some(stop),
        };
        let trial = attempt(model, composed, &selection, states, stop)?;
        Ok(Candidate { components, trial })
    };
    let mut candidates = (0..count.min(COMPONENTS))
        .map(|component| attempt(vec![component]))
        .collect::<Result<Vec<Candidate>, SwarmError>>()?;
    sort(&mut candidates);
    let best = candidates.iter().take(PAIRED);
    let best: Vec<usize> = best.map(|candidate| candidate.components[0]).collect();
    if count > 2 {
        for (place, &one) in best.iter().enumerate() {
            for &other in &best[place + 1..] {
                candidates.push(attempt(vec![one.min(other), one.max(other)])?);
            }
        }
    }
    sort(&mut candidates);
    Ok(candidates)
}

fn sort(candidates: &mut [Candidate]) {
    candidates.sort_by_key(|candidate| (candidate.trial.rank(), candidate.components.clone()));
}

fn attempt(
    model: &dyn Model,
    composed: &dyn LocalStates,
    selection: &Selection<'_>,
    visits: u64,
    stop: &Stop,
) -> Result<Trial, SwarmError> {
    let subsystem = composed.subsystem(selection).ok();
    let graph = subsystem.map(|subsystem| Graph::of_subsystem(&subsystem));
    let states = graph.as_ref().map(|graph| graph.nodes().len());
    let ways = graph.map_or_else(|| TraceSpace::Met(BTreeMap::new()), TraceSpace::of);
    let traces = match &ways {
        TraceSpace::Counted(traces) => Some(traces.total(0).clone()),
        TraceSpace::Met(_) => None,
    };
    let signs = Signs::Components(selection.components.to_vec());
    let guide = SubsystemSteps::new(model, &signs).map_err(SwarmError::Strange)?;
    let worker = Worker {
        model,
        properties: &[],
        guide: &guide,
        strategy: strategy("bfs")?,
        options: Options::default(),
        max_states: Some(visits / 3),
        memory: None,
        records: false,
    };
    let mut plan = InformedSwarm::new(ways, &RULES[0], Ends::Generations, 1, initial_seed(model)?);
    let mut trial = Trial {
        states,
        traces,
        jobs: 0,
        jobs_in_all: 0,
        limited: false,
        largest: 0,
        together: 0,
        time: 0,
    };
    let (mut generation, mut largest, mut together) = (0, 0, 0);
    while let Some(job) = plan.draw() {
        if plan.generations() > generation {
            generation = plan.generations();
            trial.time += time(largest, together);
            (largest, together) = (0, 0);
        }
        let done = worker.work(&job, stop, &Silent)?;
        trial.limited |= done.result.ending != Ending::Exhausted;
        largest = largest.max(done.result.visited);
        together += done.result.visited;
        plan.settle(job.id, done.result)?;
        let is_enough =
            plan.tally().visited > visits || (trial.traces.is_some() && plan.tally().jobs == JOBS);
        if is_enough || stop.requested().is_some() {
            break;
        }
    }
    let tally = plan.tally();
    trial.jobs = tally.jobs;
    trial.jobs_in_all = tally.jobs;
    trial.largest = tally.largest;
    trial.together = tally.visited;
    let Some(traces) = &trial.traces else {
        trial.limited |= !plan.is_finished();
        trial.time += time(largest, together);
        return Ok(trial);
    };
    let (all, left) = (traces.bits(), plan.left().bits());
    if left > 0 {
        trial.jobs_in_all = (tally.jobs * all).div_ceil((all - left).max(1));
    }
    trial.together = trial.jobs_in_all * tally.visited / tally.jobs.max(1);
    trial.time = time(trial.largest, trial.together);
    Ok(trial)
}

/// How long all workers take for jobs that do not wait for one another.
fn time(largest: u64, together: u64) -> u64 {
    largest.max(together / WORKERS)
}
