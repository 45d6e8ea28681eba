//! Genetic search (Godefroid and Khurshid): a path is a string of bits, its fitness is counted while it is walked, and the fittest paths
//! have children, mixed from two of them and changed here and there.
//!
//! Rules that are easy to get wrong: a code that stands for no alternative is redrawn and written back, so that the fitness of a chromosome is a function of
//! its bits; cuts and changes fall into the effective length, the most bits read from any chromosome so far; parents live on beside their
//! children, so the best is never lost. Every path has dice of its own, made from the seed, its population, generation and number, and the effective length changes only
//! between generations: the number of threads never shows.
//!
//! Beyond the paper: choices [by name](Encoding::Name), depths that [take turns](depths), novelty, and every successor of every state of a path is looked at,
//! not only those the path goes to. Cost: the states of all paths; memory: a population and, for novelty, four million counters.

mod best_first;
mod chromosome;
pub(crate) mod depths;
mod evolution;
mod expression;
mod fitness;
mod life;
mod population;
mod programs;
mod reading;
mod search;
#[cfg(test)]
mod tests;

pub use fitness::{FITNESS, Named, OwnFitness, Tally, fitness_help};
pub(crate) use programs::Genetic;

use crate::options::{DEPTH, Kind, OptionSpec, Options, option_rows};
use crate::walked::{Loops, walked};
use crate::{Hunt, Outcome, SearchError};
use best_first::{Beam, search_best_first};
use chromosome::Rate;
use evolution::{Settings, evolve};
use fitness::Measure;
use life::Walker;
use population::Customs;
use reading::{Encoding, Reading};
use search::Search;
use sortie_model::{Counts, Dice, Exactness, ModelWalk, Precision, Reducing};

option_rows! {
    FITNESS_OPTION: "fitness", Kind::Text("EXPR"), "",
        "what makes a path fit; deadlock if deadlocks are looked for, else novelty";
    COUNT: "count", Kind::Texts("NAME=PATTERN"), "",
        "count actions on a path under a name, for --fitness: messages=send(*)";
    POPULATION: "population", Kind::Number(2, 1_000_000), "200",
        "how many paths live at a time";
    PARENTS: "parents", Kind::Number(1, 1_000_000), "",
        "how many of them have children; half of them, if not said";
}

const BEAM: OptionSpec = OptionSpec {
    help: "how many paths are made longer at a time",
    default: "1",
    ..PARENTS
};

option_rows! {
    GENERATIONS: "generations", Kind::Number(0, u64::MAX), "100",
        "how many generations a population lives";
    PATIENCE: "patience", Kind::Number(1, u64::MAX), "25",
        "begin anew after so many generations without a better path";
    EPOCHS: "epochs", Kind::Number(1, u64::MAX), "",
        "how often to begin anew at most";
    MUTATION: "mutation", Kind::Share, "0.005",
        "how often a bit of a child changes";
    NO_CROSSOVER: "no-crossover", Kind::Switch, "",
        "children have one parent";
    ENCODING: "encoding", Kind::Word(&["index", "name"]), "index",
        "whether bits choose by number or by who moves and what happens";
    REDUCE: "reduce", Kind::Word(&["no", "persistent", "sleep", "both"]), "no",
        "leave out steps that can be exchanged with others, by persistent sets, sleep sets or both";
    PENALTY: "penalty", Kind::Number(0, i64::MAX as u64), "1000000",
        "taken off the fitness of paths to errors, with --keep-going";
}

pub(crate) const OPTIONS: &[OptionSpec] = &[
    FITNESS_OPTION,
    COUNT,
    DEPTH,
    POPULATION,
    PARENTS,
    GENERATIONS,
    PATIENCE,
    EPOCHS,
    MUTATION,
    NO_CROSSOVER,
    ENCODING,
    REDUCE,
    PENALTY,
];

/// Those that make sense where nothing but runs is known.
pub(crate) const RUN_OPTIONS: &[OptionSpec] = &[
    FITNESS_OPTION,
    DEPTH,
    POPULATION,
    PARENTS,
    GENERATIONS,
    PATIENCE,
    EPOCHS,
    MUTATION,
    NO_CROSSOVER,
    ENCODING,
    PENALTY,
];

pub(crate) const BEST_FIRST_OPTIONS: &[OptionSpec] = &[FITNESS_OPTION, COUNT, DEPTH, BEAM, EPOCHS];

/// A genetic search has no natural end, so it gets one.
const DEFAULT_STATES: u64 = 5_000_000;

/// Refuses expressions that cannot be read and more parents than live.
pub(crate) fn check(options: &Options) -> Result<(), SearchError> {
    check_fitness(options)?;
    check_parents(options)
}

/// Refuses more parents than live.
pub(crate) fn check_parents(options: &Options) -> Result<(), SearchError> {
    let population = options.number(&POPULATION);
    let parents = options.optional_number(&PARENTS);
    if let Some(parents) = parents.filter(|parents| *parents > population) {
        return Err(SearchError::BadOption {
            option: PARENTS.name.into(),
            value: parents.to_string(),
            expected: format!("no more can have children than there are, {population}"),
        });
    }
    Ok(())
}

/// Refuses expressions that cannot be read.
pub(crate) fn check_fitness(options: &Options) -> Result<(), SearchError> {
    measure(options, Rules::of(options).fitness.unwrap_or("novelty")).map(drop)
}

fn measure<'a>(options: &Options, fitness: &str) -> Result<Measure<'a>, SearchError> {
    let mut measure = Measure::nothing();
    let counts = options.value(&COUNT);
    let counted = measure.count(counts);
    counted.map_err(|expected| SearchError::BadOption {
        option: COUNT.name.into(),
        value: counts.replace('\n', ", "),
        expected,
    })?;
    let valued = measure.value_by(fitness);
    valued.map_err(|expected| bad_fitness(fitness, expected))?;
    Ok(measure)
}

pub(crate) fn bad_fitness(fitness: &str, expected: String) -> SearchError {
    SearchError::BadOption {
        option: FITNESS_OPTION.name.into(),
        value: fitness.into(),
        expected,
    }
}

/// How fit a path is in this hunt.
fn measure_of<'a>(hunt: &Hunt<'a>) -> Result<Measure<'a>, SearchError> {
    if let Some(own) = hunt.fitness {
        return Ok(Measure::own(own));
    }
    let deadlocks = hunt.properties.iter().any(|p| p.looks_at().deadlocks);
    let usual = if deadlocks { "deadlock" } else { "novelty" };
    let fitness = Rules::of(&hunt.options).fitness.unwrap_or(usual);
    measure(&hunt.options, fitness)
}

/// What the options say.
pub(crate) struct Rules<'a> {
    pub(crate) fitness: Option<&'a str>,
    pub(crate) settings: Settings,
    /// How many states may be expanded if nobody says.
    endless: u64,
}

impl<'a> Rules<'a> {
    pub(crate) fn of(options: &'a Options) -> Self {
        let fitness = Some(options.value(&FITNESS_OPTION));
        let epochs = options.optional_number(&EPOCHS);
        let population = options.number(&POPULATION);
        let parents = options.optional_number(&PARENTS);
        let customs = Customs {
            population: population as usize,
            parents: parents.unwrap_or(population / 2) as usize,
            crossover: !options.switch(&NO_CROSSOVER),
            mutation: Rate::per_million(options.share(&MUTATION)),
            encoding: match options.value(&ENCODING) {
                "name" => Encoding::Name,
                _ => Encoding::Index,
            },
        };
        Rules {
            fitness: fitness.filter(|text| !text.trim().is_empty()),
            settings: Settings {
                customs,
                generations: options.number(&GENERATIONS),
                patience: options.number(&PATIENCE),
                epochs,
                depth: options.optional_number(&DEPTH),
                penalty: options.number(&PENALTY) as i64,
                tell: false,
            },
            endless: epochs.map_or(DEFAULT_STATES, |_| u64::MAX),
        }
    }
}

pub(crate) fn hunt(hunt: &Hunt<'_>) -> Result<Outcome, SearchError> {
    let settings = Settings {
        tell: hunt.tell_levels,
        ..Rules::of(&hunt.options).settings.going_on(hunt.keep_going)
    };
    let measure = measure_of(hunt)?;
    search(hunt, &measure, settings.customs.encoding, |search| {
        evolve(search, &settings, &measure)
    })
}

pub(crate) fn hunt_best_first(hunt: &Hunt<'_>) -> Result<Outcome, SearchError> {
    let parents = hunt.options.number(&BEAM) as usize;
    let Settings { epochs, depth, .. } = Rules::of(&hunt.options).settings;
    let measure = measure_of(hunt)?;
    let beam = Beam {
        parents,
        epochs,
        depth,
        measure: &measure,
    };
    search(hunt, &measure, Encoding::Index, |search| {
        search_best_first(search, &beam)
    })
}

/// Searches in some way and writes down what was found.
fn search<'a>(
    hunt: &'a Hunt<'a>,
    measure: &'a Measure<'a>,
    encoding: Encoding,
    run: impl FnOnce(&mut Search<'a>) -> Result<(), SearchError>,
) -> Result<Outcome, SearchError> {
    let reducing = match hunt.options.value(&REDUCE) {
        "persistent" => Some(Reducing::Persistent),
        "sleep" => Some(Reducing::Sleep),
        "both" => Some(Reducing::Both),
        _ => None,
    };
    let walk = || match (reducing, encoding) {
        (Some(reducing), _) => ModelWalk::reduced(hunt.model, reducing),
        (None, Encoding::Index) => Ok(ModelWalk::new(hunt.model)),
        (None, Encoding::Name) => Ok(ModelWalk::new(hunt.model).telling_who()),
    };
    let mut walkers = Vec::new();
    for _ in 0..hunt.threads.max(1) {
        walkers.push(Walker::new(Box::new(walk()?), measure, encoding, hunt));
    }
    let endless = Rules::of(&hunt.options).endless;
    let max_states = hunt.budget.max_states.unwrap_or(endless);
    let mut search = Search::new(hunt, max_states, walkers);
    run(&mut search)?;
    let distinct = search.findings.distinct();
    let mut found = Vec::new();
    for hit in search.findings.hits() {
        let mut chromosome = hit.place.chromosome.clone();
        // All bits that matter are there.
        let mut reading = Reading::new(&mut chromosome, encoding, Dice::new(0));
        let mut answer = |choice: &sortie_model::Choice<'_>| reading.choose(choice);
        let length = (hit.place.taken, hit.place.taken + 1);
        let mut walk = walk()?;
        let trace = walked(hunt.model, &mut walk, &mut answer, length, Loops::Erased)?;
        found.push(hit.found(trace));
    }
    let counts = Counts {
        considered: search.considered(),
        precision: Precision::AtLeast,
        ..search.counts
    };
    let (end, exactness) = (search.end.take(), Exactness::Exact);
    Ok(Outcome::at_end(end, found, distinct, counts, exactness))
}
