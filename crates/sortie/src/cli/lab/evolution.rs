//! The fitness of generations: of the fittest, and of the parents on average.

use super::is_selected;
use super::rows::single_options;
use crate::cli::output::{print, write_file};
use crate::cli::source::{Wanted, open_named};
use crate::cli::{Failure, Outcome, Status, interrupt};
use clap::ArgMatches;
use serde::Deserialize;
use sortie_campaign::Campaign;
use sortie_model::{Budget, Event, Observer, Verdict, derive_seed};
use sortie_property::{Property, from_name};
use sortie_report::chart::{Series, Shape, Vertical, svg};
use sortie_report::table::Table;
use sortie_search::strategy;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Mutex;

/// With `--quick` there are so many generations after the first.
const QUICK_GENERATIONS: u64 = 2;

/// One experiment.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Evolution {
    #[serde(rename = "kind")]
    _kind: String,
    title: String,
    source: String,
    #[serde(default)]
    remark: String,
    /// The seed of the first run; runs are tried until one finds something.
    seed: u64,
    /// How many are tried.
    runs: u64,
    case: Vec<Case>,
}

/// A model, and the genetic search that it goes through.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    model: String,
    #[serde(default)]
    set: BTreeMap<String, u64>,
    property: String,
    #[serde(default)]
    options: toml::Table,
}

/// What is known of a generation.
struct Generation {
    best: i64,
    average: f64,
}

/// Writes down the generations of the first population.
#[derive(Default)]
struct Chronicle(Mutex<Vec<Generation>>);

impl Observer for Chronicle {
    fn event(&self, event: &Event) {
        if let Event::Generation {
            epoch: 0,
            best,
            parents_sum,
            parents,
            ..
        } = event
        {
            let average = *parents_sum as f64 / (*parents).max(1) as f64;
            let mut generations = self.0.lock().expect("nobody panics while writing");
            generations.push(Generation {
                best: *best,
                average,
            });
        }
    }
}

impl Evolution {
    pub fn run(&self, matches: &ArgMatches, name: &str, out: Option<PathBuf>) -> Outcome {
        let quick = matches.get_flag("quick");
        let budget = Budget::default();
        interrupt::listen(&budget.stop);
        let mut table = Table::new(["case", "generation", "best", "average of the parents"]);
        let mut series = Vec::new();
        let mut notes = String::new();
        for case in self
            .case
            .iter()
            .filter(|case| is_selected(matches, &case.name))
        {
            let (seed, found, generations) = case.evolve(self, &budget, quick)?;
            let ended = if found { "found" } else { "not found" };
            notes.push_str(&format!("{}: seed {seed}, {ended}\n", case.name));
            for (number, generation) in generations.iter().enumerate() {
                table.row([
                    case.name.clone(),
                    number.to_string(),
                    generation.best.to_string(),
                    format!("{:.1}", generation.average),
                ]);
            }
            let points = |value: fn(&Generation) -> f64| {
                let all = generations.iter().enumerate();
                all.map(|(number, generation)| (number as f64, value(generation)))
                    .collect()
            };
            series.push(Series {
                name: format!("{}, best", case.name),
                points: points(|generation| generation.best as f64),
            });
            series.push(Series {
                name: format!("{}, average", case.name),
                points: points(|generation| generation.average),
            });
        }
        let short = if quick {
            "; quick: few generations, so no result"
        } else {
            ""
        };
        print(&format!(
            "{}\n{}{short}\n\n{}\n{notes}{}\n",
            self.title,
            self.source,
            table.text(),
            self.remark.trim()
        ))?;
        if let Some(out) = out {
            write_file(&out.join(format!("{name}.csv")), &table.csv())?;
            let vertical = Vertical::Linear("fitness");
            let picture = svg(&self.title, "generation", vertical, Shape::Lines, &series);
            write_file(&out.join(format!("{name}.svg")), &picture)?;
        }
        Ok(Status::Fine)
    }
}

impl Case {
    /// The first seed with which something is found, or else the last; whether it was; and the generations until then.
    fn evolve(
        &self,
        of: &Evolution,
        budget: &Budget,
        quick: bool,
    ) -> Result<(u64, bool, Vec<Generation>), Failure> {
        let settings: Vec<String> = self
            .set
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        let opened = open_named(&self.model, None, &settings, &Wanted::default())?;
        let wanted: [Box<dyn Property>; 1] = [from_name(&self.property).map_err(Failure::input)?];
        let mut options = single_options(&self.options).with("epochs", 1);
        if quick {
            options.set("generations", QUICK_GENERATIONS);
        }
        let runs = if quick { 1 } else { of.runs };
        let mut last = None;
        for run in 0..runs {
            let seed = derive_seed(of.seed, run);
            let chronicle = Chronicle::default();
            let campaign = Campaign {
                model: &*opened.model,
                properties: &wanted,
                strategy: strategy("genetic").map_err(Failure::broken)?,
                options: options.clone(),
                settings: settings.clone(),
                budget: budget.clone(),
                time: None,
                seed,
                runs: 1,
                threads: 1,
                keep_going: false,
                paper_counts: false,
                shorten: false,
                fitness: None,
                keeper: None,
                observer: &chronicle,
            };
            let results = campaign.run().map_err(Failure::input)?;
            let found = results.verdict == Verdict::Found;
            let generations = chronicle.0.into_inner();
            last = Some((
                seed,
                found,
                generations.expect("nobody panics while writing"),
            ));
            if found || budget.stop.requested().is_some() {
                break;
            }
        }
        last.ok_or_else(|| Failure::input(format!("{}: runs must be at least 1", self.name)))
    }
}
