//! Run after run, on several threads, looked at in order.

use super::Answer;
use super::record::{Record, Seat};
use super::search::{Done, RunStart, Search};
use crate::parallel::share::share;
use crate::{GoodTuring, Options, STRATEGIES, SearchError, Strategy, Unseen};
use sortie_model::{Dice, End, Fingerprinter, Spending, Stop, Verdict, Walk};
use std::collections::HashSet;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

/// Failures with so many different messages are kept.
const KEPT: usize = 100;

/// Makes what runs; called once for each thread.
pub type MakeWalk<'a> = dyn Fn() -> Box<dyn Walk + Send + 'a> + Sync + 'a;

/// What is to be run, how, and what it may cost.
pub struct Setup<'a> {
    /// Makes what runs.
    pub walk: &'a MakeWalk<'a>,
    /// How runs are decided: a strategy that searches programs.
    pub strategy: &'static Strategy,
    /// The options of the strategy; a depth limits runs like `max_steps`.
    pub options: Options,
    /// How many steps one run may have.
    pub max_steps: u64,
    /// Ends the runs from outside.
    pub stop: Stop,
    /// Decides all random choices.
    pub seed: u64,
    /// How many threads may work; never changes the result.
    pub threads: usize,
    /// Go on after a failure and collect all that differ.
    pub keep_going: bool,
}

impl<'a> Setup<'a> {
    /// The default strategy with its usual options, one thread, seed 1, and runs of at most a million steps.
    pub fn new(walk: &'a MakeWalk<'a>) -> Self {
        Setup {
            walk,
            strategy: &STRATEGIES[0],
            options: Options::default(),
            max_steps: 1_000_000,
            stop: Stop::default(),
            seed: 1,
            threads: 1,
            keep_going: false,
        }
    }
}

/// A run that failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// What went wrong.
    pub message: String,
    /// The number of the run, from 0.
    pub run: u64,
    /// The answers to its questions: with the same answers it fails in the same way.
    pub answers: Vec<Answer>,
}

/// What runs cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunCounts {
    /// Runs so far.
    pub runs: u64,
    /// Moves of tasks in all of them.
    pub steps: u64,
    /// Moves in the longest.
    pub longest: u64,
    /// Runs that were cut at the limit on steps.
    pub limited: u64,
    /// Runs that failed.
    pub failed: u64,
    /// The first run that failed.
    pub first_failed: Option<u64>,
}

/// Many runs.
pub struct Trials<'a> {
    course: Box<dyn Course + Send + 'a>,
    keep_going: bool,
    stop: Stop,
    is_random: bool,
    /// Where the present round ends.
    round_end: u64,
    counts: RunCounts,
    failures: Vec<Failure>,
    messages: HashSet<String>,
    classes: GoodTuring,
    verdict: Option<Verdict>,
}

impl<'a> Trials<'a> {
    /// Checks the options; nothing is run yet.
    pub fn new(setup: Setup<'a>) -> Result<Self, SearchError> {
        let course = setup.strategy.start(&setup)?;
        Ok(Trials {
            course,
            keep_going: setup.keep_going,
            stop: setup.stop,
            is_random: setup.strategy.random,
            round_end: 0,
            counts: RunCounts::default(),
            failures: Vec::new(),
            messages: HashSet::new(),
            classes: GoodTuring::default(),
            verdict: None,
        })
    }

    /// Does up to so many further runs. The answer when there is one; otherwise it can be called again, with the same result as if all runs had been
    /// asked for at once.
    pub fn go(&mut self, runs: u64) -> Result<Option<Verdict>, SearchError> {
        let goal = self.counts.runs.saturating_add(runs);
        while self.verdict.is_none() && self.counts.runs < goal {
            if self.counts.runs == self.round_end {
                self.round_end += self.course.round(self.round_end).max(1);
            }
            let todo = self.counts.runs..goal.min(self.round_end);
            let wanted = todo.end;
            let reports = self.course.go(todo, self.keep_going)?;
            for report in reports {
                self.take(report);
                if self.verdict.is_some() {
                    break;
                }
            }
            if self.verdict.is_none() && self.counts.runs < wanted {
                let reason = self.stop.requested();
                let reason = reason.expect("only a request leaves runs out");
                self.verdict = Some(Verdict::Spent(Spending::Stopped(reason)));
            }
            if self.verdict.is_none() && self.counts.runs == self.round_end {
                self.course.learn();
                self.verdict = self.course.over().map(|verdict| match verdict {
                    _ if self.counts.failed > 0 => Verdict::Found,
                    other => other,
                });
            }
        }
        Ok(self.verdict.clone())
    }

    fn take(&mut self, report: Report) {
        let counts = &mut self.counts;
        counts.runs += 1;
        counts.steps += report.moves;
        counts.longest = counts.longest.max(report.moves);
        self.classes.begin_walk();
        self.classes.meet_half(report.class);
        self.classes.pass(1);
        match report.end {
            End::Limit => counts.limited += 1,
            End::Failed(message) => {
                counts.failed += 1;
                counts.first_failed.get_or_insert(report.run);
                if !self.keep_going {
                    self.verdict = Some(Verdict::Found);
                }
                if self.failures.len() < KEPT && self.messages.insert(message.clone()) {
                    self.failures.push(Failure {
                        message,
                        run: report.run,
                        answers: report.answers,
                    });
                }
            }
            End::DeadEnd | End::Stopped | End::Redundant | End::Impossible => {}
        }
    }

    /// The runs that failed, the first of each message.
    pub fn failures(&self) -> &[Failure] {
        &self.failures
    }

    /// What the runs cost.
    pub fn counts(&self) -> RunCounts {
        self.counts
    }

    /// How likely it is that the next run does what no run did before, by Good and Turing's estimate over classes of runs: runs of
    /// one class differ only in the order of moves that commute. It takes runs for independent, which those of searches that learn are not
    /// quite, and is about this search alone: what it never does, it does not miss. None where runs are not random.
    pub fn unseen(&self) -> Option<Unseen> {
        self.is_random.then(|| self.classes.unseen()).flatten()
    }

    /// About how many classes of runs there were.
    pub fn distinct(&self) -> u64 {
        self.classes.distinct()
    }
}

/// What is told of a run.
pub(crate) struct Report {
    run: u64,
    end: End,
    moves: u64,
    class: u64,
    /// Only of a run that failed.
    answers: Vec<Answer>,
}

/// A search being carried out.
pub(crate) trait Course {
    /// How many runs the round has that begins with this run.
    fn round(&self, first: u64) -> u64;

    /// Does these runs, fewer if it is stopped; if it need not keep going, none after the first that fails.
    fn go(&mut self, runs: Range<u64>, keep_going: bool) -> Result<Vec<Report>, SearchError>;

    /// The round is over.
    fn learn(&mut self);

    /// Why no further run makes sense, if none does.
    fn over(&self) -> Option<Verdict>;
}

/// A search with its walks.
struct Played<'a, S: Search> {
    search: S,
    make_walk: &'a MakeWalk<'a>,
    max_steps: u64,
    stop: Stop,
    seed: u64,
    workers: Vec<Worker<'a, S>>,
    lessons: Vec<(u64, S::Lesson)>,
}

struct Worker<'a, S: Search> {
    walk: Option<Box<dyn Walk + Send + 'a>>,
    seat: Seat<S::Player>,
}

/// Carries out a search.
pub(crate) fn course<'a, S: Search + 'a>(
    search: S,
    setup: &Setup<'a>,
) -> Box<dyn Course + Send + 'a> {
    let workers = (0..setup.threads.max(1)).map(|_| Worker {
        walk: None,
        seat: Seat {
            player: search.player(),
            answers: Vec::new(),
            class: Default::default(),
        },
    });
    let depth = setup.options.depth().unwrap_or(u64::MAX);
    Box::new(Played {
        workers: workers.collect(),
        make_walk: setup.walk,
        max_steps: depth.min(setup.max_steps),
        stop: setup.stop.clone(),
        seed: setup.seed,
        lessons: Vec::new(),
        search,
    })
}

/// The dice of one run, or of one level.
pub(crate) fn dice(seed: u64, number: u64) -> Dice {
    let mut print = Fingerprinter::new();
    print.mix(seed);
    print.mix(number);
    Dice::new(print.fingerprint().low())
}

impl<'a, S: Search> Course for Played<'a, S> {
    fn round(&self, first: u64) -> u64 {
        self.search.round(first)
    }

    fn go(&mut self, runs: Range<u64>, keep_going: bool) -> Result<Vec<Report>, SearchError> {
        let (search, make_walk, stop) = (&self.search, self.make_walk, &self.stop);
        let (seed, max_steps, first) = (self.seed, self.max_steps, runs.start);
        let failed = AtomicU64::new(u64::MAX);
        let one = |worker: &mut Worker<'a, S>, run: u64| -> Result<_, SearchError> {
            let start = RunStart { run, length: None };
            search.begin(&mut worker.seat.player, start, dice(seed, run));
            let walk = worker.walk.get_or_insert_with(make_walk);
            let mut record = Record::new(search, &mut worker.seat, stop);
            let end = walk.run(&mut record, max_steps)?;
            let moves = record.moves;
            let seat = &mut worker.seat;
            let done = Done {
                end: &end,
                answers: &seat.answers,
                moves,
            };
            let lesson = search.end(&mut seat.player, &done);
            let has_failed = matches!(end, End::Failed(_));
            if has_failed && !keep_going {
                failed.fetch_min(run, Ordering::Relaxed);
            }
            let answers = has_failed.then(|| seat.answers.clone());
            let report = Report {
                run,
                class: seat.class.print(&seat.answers),
                moves,
                answers: answers.unwrap_or_default(),
                end,
            };
            Ok((report, lesson))
        };
        let length = (runs.end - runs.start) as usize;
        let workers = self.workers.len().min(length).max(1);
        let parts = share(&mut self.workers[..workers], 0..length, |worker, part| {
            let mut done = Vec::with_capacity(part.len());
            for index in part {
                let run = first + index as u64;
                if stop.requested().is_some() {
                    return Ok((done, false));
                }
                // Nobody looks at what comes after a failure.
                if failed.load(Ordering::Relaxed) < run {
                    break;
                }
                done.push(one(worker, run)?);
            }
            Ok::<_, SearchError>((done, true))
        });
        let mut reports = Vec::with_capacity(length);
        for part in parts {
            // What other threads did after a failure does not count, not even an error.
            let has_failed = |report: &Report| matches!(report.end, End::Failed(_));
            if failed.load(Ordering::Relaxed) != u64::MAX && reports.last().is_some_and(has_failed)
            {
                break;
            }
            let (done, is_whole) = part?;
            for (report, lesson) in done {
                self.lessons.push((report.run, lesson));
                reports.push(report);
            }
            // What comes after a gap cannot be repeated.
            if !is_whole {
                break;
            }
        }
        Ok(reports)
    }

    fn learn(&mut self) {
        for (run, lesson) in self.lessons.drain(..) {
            self.search.learn(run, lesson);
        }
        self.search.reflect();
    }

    fn over(&self) -> Option<Verdict> {
        self.search.over()
    }
}
