//! The format of an experiment: instances, and the searches that each of them goes through.
//!
//! A search whose strategy, limit or options are lists stands for one row per combination.

use crate::cli::Failure;
use serde::Deserialize;
use sortie_search::Options;
use std::collections::BTreeMap;

/// One experiment.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Experiment {
    #[serde(default, rename = "kind")]
    _kind: String,
    pub title: String,
    pub source: String,
    /// The folder with the models that are files, unless the command line names one.
    pub models: Option<String>,
    /// What is looked for, unless an instance says otherwise.
    property: Option<String>,
    runs: u64,
    #[serde(default = "first_seed")]
    pub seed: u64,
    #[serde(default)]
    pub keep_going: bool,
    max_states: Option<u64>,
    /// What the paper says in words, and what to make of differences.
    #[serde(default)]
    pub remark: String,
    /// What every instance goes through.
    #[serde(default)]
    search: Vec<Search>,
    pub instance: Vec<Instance>,
}

/// A model, what is looked for in it, and what is known about that.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Instance {
    /// Its name in the paper.
    pub name: String,
    pub model: String,
    #[serde(default)]
    pub set: BTreeMap<String, u64>,
    property: Option<String>,
    runs: Option<u64>,
    max_states: Option<u64>,
    /// What it goes through besides the searches of all instances.
    #[serde(default)]
    search: Vec<Search>,
    /// The option that is the horizontal axis of its picture; without one there are cumulative curves.
    pub axis: Option<String>,
    /// What the paper's table has, by the name of the row.
    #[serde(default)]
    paper: BTreeMap<String, Figures>,
    /// What others got who ran the paper's experiment again.
    #[serde(default)]
    rerun: BTreeMap<String, Figures>,
}

/// A search, or several that differ in a few values.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Search {
    /// The row's name, where strategy and options do not say it better; for a single row only.
    name: Option<String>,
    strategy: Several<String>,
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

/// What a table has in a row.
#[derive(Clone, Copy, Deserialize, Default)]
#[serde(deny_unknown_fields)]
pub struct Figures {
    pub states: Option<f64>,
    pub trace: Option<f64>,
    /// In per cent.
    pub success: Option<f64>,
    /// Mean number of distinct things found.
    pub found: Option<f64>,
}

/// One row of the table.
pub struct Row {
    pub name: String,
    pub strategy: String,
    /// Options in the order of the file.
    pub given: Vec<(String, String)>,
    pub runs: u64,
    pub max_states: Option<u64>,
    pub paper: Figures,
    pub rerun: Figures,
}

fn first_seed() -> u64 {
    1
}

impl Experiment {
    /// Reads an experiment and checks that all figures belong to a row.
    pub fn parse(file: &str, text: &str) -> Result<Experiment, Failure> {
        let wrong = |error: String| Failure::input(format!("{file}: {error}"));
        let experiment: Experiment =
            toml::from_str(text).map_err(|error| wrong(error.to_string()))?;
        for instance in &experiment.instance {
            experiment.property(instance).map_err(wrong)?;
            experiment.rows(instance).map_err(wrong)?;
        }
        Ok(experiment)
    }

    /// What is looked for in an instance.
    pub fn property<'a>(&'a self, instance: &'a Instance) -> Result<&'a str, String> {
        let property = instance.property.as_ref().or(self.property.as_ref());
        let property = property.map(String::as_str);
        property.ok_or_else(|| format!("{}: say the property to look for", instance.name))
    }

    /// The rows of an instance.
    pub fn rows(&self, instance: &Instance) -> Result<Vec<Row>, String> {
        let mut rows = Vec::new();
        for search in self.search.iter().chain(&instance.search) {
            let combinations = search.combinations();
            if search.name.is_some() && combinations.len() > 1 {
                return Err(format!(
                    "{}: a search of several rows cannot have a name",
                    instance.name
                ));
            }
            for (strategy, given, limit) in combinations {
                let name = search
                    .name
                    .clone()
                    .unwrap_or_else(|| row_name(&strategy, &given, limit));
                let figures = |table: &BTreeMap<String, Figures>| {
                    table.get(&name).copied().unwrap_or_default()
                };
                rows.push(Row {
                    paper: figures(&instance.paper),
                    rerun: figures(&instance.rerun),
                    name,
                    strategy,
                    given,
                    runs: instance.runs.unwrap_or(self.runs),
                    max_states: limit.or(instance.max_states).or(self.max_states),
                });
            }
        }
        let known = instance.paper.keys().chain(instance.rerun.keys());
        match known
            .into_iter()
            .find(|name| rows.iter().all(|row| row.name != **name))
        {
            Some(name) => Err(format!(
                "{}: there are figures for '{name}', but no such row",
                instance.name
            )),
            None => Ok(rows),
        }
    }
}

/// Strategy, options and limit of a row.
type Combination = (String, Vec<(String, String)>, Option<u64>);

impl Search {
    /// All of them, the last list varying fastest.
    fn combinations(&self) -> Vec<Combination> {
        let mut given: Vec<Vec<(String, String)>> = vec![Vec::new()];
        for (name, value) in &self.options {
            let values = match value {
                toml::Value::Array(values) => values.iter().map(plain).collect(),
                single => vec![plain(single)],
            };
            let extended = given.iter().flat_map(|begun| {
                let with = |value: &String| [&begun[..], &[(name.clone(), value.clone())]].concat();
                values.iter().map(with).collect::<Vec<_>>()
            });
            given = extended.collect();
        }
        let limits = match &self.max_states {
            Some(limits) => limits.values().into_iter().map(Some).collect(),
            None => vec![None],
        };
        let mut all = Vec::new();
        for limit in limits {
            for strategy in self.strategy.values() {
                all.extend(
                    given
                        .iter()
                        .map(|given| (strategy.clone(), given.clone(), limit)),
                );
            }
        }
        all
    }
}

fn plain(value: &toml::Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_string)
}

fn row_name(strategy: &str, given: &[(String, String)], limit: Option<u64>) -> String {
    let mut name = strategy.to_string();
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
        self.given
            .iter()
            .fold(Options::default(), |options, (name, value)| {
                options.with(name, value)
            })
    }

    /// Its place on an axis that is an option, and its name without that option.
    pub fn on_axis(&self, axis: &str) -> Option<(f64, String)> {
        let (_, value) = self.given.iter().find(|(name, _)| name == axis)?;
        let others: Vec<_> = self
            .given
            .iter()
            .filter(|(name, _)| name != axis)
            .cloned()
            .collect();
        Some((value.parse().ok()?, row_name(&self.strategy, &others, None)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str =
        "title = \"t\"\nsource = \"s\"\nproperty = \"deadlock\"\nruns = 5\nmax_states = 90\n";

    fn names(text: &str) -> Result<Vec<String>, String> {
        let experiment = Experiment::parse("test.toml", &format!("{HEAD}{text}"))
            .map_err(|failure| format!("{failure:?}"))?;
        let rows = experiment.instance.iter().map(|i| experiment.rows(i));
        let rows: Vec<Vec<Row>> = rows.collect::<Result<_, _>>()?;
        Ok(rows.into_iter().flatten().map(|row| row.name).collect())
    }

    const INSTANCE: &str = "[[instance]]\nname = \"i\"\nmodel = \"gallery:scc\"\n";

    #[test]
    fn lists_stand_for_one_row_per_combination() {
        let search = "[[search]]\nstrategy = \"highway\"\noptions = { width = [8, 16], approximate = [true, false] }\n\
                      [[search]]\nstrategy = [\"rdfs\", \"random\"]\nmax_states = [10, 20]\n";
        let names = names(&format!("{search}{INSTANCE}")).expect("a good experiment");
        assert_eq!(
            names,
            [
                "highway width=8 approximate",
                "highway width=8",
                "highway width=16 approximate",
                "highway width=16",
                "rdfs max-states=10",
                "random max-states=10",
                "rdfs max-states=20",
                "random max-states=20",
            ]
        );
    }

    #[test]
    fn the_nearest_limit_counts() {
        let text = format!(
            "{HEAD}[[search]]\nstrategy = \"rdfs\"\n{INSTANCE}max_states = 7\nruns = 2\n\
             [[instance.search]]\nname = \"few\"\nstrategy = \"rdfs\"\nmax_states = 3\n{INSTANCE}"
        );
        let experiment = Experiment::parse("test.toml", &text).expect("a good experiment");
        let rows = |index: usize| {
            let rows = experiment.rows(&experiment.instance[index]);
            let rows = rows.expect("good rows").into_iter();
            rows.map(|row| (row.name, row.max_states, row.runs))
                .collect::<Vec<_>>()
        };
        assert_eq!(
            rows(0),
            [("rdfs".into(), Some(7), 2), ("few".into(), Some(3), 2)]
        );
        assert_eq!(rows(1), [("rdfs".into(), Some(90), 5)]);
    }

    #[test]
    fn figures_without_a_row_are_refused() {
        let search = "[[search]]\nstrategy = \"rdfs\"\n";
        let wrong = format!("{search}{INSTANCE}paper.random = {{ states = 3 }}\n");
        let error = names(&wrong).expect_err("there is no such row");
        assert!(error.contains("figures for 'random'"), "{error}");
        let nameless =
            "[[search]]\nname = \"n\"\nstrategy = \"highway\"\noptions = { width = [1, 2] }\n";
        let error = names(&format!("{nameless}{INSTANCE}")).expect_err("two rows, one name");
        assert!(error.contains("cannot have a name"), "{error}");
    }
}
