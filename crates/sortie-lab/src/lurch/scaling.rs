//! Larger and larger instances of one model: is the fault found, and what does that take?

use super::hunted::{Hunted, Task, megabytes};
use super::promela::{Order, philosophers, queens};
use super::spin::{self, Effort, Spin, Verified};
use super::{Limits, spin_note};
use crate::report::{Drawing, Report, Sheet, add_point};
use crate::study::{About, Kind, Planned, Results, Rows, Setting};
use anyhow::Result;
use serde::{Deserialize, Serialize};
use sortie_hunt::mean;
use sortie_model::derive_seed;
use sortie_report::chart::Vertical;
use sortie_report::table::Table;

/// With `--quick` there is one hunt of each size, and SPIN gets the first with so many megabytes.
const QUICK_MEMORY: u64 = 8;

/// One model in several sizes.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scaling {
    model: String,
    /// Which constant is the size.
    parameter: String,
    sizes: Vec<u64>,
    /// Without one, what the model itself names.
    property: Option<String>,
    seed: u64,
    runs: u64,
    limits: Limits,
    #[serde(default)]
    spin: Vec<BesideSpin>,
}

/// A search of the same model by SPIN.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct BesideSpin {
    name: String,
    promela: Promela,
    /// Megabytes.
    memory: u64,
    /// Not for larger sizes.
    up_to: u64,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Promela {
    PhilosophersBySteps,
    PhilosophersByPhilosophers,
    Queens,
}

impl Promela {
    fn text(self, size: u64) -> String {
        match self {
            Promela::PhilosophersBySteps => philosophers(size, Order::BySteps),
            Promela::PhilosophersByPhilosophers => philosophers(size, Order::ByPhilosophers),
            Promela::Queens => queens(size),
        }
    }
}

/// The hunts of one size, and the same by SPIN, where it was asked.
#[derive(Serialize, Deserialize)]
pub struct Scaled {
    hunted: Vec<Hunted>,
    verified: Vec<Option<Verified>>,
}

impl Scaling {
    /// A note for reports where SPIN is wanted and not installed.
    fn note(&self) -> &'static str {
        match self.spin.is_empty() {
            true => "",
            false => spin_note(),
        }
    }

    fn runs(&self, setting: &Setting) -> u64 {
        setting.or_quick(1, setting.runs.unwrap_or(self.runs))
    }

    fn hunt(&self, path: &str, size: u64, run: u64) -> Result<Hunted> {
        let set = vec![format!("{}={size}", self.parameter)];
        let task = Task {
            property: self.property.clone(),
            ..self.limits.task(path, set, derive_seed(self.seed, run))?
        };
        task.in_process()
    }
}

impl Kind for Scaling {
    type Row<'a> = u64;
    type Result = Scaled;

    fn rows(&self, setting: &Setting) -> Rows<'_, Self> {
        let (note, runs, quick) = (self.note(), self.runs(setting), setting.quick);
        let planned = self.sizes.iter().map(|&size| Planned {
            definition: format!(
                "{} {:?} {:?} {:?} {} {runs} {quick} {note}",
                self.parameter, self.property, self.limits, self.spin, self.seed
            ),
            ..Planned::new(&size.to_string(), "lurch", &self.model, size)
        });
        Ok(planned.collect())
    }

    fn measure(&self, &size: &u64, about: About<'_>) -> Result<Scaled> {
        let setting = about.setting;
        let runs = (0..self.runs(setting)).take_while(|_| !setting.is_stopped());
        let hunted = runs.map(|run| self.hunt(about.path, size, run));
        let hunted = hunted.collect::<Result<_, _>>()?;
        let spin = Spin::find()?;
        let is_first = self.sizes.first() == Some(&size);
        let spin = spin.as_ref().filter(|_| !setting.quick || is_first);
        let verify = |side: &BesideSpin| side.verify(spin, size, setting.quick);
        let verified = self.spin.iter().map(verify).collect::<Result<_, _>>()?;
        Ok(Scaled { hunted, verified })
    }

    fn report(&self, results: Results<'_, Self>, about: About<'_>, report: &mut Report) {
        let with_spin = spin::is_there();
        let heads = ["size", "hunts", "found", "states", "steps", "MB"];
        let mut heads = heads.map(String::from).to_vec();
        for side in self.spin.iter().filter(|_| with_spin) {
            heads.extend(["found", "states", "MB"].map(|head| format!("{}: {head}", side.name)));
        }
        let mut table = Table::new(heads);
        let mut series = Vec::new();
        for (size, scaled) in results {
            let at = size as f64;
            let peak = scaled.hunted.iter().map(|hunt| hunt.peak_bytes).max();
            let peak = peak.unwrap_or(0) as f64;
            add_point(&mut series, "sortie", (at, peak / f64::from(1 << 20)));
            let mut row = vec![size.to_string()];
            row.extend(scaled.cells(peak));
            for (side, verified) in self.spin.iter().zip(&scaled.verified) {
                if let Some(verified) = verified {
                    add_point(&mut series, &side.name, (at, verified.megabytes));
                }
                if with_spin {
                    row.extend(told(verified.as_ref()));
                }
            }
            table.row(row);
        }
        let quick = about
            .setting
            .quick_note("one hunt of each size, so no result");
        report.setting = format!("; seed {}{quick}", self.seed);
        report.notes = self.note().into();
        report.sheets.push(Sheet::plain(table));
        let quantity = Vertical::Logarithmic("memory, MB");
        let drawing = Drawing::lines(report, "", &self.parameter, quantity, series);
        report.drawings.push(drawing);
    }
}

impl Scaled {
    /// The number of successful hunts, their mean states and steps, and the greatest memory of all hunts.
    fn cells(&self, peak: f64) -> [String; 5] {
        let found: Vec<&Hunted> = self.hunted.iter().filter(|hunt| hunt.found).collect();
        let shown = |values: &mut dyn Iterator<Item = u64>| {
            mean(values).map_or(String::new(), |mean| format!("{:.0}", mean.mean))
        };
        [
            self.hunted.len().to_string(),
            found.len().to_string(),
            shown(&mut found.iter().map(|hunt| hunt.states)),
            shown(&mut found.iter().filter_map(|hunt| hunt.steps)),
            megabytes(peak),
        ]
    }
}

/// The counts of SPIN as cells.
fn told(verified: Option<&Verified>) -> [String; 3] {
    let Some(verified) = verified else {
        return [const { String::new() }; 3];
    };
    let found = if verified.found { "yes" } else { "no" };
    let megabytes = format!("{:.1}", verified.megabytes);
    [found.into(), verified.states.to_string(), megabytes]
}

impl BesideSpin {
    fn verify(&self, spin: Option<&Spin>, size: u64, quick: bool) -> Result<Option<Verified>> {
        let Some(spin) = spin.filter(|_| size <= self.up_to) else {
            return Ok(None);
        };
        let effort = Effort::within(if quick { QUICK_MEMORY } else { self.memory });
        spin.verify(&self.promela.text(size), &effort).map(Some)
    }
}
