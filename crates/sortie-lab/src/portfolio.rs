//! One search for everything against each search alone: what every one of them costs on a fixed set of models and properties.

use crate::report::{Drawing, Report, Sheet};
use crate::rows::{plain, single_options};
use crate::study::{About, Kind, Planned, Results, Rows, Setting};
use crate::{hunt, hunting, open_model, settings};
use anyhow::Result;
use serde::{Deserialize, Serialize};
use sortie_hunt::HuntSettings;
use sortie_model::{Silent, Verdict, derive_seed};
use sortie_open::{Opened, Wanted};
use sortie_property::{Property, PropertyKind};
use sortie_report::chart::{Series, Shape, Vertical};
use sortie_report::table::Table;
use sortie_search::strategy;
use std::collections::BTreeMap;

/// The search that is compared with all others.
const AUTO: &str = "auto";

/// The size of each row with `--quick`.
const QUICK_RUNS: u64 = 1;
const QUICK_STATES: u64 = 1_000;

/// Models with something to look for, and the searches that look for it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Portfolio {
    seed: u64,
    /// Hunts per pair and search.
    runs: u64,
    /// The number of states that a hunt may expand.
    max_states: u64,
    search: Vec<Search>,
    pair: Vec<Pair>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Search {
    strategy: String,
    #[serde(default)]
    options: toml::Table,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pair {
    name: String,
    model: String,
    #[serde(default)]
    set: toml::Table,
    property: String,
    /// The kind of bug: shallow, deep, and so on, or absent.
    bug: String,
    /// Steps of the shortest witness that is known.
    shortest: Option<u64>,
}

impl Pair {
    /// The model, and what is looked for. Every hunt opens its own, or the tables of the model would grow from hunt to hunt.
    fn open(&self, path: &str) -> Result<(Opened, Vec<Box<dyn Property>>)> {
        let kind = PropertyKind::parse(&self.property);
        let wanted = Wanted::properties([kind.clone()]);
        let mut set = settings(&[&self.set]);
        if self.property == "faults" {
            set.push("--faults".into());
        }
        let mut opened = open_model(path, &set, &wanted)?;
        let asked = std::mem::take(&mut opened.asked);
        if !asked.is_empty() {
            return Ok((opened, asked));
        }
        let suggested = opened.own.as_ref().map(|own| own.wanted().properties);
        let properties = match self.property.as_str() {
            "suggested" => suggested.unwrap_or_default(),
            _ => vec![opened.property(&kind)?],
        };
        Ok((opened, properties))
    }

    /// Whether there is something to find.
    fn has_bug(&self) -> bool {
        self.bug != "absent"
    }
}

/// One hunt.
#[derive(Clone, Copy, Serialize, Deserialize)]
struct Cost {
    /// It found what is there, or saw that there is nothing.
    success: bool,
    states: u64,
    /// Steps of its witness, shortened, where that was asked for.
    witness: Option<u64>,
}

/// All hunts of a search for a pair.
#[derive(Default, Serialize, Deserialize)]
pub struct Costs(Vec<Cost>);

impl Costs {
    /// A hunt that fails costs all it may.
    fn mean(&self) -> f64 {
        let sum: u64 = self.0.iter().map(|cost| cost.states).sum();
        sum as f64 / self.0.len().max(1) as f64
    }

    fn successes(&self) -> usize {
        self.0.iter().filter(|cost| cost.success).count()
    }

    fn median_witness(&self) -> Option<u64> {
        let mut lengths: Vec<u64> = self.0.iter().filter_map(|cost| cost.witness).collect();
        lengths.sort_unstable();
        lengths.get(lengths.len().checked_sub(1)? / 2).copied()
    }
}

impl Kind for Portfolio {
    type Row<'a> = (&'a Pair, &'a Search);
    type Result = Costs;

    fn rows(&self, setting: &Setting) -> Rows<'_, Self> {
        let (runs, max_states) = self.extent(setting);
        let all = self.pair.iter();
        let all = all.flat_map(|pair| self.search.iter().map(move |search| (pair, search)));
        let planned = all.map(|(pair, search)| Planned {
            definition: format!(
                "{:?} {} {} {} {runs} {max_states}",
                pair.set, pair.property, pair.bug, self.seed
            ),
            ..Planned::new(&pair.name, &search.name(), &pair.model, (pair, search))
        });
        Ok(planned.collect())
    }

    fn measure(&self, (pair, search): &(&Pair, &Search), about: About<'_>) -> Result<Costs> {
        let setting = about.setting;
        let (runs, max_states) = self.extent(setting);
        let is_random = strategy(&search.strategy)?.random;
        let runs = if is_random { runs } else { 1 };
        let mut costs = Vec::new();
        for run in (0..runs).take_while(|_| !setting.is_stopped()) {
            let seed = derive_seed(self.seed, run);
            costs.push(search.hunt(pair, about, max_states, seed)?);
        }
        Ok(Costs(costs))
    }

    fn report(&self, results: Results<'_, Self>, about: About<'_>, report: &mut Report) {
        // Searches that were not run have no costs.
        let mut costs: Vec<(&Pair, Vec<Costs>)> = Vec::new();
        for ((pair, search), cost) in results {
            if costs.last().is_none_or(|(last, _)| last.name != pair.name) {
                let none = self.search.iter().map(|_| Costs::default());
                costs.push((pair, none.collect()));
            }
            let mut all = self.search.iter();
            let place = all.position(|other| std::ptr::eq(other, search));
            let (_, of_pair) = costs.last_mut().expect("one was pushed");
            of_pair[place.expect("the search is one of them")] = cost;
        }
        let (compared, summary) = self.compared(&costs);
        let (runs, max_states) = self.extent(about.setting);
        let quick = about
            .setting
            .quick_note("one hunt of few states each, so no result");
        let (seed, most) = (self.seed, format!("at most {max_states} states per hunt"));
        report.setting = format!("; {runs} hunts each, {most}, seed {seed}{quick}");
        report.sheets.push(Sheet {
            short: Table::new([""; 0]),
            ..Sheet::plain(self.all(&costs))
        });
        let totals = self.totals(&costs);
        for (ending, table) in [
            ("-pairs", compared),
            ("-totals", totals),
            ("-summary", summary),
        ] {
            report.sheets.push(Sheet {
                ending: ending.into(),
                ..Sheet::plain(table)
            });
        }
        let drawing = self.picture(&costs, report);
        report.drawings.push(drawing);
    }
}

impl Portfolio {
    /// The number of hunts, and of states that each may expand.
    fn extent(&self, setting: &Setting) -> (u64, u64) {
        let runs = setting.or_quick(QUICK_RUNS, self.runs);
        let max_states = setting.or_quick(QUICK_STATES, self.max_states);
        (setting.runs.unwrap_or(runs), max_states)
    }

    /// The cheapest search other than auto.
    fn best<'c>(&self, costs: &'c [Costs]) -> Option<(usize, &'c Costs)> {
        let is_other = |place: usize| self.search[place].strategy != AUTO;
        let others = costs.iter().enumerate();
        let others = others.filter(|(place, costs)| is_other(*place) && !costs.0.is_empty());
        others.min_by(|(_, a), (_, b)| a.mean().total_cmp(&b.mean()))
    }

    /// For each pair, auto against the best of the others; and that in four numbers.
    fn compared(&self, results: &[(&Pair, Vec<Costs>)]) -> (Table, Table) {
        let mut table = Table::new(
            "pair | bug | best | its states | answered | auto \
             | auto answered | ratio | witness | shortest"
                .split(" | "),
        );
        let (mut ratios, mut lengths, mut missed) = (Vec::new(), Vec::new(), Vec::new());
        for (pair, costs) in results {
            let Some((place, best)) = self.best(costs) else {
                continue;
            };
            let auto = self.search.iter().position(|s| s.strategy == AUTO);
            let auto = auto.map(|place| &costs[place]);
            let Some(auto) = auto.filter(|auto| !auto.0.is_empty()) else {
                continue;
            };
            let ratio = auto.mean() / best.mean().max(1.0);
            ratios.push(ratio);
            if best.successes() > 0 && auto.successes() == 0 {
                missed.push(pair.name.clone());
            }
            let witness = auto.median_witness();
            if let (Some(witness), Some(shortest)) = (witness, pair.shortest) {
                lengths.push(witness as f64 / shortest.max(1) as f64);
            }
            let shown = |number: Option<u64>| number.map_or("–".into(), |n| n.to_string());
            table.row([
                pair.name.clone(),
                pair.bug.clone(),
                self.search[place].name(),
                format!("{:.0}", best.mean()),
                format!("{}/{}", best.successes(), best.0.len()),
                format!("{:.0}", auto.mean()),
                format!("{}/{}", auto.successes(), auto.0.len()),
                format!("{ratio:.1}"),
                shown(witness),
                shown(pair.shortest),
            ]);
        }
        let missed = match missed.is_empty() {
            true => "nothing".into(),
            false => missed.join(", "),
        };
        let mut summary = Table::new(["auto", "value"]);
        let greatest = ratios.iter().copied().fold(0.0, f64::max);
        let [ratio, length] = [ratios, lengths].map(|mut all| format!("{:.2}", median(&mut all)));
        let mut say = |name: &str, value: String| summary.row([name.to_string(), value]);
        let states = "its states by those of the best search of a pair, median";
        say(states, ratio);
        say("the same, greatest", format!("{greatest:.1}"));
        say("found by another search and not by auto", missed);
        say("its witness by the shortest known, median", length);
        (table, summary)
    }

    /// The costs of each search over all pairs.
    fn totals(&self, results: &[(&Pair, Vec<Costs>)]) -> Table {
        let mut rows: Vec<(f64, [String; 3])> = Vec::new();
        for (place, search) in self.search.iter().enumerate() {
            let costs = || results.iter().map(|(_, costs)| &costs[place]);
            let total: f64 = costs().map(Costs::mean).sum();
            let always = costs().filter(|costs| costs.successes() == costs.0.len());
            let always = always.count().to_string();
            rows.push((total, [search.name(), format!("{total:.0}"), always]));
        }
        rows.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut table = Table::new(["search", "states for all pairs", "pairs always answered"]);
        rows.into_iter().for_each(|(_, row)| table.row(row));
        table
    }

    /// Every pair with every search.
    fn all(&self, results: &[(&Pair, Vec<Costs>)]) -> Table {
        let mut table = Table::new(["pair", "search", "runs", "successes", "states", "witness"]);
        for (pair, costs) in results {
            let run = self.search.iter().zip(costs);
            for (search, costs) in run.filter(|(_, costs)| !costs.0.is_empty()) {
                let witness = costs.median_witness();
                table.row([
                    pair.name.clone(),
                    search.name(),
                    costs.0.len().to_string(),
                    costs.successes().to_string(),
                    format!("{:.1}", costs.mean()),
                    witness.map_or(String::new(), |n| n.to_string()),
                ]);
            }
        }
        table
    }

    /// The share of pairs that each search answers, by states.
    fn picture(&self, results: &[(&Pair, Vec<Costs>)], report: &Report) -> Drawing {
        let mut series = Vec::new();
        for (place, search) in self.search.iter().enumerate() {
            let mut solved: BTreeMap<u64, f64> = BTreeMap::new();
            for (_, costs) in results {
                for cost in costs[place].0.iter().filter(|cost| cost.success) {
                    let share = 1.0 / costs[place].0.len() as f64 / results.len().max(1) as f64;
                    *solved.entry(cost.states.max(1)).or_insert(0.0) += share;
                }
            }
            let mut sum = 0.0;
            let points = solved.into_iter().map(|(states, share)| {
                sum += share;
                ((states as f64).log10(), sum)
            });
            series.push(Series {
                name: search.name(),
                points: points.collect(),
            });
        }
        let axis = "states expanded, decimal logarithm";
        let share = Vertical::Linear("share of hunts answered");
        Drawing {
            shape: Shape::Steps,
            ..Drawing::lines(report, "", axis, share, series)
        }
    }
}

impl Search {
    fn name(&self) -> String {
        let options = self.options.iter().map(|(name, value)| match value {
            toml::Value::Boolean(true) => format!(" {name}"),
            value => format!(" {name}={}", plain(value)),
        });
        self.strategy.clone() + &options.collect::<String>()
    }

    fn hunt(&self, pair: &Pair, about: About<'_>, most: u64, seed: u64) -> Result<Cost> {
        let (opened, properties) = pair.open(about.path)?;
        let mut budget = about.setting.budget(Some(most));
        budget.stop = about.setting.stop.child();
        let settings = HuntSettings {
            seed,
            shorten: self.strategy == AUTO,
            ..hunting(&self.strategy, single_options(&self.options))
        };
        let results = hunt((&opened, &properties), &settings, budget, &Silent)?;
        let success = match pair.has_bug() {
            true => results.verdict == Verdict::Found,
            false => results.verdict == Verdict::Exhausted,
        };
        let expanded = results.runs.first().map_or(0, |run| run.counts.expanded);
        let witness = results.found.first().map(|found| found.trace.len() as u64);
        Ok(Cost {
            success,
            states: if success { expanded } else { most },
            witness: witness.filter(|_| self.strategy == AUTO),
        })
    }
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    match values.len() {
        0 => f64::NAN,
        odd if odd % 2 == 1 => values[odd / 2],
        even => (values[even / 2 - 1] + values[even / 2]) / 2.0,
    }
}
