//! The format of an experiment: instances, and the searches and checks that each of them goes through.
//!
//! A search or check whose strategy, limit or options are lists stands for one row per combination.

use super::differences::Why;
use super::figures::Figures;
use super::rerun::{max_states_of, runs_of};
use super::rows::{Checks, Row, Searches, Way};
use super::study::Setting;
use crate::cli::Failure;
use serde::Deserialize;
use std::collections::BTreeMap;

/// One experiment.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Experiment {
    #[serde(default, rename = "kind")]
    _kind: String,
    #[serde(default, rename = "publication")]
    _publication: Option<String>,
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
    /// What is counted.
    #[serde(default)]
    pub accounting: Accounting,
    max_states: Option<u64>,
    /// No run has more states with `--quick`.
    #[serde(default = "few")]
    quick_states: u64,
    /// How many hunts of each row are made again to shorten what they find.
    #[serde(default)]
    shorten: u64,
    /// How many runs the paper's figures and those of the re-run are over, as far as is known.
    #[serde(default = "hundred")]
    pub paper_runs: u64,
    #[serde(default = "hundred")]
    pub rerun_runs: u64,
    /// Why figures differ.
    #[serde(default)]
    pub why: Vec<Why>,
    /// What the paper says in words, and what to make of differences.
    #[serde(default)]
    pub remark: String,
    /// What every instance with a property goes through.
    #[serde(default)]
    search: Vec<Searches>,
    /// What every instance with a formula goes through.
    #[serde(default)]
    check: Vec<Checks>,
    #[serde(default)]
    pub group: Vec<Group>,
    pub instance: Vec<Instance>,
}

/// What is counted in hunts.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Accounting {
    /// States as the papers on search count them.
    #[default]
    Paper,
    /// What all runs together spend for each success.
    Effort,
}

/// Instances that a paper sums up and draws in one picture.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Group {
    pub name: String,
    /// The formula of its instances.
    formula: Option<String>,
    axis: Option<String>,
    /// Ranges over its instances, by the name of the row.
    #[serde(default)]
    pub paper: BTreeMap<String, Figures>,
    #[serde(default)]
    pub rerun: BTreeMap<String, Figures>,
}

/// A model, what is looked for in it, and what is known about that.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Instance {
    /// Its name in the paper.
    pub name: String,
    /// The group it belongs to.
    pub group: Option<String>,
    pub model: String,
    #[serde(default)]
    set: BTreeMap<String, u64>,
    /// What is set otherwise for `--quick`.
    #[serde(default)]
    quick: BTreeMap<String, u64>,
    /// Whether states keep data that nothing reads, as those of the papers' tools do.
    #[serde(default)]
    keep_data: bool,
    /// Pieces of the model's text that are others here, such as a constant, or what is hidden.
    #[serde(default)]
    pub replace: BTreeMap<String, String>,
    /// Whether each hunt opens the model anew: what a model remembers of large systems takes memory.
    #[serde(default)]
    pub reopen: bool,
    /// Where the model comes from, if that is not what its path says.
    pub origin: Option<String>,
    property: Option<String>,
    /// A formula of the mu-calculus, or a file with one.
    formula: Option<String>,
    runs: Option<u64>,
    max_states: Option<u64>,
    shorten: Option<u64>,
    /// What it goes through besides the searches of all instances.
    #[serde(default)]
    search: Vec<Searches>,
    #[serde(default)]
    check: Vec<Checks>,
    /// The option that is the horizontal axis of its picture; without one there are cumulative curves.
    axis: Option<String>,
    /// What the paper's table has, by the name of the row.
    #[serde(default)]
    paper: BTreeMap<String, Figures>,
    /// What others got who ran the paper's experiment again.
    #[serde(default)]
    rerun: BTreeMap<String, Figures>,
}

fn first_seed() -> u64 {
    1
}

fn hundred() -> u64 {
    100
}

fn few() -> u64 {
    200
}

impl Instance {
    /// Constants of the model, as they are set, and whether data are kept.
    pub fn settings(&self, quick: bool) -> Vec<String> {
        let other = self.quick.iter().filter(move |_| quick);
        let usual = self.set.iter();
        let usual = usual.filter(move |(name, _)| !quick || !self.quick.contains_key(*name));
        let constants = usual.chain(other);
        let mut settings: Vec<String> = constants
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        settings.extend(self.keep_data.then(|| "--keep-data=all".to_string()));
        settings
    }
}

impl Experiment {
    /// Reads an experiment and checks that all figures belong to a row.
    pub fn parse(file: &str, text: &str) -> Result<Experiment, Failure> {
        let wrong = |error: String| Failure::input(format!("{file}: {error}"));
        let experiment: Experiment =
            toml::from_str(text).map_err(|error| wrong(error.to_string()))?;
        for instance in &experiment.instance {
            experiment
                .check_instance(instance)
                .map_err(|error| wrong(format!("{}: {error}", instance.name)))?;
        }
        for group in &experiment.group {
            experiment
                .check_group(group)
                .map_err(|error| wrong(format!("{}: {error}", group.name)))?;
        }
        Ok(experiment)
    }

    fn check_instance(&self, instance: &Instance) -> Result<(), String> {
        if let (Some(name), None) = (&instance.group, self.group_of(instance)) {
            return Err(format!("there is no group '{name}'"));
        }
        if self.property(instance).is_none() && self.formula(instance).is_none() {
            return Err("say the property to look for or the formula to check".into());
        }
        let rows = self.rows(instance)?;
        for row in &rows {
            let missing = match row.way {
                Way::Hunt(_) => self.property(instance).is_none().then_some("property"),
                Way::Check(_) => self.formula(instance).is_none().then_some("formula"),
            };
            if let Some(missing) = missing {
                return Err(format!("for '{}' there must be a {missing}", row.name));
            }
        }
        figures_belong([&instance.paper, &instance.rerun], &rows)
    }

    fn check_group(&self, group: &Group) -> Result<(), String> {
        let of_group = |instance: &&Instance| instance.group.as_ref() == Some(&group.name);
        let instances = self.instance.iter().filter(of_group);
        let rows: Vec<Vec<Row>> = instances.map(|i| self.rows(i)).collect::<Result<_, _>>()?;
        let rows: Vec<Row> = rows.into_iter().flatten().collect();
        figures_belong([&group.paper, &group.rerun], &rows)
    }

    /// The group of an instance.
    pub fn group_of(&self, instance: &Instance) -> Option<&Group> {
        let name = instance.group.as_ref()?;
        self.group.iter().find(|group| group.name == *name)
    }

    /// What is looked for in an instance.
    pub fn property<'a>(&'a self, instance: &'a Instance) -> Option<&'a str> {
        let property = instance.property.as_ref().or(self.property.as_ref());
        property.map(String::as_str)
    }

    /// The formula that an instance is checked for: itself, or the name of a file.
    pub fn formula<'a>(&'a self, instance: &'a Instance) -> Option<&'a str> {
        let shared = self.group_of(instance).and_then(|g| g.formula.as_ref());
        instance.formula.as_ref().or(shared).map(String::as_str)
    }

    /// The option that is the horizontal axis of the instance's picture.
    pub fn axis<'a>(&'a self, instance: &'a Instance) -> Option<&'a str> {
        let shared = self.group_of(instance).and_then(|g| g.axis.as_ref());
        instance.axis.as_ref().or(shared).map(String::as_str)
    }

    /// All that decides what a row gives, besides the model's text.
    pub fn definition(&self, instance: &Instance, row: &Row, setting: &Setting) -> String {
        let set = instance.settings(setting.quick);
        let replace = &instance.replace;
        let (property, formula) = (self.property(instance), self.formula(instance));
        let runs = runs_of(row, setting);
        let limit = max_states_of(row, setting);
        let (seed, keep_going, accounting) = (self.seed, self.keep_going, self.accounting);
        format!(
            "{set:?} {replace:?} {property:?} {formula:?} {:?} {:?} {runs} {limit:?} {} {seed} {keep_going} {accounting:?}",
            row.way, row.given, row.shorten
        )
    }

    /// The rows of an instance; first those that others are compared with.
    pub fn rows(&self, instance: &Instance) -> Result<Vec<Row>, String> {
        let mut rows = Vec::new();
        if self.property(instance).is_some() {
            for search in &self.search {
                rows.extend(search.rows()?);
            }
        }
        if self.formula(instance).is_some() {
            for check in &self.check {
                rows.extend(check.rows()?);
            }
        }
        for search in &instance.search {
            rows.extend(search.rows()?);
        }
        for check in &instance.check {
            rows.extend(check.rows()?);
        }
        rows.sort_by_key(|row| !row.is_reference());
        for row in &mut rows {
            row.paper = instance.paper.get(&row.name).copied().unwrap_or_default();
            row.rerun = instance.rerun.get(&row.name).copied().unwrap_or_default();
            row.runs = instance.runs.unwrap_or(self.runs);
            row.shorten = instance.shorten.unwrap_or(self.shorten);
            row.max_states = row.max_states.or(instance.max_states).or(self.max_states);
            row.quick_states = self.quick_states;
        }
        Ok(rows)
    }
}

/// Refuses figures for rows that there are not.
fn figures_belong(known: [&BTreeMap<String, Figures>; 2], rows: &[Row]) -> Result<(), String> {
    let mut names = known.into_iter().flat_map(BTreeMap::keys);
    match names.find(|name| rows.iter().all(|row| row.name != **name)) {
        Some(name) => Err(format!("there are figures for '{name}', but no such row")),
        None => Ok(()),
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
    fn kept_data_are_set_like_constants() {
        let search = "[[search]]\nstrategy = \"rdfs\"\n";
        let kept = "set = { n = 3 }\nquick = { n = 2 }\nkeep_data = true\n";
        let text = format!("{HEAD}{search}{INSTANCE}{kept}");
        let experiment = Experiment::parse("test.toml", &text).expect("a good experiment");
        let settings = |quick| experiment.instance[0].settings(quick);
        assert_eq!(settings(false), ["n=3", "--keep-data=all"]);
        assert_eq!(settings(true), ["n=2", "--keep-data=all"]);
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

    #[test]
    fn checks_are_for_instances_with_a_formula() {
        let check = "[[check]]\non = [\"slices\", \"game\"]\noptions = { width = [1, 2] }\n[[check]]\non = \"bmc\"\n";
        let with = format!("{INSTANCE}formula = \"<true*> [true] false\"\n");
        let search = "[[search]]\nstrategy = \"rdfs\"\n";
        let names = names(&format!("{check}{search}{with}{INSTANCE}")).expect("a good experiment");
        // What others are compared with comes first.
        let first = [
            "bmc",
            "rdfs",
            "slices width=1",
            "slices width=2",
            "game width=1",
            "game width=2",
        ];
        assert_eq!(names[..6], first);
        assert_eq!(names[6..], ["rdfs"]);
    }

    #[test]
    fn wrong_checks_are_refused() {
        let formula = "formula = \"true\"\n";
        for (text, expected) in [
            (
                "[[check]]\non = \"chess\"\n",
                "choose one of slices, game, bmc",
            ),
            (
                "[[check]]\non = \"bmc\"\noptions = { width = 2 }\n",
                "bmc has no options",
            ),
        ] {
            let error = names(&format!("{text}{INSTANCE}{formula}")).expect_err(expected);
            assert!(error.contains(expected), "{error}");
        }
        let own = format!("{INSTANCE}[[instance.check]]\non = \"bmc\"\n");
        let error = names(&own).expect_err("there is no formula");
        assert!(error.contains("there must be a formula"), "{error}");
        let group = format!("{INSTANCE}group = \"g\"\n");
        let error = names(&group).expect_err("there is no group");
        assert!(error.contains("no group 'g'"), "{error}");
    }

    #[test]
    fn a_group_shares_formula_axis_and_figures() {
        let group = "[[check]]\non = \"slices\"\noptions = { width = 3 }\n[[group]]\nname = \"g\"\nformula = \"true\"\naxis = \"width\"\n";
        let instance = format!("{INSTANCE}group = \"g\"\n");
        let figures = "paper.\"slices width=3\" = { success = [4, 9] }\n";
        let text = format!("{HEAD}{group}{figures}{instance}");
        let experiment = Experiment::parse("test.toml", &text).expect("a good experiment");
        let only = &experiment.instance[0];
        assert_eq!(experiment.formula(only), Some("true"));
        assert_eq!(experiment.axis(only), Some("width"));
        let shown = experiment.group[0].paper["slices width=3"].success;
        assert_eq!(super::super::figures::shown(shown), "4–9");
        let wrong = figures.replace('3', "5");
        let error = names(&format!("{group}{wrong}{instance}")).expect_err("no such row");
        assert!(error.contains("figures for 'slices width=5'"), "{error}");
    }
}
