//! A campaign in one process: saved schedules first, then the search, then a shorter schedule.

use super::child::open_diary;
use super::failing::{BOUND, kind};
use super::outcome::{Found, Outcome};
use super::saved::{self, Saved};
use super::shown::Watched;
use super::walk::ShuttleTest;
use sortie_model::{Choice, Chooser, End, Flow, ModelError, StopReason, Verdict, View, Walk};
use sortie_search::Options;
use sortie_search::schedulers::{Answer, Failure, Replay, Setup, Trials, shorten};
use std::fs::File;
use std::io::{Seek, Write};
use std::path::Path;
use std::time::{Duration, Instant};

/// After so many runs the clock is looked at.
const BATCH: u64 = 64;

/// What is to be done.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub search: String,
    pub options: Options,
    pub runs: u64,
    pub seed: u64,
    pub steps: u64,
    pub seconds: Option<u64>,
    pub threads: usize,
    pub shortening: u64,
    pub must_end: bool,
    pub stack: Option<usize>,
    pub data_seeds: u32,
}

impl Plan {
    fn said(&self) -> String {
        let mut said = format!("search {}, seed {}", self.search, self.seed);
        for option in self.options.listed() {
            said += &format!(", {option}");
        }
        said
    }

    fn prepared(&self, test: &ShuttleTest) -> ShuttleTest {
        let test = test.clone().data_seeds(self.data_seeds);
        let test = match self.must_end {
            true => test.must_end(),
            false => test,
        };
        match self.stack {
            Some(bytes) => test.stack(bytes),
            None => test,
        }
    }
}

/// Hunts.
pub(super) fn campaign(
    test: &ShuttleTest,
    plan: &Plan,
    saved: &[Saved],
    file: Option<&Path>,
    diary: Option<&Path>,
) -> Result<Outcome, String> {
    let test = plan.prepared(test);
    let make = || -> Box<dyn Walk + Send> {
        match diary {
            None => Box::new(test.clone()),
            Some(file) => Box::new(Careful {
                test: test.clone(),
                diary: open_diary(file),
            }),
        }
    };
    let mut outcome = Outcome {
        plan: plan.said(),
        ..Outcome::default()
    };
    for (index, schedule) in saved.iter().enumerate() {
        let place = file.map_or_else(String::new, |file| format!(" of {}", file.display()));
        let origin = format!("by saved schedule {}{place}", index + 1);
        match again(&mut *make(), &schedule.answers, plan.steps)? {
            Again::Failed(message) => {
                outcome.failure = Some(found(
                    &test,
                    plan,
                    message,
                    origin,
                    &schedule.answers,
                    true,
                )?);
                return Ok(outcome);
            }
            Again::Passed => outcome.notes.push(format!(
                "saved schedule {}{place} no longer fails",
                index + 1
            )),
            Again::Diverged(how) => outcome.notes.push(format!(
                "saved schedule {}{place} no longer fits the test and was skipped: {how}",
                index + 1
            )),
        }
    }
    search(&test, plan, &make, &mut outcome)?;
    Ok(outcome)
}

fn search(
    test: &ShuttleTest,
    plan: &Plan,
    make: &(dyn Fn() -> Box<dyn Walk + Send> + Sync),
    outcome: &mut Outcome,
) -> Result<(), String> {
    let make_walk = || make();
    let mut setup = Setup::new(&make_walk);
    setup.strategy = sortie_search::strategy(&plan.search).map_err(|error| error.to_string())?;
    setup.options = plan.options.clone();
    setup.max_steps = plan.steps;
    setup.seed = plan.seed;
    setup.threads = plan.threads;
    let stop = setup.stop.clone();
    let mut trials = Trials::new(setup).map_err(|error| error.to_string())?;
    let end = plan
        .seconds
        .map(|seconds| Instant::now() + Duration::from_secs(seconds));
    let mut verdict = None;
    while verdict.is_none() && trials.counts().runs < plan.runs {
        let left = plan.runs - trials.counts().runs;
        // Without a clock there is nothing to look at between runs.
        let batch = if end.is_some() { BATCH.min(left) } else { left };
        verdict = trials.go(batch).map_err(|error| error.to_string())?;
        if end.is_some_and(|end| Instant::now() >= end) {
            stop.request(StopReason::Clock);
            break;
        }
    }
    let counts = trials.counts();
    outcome.runs = counts.runs;
    outcome.moves = counts.steps;
    outcome.longest = counts.longest;
    outcome.cut = counts.limited;
    // Values drawn by the test were not all tried.
    outcome.exhausted = verdict == Some(Verdict::Exhausted) && counts.limited == 0 && !test.drew();
    if let Some(unseen) = trials.unseen() {
        let percent = unseen.per_million as f64 / 10_000.0;
        outcome.unseen = format!(
            "of further runs of this search about {percent:.1} % would take a schedule not seen"
        );
    }
    if let Some(Verdict::Spent(what)) = &verdict {
        outcome.unseen = what.to_string();
    }
    if let Some(failure) = trials.failures().first() {
        let origin = format!("in run {} of {}", failure.run + 1, plan.said());
        outcome.failure = Some(shorter(test, plan, failure, origin)?);
    }
    Ok(())
}

/// A failure with as short a schedule as can be had.
fn shorter(
    test: &ShuttleTest,
    plan: &Plan,
    failure: &Failure,
    origin: String,
) -> Result<Found, String> {
    let wanted = kind(&failure.message).to_string();
    // A run that does not end has no short version.
    let tries = if wanted == BOUND { 0 } else { plan.shortening };
    let same = |message: &str| kind(message) == wanted;
    let shortened = match tries {
        0 => Ok(failure.clone()),
        tries => shorten(&mut test.clone(), failure, &same, tries),
    };
    let Failure {
        message, answers, ..
    } = shortened.map_err(|error| error.to_string())?;
    found(test, plan, message, origin, &answers, false)
}

/// A failure as it is reported, replayed once more and watched.
fn found(
    test: &ShuttleTest,
    plan: &Plan,
    message: String,
    origin: String,
    answers: &[Answer],
    saved: bool,
) -> Result<Found, String> {
    let mut watched = Watched::new(answers);
    let end = test
        .clone()
        .run(&mut watched, plan.steps)
        .map_err(|error| error.to_string())?;
    let replays = end == End::Failed(message.clone()) && watched.divergence().is_none();
    Ok(Found {
        message,
        origin: format!("{origin}; {} context switches", watched.switches()),
        shown: watched.lines(),
        answers: answers.to_vec(),
        replays,
        saved,
        advice: Vec::new(),
    })
}

/// How a schedule ended that was followed again.
enum Again {
    Failed(String),
    Passed,
    Diverged(String),
}

fn again(walk: &mut dyn Walk, answers: &[Answer], steps: u64) -> Result<Again, String> {
    let mut replay = Replay::new(answers);
    let end = walk
        .run(&mut replay, steps)
        .map_err(|error| error.to_string())?;
    Ok(match (end, replay.divergence()) {
        (_, Some(divergence)) => Again::Diverged(divergence.to_string()),
        (End::Failed(message), None) => Again::Failed(message),
        (_, None) => Again::Passed,
    })
}

/// Follows the schedules of a file, and nothing else.
pub(super) fn replay(test: &ShuttleTest, plan: &Plan, file: &Path) -> Result<Outcome, String> {
    let shown = file.display();
    if !file.exists() {
        return Err(format!("SORTIE_REPLAY={shown}: there is no such file"));
    }
    let test = plan.prepared(test);
    let mut outcome = Outcome {
        plan: format!("replay of {shown}"),
        ..Outcome::default()
    };
    for (index, schedule) in saved::read(file)?.iter().enumerate() {
        outcome.runs += 1;
        let number = index + 1;
        match again(&mut test.clone(), &schedule.answers, plan.steps)? {
            Again::Failed(message) => {
                let origin = format!("by schedule {number} of {shown}");
                let found = found(&test, plan, message, origin, &schedule.answers, true)?;
                outcome.failure = Some(found);
                return Ok(outcome);
            }
            Again::Passed => outcome
                .notes
                .push(format!("schedule {number} of {shown} does not fail")),
            Again::Diverged(how) => outcome.notes.push(format!(
                "schedule {number} of {shown} does not fit the test: {how}"
            )),
        }
    }
    Ok(outcome)
}

/// A test that writes every answer down before it is given, for runs that end the process.
struct Careful {
    test: ShuttleTest,
    diary: Result<File, String>,
}

struct Writing<'a> {
    inner: &'a mut dyn Chooser,
    diary: &'a mut File,
}

impl Walk for Careful {
    fn run(&mut self, chooser: &mut dyn Chooser, limit: u64) -> Result<End, ModelError> {
        let diary = self
            .diary
            .as_mut()
            .map_err(|error| ModelError::new(error.clone()))?;
        let emptied = diary.rewind().and_then(|()| diary.set_len(0));
        emptied.map_err(|error| ModelError::new(error.to_string()))?;
        let mut writing = Writing {
            inner: chooser,
            diary,
        };
        self.test.run(&mut writing, limit)
    }
}

impl Chooser for Writing<'_> {
    fn choose(&mut self, choice: Choice<'_>) -> usize {
        let chosen = self.inner.choose(choice);
        if choice.alternatives > 1 {
            // A diary with a gap does not replay, which is found out.
            let _ = writeln!(self.diary, "{chosen}/{}", choice.alternatives);
        }
        chosen
    }

    fn arrive(&mut self, view: View<'_>) -> Flow {
        self.inner.arrive(view)
    }

    fn count(&mut self, name: &str, amount: i64) {
        self.inner.count(name, amount);
    }
}
