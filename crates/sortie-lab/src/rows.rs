//! The rows of a table: what an instance goes through, one row per combination of the values in lists.

use crate::figures::Figures;
use serde::Deserialize;
use sortie_search::Options;

/// A search or a check, or several that differ in a few values.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ways {
    /// The row's name, where strategy and options do not say it better; for a single row only.
    name: Option<String>,
    /// The strategies of a search, or where a formula is checked.
    #[serde(alias = "strategy")]
    on: Several<String>,
    #[serde(default)]
    options: toml::Table,
    max_states: Option<Several<u64>>,
}

/// One value or a list of them.
#[derive(Clone, Deserialize)]
#[serde(untagged)]
enum Several<T> {
    One(T),
    List(Vec<T>),
}

impl<T: Clone> Several<T> {
    fn values(&self) -> Vec<T> {
        match self {
            Several::One(value) => vec![value.clone()],
            Several::List(values) => values.clone(),
        }
    }
}

/// The kind of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Way {
    /// By hunts with this strategy.
    Hunt(String),
    /// By judging the formula there.
    Check(Place),
}

/// Where a formula is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Slices of the state space.
    Slices,
    /// Slices of the game between formula and state space.
    Game,
    /// The beginning of a breadth-first search that is just large enough: bounded model checking.
    Beginning,
}

impl Place {
    const NAMES: [(&str, Place); 3] = [
        ("slices", Place::Slices),
        ("game", Place::Game),
        ("bmc", Place::Beginning),
    ];

    fn named(name: &str) -> Result<Place, String> {
        let known = Place::NAMES.iter().find(|(known, _)| *known == name);
        let found = known.map(|(_, place)| *place);
        found.ok_or_else(|| {
            let names = Place::NAMES.map(|(name, _)| name).join(", ");
            format!("a formula cannot be checked on '{name}'; choose one of {names}")
        })
    }
}

/// One row of the table.
pub struct Row {
    pub name: String,
    pub way: Way,
    /// The way in a word.
    word: String,
    /// Options in the order of the file.
    pub given: Vec<(String, String)>,
    pub runs: u64,
    pub max_states: Option<u64>,
    /// No more with `--quick`.
    pub quick_states: u64,
    /// The number of hunts that are repeated with shortening.
    pub shorten: u64,
    pub paper: Figures,
    pub rerun: Figures,
}

impl Ways {
    /// The rows of searches.
    pub fn searches(&self) -> Result<Vec<Row>, String> {
        self.rows(|name| Ok(Way::Hunt(name.to_owned())))
    }

    /// The rows of checks.
    pub fn checks(&self) -> Result<Vec<Row>, String> {
        self.rows(|name| match Place::named(name)? {
            Place::Beginning if !self.options.is_empty() => {
                Err("bmc has no options; give it a check of its own".into())
            }
            place => Ok(Way::Check(place)),
        })
    }

    /// All combinations, the last list varying fastest.
    fn rows(&self, way: impl Fn(&str) -> Result<Way, String>) -> Result<Vec<Row>, String> {
        let mut given: Vec<Vec<(String, String)>> = vec![Vec::new()];
        for (option, value) in &self.options {
            let values = match value {
                toml::Value::Array(values) => values.iter().map(plain).collect(),
                single => vec![plain(single)],
            };
            let mut extended = Vec::new();
            for begun in &given {
                let with = |value| [&begun[..], &[(option.clone(), value)]].concat();
                extended.extend(values.iter().cloned().map(with));
            }
            given = extended;
        }
        let limits = match &self.max_states {
            Some(limits) => limits.values().into_iter().map(Some).collect(),
            None => vec![None],
        };
        let mut rows = Vec::new();
        for limit in limits {
            for word in self.on.values() {
                let way = way(&word)?;
                rows.extend(given.iter().map(|given| Row {
                    name: row_name(&word, given, limit),
                    way: way.clone(),
                    word: word.clone(),
                    given: given.clone(),
                    runs: 1,
                    max_states: limit,
                    quick_states: u64::MAX,
                    shorten: 0,
                    paper: Figures::default(),
                    rerun: Figures::default(),
                }));
            }
        }
        match (&self.name, &mut rows[..]) {
            (None, _) => {}
            (Some(name), [row]) => row.name = name.clone(),
            (Some(_), _) => return Err("what stands for several rows cannot have a name".into()),
        }
        Ok(rows)
    }
}

/// Options of a strategy as an experiment writes them.
pub fn single_options(options: &toml::Table) -> Options {
    let mut all = Options::default();
    for (name, value) in options {
        all.set(name, plain(value));
    }
    all
}

/// A value as the command line has it.
pub fn plain(value: &toml::Value) -> String {
    let text = value.as_str();
    text.map_or_else(|| value.to_string(), str::to_string)
}

fn row_name(word: &str, given: &[(String, String)], limit: Option<u64>) -> String {
    let mut name = word.to_string();
    for (option, value) in given {
        match value.as_str() {
            "true" => name.push_str(&format!(" {option}")),
            "false" => {}
            value => name.push_str(&format!(" {option}={value}")),
        }
    }
    if let Some(limit) = limit {
        name.push_str(&format!(" max-states={limit}"));
    }
    name
}

impl Row {
    /// The options of its strategy.
    pub fn options(&self) -> Options {
        let mut all = Options::default();
        for (name, value) in &self.given {
            all.set(name, value);
        }
        all
    }

    /// Whether it says how much bounded model checking needs, with which other checks are compared.
    pub fn is_reference(&self) -> bool {
        self.way == Way::Check(Place::Beginning)
    }

    /// Its place on an axis that is an option, and its name without that option.
    pub fn on_axis(&self, axis: &str) -> Option<(f64, String)> {
        let (_, value) = self.given.iter().find(|(name, _)| name == axis)?;
        let mut others = self.given.clone();
        others.retain(|(name, _)| name != axis);
        Some((value.parse().ok()?, row_name(&self.word, &others, None)))
    }
}
