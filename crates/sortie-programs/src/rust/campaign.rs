//! A campaign in one process: saved schedules first, then the search, then a shorter schedule.

use super::child::open_diary;
use super::failing::{BOUND, kind};
use super::outcome::{Found, Outcome};
use super::saved::{self, Saved};
use super::shown::Watched;
use super::walk::ShuttleTest;
use sortie_hunt::{
    Campaign, CampaignError, Conditions, HuntSettings, Program, ProgramCounts, Target, Told,
    difference,
};
use sortie_model::{
    Choice, Chooser, End, Fingerprint, Flow, Identity, ModelError, Spending, Verdict, View, Walk,
};
use sortie_search::schedulers::{Answer, Replay};
use sortie_witness::Schedule;
use std::fs::File;
use std::io::{Seek, Write};
use std::path::Path;

/// What is to be done.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub settings: HuntSettings,
    /// The bound on the moves of a run.
    pub steps: u64,
    /// The number of runs that may be spent on shortening.
    pub shortening: u64,
    pub must_end: bool,
    pub stack: Option<usize>,
    pub data_seeds: u32,
}

impl Plan {
    /// The strategy, the seed and the options in words.
    fn said(&self) -> String {
        let strategy = self.settings.strategy.as_deref().unwrap_or("auto");
        let mut said = format!("search {strategy}, seed {}", self.settings.seed);
        for option in self.settings.options.listed() {
            said += &format!(", {option}");
        }
        said
    }

    fn prepared(&self, test: &ShuttleTest) -> ShuttleTest {
        let mut test = test.clone().data_seeds(self.data_seeds);
        if self.must_end {
            test = test.must_end();
        }
        match self.stack {
            Some(bytes) => test.stack(bytes),
            None => test,
        }
    }
}

/// A test as a target of a hunt.
struct Tested<'a> {
    test: ShuttleTest,
    plan: &'a Plan,
    /// The file in which every answer is written down before it is given.
    diary: Option<&'a Path>,
}

impl Program for Tested<'_> {
    fn identity(&self) -> Identity {
        let name = std::thread::current().name().unwrap_or("test").to_owned();
        let content = Fingerprint::of_text(&name);
        Identity::new(name, content)
    }

    fn usual_depth(&self) -> u64 {
        self.plan.steps
    }

    fn seed(&self, seed: u64, _stretch: u64) -> u64 {
        seed
    }

    fn walk<'a>(&'a self, conditions: &Conditions<'_>) -> Box<dyn Walk + Send + 'a> {
        Box::new(self.bounded(conditions.depth))
    }

    fn is_same(&self, failure: &str, other: &str) -> bool {
        kind(failure) == kind(other)
    }

    /// A run that does not end has no short version.
    fn tries(&self, failure: &str) -> u64 {
        match kind(failure) == BOUND {
            true => 0,
            false => self.plan.shortening,
        }
    }

    fn tell(&self, failure: &str, schedule: &Schedule) -> Result<Told, ModelError> {
        let mut watched = Watched::new(&schedule.answers);
        let end = self.test.clone().run(&mut watched, schedule.depth)?;
        let lines = watched.lines();
        Ok(Told {
            difference: match watched.replay().divergence() {
                Some(divergence) => Some(divergence.to_string()),
                None => difference(failure, &end, watched.replay()),
            },
            switches: watched.switches() as u64,
            story: lines.clone(),
            summary: lines,
            ..Told::default()
        })
    }

    fn remarks(&self, _counts: &ProgramCounts) -> Vec<String> {
        Vec::new()
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
    let tested = Tested {
        test: plan.prepared(test),
        plan,
        diary,
    };
    let mut outcome = Outcome {
        plan: plan.said(),
        ..Outcome::default()
    };
    let place = file.map_or_else(String::new, |file| format!(" of {}", file.display()));
    let name = |number| format!("saved schedule {number}{place}");
    let words = ["no longer fails", "no longer fits the test and was skipped"];
    tested.follow(saved, name, words, &mut outcome)?;
    if outcome.failure.is_none() {
        search(&tested, &mut outcome)?;
    }
    Ok(outcome)
}

fn search(tested: &Tested<'_>, outcome: &mut Outcome) -> Result<(), String> {
    let plan = tested.plan;
    let origin = |run: u64| format!("in run {} of {}", run + 1, plan.said());
    let results = match Campaign::new(Target::Program(tested), &plan.settings).run() {
        Ok(results) => results,
        Err(CampaignError::Unsteady(run, failure, _)) => {
            outcome.failure = Some(Found {
                message: failure,
                origin: origin(run),
                ..Found::default()
            });
            return Ok(());
        }
        Err(error) => return Err(error.to_string()),
    };
    let counts = results.program.unwrap_or_default();
    outcome.runs = counts.runs.runs;
    outcome.moves = counts.runs.steps;
    outcome.longest = counts.runs.longest;
    outcome.cut = counts.runs.limited;
    // Values drawn by the test were not all tried.
    outcome.exhausted =
        results.verdict == Verdict::Exhausted && outcome.cut == 0 && !tested.test.drew();
    if let Some(unseen) = counts.unseen {
        let percent = unseen.per_million as f64 / 10_000.0;
        outcome.unseen = format!(
            "of further runs of this search about {percent:.1} % would take a schedule not seen"
        );
    }
    if let Verdict::Spent(what) = &results.verdict
        && !matches!(what, Spending::Walks | Spending::Stopped(_))
    {
        outcome.unseen = what.to_string();
    }
    if let Some(reported) = results.found.into_iter().next() {
        let told = reported.told.unwrap_or_default();
        let schedule = reported.witness.schedule.unwrap_or_default();
        let origin = origin(reported.run);
        outcome.failure = Some(Found {
            message: reported.witness.property,
            origin: format!("{origin}; {} context switches", told.switches),
            shown: told.summary,
            answers: schedule.answers,
            replays: true,
            ..Found::default()
        });
    }
    Ok(())
}

impl Tested<'_> {
    /// Follows saved schedules until one fails; of the others it is noted that they did not, or did not fit the test.
    fn follow(
        &self,
        saved: &[Saved],
        name: impl Fn(usize) -> String,
        [passed, diverged]: [&str; 2],
        outcome: &mut Outcome,
    ) -> Result<(), String> {
        for (index, schedule) in saved.iter().enumerate() {
            let name = name(index + 1);
            let mut replay = Replay::new(&schedule.answers);
            let end = self.bounded(self.plan.steps).run(&mut replay, u64::MAX);
            let end = end.map_err(|error| error.to_string())?;
            match (end, replay.divergence()) {
                (_, Some(how)) => outcome.notes.push(format!("{name} {diverged}: {how}")),
                (End::Failed(message), None) => {
                    outcome.failure = Some(self.found(message, &name, &schedule.answers)?);
                    break;
                }
                (_, None) => outcome.notes.push(format!("{name} {passed}")),
            }
        }
        Ok(())
    }

    /// A failure under a saved schedule as it is reported, replayed once more.
    fn found(&self, message: String, name: &str, answers: &[Answer]) -> Result<Found, String> {
        let schedule = Schedule {
            depth: self.plan.steps,
            answers: answers.to_vec(),
            ..Schedule::default()
        };
        let told = self.tell(&message, &schedule);
        let told = told.map_err(|error| error.to_string())?;
        Ok(Found {
            message,
            origin: format!("by {name}; {} context switches", told.switches),
            shown: told.summary,
            answers: schedule.answers,
            replays: told.difference.is_none(),
            saved: true,
            advice: Vec::new(),
        })
    }

    fn bounded(&self, steps: u64) -> Bounded {
        Bounded {
            test: self.test.clone(),
            steps,
            diary: self.diary.map(open_diary),
        }
    }
}

/// Follows the schedules of a file, and nothing else.
pub(super) fn replay(test: &ShuttleTest, plan: &Plan, file: &Path) -> Result<Outcome, String> {
    let shown = file.display();
    if !file.exists() {
        return Err(format!("SORTIE_REPLAY={shown}: there is no such file"));
    }
    let tested = Tested {
        test: plan.prepared(test),
        plan,
        diary: None,
    };
    let mut outcome = Outcome {
        plan: format!("replay of {shown}"),
        ..Outcome::default()
    };
    let name = |number| format!("schedule {number} of {shown}");
    let words = ["does not fail", "does not fit the test"];
    tested.follow(&saved::read(file)?, name, words, &mut outcome)?;
    outcome.runs = outcome.notes.len() as u64 + u64::from(outcome.failure.is_some());
    Ok(outcome)
}

/// A test whose runs are bounded. With a diary, every answer is written down before it is given, for runs that end the process.
struct Bounded {
    test: ShuttleTest,
    steps: u64,
    diary: Option<Result<File, String>>,
}

struct Writing<'a> {
    inner: &'a mut dyn Chooser,
    diary: &'a mut File,
}

impl Walk for Bounded {
    fn run(&mut self, chooser: &mut dyn Chooser, limit: u64) -> Result<End, ModelError> {
        let limit = limit.min(self.steps);
        let diary = match &mut self.diary {
            None => return self.test.run(chooser, limit),
            Some(Err(error)) => return Err(ModelError::new(error.clone())),
            Some(Ok(diary)) => diary,
        };
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
