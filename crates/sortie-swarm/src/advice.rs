//! Which components make a good subsystem: few traces, of about the same weight, that feedback rules out in great numbers.
//!
//! Every component, and pairs of the best, is tried with a few small jobs. From what they visit and rule out follows how long so many
//! workers would take: at least as long as the largest job, and as long as all jobs together divided among them.

use crate::SwarmError;
use crate::crew::{Crew, initial_seed};
use crate::graph::Graph;
use crate::guide::{Guide, Signs};
use crate::hive::{Ends, Hive};
use crate::messages::Ending;
use crate::plan::Plan;
use crate::rule::RULES;
use crate::traces::Traces;
use num_bigint::BigUint;
use sortie_model::{Composed, Model, Selection, Silent, Stop};
use sortie_search::{Options, strategy};

/// Jobs tried for each candidate.
const JOBS: u64 = 12;

/// States that such a job may expand.
const STATES: u64 = 10_000;

/// The estimate is made for so many workers.
const WORKERS: u64 = 16;

/// So many of the best components are tried in pairs.
const PAIRED: usize = 4;

/// Networks with more components are tried for the first ones only.
const MOST: usize = 64;

/// So many traces are wanted of a subsystem with cycles, at most.
pub const TRACES_OF_CYCLES: u64 = 1000;

/// A subsystem, and what was found out about it.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The components it is made of.
    pub components: Vec<usize>,
    /// What it can do, or why it cannot be taken.
    pub trial: Result<Trial, String>,
}

/// What a few jobs have shown.
#[derive(Clone, Debug)]
pub struct Trial {
    /// States of the subsystem.
    pub states: usize,
    /// Whether it can come back to where it was.
    pub cyclic: bool,
    /// How many traces it has, those that are cut included.
    pub traces: BigUint,
    /// How many are left after the jobs.
    pub left: BigUint,
    /// Jobs that were done.
    pub jobs: u64,
    /// Whether one of them reached its limit, so that all numbers of states are too small.
    pub limited: bool,
    /// States visited by all of them.
    pub visited: u64,
    /// States visited by the largest.
    pub largest: u64,
}

impl Trial {
    /// How many jobs there will be if every job rules out the same share of what is left.
    pub fn jobs_in_all(&self) -> u64 {
        let (all, left) = (self.traces.bits(), self.left.bits());
        match left {
            0 => self.jobs,
            _ => (self.jobs * all).div_ceil((all - left).max(1)),
        }
    }

    /// How many states are visited one after another when so many workers share the jobs.
    pub fn time(&self) -> u64 {
        let together = self.jobs_in_all() * self.visited / self.jobs.max(1);
        self.largest.max(together / WORKERS)
    }

    /// Subsystems without cycles come first, then those that divide the work at all, then the fastest.
    fn rank(&self) -> (bool, bool, u64) {
        (self.cyclic, self.traces.bits() <= 1, self.time())
    }
}

/// All candidates, the best first.
pub fn advise(
    model: &dyn Model,
    domains: &[(String, Vec<String>)],
    max_states: usize,
    stop: &Stop,
) -> Result<Vec<Candidate>, SwarmError> {
    let Some(composed) = model.composed() else {
        return Ok(Vec::new());
    };
    let attempt = |components: Vec<usize>| {
        let selection = Selection {
            components: &components,
            domains,
            max_states,
        };
        let trial = attempt(model, composed, &selection, stop)?;
        Ok(Candidate { components, trial })
    };
    let count = composed.components().len();
    if count < 2 {
        return Ok(Vec::new());
    }
    let mut candidates = (0..count.min(MOST))
        .map(|component| attempt(vec![component]))
        .collect::<Result<Vec<Candidate>, SwarmError>>()?;
    sort(&mut candidates);
    let best: Vec<usize> = candidates
        .iter()
        .filter(|candidate| candidate.trial.is_ok())
        .take(PAIRED)
        .map(|candidate| candidate.components[0])
        .collect();
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
    candidates.sort_by_key(|candidate| match &candidate.trial {
        Ok(trial) => (0, Some(trial.rank()), candidate.components.clone()),
        Err(_) => (1, None, candidate.components.clone()),
    });
}

/// All traces of a graph, or as many as are wanted of one with cycles.
pub fn traces_of(graph: Graph) -> Traces {
    match graph.is_acyclic() {
        true => Traces::all(graph).expect("there is no cycle"),
        false => Traces::about(graph, TRACES_OF_CYCLES),
    }
}

fn attempt(
    model: &dyn Model,
    composed: &dyn Composed,
    selection: &Selection<'_>,
    stop: &Stop,
) -> Result<Result<Trial, String>, SwarmError> {
    let graph = match composed.subsystem(selection) {
        Ok(subsystem) => Graph::of_subsystem(&subsystem),
        Err(error) => return Ok(Err(error.message)),
    };
    let states = graph.nodes().len();
    let traces = traces_of(graph);
    let total = traces.total(0).clone();
    let cyclic = traces.bound().is_some();
    let signs = Signs::Components(selection.components.to_vec());
    let guide = Guide::new(model, &signs).map_err(SwarmError::Strange)?;
    let crew = Crew {
        model,
        properties: &[],
        guide: &guide,
        strategy: strategy("bfs")?,
        options: Options::default(),
        max_states: Some(STATES),
        memory: None,
        records: false,
    };
    let mut hive = Hive::new(traces, &RULES[0], Ends::Bounded, 1, initial_seed(model)?);
    let mut limited = false;
    while hive.tally().jobs < JOBS && stop.requested().is_none() {
        let Some(job) = hive.draw() else {
            break;
        };
        let done = crew.work(&job, stop, &Silent)?;
        limited |= done.report.ending != Ending::Exhausted;
        hive.settle(job.id, done.report)?;
    }
    let tally = hive.tally();
    Ok(Ok(Trial {
        states,
        cyclic,
        traces: total,
        left: hive.left(),
        jobs: tally.jobs,
        limited,
        visited: tally.visited,
        largest: tally.largest,
    }))
}
