//! One round: a search with a seed and a limit of its own.

use super::arms::{ARMS, EXHAUSTIVE, exhaustive, heavy_tailed_walks};
use super::continued::Continued;
use super::coverage::{Coverage, Seen};
use super::probe::{Extent, probe};
use crate::options::DEPTH;
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
    /// The number of the search that it stands for, or prepares.
    pub(super) fn arm(self) -> usize {
        match self {
            Task::Arm(arm) => arm,
            Task::Probe(_) | Task::Exhaust => exhaustive(),
        }
    }

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

/// What came of a round.
pub(super) type Answer = Result<Report, SearchError>;

/// Carries out the rounds of a plan; their reports in order, up to the first that ends the hunt.
pub(super) fn carry_out(
    hunt: &Hunt<'_>,
    pairs: &[(usize, usize)],
    continued: &Continued<'_>,
    plan: Vec<Round>,
) -> Vec<Answer> {
    let stops: Vec<Stop> = plan.iter().map(|_| hunt.budget.stop.child()).collect();
    let next = AtomicUsize::new(0);
    let reports: Mutex<Vec<(usize, Answer)>> = Mutex::default();
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
                None => one(hunt, pairs, round, stop),
            };
            // What comes after the end will never be asked for.
            if report.as_ref().map_or(true, |report| report.ends(hunt)) {
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
        match self.outcome.as_ref().map(|outcome| &outcome.verdict) {
            Some(Verdict::Found) => !hunt.keep_going,
            // Loops may be left to look for when every state was seen.
            Some(Verdict::Exhausted) => !hunt.properties.iter().any(|p| p.cycle().is_some()),
            _ => false,
        }
    }
}

/// Carries out one round.
fn one(hunt: &Hunt<'_>, pairs: &[(usize, usize)], round: Round, stop: Stop) -> Answer {
    with_hunt(hunt, pairs, round, stop, |own, report| {
        report(match round.task {
            Task::Probe(width) => {
                let probed = probe(own, width, own.options.depth());
                probed.map(|(outcome, extent)| (outcome, Some(extent)))
            }
            task => {
                let outcome = strategy(task.name())?.hunt(own);
                outcome.map(|outcome| (outcome, None))
            }
        })
    })
}

/// Makes a report of what a search came to.
pub(super) type MakeReport<'a> =
    &'a (dyn Fn(Result<(Outcome, Option<Extent>), SearchError>) -> Answer + Sync);

/// Lends the hunt of a round, which notes what it sees.
pub(super) fn with_hunt<T>(
    hunt: &Hunt<'_>,
    pairs: &[(usize, usize)],
    round: Round,
    stop: Stop,
    run: impl FnOnce(&Hunt<'_>, MakeReport<'_>) -> T,
) -> T {
    let strategy = strategy(round.task.name());
    let cycles = strategy.is_ok_and(|strategy| strategy.cycles);
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
    if let Some(depth) = hunt.options.depth() {
        options.set(DEPTH.name, depth);
    }
    let quiet = Quiet(hunt.observer);
    let parts = if whole { 1 } else { MEMORY_PARTS };
    let own = Hunt {
        budget: Budget {
            max_states: Some(round.budget),
            memory: hunt.budget.memory.map(|memory| memory / parts),
            stop,
        },
        options,
        seed: round.seed,
        threads: if whole { hunt.threads } else { 1 },
        keep_going: hunt.keep_going,
        fitness: hunt.fitness,
        ..Hunt::new(hunt.model, &properties, &quiet)
    };
    let report = |result| {
        let (outcome, extent) = match result {
            Ok((outcome, extent)) => (Some(outcome), extent),
            Err(SearchError::Model(error)) if error.fanout => (None, None),
            Err(error) => return Err(error),
        };
        let whole = |mut outcome: Outcome| {
            for found in &mut outcome.found {
                found.property = wanted[found.property];
            }
            outcome
        };
        Ok(Report {
            round,
            outcome: outcome.map(whole),
            found_before: 0,
            seen: coverage.seen(),
            extent,
        })
    };
    run(&own, &report)
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
