//! Targets that only run and ask: programs under a controlled scheduler.
//!
//! Accesses to memory may become scheduling points once threads were seen to share a word without a lock. What was seen in a batch of runs changes the
//! points of the next batch, so the result does not depend on the number of threads; a search begins anew whenever the points change.

use crate::campaign::{Begun, CampaignError, Reported, Result, Results};
use sortie_model::{
    Chooser, Counts, End, Event, Fingerprinter, Identity, ModelError, RunSummary, Spending, Stop,
    Trace, Verdict, Walk,
};
use sortie_search::schedulers::{Divergence, Failure, Replay, RunCounts, Setup, Trials, shorten};
use sortie_search::{Options, Unseen};
use sortie_witness::{Schedule, Witness};

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
    /// The run in words for the terminal, without long stretches of moves.
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

/// How far a hunt has come.
#[derive(Default)]
struct SoFar {
    counts: ProgramCounts,
    /// Scheduling points beyond those that every run has.
    points: Vec<u64>,
    /// Failures, each with the points of the run that showed it.
    found: Vec<(Failure, Vec<u64>)>,
    /// How often the points have changed.
    changes: u64,
    /// The number of runs of the next batch.
    batch: u64,
}

impl Begun<'_, &dyn Program> {
    /// Runs the program until something is found, everything is seen, or the budget is spent; replays and shortens what was found.
    pub fn run(&self) -> Result<Results> {
        self.target.begin();
        let mut so_far = SoFar {
            batch: FIRST_BATCH,
            ..SoFar::default()
        };
        loop {
            if let Some(verdict) = self.stretch(&mut so_far)? {
                return self.results(verdict, so_far);
            }
        }
    }

    fn depth(&self) -> u64 {
        let given = self.campaign.settings.options.depth();
        given.unwrap_or_else(|| self.target.usual_depth())
    }

    /// Runs the program until there is an answer or the points change, batch by batch.
    fn stretch(&self, so_far: &mut SoFar) -> Result<Option<Verdict>> {
        let settings = self.campaign.settings;
        let points = &so_far.points;
        let left = settings.runs.unwrap_or(RUNS) - so_far.counts.runs.runs;
        let conditions = self.conditions(points, self.limits.stop());
        let walk = || self.target.walk(&conditions);
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
            seed: self.target.seed(settings.seed, so_far.changes),
            threads: settings.threads,
            keep_going: settings.keep_going,
        })?;
        let (verdict, new_points) = loop {
            let runs = trials.counts().runs;
            let mut verdict = trials.go((left - runs).min(so_far.batch))?;
            self.campaign.observer.progress(trials.counts().runs - runs);
            so_far.batch = (so_far.batch * 2).min(LONGEST_BATCH);
            let new_points = self.target.new_points(points);
            // What was thought to be everything was not, if there are new points.
            let goes_on = match verdict {
                None => true,
                Some(Verdict::Exhausted) => !new_points.is_empty(),
                Some(Verdict::Found) => !new_points.is_empty() && settings.keep_going,
                _ => false,
            };
            if goes_on {
                let spent = trials.counts().runs >= left;
                verdict = spent.then_some(Verdict::Spent(Spending::Walks));
            }
            if verdict.is_some() || !new_points.is_empty() {
                break (verdict, new_points);
            }
        };
        for failure in trials.failures() {
            let mut found = so_far.found.iter();
            if !found.any(|(known, _)| known.message == failure.message) {
                let run = failure.run + so_far.counts.runs.runs;
                let failure = failure.clone();
                let found = (Failure { run, ..failure }, points.clone());
                so_far.found.push(found);
            }
        }
        so_far.counts = ProgramCounts {
            runs: sum(&so_far.counts.runs, &trials.counts()),
            distinct: trials.distinct(),
            unseen: trials.unseen(),
            points: points.len() as u64,
            depth: self.depth(),
        };
        drop(trials);
        if verdict.is_none() {
            so_far.points.extend(new_points);
            so_far.changes += 1;
        }
        Ok(verdict)
    }

    fn conditions<'c>(&self, points: &'c [u64], stop: &'c Stop) -> Conditions<'c> {
        Conditions {
            depth: self.depth(),
            points,
            random: self.strategy.random,
            stop,
        }
    }

    fn results(&self, verdict: Verdict, so_far: SoFar) -> Result<Results> {
        let (mut reported, mut unreplayed) = (Vec::new(), 0);
        for (failure, points) in &so_far.found {
            let found = self.report(failure, points)?;
            unreplayed += u64::from(found.is_none());
            reported.extend(found);
        }
        let verdict = match verdict {
            _ if !reported.is_empty() => Verdict::Found,
            _ if unreplayed > 0 => self.limits.ended(),
            Verdict::Exhausted => {
                let left_out = self.target.left_out(&so_far.points);
                left_out.map_or(Verdict::Exhausted, Verdict::Spent)
            }
            other => other,
        };
        let runs = so_far.counts.runs;
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
            unseen_ppm: so_far.counts.unseen.map(|unseen| unseen.per_million),
        };
        let observer = self.campaign.observer;
        observer.event(&Event::RunEnded(summary.clone()));
        Ok(Results {
            runs: vec![summary],
            found: reported,
            unreplayed,
            program: Some(so_far.counts),
            ..Results::of(verdict)
        })
    }

    /// Replays a failure, makes its schedule shorter, and runs it once more. Nothing if the hunt was ended before that.
    pub fn report(&self, found: &Failure, points: &[u64]) -> Result<Option<Reported>> {
        let (program, settings) = (self.target, self.campaign.settings);
        let stop = self.limits.stop();
        if !self.confirm(found, points)? {
            return Ok(None);
        }
        let mut failure = found.clone();
        let mut depth = self.depth();
        let mut cut_short = false;
        if settings.shorten {
            let tries = program.tries(&failure.message);
            let same = |message: &str| program.is_same(message, &found.message);
            if tries > 0 {
                let walk = program.walk(&self.conditions(points, stop));
                failure = shorten(&mut Ending { walk, stop }, &failure, &same, tries)?;
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
    fn smaller_depth(&self, points: &[u64], failure: &mut Failure, usual: u64) -> Result<u64> {
        for &depth in self.target.smaller_depths(&failure.message) {
            let conditions = Conditions {
                depth,
                ..self.conditions(points, self.limits.stop())
            };
            let mut replay = Replay::new(&failure.answers);
            let end = self.target.walk(&conditions).run(&mut replay, u64::MAX)?;
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
    fn confirm(&self, failure: &Failure, points: &[u64]) -> Result<bool> {
        let stop = self.limits.end();
        let walk = self.target.walk(&self.conditions(points, stop));
        let mut replay = Replay::new(&failure.answers);
        let ended = Ending { walk, stop }.run(&mut replay, u64::MAX)?;
        if matches!(ended, End::Stopped) {
            return Ok(false);
        }
        let divergence = replay.divergence().map(|divergence| divergence.to_string());
        match divergence.or_else(|| difference(&failure.message, &ended, &replay)) {
            None => Ok(true),
            Some(instead) => Err(unsteady(failure, instead)),
        }
    }
}

/// What is different about a replay that should have failed with this message.
pub fn difference(failure: &str, ended: &End, replay: &Replay<'_>) -> Option<String> {
    let ended = match ended {
        End::Failed(message) if message == failure => return None,
        End::Failed(message) => format!("it ended with '{message}'"),
        _ => "it ended without a failure".into(),
    };
    Some(match replay.divergence() {
        Some(divergence) => format!("{divergence}; {ended}"),
        None => ended,
    })
}

fn unsteady(failure: &Failure, instead: String) -> CampaignError {
    CampaignError::Unsteady(failure.run, failure.message.clone(), instead)
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
    let later = now.first_failed.map(|run| run + before.runs);
    RunCounts {
        runs: before.runs + now.runs,
        steps: before.steps + now.steps,
        longest: before.longest.max(now.longest),
        limited: before.limited + now.limited,
        failed: before.failed + now.failed,
        first_failed: before.first_failed.or(later),
    }
}
