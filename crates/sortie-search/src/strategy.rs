//! The table of strategies: what each is called, which options it has, and how it searches models and programs.

use crate::auto;
use crate::genetic;
use crate::options::{DEPTH, OptionSpec, Options};
use crate::schedulers::{
    self, Course, Pct, Pos, Scheduled, Scheduler, Setup, Surw, Urw, archive, course, models,
};
use crate::strategies::{breadth_bounded, breadth_first, depth_first, highway, lurch, random_walk};
use crate::{Hunt, Outcome, SearchError};
use sortie_model::{Spending, Verdict};

/// A search: its name, its options, and how it is carried out on a model, on a program, or on both.
pub struct Strategy {
    /// The name on the command line.
    pub name: &'static str,
    /// What it does, in one line.
    pub help: &'static str,
    /// Its options; a search of a program has [some of them](Strategy::program_options).
    pub options: &'static [OptionSpec],
    /// Whether different seeds give different runs.
    pub random: bool,
    /// Whether it notices where a path closes, so that it can look for [cycles](sortie_property::Property::cycle).
    pub cycles: bool,
    on_models: Option<OnModels>,
    on_programs: Option<OnPrograms>,
}

/// The search of models whose states are visible.
struct OnModels {
    /// Refuses options that do not go together.
    check: fn(&Options) -> Result<(), SearchError>,
    hunt: fn(&Hunt<'_>) -> Result<Outcome, SearchError>,
}

/// The search of programs, which only run and ask.
struct OnPrograms {
    options: &'static [OptionSpec],
    start: StartCourse,
}

type StartCourse = for<'a> fn(&Setup<'a>) -> Result<Box<dyn Course + Send + 'a>, SearchError>;

impl Strategy {
    /// A strategy that has to be told how it searches.
    const RANDOM: Strategy = Strategy {
        name: "",
        help: "",
        options: &[],
        random: true,
        cycles: false,
        on_models: None,
        on_programs: None,
    };

    /// Whether it searches models.
    pub fn searches_models(&self) -> bool {
        self.on_models.is_some()
    }

    /// Whether it searches programs; if not, it needs visible states.
    pub fn searches_programs(&self) -> bool {
        self.on_programs.is_some()
    }

    /// The options that a search of a program has; none if it needs visible states.
    pub fn program_options(&self) -> &'static [OptionSpec] {
        self.on_programs.as_ref().map_or(&[], |on| on.options)
    }

    /// Refuses options that a search of a model does not have, values they cannot take, and those that do not go together.
    pub(crate) fn check(&self, options: &Options) -> Result<(), SearchError> {
        options.check_table(self.name, self.options)?;
        (self.model_search()?.check)(options)
    }

    fn model_search(&self) -> Result<&OnModels, SearchError> {
        let strategy = || self.name.into();
        let search = self.on_models.as_ref();
        search.ok_or_else(|| SearchError::NeedsProgram {
            strategy: strategy(),
        })
    }

    /// Checks the options and searches a model.
    pub fn hunt(&self, hunt: &Hunt<'_>) -> Result<Outcome, SearchError> {
        let search = self.model_search()?;
        self.check(&hunt.options)?;
        let cyclic = hunt.properties.iter().find(|p| p.cycle().is_some());
        if let Some(property) = cyclic.filter(|_| !self.cycles) {
            return Err(SearchError::NoCycles {
                strategy: self.name.into(),
                property: property.name(),
            });
        }
        let mut outcome = (search.hunt)(hunt)?;
        if outcome.verdict == Verdict::Exhausted && hunt.model.notes().partial {
            outcome.verdict = Verdict::Spent(Spending::Successors);
        }
        Ok(outcome)
    }

    /// Checks the options and begins a search of a program.
    pub(crate) fn start<'a>(
        &self,
        setup: &Setup<'a>,
    ) -> Result<Box<dyn Course + Send + 'a>, SearchError> {
        (self.program_search(&setup.options)?.start)(setup)
    }

    /// Refuses options that a search of a program does not have, and values they cannot take.
    pub fn check_for_programs(&self, options: &Options) -> Result<(), SearchError> {
        self.program_search(options).map(|_| ())
    }

    fn program_search(&self, options: &Options) -> Result<&OnPrograms, SearchError> {
        let Some(search) = &self.on_programs else {
            return Err(SearchError::NeedsStates {
                strategy: self.name.into(),
            });
        };
        options.check_table(self.name, search.options)?;
        Ok(search)
    }
}

/// A search of models that takes any combination of its options.
const fn on_models(hunt: fn(&Hunt<'_>) -> Result<Outcome, SearchError>) -> Option<OnModels> {
    let check = |_: &Options| Ok(());
    Some(OnModels { check, hunt })
}

/// A search of programs that has no option but the longest run.
const fn on_programs(start: StartCourse) -> Option<OnPrograms> {
    let options = &[DEPTH];
    Some(OnPrograms { options, start })
}

/// Begins a search of a program that leaves each run to a scheduler.
fn scheduled<'a>(
    scheduler: impl Scheduler + 'a,
    setup: &Setup<'a>,
) -> Result<Box<dyn Course + Send + 'a>, SearchError> {
    Ok(course(Scheduled::new(scheduler), setup))
}

/// All strategies, the default first. A new one is a file and a row here.
pub static STRATEGIES: &[Strategy] = &[
    Strategy {
        name: "auto",
        help: "several of the others in turns, more often those that see something new",
        options: auto::OPTIONS,
        cycles: true,
        on_models: on_models(auto::hunt),
        on_programs: on_programs(|setup| scheduled(auto::programs::Auto::default(), setup)),
        ..Strategy::RANDOM
    },
    Strategy {
        name: "random",
        help: "random walks from the initial state: every alternative is equally likely",
        options: random_walk::OPTIONS,
        on_models: on_models(random_walk::hunt),
        on_programs: on_programs(|setup| scheduled(schedulers::Random, setup)),
        ..Strategy::RANDOM
    },
    Strategy {
        name: "rdfs",
        help: "randomised depth-first search: few states, long traces",
        options: depth_first::OPTIONS,
        on_models: on_models(depth_first::randomised),
        ..Strategy::RANDOM
    },
    Strategy {
        name: "dfs",
        help: "depth-first search, successors in the model's order",
        options: depth_first::OPTIONS,
        random: false,
        on_models: on_models(depth_first::plain),
        ..Strategy::RANDOM
    },
    Strategy {
        name: "bfs",
        help: "breadth-first search: shortest traces, most memory",
        options: breadth_first::OPTIONS,
        random: false,
        on_models: on_models(breadth_first::hunt),
        ..Strategy::RANDOM
    },
    Strategy {
        name: "highway",
        help: "highway search: a fixed number of states per level, drawn at random; short traces",
        options: highway::OPTIONS,
        on_models: on_models(highway::hunt),
        ..Strategy::RANDOM
    },
    Strategy {
        name: "bbmc",
        help: "breadth-bounded search: a highway that leaves no lane without a successor",
        options: breadth_bounded::OPTIONS,
        on_models: on_models(breadth_bounded::hunt),
        ..Strategy::RANDOM
    },
    Strategy {
        name: "genetic",
        help: "genetic search: paths compete, and the fittest are mixed and changed",
        options: genetic::OPTIONS,
        on_models: Some(OnModels {
            check: genetic::check,
            hunt: genetic::hunt,
        }),
        on_programs: Some(OnPrograms {
            options: genetic::RUN_OPTIONS,
            start: |setup| {
                let search = genetic::Genetic::of(&setup.options, setup.keep_going)?;
                Ok(course(search, setup))
            },
        }),
        ..Strategy::RANDOM
    },
    Strategy {
        name: "lurch",
        help: "LURCH: random paths and hardly any memory, until nothing new is met; also finds cycles",
        options: lurch::OPTIONS,
        cycles: true,
        on_models: on_models(lurch::hunt),
        ..Strategy::RANDOM
    },
    Strategy {
        name: "pct",
        help: "random walks by priorities of components, or tasks, that change at a few random moves",
        options: schedulers::PCT_OPTIONS,
        on_models: on_models(|hunt| models::hunt(hunt, Pct::of(&hunt.options))),
        on_programs: Some(OnPrograms {
            options: &[schedulers::CHANGES, DEPTH],
            start: |setup| scheduled(Pct::of(&setup.options), setup),
        }),
        ..Strategy::RANDOM
    },
    Strategy {
        name: "urw",
        help: "random walks in which components, or tasks, are drawn by what they have left to do",
        options: models::OPTIONS,
        on_models: on_models(|hunt| models::hunt(hunt, Urw::default())),
        on_programs: on_programs(|setup| scheduled(Urw::default(), setup)),
        ..Strategy::RANDOM
    },
    Strategy {
        name: "surw",
        help: "random walks in which every order of some operations is equally likely",
        options: models::OPTIONS,
        on_models: on_models(|hunt| models::hunt(hunt, Surw::default())),
        on_programs: on_programs(|setup| scheduled(Surw::default(), setup)),
        ..Strategy::RANDOM
    },
    Strategy {
        name: "pos",
        help: "random walks by priorities of what components, or tasks, do next",
        options: models::OPTIONS,
        on_models: on_models(|hunt| models::hunt(hunt, Pos::default())),
        on_programs: on_programs(|setup| scheduled(Pos::default(), setup)),
        ..Strategy::RANDOM
    },
    Strategy {
        name: "archive",
        help: "random walks that go on from where something new, or hardly ever seen, was met",
        options: archive::OPTIONS,
        on_models: on_models(archive::hunt),
        on_programs: on_programs(|setup| Ok(course(archive::Archive::default(), setup))),
        ..Strategy::RANDOM
    },
    Strategy {
        name: "best-first",
        help: "best-first search: the fittest paths are followed step by step",
        options: genetic::BEST_FIRST_OPTIONS,
        on_models: Some(OnModels {
            check: genetic::check_fitness,
            hunt: genetic::hunt_best_first,
        }),
        ..Strategy::RANDOM
    },
    Strategy {
        name: "exhaustive",
        help: "all runs but for the order of operations that commute, or all with few preemptions",
        options: schedulers::EXHAUSTIVE_OPTIONS,
        random: false,
        on_programs: Some(OnPrograms {
            options: schedulers::EXHAUSTIVE_OPTIONS,
            start: |setup| Ok(course(schedulers::Exhaustive::of(&setup.options), setup)),
        }),
        ..Strategy::RANDOM
    },
];

/// The strategy with this name.
pub fn strategy(name: &str) -> Result<&'static Strategy, SearchError> {
    let known = STRATEGIES.iter().find(|strategy| strategy.name == name);
    known.ok_or_else(|| SearchError::UnknownStrategy { name: name.into() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_whole() {
        for strategy in STRATEGIES {
            assert!(!strategy.name.is_empty() && !strategy.help.is_empty());
            assert!(strategy.searches_models() || strategy.searches_programs());
            for option in strategy.program_options() {
                let same =
                    |other: &OptionSpec| (other.name, other.kind) == (option.name, option.kind);
                assert!(strategy.options.iter().any(same), "{}", option.name);
            }
        }
    }
}
