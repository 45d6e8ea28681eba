//! The format of an experiment: instances, and the searches and checks that each of them goes through.
//!
//! A search or check whose strategy, limit or options are lists stands for one row per combination.

use crate::figures::Figures;
use crate::rerun::{max_states_of, runs_of};
use crate::rows::{Row, Way, Ways};
use crate::study::Setting;
use serde::Deserialize;
use std::collections::BTreeMap;

/// Searches and checks of instances.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rerun {
    /// The property, unless an instance has its own.
    property: Option<String>,
    runs: u64,
    #[serde(default = "first_seed")]
    pub seed: u64,
    #[serde(default)]
    pub keep_going: bool,
    /// The accounting of states.
    #[serde(default)]
    pub accounting: Accounting,
    max_states: Option<u64>,
    /// No run has more states with `--quick`.
    #[serde(default = "few")]
    quick_states: u64,
    /// The number of hunts of each row that are repeated with shortening.
    #[serde(default)]
    shorten: u64,
    /// The numbers of runs behind the paper's figures and those of the re-run, as far as they are known.
    #[serde(default = "hundred")]
    pub paper_runs: u64,
    #[serde(default = "hundred")]
    pub rerun_runs: u64,
    /// The searches of every instance with a property.
    #[serde(default)]
    search: Vec<Ways>,
    /// The checks of every instance with a formula.
    #[serde(default)]
    check: Vec<Ways>,
    #[serde(default)]
    pub group: Vec<Group>,
    pub instance: Vec<Instance>,
}

/// The accounting of states in hunts.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Accounting {
    /// States as the papers on search count them.
    #[default]
    Paper,
    /// States that all runs together expand for each success.
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
    set: toml::Table,
    /// Constants with other values for `--quick`.
    #[serde(default)]
    quick: toml::Table,
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
    /// Its searches besides those of all instances.
    #[serde(default)]
    search: Vec<Ways>,
    #[serde(default)]
    check: Vec<Ways>,
    /// The option that is the horizontal axis of its picture; without one there are cumulative curves.
    axis: Option<String>,
    /// The figures of the paper's table, by the name of the row.
    #[serde(default)]
    paper: BTreeMap<String, Figures>,
    /// The figures of an independent re-run.
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
        let mut settings = match quick {
            true => crate::settings(&[&self.set, &self.quick]),
            false => crate::settings(&[&self.set]),
        };
        settings.extend(self.keep_data.then(|| "--keep-data=all".to_string()));
        settings
    }
}

impl Rerun {
    /// Refuses figures that belong to no row, and rows without a property or a formula.
    pub fn check(&self) -> Result<(), String> {
        for instance in &self.instance {
            let checked = self.check_instance(instance);
            checked.map_err(|error| format!("{}: {error}", instance.name))?;
        }
        for group in &self.group {
            let checked = self.check_group(group);
            checked.map_err(|error| format!("{}: {error}", group.name))?;
        }
        Ok(())
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

    /// The property of an instance.
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

    /// Everything that decides the result of a row, besides the model's text.
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
        let has_property = self.property(instance).is_some();
        let has_formula = self.formula(instance).is_some();
        let searches = self.search.iter().filter(|_| has_property);
        let checks = self.check.iter().filter(|_| has_formula);
        let shared = searches.map(Ways::searches).chain(checks.map(Ways::checks));
        let searches = instance.search.iter().map(Ways::searches);
        let own = searches.chain(instance.check.iter().map(Ways::checks));
        let rows: Result<Vec<Vec<Row>>, String> = shared.chain(own).collect();
        let mut rows: Vec<Row> = rows?.into_iter().flatten().collect();
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
    use crate::study::Experiment;

    const HEAD: &str =
        "title = \"t\"\nsource = \"s\"\nproperty = \"deadlock\"\nruns = 5\nmax_states = 90\n";

    fn parsed(text: &str) -> Result<Rerun, String> {
        let experiment = Experiment::parse("test.toml", text);
        let experiment = experiment.map_err(|failure| failure.to_string())?;
        Ok(experiment.kind)
    }

    fn names(text: &str) -> Result<Vec<String>, String> {
        let experiment = parsed(&format!("{HEAD}{text}"))?;
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
        let expected = [
            "highway width=8 approximate",
            "highway width=8",
            "highway width=16 approximate",
            "highway width=16",
            "rdfs max-states=10",
            "random max-states=10",
            "rdfs max-states=20",
            "random max-states=20",
        ];
        assert_eq!(names, expected);
    }

    #[test]
    fn the_nearest_limit_counts() {
        let text = format!(
            "{HEAD}[[search]]\nstrategy = \"rdfs\"\n{INSTANCE}max_states = 7\nruns = 2\n\
             [[instance.search]]\nname = \"few\"\nstrategy = \"rdfs\"\nmax_states = 3\n{INSTANCE}"
        );
        let experiment = parsed(&text).expect("a good experiment");
        let rows = |index: usize| {
            let rows = experiment.rows(&experiment.instance[index]);
            let rows = rows.expect("good rows").into_iter();
            let rows = rows.map(|row| (row.name, row.max_states, row.runs));
            rows.collect::<Vec<_>>()
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
        let experiment = parsed(&text).expect("a good experiment");
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
        let first = "bmc, rdfs, slices width=1, slices width=2, game width=1, game width=2";
        assert_eq!(names[..6].join(", "), first);
        assert_eq!(names[6..], ["rdfs"]);
    }

    #[test]
    fn wrong_checks_are_refused() {
        let formula = "formula = \"true\"\n";
        let refused = |text: String, expected: &str| {
            let error = names(&text).expect_err(expected);
            assert!(error.contains(expected), "{error}");
        };
        let chess = format!("[[check]]\non = \"chess\"\n{INSTANCE}{formula}");
        refused(chess, "choose one of slices, game, bmc");
        let options = "options = { width = 2 }\n";
        let bmc = format!("[[check]]\non = \"bmc\"\n{options}{INSTANCE}{formula}");
        refused(bmc, "bmc has no options");
        let own = format!("{INSTANCE}[[instance.check]]\non = \"bmc\"\n");
        refused(own, "there must be a formula");
        refused(format!("{INSTANCE}group = \"g\"\n"), "no group 'g'");
    }

    #[test]
    fn a_group_shares_formula_axis_and_figures() {
        let group = "[[check]]\non = \"slices\"\noptions = { width = 3 }\n[[group]]\nname = \"g\"\nformula = \"true\"\naxis = \"width\"\n";
        let instance = format!("{INSTANCE}group = \"g\"\n");
        let figures = "paper.\"slices width=3\" = { success = [4, 9] }\n";
        let text = format!("{HEAD}{group}{figures}{instance}");
        let experiment = parsed(&text).expect("a good experiment");
        let only = &experiment.instance[0];
        assert_eq!(experiment.formula(only), Some("true"));
        assert_eq!(experiment.axis(only), Some("width"));
        let shown = experiment.group[0].paper["slices width=3"].success;
        assert_eq!(crate::figures::shown(shown), "4–9");
        let wrong = figures.replace('3', "5");
        let error = names(&format!("{group}{wrong}{instance}")).expect_err("no such row");
        assert!(error.contains("figures for 'slices width=5'"), "{error}");
    }
}
