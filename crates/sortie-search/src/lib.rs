//! The searches: one file per strategy, and the stores and frontiers they share.
//!
//! A strategy is a function from a [`Hunt`] to an [`Outcome`] and one line in [`STRATEGIES`]. It is a pure
//! function of the model, the properties, its options, the seed and the budget: the number of threads and the
//! order in which they run never show.
//!
//! ```
//! use sortie_intern::Interned;
//! use sortie_model::{Silent, System, Verdict};
//! use sortie_property::{Deadlock, Property};
//! use sortie_search::{Hunt, strategy};
//!
//! struct Countdown;
//! impl System for Countdown {
//!     type State = u32;
//!     type Action = &'static str;
//!     fn initial(&self) -> u32 {
//!         5
//!     }
//!     fn steps(&self, n: &u32, out: &mut Vec<(&'static str, u32)>) {
//!         if *n > 0 {
//!             out.push(("down", n - 1));
//!         }
//!     }
//! }
//!
//! let model = Interned::new(Countdown);
//! let wanted: Vec<Box<dyn Property>> = vec![Box::new(Deadlock)];
//! let bfs = strategy("bfs").expect("a known strategy");
//! let outcome = bfs.hunt(&Hunt::new(&model, &wanted, &Silent))?;
//! assert_eq!(outcome.verdict, Verdict::Found);
//! assert_eq!(outcome.found[0].trace.len(), 5);
//! # Ok::<(), sortie_search::SearchError>(())
//! ```

#![forbid(unsafe_code)]

mod approximate_highway;
mod archive;
mod auto;
mod bit_table;
mod bottom_k;
mod bounded_hunt;
mod breadth_bounded;
mod breadth_first;
mod breadth_first_slice;
mod component_walks;
mod considered;
mod depth_first;
mod expansion;
mod explore;
mod findings;
mod fresh;
pub mod genetic;
mod good_turing;
mod highway;
mod lanes;
pub mod level_choice;
mod lurch;
mod mapping;
mod options;
mod outing;
mod packed;
mod processors;
mod random_walk;
pub mod retrace;
pub mod runs;
#[cfg(test)]
mod same_with_a_map;
pub mod seen;
mod share;
mod small_set;
pub mod table;
mod team;
mod unfolding;
mod walk_map;
mod walk_sample;
mod walked;

pub use auto::{Keeper, Standing};
pub use bottom_k::{BottomK, Candidate, Draw, Known};
pub use breadth_bounded::{Bounded, Draws, Settings as BoundedSettings, breadth_bounded};
pub use breadth_first_slice::{breadth_first_slice, first_states};
pub use expansion::Expansion;
pub use explore::{Explored, explore, explore_transitions};
pub use good_turing::{GoodTuring, Unseen};
pub use highway::{Highway, with_highway};
pub use options::{Kind as OptionKind, OptionSpec, Options};
pub use unfolding::Unfolding;
pub use walk_sample::{Met, WalkSample};
pub use walked::walked_whole;

use sortie_model::{
    Budget, Counts, Exactness, Extreme, Model, ModelError, Observer, Spending, Trace, Verdict,
};
use sortie_property::Property;

/// A search could not be carried out.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SearchError {
    /// The model could not be evaluated.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// There is no strategy of this name.
    #[error("there is no strategy '{name}'; choose one of {}", names())]
    UnknownStrategy {
        /// The name given.
        name: String,
    },
    /// There is no search among runs of this name.
    #[error("there is no search '{name}'; choose one of {}", runs::names())]
    UnknownRunSearch {
        /// The name given.
        name: String,
    },
    /// The strategy does not have this option.
    #[error("the strategy '{strategy}' has no option '{option}'; it has {known}")]
    UnknownOption {
        /// The strategy.
        strategy: String,
        /// The option given.
        option: String,
        /// The options it has.
        known: String,
    },
    /// The option's value is not one it can have.
    #[error("--{option} cannot be '{value}': {expected}")]
    BadOption {
        /// The option.
        option: String,
        /// The value given.
        value: String,
        /// What it can be.
        expected: String,
    },
    /// The strategy follows no path long enough to see it close.
    #[error(
        "the strategy '{strategy}' looks at states and steps, and '{property}' is a loop of them; strategies that look for loops: {}",
        cyclic_names()
    )]
    NoCycles {
        /// The strategy.
        strategy: String,
        /// What is looked for.
        property: String,
    },
    /// A level of a breadth-bounded search was to be drawn exactly, and could not be.
    #[error(
        "level {level} cannot be drawn exactly: {lanes} of its lanes have no visited successor and share {candidates} \
             unvisited ones; without --exact it is mixed by random swaps, and other widths may not need that"
    )]
    Entangled {
        /// The level, the initial one being 0.
        level: u64,
        /// Stuck lanes that hang together.
        lanes: usize,
        /// The candidates they have.
        candidates: usize,
    },
    /// A path that the search itself recorded could not be walked again.
    #[error(
        "the path to a state could not be found again at step {step}; the model gives different successors for \
             the same state, or two states have the same fingerprint"
    )]
    LostPath {
        /// The step at which the way was lost.
        step: usize,
    },
}

fn cyclic_names() -> String {
    names_of(|strategy| strategy.cycles)
}

fn names() -> String {
    names_of(|_| true)
}

fn names_of(wanted: impl Fn(&&Strategy) -> bool) -> String {
    STRATEGIES
        .iter()
        .filter(wanted)
        .map(|s| s.name)
        .collect::<Vec<_>>()
        .join(", ")
}

/// One hunt: what to search, what for, and what it may cost.
pub struct Hunt<'a> {
    /// The model to search.
    pub model: &'a dyn Model,
    /// What is looked for.
    pub properties: &'a [Box<dyn Property + 'a>],
    /// Hears what happens.
    pub observer: &'a dyn Observer,
    /// What may be spent.
    pub budget: Budget,
    /// The options of the strategy.
    pub options: Options,
    /// Decides all random choices.
    pub seed: u64,
    /// How many threads may work; never changes the result.
    pub threads: usize,
    /// Go on after a hit and collect every distinct one.
    pub keep_going: bool,
    /// Count exactly as the papers do: remember every state that was considered, and where it was first seen from.
    pub paper_counts: bool,
    /// Tell of every level and generation.
    pub tell_levels: bool,
    /// How fit a path is, for searches that ask, in place of an expression.
    pub fitness: Option<&'a genetic::OwnFitness<'a>>,
    /// Keeps how far a search has come that can be put down and taken up again.
    pub keeper: Option<&'a dyn Keeper>,
}

impl<'a> Hunt<'a> {
    /// A hunt with default options, one thread, seed 1 and no limits.
    pub fn new(
        model: &'a dyn Model,
        properties: &'a [Box<dyn Property + 'a>],
        observer: &'a dyn Observer,
    ) -> Self {
        Hunt {
            model,
            properties,
            observer,
            budget: Budget::default(),
            options: Options::default(),
            seed: 1,
            threads: 1,
            keep_going: false,
            paper_counts: false,
            tell_levels: false,
            fitness: None,
            keeper: None,
        }
    }
}

/// Something found, with the trace that shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Index of the property.
    pub property: usize,
    /// A path that ends where the property shows.
    pub trace: Trace,
    /// Which end and value, for an extreme.
    pub record: Option<(Extreme, i64)>,
    /// How many steps lead to the beginning of a loop, where one was found: the trace is the way there and once around, so that its
    /// last state is also that after so many steps.
    pub cycle: Option<usize>,
}

/// What a search can say at its end.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The answer.
    pub verdict: Verdict,
    /// What was found: violations in order of discovery, then extremes.
    pub found: Vec<Found>,
    /// How many distinct violations there were; `found` keeps the traces of the first hundred.
    pub distinct: u64,
    /// What it cost.
    pub counts: Counts,
    /// How states were remembered at the end.
    pub exactness: Exactness,
    /// What random walks met, from which it can be told how much is unseen; of strategies that walk at random.
    pub unseen: Option<Box<WalkSample>>,
}

/// A way to search: its name, its options, and the function that does it.
pub struct Strategy {
    /// The name on the command line.
    pub name: &'static str,
    /// What it does, in one line.
    pub help: &'static str,
    /// Its options.
    pub options: &'static [OptionSpec],
    /// Whether different seeds give different runs.
    pub random: bool,
    /// Whether it notices where a path closes, so that it can look for [cycles](Property::cycle).
    pub cycles: bool,
    /// Refuses options that do not go together.
    check: fn(&Options) -> Result<(), SearchError>,
    run: fn(&Hunt<'_>) -> Result<Outcome, SearchError>,
}

impl Strategy {
    /// Checks the options and searches.
    pub fn hunt(&self, hunt: &Hunt<'_>) -> Result<Outcome, SearchError> {
        hunt.options.check(self)?;
        let cyclic = hunt.properties.iter().find(|p| p.cycle().is_some());
        if let Some(property) = cyclic.filter(|_| !self.cycles) {
            return Err(SearchError::NoCycles {
                strategy: self.name.into(),
                property: property.name(),
            });
        }
        let mut outcome = (self.run)(hunt)?;
        if outcome.verdict == Verdict::Exhausted && hunt.model.is_partial() {
            outcome.verdict = Verdict::Spent(Spending::Successors);
        }
        Ok(outcome)
    }
}

/// All strategies. A new one is a file and a line here.
pub static STRATEGIES: &[Strategy] = &[
    Strategy {
        name: "auto",
        help: "several of the others in turns, more often those that see something new",
        options: auto::OPTIONS,
        random: true,
        cycles: true,
        check: |_| Ok(()),
        run: auto::hunt,
    },
    Strategy {
        name: "random",
        help: "random walks from the initial state",
        options: random_walk::OPTIONS,
        random: true,
        cycles: false,
        check: |_| Ok(()),
        run: random_walk::hunt,
    },
    Strategy {
        name: "rdfs",
        help: "randomised depth-first search: few states, long traces",
        options: depth_first::OPTIONS,
        random: true,
        cycles: false,
        check: |_| Ok(()),
        run: depth_first::randomised,
    },
    Strategy {
        name: "dfs",
        help: "depth-first search, successors in the model's order",
        options: depth_first::OPTIONS,
        random: false,
        cycles: false,
        check: |_| Ok(()),
        run: depth_first::plain,
    },
    Strategy {
        name: "bfs",
        help: "breadth-first search: shortest traces, most memory",
        options: breadth_first::OPTIONS,
        random: false,
        cycles: false,
        check: |_| Ok(()),
        run: breadth_first::hunt,
    },
    Strategy {
        name: "highway",
        help: "highway search: a fixed number of states per level, drawn at random; short traces",
        options: highway::OPTIONS,
        random: true,
        cycles: false,
        check: |_| Ok(()),
        run: highway::hunt,
    },
    Strategy {
        name: "bbmc",
        help: "breadth-bounded search: a highway that leaves no lane without a successor",
        options: bounded_hunt::OPTIONS,
        random: true,
        cycles: false,
        check: |_| Ok(()),
        run: bounded_hunt::hunt,
    },
    Strategy {
        name: "genetic",
        help: "genetic search: paths compete, and the fittest are mixed and changed",
        options: genetic::OPTIONS,
        random: true,
        cycles: false,
        check: genetic::check,
        run: genetic::hunt,
    },
    Strategy {
        name: "lurch",
        help: "LURCH: random paths and hardly any memory, until nothing new is met; also finds cycles",
        options: lurch::OPTIONS,
        random: true,
        cycles: true,
        check: |_| Ok(()),
        run: lurch::hunt,
    },
    Strategy {
        name: "pct",
        help: "random walks in which components have priorities that change now and then",
        options: component_walks::PRIORITY_OPTIONS,
        random: true,
        cycles: false,
        check: |_| Ok(()),
        run: component_walks::hunt_by_priorities,
    },
    Strategy {
        name: "urw",
        help: "random walks in which components are drawn by what they have left to do",
        options: component_walks::UNIFORM_OPTIONS,
        random: true,
        cycles: false,
        check: |_| Ok(()),
        run: component_walks::hunt_uniformly,
    },
    Strategy {
        name: "archive",
        help: "random walks that go on from places hardly ever seen",
        options: archive::OPTIONS,
        random: true,
        cycles: false,
        check: |_| Ok(()),
        run: archive::hunt,
    },
    Strategy {
        name: "best-first",
        help: "best-first search: the fittest paths are followed step by step",
        options: genetic::BEST_FIRST_OPTIONS,
        random: true,
        cycles: false,
        check: genetic::check_fitness,
        run: genetic::hunt_best_first,
    },
];

/// The strategy with this name.
pub fn strategy(name: &str) -> Result<&'static Strategy, SearchError> {
    STRATEGIES
        .iter()
        .find(|s| s.name == name)
        .ok_or_else(|| SearchError::UnknownStrategy { name: name.into() })
}
