//! The fitness of generations: of the fittest, and of the parents on average.

use super::origin_of;
use super::report::{Drawing, Quantity, Report, Sheet};
use super::rows::single_options;
use super::study::{Planned, Setting, Study, decoded, encoded};
use crate::cli::Failure;
use crate::cli::lab::open_model;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sortie_hunt::Campaign;
use sortie_model::{Budget, Event, Observer, Verdict, derive_seed};
use sortie_open::Wanted;
use sortie_property::{Property, PropertyKind};
use sortie_report::chart::{Series, Shape};
use sortie_report::table::Table;
use sortie_search::strategy;
use std::collections::BTreeMap;
use std::sync::Mutex;

/// With `--quick` there are so many generations after the first.
const QUICK_GENERATIONS: u64 = 2;

/// One experiment.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Evolution {
    #[serde(rename = "kind")]
    _kind: String,
    #[serde(default, rename = "publication")]
    _publication: Option<String>,
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

/// A population, from its first generation to its end.
#[derive(Serialize, Deserialize)]
struct Evolved {
    seed: u64,
    found: bool,
    generations: Vec<Generation>,
}

/// What is known of a generation.
#[derive(Serialize, Deserialize)]
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
    fn selected(&self, setting: &Setting) -> Vec<&Case> {
        let all = self.case.iter();
        all.filter(|case| setting.selects(&case.name)).collect()
    }
}

impl Study for Evolution {
    fn subjects(&self) -> Vec<String> {
        self.case.iter().map(|case| case.name.clone()).collect()
    }

    fn rows(&self, setting: &Setting) -> Result<Vec<Planned>, Failure> {
        let plan = |case: &&Case| Planned {
            subject: case.name.clone(),
            name: "genetic".into(),
            model: setting.locate(&case.model, None),
            definition: format!(
                "{:?} {} {:?} {} {} {}",
                case.set, case.property, case.options, self.seed, self.runs, setting.quick
            ),
        };
        Ok(self.selected(setting).iter().map(plan).collect())
    }

    fn measure(&self, row: usize, setting: &Setting) -> Result<Value, Failure> {
        let budget = Budget {
            stop: setting.stop.clone(),
            ..Budget::default()
        };
        encoded(&self.selected(setting)[row].evolve(self, &budget, setting.quick)?)
    }

    fn report(&self, results: &[Option<Value>], setting: &Setting) -> Result<Report, Failure> {
        let mut table = Table::new(["case", "generation", "best", "average of the parents"]);
        let mut series = Vec::new();
        let mut notes = String::new();
        let mut models = Vec::new();
        for (case, result) in self.selected(setting).into_iter().zip(results) {
            let Some(evolved) = decoded::<Evolved>(result)? else {
                continue;
            };
            let ended = if evolved.found { "found" } else { "not found" };
            notes.push_str(&format!("{}: seed {}, {ended}\n", case.name, evolved.seed));
            for (number, generation) in evolved.generations.iter().enumerate() {
                table.row([
                    case.name.clone(),
                    number.to_string(),
                    generation.best.to_string(),
                    format!("{:.1}", generation.average),
                ]);
            }
            let points = |value: fn(&Generation) -> f64| {
                let all = evolved.generations.iter().enumerate();
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
            models.push(origin_of(&case.model, None));
        }
        let quick = match setting.quick {
            true => "; quick: few generations, so no result",
            false => "",
        };
        Ok(Report {
            title: self.title.clone(),
            source: self.source.clone(),
            setting: format!("; seed {}{quick}", self.seed),
            sheets: vec![Sheet::plain(table)],
            drawings: vec![Drawing {
                ending: String::new(),
                title: self.title.clone(),
                axis: "generation".into(),
                quantity: Quantity::Linear("fitness"),
                shape: Shape::Lines,
                series,
                points: None,
            }],
            notes,
            remark: self.remark.clone(),
            models,
            ..Report::default()
        })
    }
}

impl Case {
    /// The first seed with which something is found, or else the last; whether it was; and the generations until then.
    fn evolve(&self, of: &Evolution, budget: &Budget, quick: bool) -> Result<Evolved, Failure> {
        let settings: Vec<String> = self
            .set
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        let opened = open_model(&self.model, &settings, &Wanted::default())?;
        let wanted: [Box<dyn Property>; 1] = [PropertyKind::parse(&self.property)
            .property()
            .map_err(Failure::input)?];
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
            last = Some(Evolved {
                seed,
                found,
                generations: generations.expect("nobody panics while writing"),
            });
            if found || budget.stop.requested().is_some() {
                break;
            }
        }
        last.ok_or_else(|| Failure::input(format!("{}: runs must be at least 1", self.name)))
    }
}
