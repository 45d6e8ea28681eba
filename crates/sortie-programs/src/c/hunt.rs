//! A hunt in a program: run after run, with points of scheduling that grow.
//!
//! Accesses to memory become scheduling points once threads were seen to share a word without a lock. What was seen in a batch of runs changes the
//! points of the next batch, so the result does not depend on the number of threads; a search begins anew whenever the points change.

use crate::c::region::MOST_SELECTED;
use crate::c::walk::{Caution, Observed};
use crate::c::witness::{Recorded, Witness};
use crate::c::{NativeError, Program, ProgramWalk};
use sortie_model::{End, Fingerprinter, Spending, Stop, Verdict, Walk};
use sortie_search::schedulers::{Divergence, Failure, Replay, RunCounts, Setup, Trials, shorten};
use sortie_search::{Options, SearchError, Strategy, Unseen};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// The first batch of runs; every further one is twice as long, up to the longest.
const FIRST_BATCH: u64 = 10;
const LONGEST_BATCH: u64 = 640;
/// Runs that may be spent on making one failing schedule shorter. Those that end only when patience does are not repeated for that.
fn tries(failure: &str) -> u64 {
    let is_slow = ["endless loop", "livelock"]
        .iter()
        .any(|kind| failure.starts_with(kind));
    if is_slow { 0 } else { 2_000 }
}

/// What is hunted in, how, and what it may cost.
pub struct Hunt<'a> {
    /// The program.
    pub program: Program,
    /// How runs are decided: a strategy that searches programs.
    pub strategy: &'static Strategy,
    /// The options of the strategy.
    pub options: Options,
    /// How many runs there may be.
    pub runs: u64,
    /// Ends the hunt from outside.
    pub stop: Stop,
    /// Decides all random choices.
    pub seed: u64,
    /// How many runs may take place at the same time; never changes the result.
    pub threads: usize,
    /// Go on after a failure and collect all that differ.
    pub keep_going: bool,
    /// Whether accesses to memory are scheduling points, where the program tells of them.
    pub memory: bool,
    /// Whether schedules are made shorter.
    pub shorten: bool,
    /// Hears of every batch of runs.
    pub progress: &'a (dyn Fn(u64) + Sync),
}

/// What came of it.
pub struct Results {
    /// The answer.
    pub verdict: Verdict,
    /// What was found, replayed and shortened.
    pub witnesses: Vec<Witness>,
    /// What it cost.
    pub counts: RunCounts,
    /// How likely the next run is to do something new, as far as can be said.
    pub unseen: Option<Unseen>,
    /// About how many different runs there were, since the points last changed.
    pub distinct: u64,
    /// Words of memory whose accesses are scheduling points.
    pub selected: usize,
    /// Whether the program tells of its accesses to memory.
    pub instrumented: bool,
    /// Whether it shares more words of memory than could be watched, so that accesses to some were no scheduling points.
    pub overlooked: bool,
}

/// A hunt could not be carried out.
#[derive(Debug, thiserror::Error)]
pub enum HuntError {
    /// The search cannot do this.
    #[error(transparent)]
    Search(#[from] SearchError),
    /// The program cannot be run.
    #[error(transparent)]
    Native(#[from] NativeError),
    /// A failure did not happen again with the same answers.
    #[error(
        "the program is not deterministic: run {run} ended with '{failure}', and with the same schedule {instead}; \
         something outside sortie's control decides, such as the time, random numbers, files or addresses"
    )]
    Unsteady {
        /// The run.
        run: u64,
        /// How it failed.
        failure: String,
        /// What happened the second time.
        instead: String,
    },
}

/// Failures are told apart by their messages alone.
struct Found {
    failure: Failure,
    selected: Vec<u64>,
}

/// What runs with the same points came to.
struct Stretch {
    /// The answer, unless the points change before there is one.
    verdict: Option<Verdict>,
    counts: RunCounts,
    failures: Vec<Failure>,
    unseen: Option<Unseen>,
    distinct: u64,
    /// Words that were seen to be shared and are no points yet.
    new: BTreeSet<u64>,
}

impl Hunt<'_> {
    /// Runs the program until something is found, everything is seen, or the budget is spent.
    pub fn go(&self) -> Result<Results, HuntError> {
        let mut selected: Vec<u64> = Vec::new();
        let mut counts = RunCounts::default();
        let mut found: Vec<Found> = Vec::new();
        let mut batch = FIRST_BATCH;
        let observed = Arc::new(Observed::default());
        for number in 0u64.. {
            let stretch = self.stretch(number, &observed, &selected, counts.runs, &mut batch)?;
            for failure in stretch.failures {
                if found
                    .iter()
                    .all(|known| known.failure.message != failure.message)
                {
                    let run = failure.run + counts.runs;
                    found.push(Found {
                        failure: Failure { run, ..failure },
                        selected: selected.clone(),
                    });
                }
            }
            counts = sum(&counts, &stretch.counts);
            let Some(verdict) = stretch.verdict else {
                selected.extend(stretch.new);
                continue;
            };
            let witnesses = found.iter().map(|found| self.witness(found));
            let overlooked =
                observed.overlooked.load(Ordering::Relaxed) || selected.len() > MOST_SELECTED;
            return Ok(Results {
                verdict: match verdict {
                    _ if !found.is_empty() => Verdict::Found,
                    Verdict::Exhausted if overlooked => Verdict::Spent(Spending::Memory),
                    other => other,
                },
                overlooked,
                witnesses: witnesses.collect::<Result<_, _>>()?,
                counts,
                unseen: stretch.unseen,
                distinct: stretch.distinct,
                selected: selected.len(),
                instrumented: observed.instrumented.load(Ordering::Relaxed),
            });
        }
        unreachable!("a hunt ends when its runs do")
    }

    /// Runs the program until there is an answer or the points change, batch by batch.
    fn stretch(
        &self,
        number: u64,
        observed: &Arc<Observed>,
        selected: &[u64],
        before: u64,
        batch: &mut u64,
    ) -> Result<Stretch, HuntError> {
        let walk = || {
            let walk = ProgramWalk::new(self.program.clone(), selected);
            let walk = walk.noting(observed).stopping(&self.stop);
            // A search that is not random claims to see everything, and must not be told what is only likely.
            let caution = match (self.strategy.random, self.memory) {
                (true, _) => Caution::Careless,
                (false, true) => Caution::IfComplete,
                (false, false) => Caution::Silent,
            };
            let walk = walk.with(caution);
            Box::new(walk) as Box<dyn Walk + Send>
        };
        let mut trials = Trials::new(self.setup(&walk, number))?;
        loop {
            let left = self.runs - before - trials.counts().runs;
            let runs = trials.counts().runs;
            let mut verdict = trials.go(left.min(*batch))?;
            (self.progress)(trials.counts().runs - runs);
            *batch = (*batch * 2).min(LONGEST_BATCH);
            let new = self.new_words(observed, selected);
            let spent = before + trials.counts().runs >= self.runs;
            let out_of_runs = spent.then_some(Verdict::Spent(Spending::Walks));
            match verdict {
                None => verdict = out_of_runs,
                // What was thought to be everything was not.
                Some(Verdict::Exhausted) if !new.is_empty() => verdict = out_of_runs,
                Some(Verdict::Found) if !new.is_empty() && self.keep_going => verdict = out_of_runs,
                _ => {}
            }
            if verdict.is_some() || !new.is_empty() {
                return Ok(Stretch {
                    verdict,
                    counts: trials.counts(),
                    failures: trials.failures().to_vec(),
                    unseen: trials.unseen(),
                    distinct: trials.distinct(),
                    new,
                });
            }
        }
    }

    fn setup<'w>(
        &self,
        walk: &'w sortie_search::schedulers::MakeWalk<'w>,
        round: u64,
    ) -> Setup<'w> {
        let mut seed = Fingerprinter::new();
        seed.mix(self.seed);
        seed.mix(round);
        Setup {
            walk,
            strategy: self.strategy,
            options: self.options.clone(),
            max_steps: u64::MAX,
            stop: self.stop.clone(),
            seed: seed.fingerprint().low(),
            threads: self.threads,
            keep_going: self.keep_going,
        }
    }

    fn new_words(&self, observed: &Observed, selected: &[u64]) -> BTreeSet<u64> {
        if !self.memory {
            return BTreeSet::new();
        }
        let words = observed.words.lock();
        let words = words.expect("no thread panics while it notes words");
        words
            .iter()
            .copied()
            .filter(|word| !selected.contains(word))
            .collect()
    }

    /// Replays a failure, makes it shorter, and writes it down.
    fn witness(&self, found: &Found) -> Result<Witness, HuntError> {
        let mut walk = ProgramWalk::new(self.program.clone(), &found.selected);
        self.confirm(&mut walk, &found.failure)?;
        let mut failure = found.failure.clone();
        let tries = tries(&failure.message);
        if self.shorten && tries > 0 {
            let same = |message: &str| message == found.failure.message;
            failure = shorten(&mut walk, &failure, &same, tries)?;
        }
        drop(walk);
        let program = self.shortest_livelock(found, &mut failure)?;
        let recorded = Recorded {
            program,
            failure: failure.message,
            run: found.failure.run,
            seed: self.seed,
            selected: found.selected.clone(),
            answers: failure.answers,
        };
        let witness = recorded.replay()?;
        match witness.outcome() {
            Ok(()) => Ok(witness),
            Err(instead) => Err(self.unsteady(&found.failure, instead)),
        }
    }

    /// The program with as few decided scheduling points as show a livelock: what follows them is fair, and need not be told.
    fn shortest_livelock(
        &self,
        found: &Found,
        failure: &mut Failure,
    ) -> Result<Program, HuntError> {
        if !failure.message.starts_with("livelock") {
            return Ok(self.program.clone());
        }
        for max_steps in [30, 300, 3_000] {
            let program = Program {
                max_steps,
                ..self.program.clone()
            };
            let mut walk = ProgramWalk::new(program.clone(), &found.selected);
            let mut replay = Replay::new(&failure.answers);
            let end = walk.run(&mut replay, u64::MAX).map_err(SearchError::from)?;
            if matches!(end, End::Failed(message) if message == failure.message) {
                if let Some(Divergence::FewerQuestions { asked, .. }) = replay.divergence() {
                    failure.answers.truncate(asked);
                }
                return Ok(program);
            }
        }
        Ok(self.program.clone())
    }

    fn confirm(&self, walk: &mut ProgramWalk, failure: &Failure) -> Result<(), HuntError> {
        let mut replay = Replay::new(&failure.answers);
        let end = walk.run(&mut replay, u64::MAX).map_err(SearchError::from)?;
        match (end, replay.divergence()) {
            (End::Failed(message), None) if message == failure.message => Ok(()),
            (_, Some(divergence)) => Err(self.unsteady(failure, divergence.to_string())),
            (End::Failed(message), None) => {
                Err(self.unsteady(failure, format!("with '{message}'")))
            }
            (_, None) => Err(self.unsteady(failure, "it ended without a failure".into())),
        }
    }

    fn unsteady(&self, failure: &Failure, instead: String) -> HuntError {
        HuntError::Unsteady {
            run: failure.run,
            failure: failure.message.clone(),
            instead,
        }
    }
}

fn sum(before: &RunCounts, now: &RunCounts) -> RunCounts {
    RunCounts {
        runs: before.runs + now.runs,
        steps: before.steps + now.steps,
        longest: before.longest.max(now.longest),
        limited: before.limited + now.limited,
        failed: before.failed + now.failed,
        first_failed: before
            .first_failed
            .or(now.first_failed.map(|run| run + before.runs)),
    }
}
