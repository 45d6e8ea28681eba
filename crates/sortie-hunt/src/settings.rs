//! The settings of a hunt: one struct, filled by the flags of the command line and by the builder of the library.

use crate::{CampaignError, Result};
use sortie_search::{OptionSpec, Options, STRATEGIES, Strategy, strategy};
use std::time::Duration;

/// The strategy for options that the default does not have, such as `--width`, where no strategy is named.
const WITH_OPTIONS: &str = "highway";

/// What a hunt does and what it may cost. The default is what the command line does where nothing is said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HuntSettings {
    /// The strategy by name; the first of the table if none is named, unless only others have the options that are given.
    pub strategy: Option<String>,
    /// The options of the strategy.
    pub options: Options,
    /// The seed of the first run; those of the others are derived from it.
    pub seed: u64,
    /// The number of hunts in a model, 1 if nothing is said; the largest number of runs of a program.
    pub runs: Option<u64>,
    /// The number of threads that may work, which never changes the result.
    pub threads: usize,
    /// Whether the hunt goes on after a hit and collects every distinct one.
    pub keep_going: bool,
    /// Whether states are counted exactly as the papers do.
    pub paper_counts: bool,
    /// Whether witnesses are shortened.
    pub shorten: bool,
    /// The number of states that each run may expand.
    pub max_states: Option<u64>,
    /// The number of bytes that may be held.
    pub memory: Option<u64>,
    /// The time that everything may take together, opening, shortening and writing included.
    pub time: Option<Duration>,
}

impl Default for HuntSettings {
    fn default() -> Self {
        HuntSettings {
            strategy: None,
            options: Options::default(),
            seed: 1,
            runs: None,
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            keep_going: false,
            paper_counts: false,
            shorten: true,
            max_states: None,
            memory: machine_memory().map(|all| all / 4 * 3),
            time: None,
        }
    }
}

impl HuntSettings {
    /// The settings with a strategy and its options.
    pub fn with_strategy(name: impl Into<String>, options: Options) -> Self {
        HuntSettings {
            strategy: Some(name.into()),
            options,
            ..HuntSettings::default()
        }
    }

    /// The strategy, with its options checked.
    pub fn strategy(&self) -> Result<&'static Strategy> {
        let chosen =
            self.chosen(|strategy| strategy.searches_models().then_some(strategy.options))?;
        self.options.check(chosen)?;
        Ok(chosen)
    }

    /// The strategy for a program, with its options checked.
    pub fn strategy_for_programs(&self) -> Result<&'static Strategy> {
        let chosen = self.chosen(|strategy| {
            let searches = strategy.searches_programs();
            searches.then(|| strategy.program_options())
        })?;
        chosen.check_for_programs(&self.options)?;
        Ok(chosen)
    }

    /// The strategy that is named, or else the first that has all options that are given.
    fn chosen(
        &self,
        options_of: fn(&Strategy) -> Option<&'static [OptionSpec]>,
    ) -> Result<&'static Strategy> {
        if let Some(name) = &self.strategy {
            return Ok(strategy(name)?);
        }
        let options = self.options.pairs();
        let has_all = |strategy: &&Strategy| {
            options_of(strategy).is_some_and(|specs| {
                let has = |name: &String| specs.iter().any(|spec| spec.name == name);
                options.iter().all(|(name, _)| has(name))
            })
        };
        let usual = &STRATEGIES[0];
        if has_all(&usual) {
            return Ok(usual);
        }
        let fitting: Vec<&Strategy> = STRATEGIES.iter().filter(has_all).collect();
        match fitting.iter().find(|fitting| fitting.name == WITH_OPTIONS) {
            Some(usual) => Ok(usual),
            None if fitting.is_empty() => Ok(usual),
            None => {
                let names = fitting.iter().map(|fitting| fitting.name).collect();
                Err(CampaignError::OtherStrategies(usual.name, names))
            }
        }
    }
}

/// The memory of this machine in bytes, where the system tells.
fn machine_memory() -> Option<u64> {
    let info = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = info.lines().find(|line| line.starts_with("MemTotal:"))?;
    let kib: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kib * 1024)
}
