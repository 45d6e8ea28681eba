//! Doing jobs: the searches of a campaign, one at a time.

use crate::SwarmError;
use crate::informed::bound_search::{Binding, Bound, BoundProperty};
use crate::informed::subsystem_steps::SubsystemSteps;
use crate::job::{Discovery, Ending, Job, JobResult, Limit, Print, Seed, Task};
use sortie_model::{
    Budget, Exactness, Fingerprint, Model, Observer, Spending, Stop, StopReason, Trace, Verdict,
};
use sortie_property::Property;
use sortie_search::{Hunt, Options, Outcome, SearchError, Strategy, path_of, retrace_whole};
use std::collections::BTreeSet;

/// What a worker brings along for all its jobs.
pub struct Worker<'a> {
    /// The model to search.
    pub model: &'a dyn Model,
    /// What is looked for.
    pub properties: &'a [Box<dyn Property>],
    /// Which steps belong to the subsystem.
    pub guide: &'a SubsystemSteps<'a>,
    /// How to search.
    pub strategy: &'static Strategy,
    /// The options of the strategy.
    pub options: Options,
    /// How many states a job may expand.
    pub max_states: Option<u64>,
    /// How many bytes a job may hold.
    pub memory: Option<u64>,
    /// Whether to tell which states were expanded.
    pub records: bool,
}

/// A job that is done.
#[derive(Clone, Debug)]
pub struct FinishedJob {
    /// What is reported.
    pub result: JobResult,
    /// The content of the states expanded, if they were to be recorded.
    pub coverage: BTreeSet<Fingerprint>,
}

impl Worker<'_> {
    /// Does a job.
    pub fn work(
        &self,
        job: &Job,
        stop: &Stop,
        observer: &dyn Observer,
    ) -> Result<FinishedJob, SwarmError> {
        match &job.task {
            Task::Informed {
                labels,
                cut,
                seeds,
                seed,
            } => {
                let labels: Vec<Fingerprint> = labels.iter().map(|print| print.0).collect();
                self.bound_search(&labels, *cut, seeds, *seed, (stop, observer))
            }
            Task::Plain { seed } => {
                let begin = initial_seed(self.model)?;
                self.bound_search(&[], false, &[begin], *seed, (stop, observer))
            }
        }
    }

    fn bound_search(
        &self,
        labels: &[Fingerprint],
        cut: bool,
        seeds: &[Seed],
        random: u64,
        (stop, observer): (&Stop, &dyn Observer),
    ) -> Result<FinishedJob, SwarmError> {
        let states = self.states(seeds)?;
        let binding = Binding {
            labels,
            cut,
            seeds: &states,
            records: self.records,
        };
        let bound = Bound::new(self.model, self.guide, binding);
        let properties: Vec<Box<dyn Property + '_>> = self
            .properties
            .iter()
            .map(|property| Box::new(BoundProperty::new(&bound, &**property)) as Box<_>)
            .collect();
        let hunt = Hunt {
            budget: Budget {
                max_states: self.max_states,
                memory: self.memory,
                stop: stop.clone(),
            },
            options: self.options.clone(),
            seed: random,
            ..Hunt::new(&bound, &properties, observer)
        };
        let outcome = self.strategy.hunt(&hunt)?;
        let mut found = Vec::new();
        for hit in &outcome.found {
            let (seed, trace) = bound.unbind(&hit.trace);
            let mut path = seeds[seed].path.clone();
            let steps = path_of(self.model, &trace);
            path.extend(steps.map_err(strange("a step of a path is not there"))?);
            found.push(Discovery {
                property: hit.property,
                path,
            });
        }
        let mut report = JobResult {
            ending: ending(&outcome),
            found,
            observed: Vec::new(),
            contents: Vec::new(),
            seeds: Vec::new(),
            visited: outcome.counts.visited,
            expanded: outcome.counts.expanded,
            transitions: outcome.counts.transitions,
            depth: outcome.counts.depth,
        };
        if let [_, _, ..] = seeds {
            // The choice of a seed is no state of the model.
            report.visited = report.visited.saturating_sub(1);
            report.expanded = report.expanded.saturating_sub(1);
        }
        if report.ending == Ending::Exhausted {
            let prints = |seen: BTreeSet<Fingerprint>| seen.into_iter().map(Print).collect();
            let observed = bound.observed().into_iter();
            report.observed = observed.map(|seen| seen.map(prints)).collect();
            report.contents = bound.contents().into_iter().map(|c| c.map(Print)).collect();
        }
        if report.ending != Ending::Found {
            let ends = bound.ends();
            report.visited = report.visited.saturating_sub(ends.len() as u64);
            report.expanded = report.expanded.min(report.visited);
            report.seeds = ends
                .into_iter()
                .map(|end| {
                    let mut path = seeds[end.seed].path.clone();
                    path.extend(end.path);
                    let seed = Seed {
                        print: Print(self.model.fingerprint(&end.state)),
                        path,
                        state: Some(end.state),
                    };
                    (Print(end.label), seed)
                })
                .collect();
        }
        Ok(FinishedJob {
            result: report,
            coverage: bound.expanded(),
        })
    }

    /// The states of seeds, found by walking where they are not known.
    fn states(&self, seeds: &[Seed]) -> Result<Vec<Vec<u32>>, SwarmError> {
        let state = |seed: &Seed| match &seed.state {
            Some(state) => Ok(state.clone()),
            None => {
                let trace = follow(self.model, &seed.path)?;
                let state = trace.last().to_vec();
                match self.model.fingerprint(&state) == seed.print.0 {
                    true => Ok(state),
                    false => Err(SwarmError::Strange("a path leads to another state".into())),
                }
            }
        };
        match seeds {
            [] => Err(SwarmError::Strange("a job has no seed".into())),
            seeds => seeds.iter().map(state).collect(),
        }
    }
}

fn ending(outcome: &Outcome) -> Ending {
    match &outcome.verdict {
        Verdict::Found => Ending::Found,
        Verdict::Exhausted if outcome.exactness == Exactness::Exact => Ending::Exhausted,
        Verdict::Exhausted => Ending::Spent(Limit(Spending::Store(outcome.exactness))),
        Verdict::Spent(spending) => Ending::Spent(Limit(*spending)),
        Verdict::Broken(_) => Ending::Spent(Limit(Spending::Stopped(StopReason::Interrupt))),
    }
}

/// The initial state of a model as a seed.
pub fn initial_seed(model: &dyn Model) -> Result<Seed, SwarmError> {
    let mut state = Vec::new();
    model.initial(&mut state)?;
    Ok(Seed {
        print: Print(model.fingerprint(&state)),
        path: Vec::new(),
        state: Some(state),
    })
}

/// The path that takes these steps from the initial state.
pub fn follow(model: &dyn Model, path: &[u32]) -> Result<Trace, SwarmError> {
    retrace_whole(model, path).map_err(strange("a path takes a step that is not there"))
}

/// What is said where a path cannot be followed.
fn strange(what: &'static str) -> impl Fn(SearchError) -> SwarmError {
    move |error| match error {
        SearchError::LostPath { .. } => SwarmError::Strange(what.into()),
        SearchError::Model(error) => SwarmError::Model(error),
        error => SwarmError::Search(error),
    }
}
