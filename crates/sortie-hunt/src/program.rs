//! Targets that only run and ask: programs under a controlled scheduler.
//!
//! Accesses to memory may become scheduling points once threads were seen to share a word without a lock. What was seen in a batch of runs changes the
//! points of the next batch, so the result does not depend on the number of threads; a search begins anew whenever the points change.

use crate::campaign::{Campaign, CampaignError, Reported, Results};
use crate::limits::Limits;
use sortie_model::{
    Chooser, Counts, End, Event, Exactness, Fingerprinter, Identity, ModelError, RunSummary,
    Spending, Stop, StopReason, Trace, Verdict, Walk,
};
use sortie_search::schedulers::{Divergence, Failure, Replay, RunCounts, Setup, Trials, shorten};
use sortie_search::{Options, Strategy, Unseen};
use sortie_witness::{Schedule, Witness};
use std::collections::BTreeMap;

/// The number of runs if nothing is said.
const RUNS: u64 = 10_000;

/// The first batch of runs; every further one is twice as long, up to the longest.
const FIRST_BATCH: u64 = 10;
const LONGEST_BATCH: u64 = 640;

/// A program that can be hunted in: it runs, asks a [`Chooser`] whenever there is a choice, and shows no states.
///
/// With the same answers every run must be the same.
pub trait Program: Sync {
    /// The name of the program, and a fingerprint of what it consists of.
    fn identity(&self) -> Identity;

    /// The arguments that it is called with.
    fn arguments(&self) -> Vec<String> {
        Vec::new()
    }

    /// The number of scheduling decisions per run that a search makes, if nothing is said.
    fn usual_depth(&self) -> u64;

    /// The seed of a stretch of runs between which the points do not change.
    fn seed(&self, seed: u64, stretch: u64) -> u64 {
        let mut mixed = Fingerprinter::new();
        mixed.mix(seed);
        mixed.mix(stretch);
        mixed.fingerprint().low()
    }

    /// Called when a hunt begins, and makes the program forget what earlier hunts observed.
    fn begin(&self) {}

    /// A walk that runs the program; called once for each thread.
    fn walk<'a>(&'a self, conditions: &Conditions<'_>) -> Box<dyn Walk + Send + 'a>;

    /// Scheduling points that runs so far have shown to matter, and that are not among `points`.
    fn new_points(&self, _points: &[u64]) -> Vec<u64> {
        Vec::new()
    }

    /// Why all runs together are not everything, if they are not.
    fn left_out(&self, _points: &[u64]) -> Option<Spending> {
        None
    }

    /// Whether two messages tell of the same failure.
    fn is_same(&self, failure: &str, other: &str) -> bool {
        failure == other
    }

    /// The number of runs that may be spent on shortening the schedule of a failure.
    fn tries(&self, _failure: &str) -> u64 {
        2_000
    }

    /// Smaller depths, in ascending order, at which a failure may show as well.
    fn smaller_depths(&self, _failure: &str) -> &'static [u64] {
        &[]
    }

    /// Runs the program along a schedule and tells what happens.
    fn tell(&self, failure: &str, schedule: &Schedule) -> Result<Told, ModelError>;

    /// What is to be known about the counts of a hunt, a line each.
    fn remarks(&self, counts: &ProgramCounts) -> Vec<String>;
}

/// What a walk is to be like.
pub struct Conditions<'a> {
    /// The number of scheduling decisions per run that the search makes.
    pub depth: u64,
    /// Scheduling points beyond those that every run has.
    pub points: &'a [u64],
    /// Whether the search only wants to know what is likely. A search that is not random must not be told what may be incomplete.
    pub random: bool,
    /// Ends a run from outside.
    pub stop: &'a Stop,
}

/// A run of a program, told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Told {
    /// How the run differs from the one that was recorded, if it does.
    pub difference: Option<String>,
    /// The names of the tasks.
    pub tasks: Vec<String>,
    /// All moves: which task, and what it does where.
    pub moves: Vec<(usize, String)>,
    /// The number of context switches.
    pub switches: u64,
    /// The number of them that are forced on a task that could go on.
    pub preemptions: u64,
    /// The run in words, for the witness file.
    pub story: Vec<String>,
    /// The same where long stretches of moves are left out, for the terminal.
    pub summary: Vec<String>,
    /// What the program wrote.
    pub output: String,
}

/// What a hunt in a program cost, and what it tells about what was not seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProgramCounts {
    /// Runs and their moves.
    pub runs: RunCounts,
    /// About how many different runs there were, since the points last changed.
    pub distinct: u64,
    /// The probability that the next run does something new.
    pub unseen: Option<Unseen>,
    /// The number of scheduling points that were added.
    pub points: u64,
    /// The number of scheduling decisions per run that the search made.
    pub depth: u64,
}

/// A failure and the points of the run that showed it.
struct Found {
    failure: Failure,
    points: Vec<u64>,
}

/// What runs with the same points came to.
struct Stretch {
    /// The answer, unless the points change before there is one.
    verdict: Option<Verdict>,
    counts: RunCounts,
    failures: Vec<Failure>,
    unseen: Option<Unseen>,
    distinct: u64,
    new_points: Vec<u64>,
}

/// A hunt in a program.
pub(crate) struct ProgramHunt<'a> {
    pub campaign: &'a Campaign<'a>,
    pub program: &'a dyn Program,
    pub strategy: &'static Strategy,
    pub limits: &'a Limits,
}

impl ProgramHunt<'_> {
    /// Runs the program until something is found, everything is seen, or the budget is spent; replays and shortens what was found.
    pub fn run(&self) -> Result<Results, CampaignError> {
        self.program.begin();
        let mut points: Vec<u64> = Vec::new();
        let mut counts = RunCounts::default();
        let mut found: Vec<Found> = Vec::new();
        let mut batch = FIRST_BATCH;
        for number in 0u64.. {
            let stretch = self.stretch(number, &points, counts.runs, &mut batch)?;
            for failure in stretch.failures {
                let known = |known: &Found| known.failure.message == failure.message;
                if !found.iter().any(known) {
                    let run = failure.run + counts.runs;
                    found.push(Found {
                        failure: Failure { run, ..failure },
                        points: points.clone(),
                    });
                }
            }
            counts = sum(&counts, &stretch.counts);
            let Some(verdict) = stretch.verdict else {
                points.extend(stretch.new_points);
                continue;
            };
            let counts = ProgramCounts {
                runs: counts,
                distinct: stretch.distinct,
                unseen: stretch.unseen,
                points: points.len() as u64,
                depth: self.depth(),
            };
            return self.results(verdict, &found, counts, &points);
        }
        unreachable!("a hunt ends when its runs do")
    }

    fn depth(&self) -> u64 {
        let given = self.campaign.settings.options.depth();
        given.unwrap_or_else(|| self.program.usual_depth())
    }

    /// Runs the program until there is an answer or the points change, batch by batch.
    fn stretch(
        &self,
        number: u64,
        points: &[u64],
        before: u64,
        batch: &mut u64,
    ) -> Result<Stretch, CampaignError> {
        let settings = self.campaign.settings;
        let all = settings.runs.unwrap_or(RUNS);
        let walk = || {
            self.program
                .walk(&self.conditions(points, self.limits.stop()))
        };
        // The program itself knows how long its runs may be.
        let options = settings.options.pairs().into_iter();
        let options = options.filter(|(name, _)| name != "depth");
        let mut trials = Trials::new(Setup {
            walk: &walk,
            strategy: self.strategy,
            options: options.fold(Options::default(), |all, (name, value)| {
                all.with(name, value)
            }),
            max_steps: u64::MAX,
            stop: self.limits.stop().clone(),
            seed: self.program.seed(settings.seed, number),
            threads: settings.threads,
            keep_going: settings.keep_going,
        })?;
        loop {
            let runs = trials.counts().runs;
            let mut verdict = trials.go((all - before - runs).min(*batch))?;
            self.campaign.observer.progress(trials.counts().runs - runs);
            *batch = (*batch * 2).min(LONGEST_BATCH);
            let new_points = self.program.new_points(points);
            let spent = before + trials.counts().runs >= all;
            let out_of_runs = spent.then_some(Verdict::Spent(Spending::Walks));
            match verdict {
                None => verdict = out_of_runs,
                // What was thought to be everything was not.
                Some(Verdict::Exhausted) if !new_points.is_empty() => verdict = out_of_runs,
                Some(Verdict::Found) if !new_points.is_empty() && settings.keep_going => {
                    verdict = out_of_runs;
                }
                _ => {}
            }
            if verdict.is_some() || !new_points.is_empty() {
                return Ok(Stretch {
                    verdict,
                    counts: trials.counts(),
                    failures: trials.failures().to_vec(),
                    unseen: trials.unseen(),
                    distinct: trials.distinct(),
                    new_points,
                });
            }
        }
    }

    fn conditions<'c>(&self, points: &'c [u64], stop: &'c Stop) -> Conditions<'c> {
        Conditions {
            depth: self.depth(),
            points,
            random: self.strategy.random,
            stop,
        }
    }

    fn results(
        &self,
        verdict: Verdict,
        found: &[Found],
        counts: ProgramCounts,
        points: &[u64],
    ) -> Result<Results, CampaignError> {
        let (mut reported, mut unreplayed) = (Vec::new(), 0);
        for found in found {
            match self.report(&found.failure, &found.points)? {
                Some(found) => reported.push(found),
                None => unreplayed += 1,
            }
        }
        let verdict = match verdict {
            _ if !reported.is_empty() => Verdict::Found,
            _ if unreplayed > 0 => {
                let reason = self.limits.end().requested();
                Verdict::Spent(Spending::Stopped(reason.unwrap_or(StopReason::Clock)))
            }
            Verdict::Exhausted => match self.program.left_out(points) {
                Some(what) => Verdict::Spent(what),
                None => Verdict::Exhausted,
            },
            other => other,
        };
        let runs = counts.runs;
        let summary = RunSummary {
            run: 0,
            seed: self.campaign.settings.seed,
            verdict: verdict.clone(),
            found: reported.len() as u64 + unreplayed,
            counts: Counts {
                visited: runs.steps,
                expanded: runs.steps,
                considered: runs.steps,
                transitions: runs.steps,
                depth: runs.longest,
                ..Counts::default()
            },
            trace: reported.first().map(|found| found.witness.raw_length),
            shortened: reported.first().map(Reported::len),
            unseen_ppm: counts.unseen.map(|unseen| unseen.per_million),
        };
        let observer = self.campaign.observer;
        observer.event(&Event::RunEnded(summary.clone()));
        Ok(Results {
            verdict,
            runs: vec![summary],
            found: reported,
            exactness: Exactness::Exact,
            tally: BTreeMap::new(),
            estimates: None,
            unreplayed,
            program: Some(counts),
        })
    }

    /// Replays a failure, makes its schedule shorter, and runs it once more. Nothing if the hunt was ended before that.
    pub fn report(
        &self,
        found: &Failure,
        points: &[u64],
    ) -> Result<Option<Reported>, CampaignError> {
        let (program, settings) = (self.program, self.campaign.settings);
        let (stop, end) = (self.limits.stop(), self.limits.end());
        let mut walk = program.walk(&self.conditions(points, end));
        if !self.confirm(&mut *walk, found, end)? {
            return Ok(None);
        }
        drop(walk);
        let mut failure = found.clone();
        let mut depth = self.depth();
        let mut cut_short = false;
        if settings.shorten {
            let tries = program.tries(&failure.message);
            let same = |message: &str| program.is_same(message, &found.message);
            if tries > 0 {
                let mut walk = Ending {
                    walk: program.walk(&self.conditions(points, stop)),
                    stop,
                };
                failure = shorten(&mut walk, &failure, &same, tries)?;
            }
            cut_short = stop.requested().is_some();
            depth = self.smaller_depth(points, &mut failure, depth)?;
        }
        let mut schedule = Schedule {
            arguments: program.arguments(),
            run: found.run,
            depth,
            points: points.to_vec(),
            answers: failure.answers,
            story: Vec::new(),
        };
        let told = program.tell(&failure.message, &schedule)?;
        if let Some(instead) = &told.difference {
            return Err(unsteady(found, instead.clone()));
        }
        schedule.story.clone_from(&told.story);
        let witness = Witness {
            strategy: self.strategy.name.into(),
            options: settings.options.listed(),
            seed: settings.seed,
            raw_length: found.answers.len() as u64,
            ..Witness::of_run(program.identity(), failure.message, schedule)
        };
        Ok(Some(Reported {
            run: found.run,
            property: 0,
            trace: Trace::default(),
            told: Some(told),
            witness,
            record: None,
            cut_short,
        }))
    }

    /// The smallest depth that shows the failure; what follows the decisions is fair and need not be told.
    fn smaller_depth(
        &self,
        points: &[u64],
        failure: &mut Failure,
        usual: u64,
    ) -> Result<u64, CampaignError> {
        for &depth in self.program.smaller_depths(&failure.message) {
            let conditions = Conditions {
                depth,
                ..self.conditions(points, self.limits.stop())
            };
            let mut replay = Replay::new(&failure.answers);
            let end = self.program.walk(&conditions).run(&mut replay, u64::MAX)?;
            if matches!(end, End::Failed(message) if message == failure.message) {
                if let Some(Divergence::FewerQuestions { asked, .. }) = replay.divergence() {
                    failure.answers.truncate(asked);
                }
                return Ok(depth);
            }
        }
        Ok(usual)
    }

    /// Whether a failure happens again with the same answers; not if the hunt is ended before it is known.
    fn confirm(
        &self,
        walk: &mut dyn Walk,
        failure: &Failure,
        end: &Stop,
    ) -> Result<bool, CampaignError> {
        if end.requested().is_some() {
            return Ok(false);
        }
        let mut replay = Replay::new(&failure.answers);
        let instead = match walk.run(&mut replay, u64::MAX)? {
            End::Stopped => return Ok(false),
            ended => match replay.divergence() {
                Some(divergence) => Some(divergence.to_string()),
                None => difference(&failure.message, &ended, &replay),
            },
        };
        match instead {
            None => Ok(true),
            Some(instead) => Err(unsteady(failure, instead)),
        }
    }
}

/// What is different about a replay that should have failed with this message.
pub fn difference(failure: &str, ended: &End, replay: &Replay<'_>) -> Option<String> {
    let ended = match ended {
        End::Failed(message) if message == failure => None,
        End::Failed(message) => Some(format!("it ended with '{message}'")),
        _ => Some("it ended without a failure".into()),
    };
    match (replay.divergence(), ended) {
        (_, None) => None,
        (Some(divergence), Some(ended)) => Some(format!("{divergence}; {ended}")),
        (None, ended) => ended,
    }
}

fn unsteady(failure: &Failure, instead: String) -> CampaignError {
    CampaignError::Unsteady {
        run: failure.run,
        failure: failure.message.clone(),
        instead,
    }
}

/// A walk whose runs do not begin any more when it is asked to stop.
struct Ending<'a> {
    walk: Box<dyn Walk + Send + 'a>,
    stop: &'a Stop,
}

impl Walk for Ending<'_> {
    fn run(&mut self, chooser: &mut dyn Chooser, limit: u64) -> Result<End, ModelError> {
        match self.stop.requested() {
            Some(_) => Ok(End::Stopped),
            None => self.walk.run(chooser, limit),
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
