//! The fitness of generations: of the fittest, and of the parents on average.

use crate::measure::Chronicle;
use crate::report::{Drawing, Report, Sheet};
use crate::rows::single_options;
use crate::study::{About, Kind, Planned, Results, Rows, Setting};
use crate::{hunt, hunting, settings};
use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use sortie_hunt::HuntSettings;
use sortie_model::{Event, Verdict, derive_seed};
use sortie_property::PropertyKind;
use sortie_report::chart::{Series, Vertical};
use sortie_report::table::Table;

/// With `--quick` there are so many generations after the first.
const QUICK_GENERATIONS: u64 = 2;

/// One experiment.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Evolution {
    /// The seed of the first run; runs are tried until one finds something.
    seed: u64,
    /// The number of runs that are tried.
    runs: u64,
    case: Vec<Case>,
}

/// A model, and the genetic search that it goes through.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    name: String,
    model: String,
    #[serde(default)]
    set: toml::Table,
    property: String,
    #[serde(default)]
    options: toml::Table,
}

/// A population, from its first generation to its end.
#[derive(Serialize, Deserialize)]
pub struct Evolved {
    seed: u64,
    found: bool,
    generations: Vec<Generation>,
}

/// The fitness of a generation.
#[derive(Serialize, Deserialize)]
struct Generation {
    best: i64,
    average: f64,
}

/// A generation of the first population.
fn generation(event: &Event) -> Option<Generation> {
    let &Event::Generation {
        epoch: 0,
        best,
        parents_sum,
        parents,
        ..
    } = event
    else {
        return None;
    };
    let average = parents_sum as f64 / parents.max(1) as f64;
    Some(Generation { best, average })
}

impl Kind for Evolution {
    type Row<'a> = &'a Case;
    type Result = Evolved;

    fn rows(&self, setting: &Setting) -> Rows<'_, Self> {
        let planned = self.case.iter().map(|case| Planned {
            definition: format!(
                "{:?} {} {:?} {} {} {}",
                case.set, case.property, case.options, self.seed, self.runs, setting.quick
            ),
            ..Planned::new(&case.name, "genetic", &case.model, case)
        });
        Ok(planned.collect())
    }

    fn measure(&self, case: &&Case, about: About<'_>) -> Result<Evolved> {
        case.evolve(self, about)
    }

    fn report(&self, results: Results<'_, Self>, about: About<'_>, report: &mut Report) {
        let mut table = Table::new(["case", "generation", "best", "average of the parents"]);
        let mut series = Vec::new();
        for (case, evolved) in results {
            let ended = if evolved.found { "found" } else { "not found" };
            let note = format!("{}: seed {}, {ended}\n", case.name, evolved.seed);
            report.notes.push_str(&note);
            for (number, generation) in evolved.generations.iter().enumerate() {
                table.row([
                    case.name.clone(),
                    number.to_string(),
                    generation.best.to_string(),
                    format!("{:.1}", generation.average),
                ]);
            }
            let mut curve = |what: &str, value: fn(&Generation) -> f64| {
                let all = evolved.generations.iter().enumerate();
                let points = all.map(|(number, generation)| (number as f64, value(generation)));
                series.push(Series {
                    name: format!("{}, {what}", case.name),
                    points: points.collect(),
                });
            };
            curve("best", |generation| generation.best as f64);
            curve("average", |generation| generation.average);
        }
        let quick = about.setting.quick_note("few generations, so no result");
        report.setting = format!("; seed {}{quick}", self.seed);
        report.sheets.push(Sheet::plain(table));
        let fitness = Vertical::Linear("fitness");
        let drawing = Drawing::lines(report, "", "generation", fitness, series);
        report.drawings.push(drawing);
    }
}

impl Case {
    /// The first seed with which something is found, or else the last; whether it was; and the generations until then.
    fn evolve(&self, of: &Evolution, about: About<'_>) -> Result<Evolved> {
        let setting = about.setting;
        let opened = about.open(settings(&[&self.set]))?;
        let wanted = [PropertyKind::parse(&self.property).property()?];
        let mut options = single_options(&self.options).with("epochs", 1);
        if setting.quick {
            options.set("generations", QUICK_GENERATIONS);
        }
        let runs = setting.or_quick(1, of.runs);
        let mut last = None;
        for run in 0..runs {
            let seed = derive_seed(of.seed, run);
            let chronicle = Chronicle::new(generation);
            let settings = HuntSettings {
                seed,
                ..hunting("genetic", options.clone())
            };
            let sought = (&*opened, &wanted[..]);
            let results = hunt(sought, &settings, setting.budget(None), &chronicle)?;
            let found = results.verdict == Verdict::Found;
            let generations = chronicle.written();
            last = Some(Evolved {
                seed,
                found,
                generations,
            });
            if found || setting.is_stopped() {
                break;
            }
        }
        last.with_context(|| format!("{}: runs must be at least 1", self.name))
    }
}
