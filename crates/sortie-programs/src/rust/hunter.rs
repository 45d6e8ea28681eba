//! What a user writes in a test.

use super::campaign::{Plan, campaign, replay};
use super::child::{self, Errand};
use super::outcome::Outcome;
use super::saved::{self, Saved};
use super::walk::{DATA_SEEDS, ShuttleTest};
use sortie_hunt::HuntSettings;
use sortie_search::Options;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Hunts in a test with the default search: the one line that replaces `shuttle::check_random`.
///
/// ```no_run
/// # fn body() {}
/// #[test]
/// fn no_item_is_lost() {
///     sortie_programs::rust::hunt(|| {
///         // Threads, locks, channels and futures of shuttle.
/// #       body();
///     });
/// }
/// ```
///
/// Environment variables say how, see [`Hunter`].
///
/// # Panics
/// When a run fails, with the failure, the shortened schedule, and how to replay it.
#[track_caller]
pub fn hunt<F: Fn() + Send + Sync + 'static>(test: F) {
    Hunter::new().run(test);
}

/// A hunt in a test, step by step.
///
/// | method | environment | |
/// |---|---|---|
/// | `search` | `SORTIE_SEARCH` | which search, `auto` unless told |
/// | `option` | `SORTIE_OPTIONS` | options of the search, `name=value` with commas between |
/// | `runs` | `SORTIE_RUNS` | how many runs, 10,000 unless told |
/// | `seed` | `SORTIE_SEED` | decides all random choices, 1 unless told |
/// | `steps` | `SORTIE_STEPS` | the bound on the moves of one run, 100,000 unless told |
/// | `seconds` | `SORTIE_FOR` | ends the hunt earlier |
/// | `threads` | `SORTIE_THREADS` | never changes the result |
/// | `must_end` | `SORTIE_MUST_END=1` | a run that reaches the bound has failed |
/// | | `SORTIE_STUCK` | after so many seconds without a move of any task the hunt is given up, 60 unless told |
/// | | `SORTIE_REPLAY` | a file of schedules: nothing else is run |
///
/// What the environment says counts.
#[derive(Clone, Debug)]
pub struct Hunter {
    plan: Plan,
    in_process: bool,
    schedules: Schedules,
    name: Option<String>,
}

/// Where failing schedules are kept.
#[derive(Clone, Debug)]
enum Schedules {
    /// In `sortie-schedules` at the root of the package.
    Usual,
    /// In another folder.
    In(PathBuf),
    /// Nowhere.
    Nowhere,
}

/// How many hunts each test of this process has begun, to tell them apart.
static HUNTS: Mutex<BTreeMap<Option<String>, u64>> = Mutex::new(BTreeMap::new());

/// The number of a test's next hunt.
fn number_of_next(test: Option<&str>) -> u64 {
    let mut hunts = HUNTS.lock().unwrap_or_else(PoisonError::into_inner);
    let begun = hunts.entry(test.map(str::to_string)).or_default();
    *begun += 1;
    *begun - 1
}

impl Default for Hunter {
    fn default() -> Self {
        Self::new()
    }
}

impl Hunter {
    /// The usual hunt.
    pub fn new() -> Self {
        Hunter {
            plan: Plan {
                settings: HuntSettings {
                    runs: Some(10_000),
                    seed: 1,
                    threads: 1,
                    ..HuntSettings::default()
                },
                steps: 100_000,
                shortening: 2000,
                must_end: false,
                stack: None,
                data_seeds: DATA_SEEDS,
            },
            in_process: false,
            schedules: Schedules::Usual,
            name: None,
        }
    }

    /// The strategy: a name of [`sortie_search::STRATEGIES`] that searches programs.
    pub fn search(mut self, name: impl Into<String>) -> Self {
        self.plan.settings.strategy = Some(name.into());
        self
    }

    /// An option of the search.
    pub fn option(mut self, name: impl Into<String>, value: impl ToString) -> Self {
        self.plan.settings.options.set(name, value);
        self
    }

    /// How many runs.
    pub fn runs(mut self, runs: u64) -> Self {
        self.plan.settings.runs = Some(runs);
        self
    }

    /// Decides all random choices.
    pub fn seed(mut self, seed: u64) -> Self {
        self.plan.settings.seed = seed;
        self
    }

    /// The bound on the moves of one run.
    pub fn steps(mut self, steps: u64) -> Self {
        self.plan.steps = steps;
        self
    }

    /// Ends the hunt after so many seconds, if it has not ended before.
    pub fn seconds(mut self, seconds: u64) -> Self {
        self.plan.settings.time = Some(Duration::from_secs(seconds));
        self
    }

    /// How many threads run the test at the same time. The test must not share anything between its runs.
    pub fn threads(mut self, threads: usize) -> Self {
        self.plan.settings.threads = threads;
        self
    }

    /// A run that reaches the bound on moves has failed: somebody waits for something that never comes, or spins.
    pub fn must_end(mut self) -> Self {
        self.plan.must_end = true;
        self
    }

    /// The stack of every task, in bytes.
    pub fn stack(mut self, bytes: usize) -> Self {
        self.plan.stack = Some(bytes);
        self
    }

    /// Of so many generators each run takes one for what it draws from `shuttle::rand`. With one, only schedules and tosses vary.
    pub fn data_seeds(mut self, seeds: u32) -> Self {
        self.plan.data_seeds = seeds;
        self
    }

    /// How many runs may be spent on shortening a failing schedule.
    pub fn shortening(mut self, runs: u64) -> Self {
        self.plan.shortening = runs;
        self
    }

    /// Runs the test in this process, not in a child. Failed runs do not give back their stacks, and a crash ends the process.
    pub fn in_process(mut self) -> Self {
        self.in_process = true;
        self
    }

    /// Keeps failing schedules in this folder, not in `sortie-schedules` of the package.
    pub fn schedules(mut self, folder: impl Into<PathBuf>) -> Self {
        self.schedules = Schedules::In(folder.into());
        self
    }

    /// Neither saves failing schedules nor tries those that were saved.
    pub fn forgetful(mut self) -> Self {
        self.schedules = Schedules::Nowhere;
        self
    }

    /// The name of the test as its harness calls it, where the thread and the closure do not tell.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Hunts, and panics when a run fails.
    ///
    /// # Panics
    /// See [`hunt`].
    #[track_caller]
    pub fn run<F: Fn() + Send + Sync + 'static>(self, test: F) {
        let outcome = self.look(test);
        if outcome.failure.is_some() {
            panic!("{outcome}");
        }
        println!("{outcome}");
    }

    /// Hunts, and tells what came out.
    ///
    /// # Panics
    /// When the hunt cannot be done: settings that make no sense, a test that cannot be started again in a child process.
    #[track_caller]
    pub fn look<F: Fn() + Send + Sync + 'static>(mut self, test: F) -> Outcome {
        self.ask_environment();
        let errand = child::errand();
        let test_name = self.test_name::<F>(errand.as_ref());
        let number = number_of_next(test_name.as_deref());
        if let Some(errand) = &errand
            && errand.hunt != number
        {
            // This process was started for another hunt of the same test.
            return Outcome::default();
        }
        let home = Home::of::<F>(&self, test_name, number);
        if let Some(stranger) = home.stranger() {
            return stranger;
        }
        let test = ShuttleTest::shared(Arc::new(test));
        let result = match errand {
            Some(errand) => {
                errand.watch();
                let outcome = self.outcome(test, &home, errand.diary.as_deref());
                errand.deliver(outcome)
            }
            None if self.in_process => self.outcome(test, &home, None),
            None => child::send(home.test.as_deref(), number, home.replayed.is_some()),
        };
        let outcome = result.unwrap_or_else(|reason| panic!("sortie: {reason}"));
        self.keep(outcome, &home)
    }

    /// What the harness calls the test.
    fn test_name<F>(&self, errand: Option<&Errand>) -> Option<String> {
        let given = self.name.clone();
        given
            .or_else(|| errand.map(|errand| errand.test.clone()))
            .or_else(|| child::test_name(std::any::type_name::<F>()))
    }

    /// What the hunt gives in this process.
    fn outcome(
        &self,
        test: ShuttleTest,
        home: &Home,
        diary: Option<&Path>,
    ) -> Result<Outcome, String> {
        if let Some(file) = &home.replayed {
            return replay(&test, &self.plan, file);
        }
        let file = home.file.as_deref();
        let saved = file.map(saved::read).transpose()?.unwrap_or_default();
        campaign(&test, &self.plan, &saved, file, diary)
    }

    /// Saves the schedule of a failure, and says where and how to replay it.
    fn keep(&self, mut outcome: Outcome, home: &Home) -> Outcome {
        let Some(found) = &mut outcome.failure else {
            return outcome;
        };
        let (Some(file), Some(test)) = (&home.file, &home.test) else {
            return outcome;
        };
        if home.replayed.is_some() || !found.replays {
            return outcome;
        }
        let shown = home.shown(file);
        if !found.saved {
            let mut remarks = vec![found.message.clone(), format!("found {}", found.origin)];
            remarks.extend(found.shown.iter().map(|line| format!("    {line}")));
            let answers = found.answers.clone();
            let later = "to be tried first from now on: keep it in version control";
            found
                .advice
                .push(match saved::add(file, test, &Saved { remarks, answers }) {
                    Ok(_) => format!("saved in {shown}, {later}"),
                    Err(error) => format!("not saved: {error}"),
                });
        }
        found.advice.push(format!(
            "replay with SORTIE_REPLAY={shown} cargo test -- --exact {test} --nocapture"
        ));
        outcome
    }

    fn ask_environment(&mut self) {
        let plan = &mut self.plan;
        let settings = &mut plan.settings;
        if let Some(search) = variable("SORTIE_SEARCH") {
            // Options belong to the search that the test names.
            if settings.strategy.as_ref() != Some(&search) {
                settings.options = Options::default();
            }
            settings.strategy = Some(search);
        }
        if let Some(options) = variable::<String>("SORTIE_OPTIONS") {
            for option in options.split(',').filter(|option| !option.is_empty()) {
                let (name, value) = option.split_once('=').unwrap_or((option, "true"));
                settings.options.set(name.trim(), value.trim());
            }
        }
        settings.runs = variable("SORTIE_RUNS").or(settings.runs);
        settings.seed = variable("SORTIE_SEED").unwrap_or(settings.seed);
        plan.steps = variable("SORTIE_STEPS").unwrap_or(plan.steps);
        let threads = variable("SORTIE_THREADS").unwrap_or(settings.threads);
        settings.threads = threads.max(1);
        let time = variable("SORTIE_FOR").map(Duration::from_secs);
        settings.time = time.or(settings.time);
        plan.must_end |= variable::<u8>("SORTIE_MUST_END").is_some_and(|wanted| wanted != 0);
    }
}

/// What a variable of the environment says.
pub(super) fn variable<T: FromStr>(name: &str) -> Option<T> {
    let text = std::env::var(name).ok()?;
    match text.trim().parse() {
        Ok(value) => Some(value),
        Err(_) => panic!("sortie: {name}={text} makes no sense"),
    }
}

/// Where a test is at home.
struct Home {
    /// Its name.
    test: Option<String>,
    /// Where its schedules are saved.
    file: Option<PathBuf>,
    /// The schedules to replay, if that is all that is wanted.
    replayed: Option<PathBuf>,
    root: PathBuf,
}

impl Home {
    fn of<F>(hunter: &Hunter, test: Option<String>, number: u64) -> Self {
        // cargo starts tests at the root of their package.
        let root = std::env::var_os("CARGO_MANIFEST_DIR").map_or(PathBuf::from("."), PathBuf::from);
        let folder = match &hunter.schedules {
            Schedules::Usual => Some(root.join("sortie-schedules")),
            Schedules::In(folder) => Some(root.join(folder)),
            Schedules::Nowhere => None,
        };
        let file = folder.zip(test.as_ref()).map(|(folder, test)| {
            // Tests of several executables of a package share the folder.
            let closure = std::any::type_name::<F>();
            let executable = closure.split("::").next().unwrap_or("test");
            let mut name = format!("{executable}.{}", test.replace("::", "."));
            if number > 0 {
                name += &format!(".{}", number + 1);
            }
            folder.join(name + ".txt")
        });
        let replayed = std::env::var_os("SORTIE_REPLAY").map(|wanted| {
            let beside = Some(root.join(&wanted)).filter(|file| file.exists());
            beside.unwrap_or_else(|| wanted.into())
        });
        Home {
            test,
            file,
            replayed,
            root,
        }
    }

    /// What to say when the schedules to replay belong to another test.
    fn stranger(&self) -> Option<Outcome> {
        let file = self.replayed.as_ref()?;
        let owner = saved::owner(file).ok().flatten()?;
        let note = format!("{} belongs to {owner}: nothing was run", file.display());
        (self.test.as_ref() != Some(&owner)).then(|| Outcome {
            notes: vec![note],
            plan: "replay".into(),
            ..Outcome::default()
        })
    }

    /// A file as seen from the root of the package.
    fn shown(&self, file: &Path) -> String {
        let inside = file.strip_prefix(&self.root).unwrap_or(file);
        inside.display().to_string()
    }
}
