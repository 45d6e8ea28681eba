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
        let HuntSettings {
            strategy,
            options,
            seed,
            ..
        } = &self.settings;
        let mut said = format!(
            "search {}, seed {seed}",
            strategy.as_deref().unwrap_or("auto")
        );
        for option in options.listed() {
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
        Box::new(Bounded {
            test: self.test.clone(),
            steps: conditions.depth,
            diary: self.diary.map(open_diary),
        })
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
    for (index, schedule) in saved.iter().enumerate() {
        let place = file.map_or_else(String::new, |file| format!(" of {}", file.display()));
        let origin = format!("by saved schedule {}{place}", index + 1);
        match again(&tested, &schedule.answers)? {
            Again::Failed(message) => {
                let found = found(&tested, message, origin, &schedule.answers)?;
                outcome.failure = Some(found);
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
    search(&tested, &mut outcome)?;
    Ok(outcome)
}

fn search(tested: &Tested<'_>, outcome: &mut Outcome) -> Result<(), String> {
    let plan = tested.plan;
    let origin = |run: u64| format!("in run {} of {}", run + 1, plan.said());
    let results = match Campaign::new(Target::Program(tested), &plan.settings).run() {
        Ok(results) => results,
        Err(CampaignError::Unsteady { run, failure, .. }) => {
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
        outcome.failure = Some(Found {
            message: reported.witness.property,
            origin: format!(
                "{}; {} context switches",
                origin(reported.run),
                told.switches
            ),
            shown: told.summary,
            answers: schedule.answers,
            replays: true,
            ..Found::default()
        });
    }
    Ok(())
}

/// A failure under a saved schedule as it is reported, replayed once more.
fn found(
    tested: &Tested<'_>,
    message: String,
    origin: String,
    answers: &[Answer],
) -> Result<Found, String> {
    let schedule = Schedule {
        depth: tested.plan.steps,
        answers: answers.to_vec(),
        ..Schedule::default()
    };
    let told = tested.tell(&message, &schedule);
    let told = told.map_err(|error| error.to_string())?;
    Ok(Found {
        message,
        origin: format!("{origin}; {} context switches", told.switches),
        shown: told.summary,
        answers: schedule.answers,
        replays: told.difference.is_none(),
        saved: true,
        advice: Vec::new(),
    })
}

/// How a schedule ended that was followed again.
enum Again {
    Failed(String),
    Passed,
    Diverged(String),
}

fn again(tested: &Tested<'_>, answers: &[Answer]) -> Result<Again, String> {
    let mut replay = Replay::new(answers);
    let mut walk = Bounded {
        test: tested.test.clone(),
        steps: tested.plan.steps,
        diary: tested.diary.map(open_diary),
    };
    let end = walk.run(&mut replay, u64::MAX);
    let end = end.map_err(|error| error.to_string())?;
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
    let tested = Tested {
        test: plan.prepared(test),
        plan,
        diary: None,
    };
    let mut outcome = Outcome {
        plan: format!("replay of {shown}"),
        ..Outcome::default()
    };
    for (index, schedule) in saved::read(file)?.iter().enumerate() {
        outcome.runs += 1;
        let number = index + 1;
        match again(&tested, &schedule.answers)? {
            Again::Failed(message) => {
                let origin = format!("by schedule {number} of {shown}");
                let found = found(&tested, message, origin, &schedule.answers)?;
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
        let Some(diary) = &mut self.diary else {
            return self.test.run(chooser, limit);
        };
        let diary = diary
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
