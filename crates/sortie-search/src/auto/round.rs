//! One round: a search with a seed and a limit of its own.

use super::arms::{ARMS, EXHAUSTIVE, heavy_tailed_walks};
use super::continued::Continued;
use super::coverage::{Coverage, Seen};
use super::probe::{Extent, probe};
use crate::options::DEPTH;
use crate::strategies::depth_first::{self, Order};
use crate::{Hunt, Options, Outcome, SearchError, strategy};
use sortie_model::{Budget, Dice, Event, Observer, Stop, StopReason, Verdict};
use sortie_property::Property;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// While several rounds may run at a time, each may hold this part of the memory.
const MEMORY_PARTS: u64 = 4;

/// What a round does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Task {
    /// One of the searches, by number.
    Arm(usize),
    /// A probe with so many states of each level.
    Probe(usize),
    /// A search of all there is.
    Exhaust,
}

impl Task {
    /// What it is called.
    pub(super) fn name(self) -> &'static str {
        match self {
            Task::Arm(arm) => ARMS[arm].name,
            Task::Probe(_) => "probe",
            Task::Exhaust => EXHAUSTIVE,
        }
    }
}

/// A round to come.
#[derive(Clone, Copy, Debug)]
pub(super) struct Round {
    pub(super) number: u64,
    pub(super) task: Task,
    /// How many states it may expand.
    pub(super) budget: u64,
    pub(super) seed: u64,
    /// Set if it goes on with the search that is continued, after so many states.
    pub(super) after: Option<u64>,
}

impl Round {
    /// What the search is told.
    fn options(&self) -> Options {
        match self.task {
            Task::Arm(arm) => ARMS[arm].options(self.budget, &mut Dice::new(self.seed)),
            Task::Probe(_) | Task::Exhaust => Options::default(),
        }
    }

    /// Whether it consists of random walks of the kind that estimates are made from.
    pub(super) fn walks_plainly(&self) -> bool {
        self.task.name() == "random" && self.options() == heavy_tailed_walks()
    }
}

/// A round that is over.
pub(super) struct Report {
    pub(super) round: Round,
    /// None where states have more successors than the search can list.
    pub(super) outcome: Option<Outcome>,
    /// How much of what was found, rounds before had found, where the search goes on.
    pub(super) found_before: u64,
    pub(super) seen: Seen,
    pub(super) extent: Option<Extent>,
}

/// Carries out the rounds of a plan; their reports in order, up to the first that ends the hunt.
pub(super) fn carry_out(
    hunt: &Hunt<'_>,
    pairs: &[(usize, usize)],
    continued: &Continued,
    plan: Vec<Round>,
) -> Vec<Result<Report, SearchError>> {
    let stops: Vec<Stop> = plan.iter().map(|_| hunt.budget.stop.child()).collect();
    let next = AtomicUsize::new(0);
    let reports: Mutex<Vec<(usize, Result<Report, SearchError>)>> = Mutex::default();
    let work = || {
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(&round) = plan.get(index) else {
                break;
            };
            if stops[index].requested().is_some() && index > 0 {
                continue;
            }
            let stop = stops[index].clone();
            let report = match round.after {
                Some(after) => continued.go_on(round, after, stop),
                None => one(hunt, pairs, round, stop, None),
            };
            // What comes after the end will never be asked for.
            let is_end = match &report {
                Ok(report) => report.ends(hunt),
                Err(_) => true,
            };
            if is_end {
                let later = stops[index + 1..].iter();
                later.for_each(|stop| stop.request(StopReason::Interrupt));
            }
            let mut reports = reports.lock().expect("no round panics while it reports");
            reports.push((index, report));
        }
    };
    let threads = hunt.threads.clamp(1, plan.len());
    std::thread::scope(|scope| {
        (1..threads).for_each(|_| {
            scope.spawn(work);
        });
        work();
    });
    let mut reports = reports.into_inner().expect("no round panics");
    reports.sort_by_key(|(index, _)| *index);
    reports.into_iter().map(|(_, report)| report).collect()
}

impl Report {
    /// Whether nothing that comes later matters.
    fn ends(&self, hunt: &Hunt<'_>) -> bool {
        let has_loops = hunt.properties.iter().any(|p| p.cycle().is_some());
        self.outcome
            .as_ref()
            .is_some_and(|outcome| match outcome.verdict {
                Verdict::Found => !hunt.keep_going,
                // Loops may be left to look for when every state was seen.
                Verdict::Exhausted => !has_loops,
                _ => false,
            })
    }
}

/// What a search that pauses does with its report so far; gives how to go on.
pub(super) type Paused<'a> = &'a dyn Fn(Report) -> Option<Order>;

/// Carries out one round. A search that can pause does so when it is out of states.
pub(super) fn one(
    hunt: &Hunt<'_>,
    pairs: &[(usize, usize)],
    round: Round,
    stop: Stop,
    paused: Option<Paused<'_>>,
) -> Result<Report, SearchError> {
    let strategy = match round.task {
        Task::Arm(arm) => Some(ARMS[arm].strategy()),
        Task::Probe(_) => None,
        Task::Exhaust => Some(strategy(EXHAUSTIVE)?),
    };
    let cycles = strategy.is_some_and(|strategy| strategy.cycles);
    let wanted: Vec<usize> = (0..hunt.properties.len())
        .filter(|&index| cycles || hunt.properties[index].cycle().is_none())
        .collect();
    let coverage = Coverage::new(pairs);
    let mut properties: Vec<Box<dyn Property + '_>> = Vec::new();
    for &index in &wanted {
        properties.push(Box::new(&*hunt.properties[index]));
    }
    let whole = round.task == Task::Exhaust;
    if !whole {
        properties.push(Box::new(&coverage));
    }
    let mut options = round.options();
    let depth = hunt.options.optional_number(&DEPTH);
    if let Some(depth) = depth {
        options.set(DEPTH.name, depth);
    }
    let memory = hunt.budget.memory;
    let quiet = Quiet(hunt.observer);
    let own = Hunt {
        model: hunt.model,
        properties: &properties,
        observer: &quiet,
        budget: Budget {
            max_states: Some(round.budget),
            memory: if whole {
                memory
            } else {
                memory.map(|memory| memory / MEMORY_PARTS)
            },
            stop,
        },
        options,
        seed: round.seed,
        threads: if whole { hunt.threads } else { 1 },
        keep_going: hunt.keep_going,
        paper_counts: false,
        tell_levels: false,
        fitness: hunt.fitness,
        keeper: None,
    };
    let reported = |outcome: Option<Outcome>, extent: Option<Extent>| Report {
        round,
        outcome: outcome.map(|mut outcome| {
            for found in &mut outcome.found {
                found.property = wanted[found.property];
            }
            outcome
        }),
        found_before: 0,
        seen: coverage.seen(),
        extent,
    };
    let result = match (paused, strategy, round.task) {
        (Some(paused), ..) => {
            let ask = |outcome: Outcome| paused(reported(Some(outcome), None));
            depth_first::continued(&own, &ask).map(|outcome| (outcome, None))
        }
        (_, Some(strategy), _) => strategy.hunt(&own).map(|outcome| (outcome, None)),
        (_, None, Task::Probe(width)) => {
            probe(&own, width, depth).map(|(o, extent)| (o, Some(extent)))
        }
        (_, None, _) => unreachable!("only probes are no strategies"),
    };
    match result {
        Ok((outcome, extent)) => Ok(reported(Some(outcome), extent)),
        Err(SearchError::Model(error)) if error.fanout => Ok(reported(None, None)),
        Err(error) => Err(error),
    }
}

/// Rounds show signs of life; their levels and generations are nobody's business.
struct Quiet<'a>(&'a dyn Observer);

impl Observer for Quiet<'_> {
    fn event(&self, event: &Event) {
        if matches!(event, Event::Degraded { .. } | Event::Warning { .. }) {
            self.0.event(event);
        }
    }

    fn progress(&self, expanded: u64) {
        self.0.progress(expanded);
    }
}
