//! One search for everything against each search alone: what every one of them costs on a fixed set of models and properties.

use super::division::settings;
use super::{is_selected, locate, missing};
use crate::cli::hunt::threads;
use crate::cli::output::{print, write_file};
use crate::cli::replay::invariant_of;
use crate::cli::source::{Opened, Wanted, open_named};
use crate::cli::{Failure, Outcome, Status, interrupt};
use clap::ArgMatches;
use serde::Deserialize;
use sortie_campaign::Campaign;
use sortie_model::{Budget, Silent, Stop, Verdict, derive_seed};
use sortie_property::{Property, from_name};
use sortie_report::chart::{Series, Shape, Vertical, svg};
use sortie_report::table::Table;
use sortie_search::{Options, strategy};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// The search that is compared with all others.
const AUTO: &str = "auto";

/// What `--quick` leaves of each row.
const QUICK_RUNS: u64 = 1;
const QUICK_STATES: u64 = 1_000;

/// Models with something to look for, and the searches that look for it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Portfolio {
    #[serde(rename = "kind")]
    _kind: String,
    title: String,
    source: String,
    models: Option<String>,
    seed: u64,
    /// Hunts per pair and search.
    runs: u64,
    /// How many states a hunt may expand.
    max_states: u64,
    #[serde(default)]
    remark: String,
    search: Vec<Search>,
    pair: Vec<Pair>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Search {
    strategy: String,
    #[serde(default)]
    options: toml::Table,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Pair {
    name: String,
    model: String,
    #[serde(default)]
    set: toml::Table,
    property: String,
    /// What kind of bug it is: shallow, deep, and so on, or absent.
    bug: String,
    /// Steps of the shortest witness, where breadth-first search has found it or it can be computed.
    shortest: Option<u64>,
}

impl Pair {
    /// The model, and what is looked for. Every hunt opens its own, or the tables of the model would grow from hunt to hunt.
    fn open(&self, path: &str) -> Result<(Opened, Vec<Box<dyn Property>>), Failure> {
        let wanted = Wanted {
            invariants: invariant_of(&self.property),
            ..Wanted::default()
        };
        let mut opened = open_named(path, None, &settings(&[&self.set]), &wanted)?;
        let invariants = std::mem::take(&mut opened.invariants);
        if !invariants.is_empty() {
            return Ok((opened, invariants));
        }
        let own = opened.own.as_ref();
        let properties = match self.property.as_str() {
            "suggested" => own.map(|own| own.wanted()).unwrap_or_default(),
            "faults" => {
                let machines = opened.machines.as_ref();
                machines
                    .map(|machines| machines.faults())
                    .unwrap_or_default()
            }
            name => vec![from_name(name).map_err(Failure::input)?],
        };
        Ok((opened, properties))
    }

    /// Whether there is something to find.
    fn has_bug(&self) -> bool {
        self.bug != "absent"
    }
}

/// One hunt.
#[derive(Clone, Copy)]
struct Cost {
    /// It found what is there, or saw that there is nothing.
    success: bool,
    states: u64,
    /// Steps of its witness, shortened, where that was asked for.
    witness: Option<u64>,
}

/// All hunts of a search for a pair.
#[derive(Default)]
struct Costs(Vec<Cost>);

impl Costs {
    /// A hunt that fails costs all it may.
    fn mean(&self) -> f64 {
        let sum: u64 = self.0.iter().map(|cost| cost.states).sum();
        sum as f64 / self.0.len().max(1) as f64
    }

    fn successes(&self) -> usize {
        self.0.iter().filter(|cost| cost.success).count()
    }

    fn shortest_witness(&self) -> Option<u64> {
        self.0.iter().filter_map(|cost| cost.witness).min()
    }

    fn median_witness(&self) -> Option<u64> {
        let mut lengths: Vec<u64> = self.0.iter().filter_map(|cost| cost.witness).collect();
        lengths.sort_unstable();
        lengths.get(lengths.len().checked_sub(1)? / 2).copied()
    }
}

struct Extent {
    seed: u64,
    runs: u64,
    max_states: u64,
    threads: usize,
    stop: Stop,
}

impl Portfolio {
    pub fn run(&self, matches: &ArgMatches, name: &str, out: Option<PathBuf>) -> Outcome {
        let quick = matches.get_flag("quick");
        let named = matches.get_one::<String>("models").map(String::as_str);
        let given = matches.get_one::<u64>("runs").copied();
        let extent = Extent {
            seed: self.seed,
            runs: given.unwrap_or(if quick { QUICK_RUNS } else { self.runs }),
            max_states: if quick { QUICK_STATES } else { self.max_states },
            threads: threads(matches),
            stop: Stop::default(),
        };
        interrupt::listen(&extent.stop);
        let mut results = Vec::new();
        let mut absent = Vec::new();
        for pair in &self.pair {
            if !is_selected(matches, &pair.name) || extent.stop.requested().is_some() {
                continue;
            }
            match locate(&pair.model, named, self.models.as_deref()) {
                Ok(path) => results.push((pair, self.hunts(pair, &path, &extent)?)),
                Err(path) => absent.push(path),
            }
        }
        let mut text = format!(
            "{}\n{}; at most {} states per hunt, seed {}",
            self.title, self.source, extent.max_states, self.seed
        );
        if quick {
            text += "; quick: one hunt of few states each, so no result";
        }
        if extent.stop.requested().is_some() {
            text += "\ninterrupted: what follows is not the whole experiment";
        }
        let (table, verdict) = self.compared(&results);
        text += &format!(
            "\n{}\n{}\n{}\n{}\n{}\n",
            missing(&absent),
            table.text(),
            self.totals(&results).text(),
            verdict,
            self.remark.trim()
        );
        print(&text)?;
        if let Some(out) = out {
            write_file(&out.join(format!("{name}.csv")), &self.all(&results).csv())?;
            write_file(&out.join(format!("{name}-pairs.csv")), &table.csv())?;
            write_file(&out.join(format!("{name}.svg")), &self.picture(&results))?;
        }
        Ok(Status::Fine)
    }

    /// What every search costs for a pair, in the order of the searches.
    fn hunts(&self, pair: &Pair, path: &str, extent: &Extent) -> Result<Vec<Costs>, Failure> {
        let searches = self.search.iter();
        searches
            .map(|search| search.hunts(pair, path, extent))
            .collect()
    }

    fn place(&self, name: &str) -> Option<usize> {
        self.search
            .iter()
            .position(|search| search.strategy == name)
    }

    /// The cheapest search other than auto.
    fn best<'c>(&self, costs: &'c [Costs]) -> Option<(usize, &'c Costs)> {
        let others = costs.iter().enumerate();
        let others = others.filter(|(place, _)| self.search[*place].strategy != AUTO);
        others.min_by(|(_, a), (_, b)| a.mean().total_cmp(&b.mean()))
    }

    /// For each pair, auto against the best of the others; and what that means.
    fn compared(&self, results: &[(&Pair, Vec<Costs>)]) -> (Table, String) {
        let mut table = Table::new([
            "pair",
            "bug",
            "best",
            "its states",
            "found",
            "auto",
            "found",
            "ratio",
            "witness",
            "shortest",
        ]);
        let (mut ratios, mut lengths, mut missed) = (Vec::new(), Vec::new(), Vec::new());
        for (pair, costs) in results {
            let Some((place, best)) = self.best(costs) else {
                continue;
            };
            let Some(auto) = self.place(AUTO).map(|place| &costs[place]) else {
                continue;
            };
            let ratio = auto.mean() / best.mean().max(1.0);
            ratios.push(ratio);
            if best.successes() > 0 && auto.successes() == 0 {
                missed.push(pair.name.clone());
            }
            let witness = auto.median_witness();
            let shortest = pair.shortest.or_else(|| auto.shortest_witness());
            if let (Some(witness), Some(shortest)) = (witness, shortest) {
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
                shown(shortest),
            ]);
        }
        let greatest = ratios.iter().copied().fold(0.0, f64::max);
        let missed = match missed.is_empty() {
            true => "nothing that another search found was missed".into(),
            false => format!("missed: {}", missed.join(", ")),
        };
        let verdict = format!(
            "auto against the best search of each pair: median {:.2} times its states, at most {greatest:.1} times; {missed}\nits witnesses, shortened: median {:.2} times the shortest known\n",
            median(&mut ratios),
            median(&mut lengths),
        );
        (table, verdict)
    }

    /// What each search costs over all pairs.
    fn totals(&self, results: &[(&Pair, Vec<Costs>)]) -> Table {
        let mut rows: Vec<(f64, [String; 3])> = Vec::new();
        for (place, search) in self.search.iter().enumerate() {
            let total: f64 = results.iter().map(|(_, costs)| costs[place].mean()).sum();
            let always = results
                .iter()
                .filter(|(_, costs)| costs[place].successes() == costs[place].0.len());
            let cells = [
                search.name(),
                format!("{total:.0}"),
                always.count().to_string(),
            ];
            rows.push((total, cells));
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
            for (search, costs) in self.search.iter().zip(costs) {
                table.row([
                    pair.name.clone(),
                    search.name(),
                    costs.0.len().to_string(),
                    costs.successes().to_string(),
                    format!("{:.1}", costs.mean()),
                    costs
                        .median_witness()
                        .map_or(String::new(), |n| n.to_string()),
                ]);
            }
        }
        table
    }

    /// How many pairs each search answers with so many states.
    fn picture(&self, results: &[(&Pair, Vec<Costs>)]) -> String {
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
        svg(
            &self.title,
            "states expanded, decimal logarithm",
            Vertical::Linear("share of hunts answered"),
            Shape::Steps,
            &series,
        )
    }
}

impl Search {
    fn name(&self) -> String {
        let options = self.options.iter().map(|(name, value)| match value {
            toml::Value::Boolean(true) => format!(" {name}"),
            toml::Value::String(text) => format!(" {name}={text}"),
            value => format!(" {name}={value}"),
        });
        self.strategy.clone() + &options.collect::<String>()
    }

    fn hunts(&self, pair: &Pair, path: &str, extent: &Extent) -> Result<Costs, Failure> {
        let chosen = strategy(&self.strategy).map_err(Failure::input)?;
        let mut options = Options::default();
        for (name, value) in &self.options {
            let text = value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned);
            options.set(name, text);
        }
        let hunt = |run: u64| -> Result<Cost, Failure> {
            let (opened, properties) = pair.open(path)?;
            let campaign = Campaign {
                model: &*opened.model,
                properties: &properties,
                strategy: chosen,
                options: options.clone(),
                settings: opened.settings.clone(),
                budget: Budget {
                    max_states: Some(extent.max_states),
                    stop: extent.stop.child(),
                    ..Budget::default()
                },
                time: None,
                seed: derive_seed(extent.seed, run),
                runs: 1,
                threads: 1,
                keep_going: false,
                paper_counts: false,
                shorten: self.strategy == AUTO,
                fitness: None,
                keeper: None,
                observer: &Silent,
            };
            let results = campaign.run().map_err(Failure::broken)?;
            let success = match pair.has_bug() {
                true => results.verdict == Verdict::Found,
                false => results.verdict == Verdict::Exhausted,
            };
            let expanded = results.runs.first().map_or(0, |run| run.counts.expanded);
            let witness = results.found.first().map(|found| found.trace.len() as u64);
            Ok(Cost {
                success,
                states: if success { expanded } else { extent.max_states },
                witness: witness.filter(|_| self.strategy == AUTO),
            })
        };
        let runs = if chosen.random { extent.runs } else { 1 };
        let next = AtomicU64::new(0);
        let done = Mutex::new(Vec::new());
        let serve = || {
            loop {
                let run = next.fetch_add(1, Ordering::Relaxed);
                if run >= runs || extent.stop.requested().is_some() {
                    return;
                }
                let cost = hunt(run);
                done.lock().expect("no hunt panics").push((run, cost));
            }
        };
        std::thread::scope(|scope| {
            for _ in 0..extent.threads.max(1) {
                scope.spawn(serve);
            }
        });
        let mut done = done.into_inner().expect("no hunt panics");
        done.sort_by_key(|(run, _)| *run);
        let costs: Result<Vec<Cost>, Failure> = done.into_iter().map(|(_, cost)| cost).collect();
        Ok(Costs(costs?))
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
