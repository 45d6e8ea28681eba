//! A model with faults put into it, each of which violates some of its requirements: which violations are found, and what does that take?

use super::Limits;
use super::hunted::{Hunted, Task, megabytes};
use crate::differences::{Judge, Other, Place};
use crate::figures::Figure;
use crate::report::{Report, Sheet};
use crate::study::{About, Kind, Planned, Results, Rows, Setting};
use anyhow::Result;
use serde::{Deserialize, Serialize};
use sortie_model::derive_seed;
use sortie_property::STATED;
use sortie_report::table::Table;

/// With `--quick` there is one hunt of each property, of so many states instead of seconds, and no other search.
const QUICK_STATES: u64 = 10_000;

/// Faults of a model.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Requirements {
    model: String,
    /// Which constant is the number of the fault.
    parameter: String,
    seed: u64,
    runs: u64,
    /// For each search.
    seconds: u64,
    limits: Limits,
    faults: Vec<Fault>,
    /// Other searches, run once.
    #[serde(default)]
    beside: Vec<Beside>,
    /// The number of hunts behind the paper's figures.
    paper_runs: u64,
}

/// A fault and what it violates.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fault {
    value: u64,
    properties: Vec<String>,
    /// The numbers of the paper's hunts that found each of them.
    paper: Vec<u64>,
}

/// Another search.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Beside {
    name: String,
    strategy: String,
    /// Settings of the model, besides the fault.
    #[serde(default)]
    set: Vec<String>,
    limits: Limits,
}

/// A property that a fault violates.
pub struct Target<'a> {
    fault: &'a Fault,
    property: &'a str,
    /// The number of the paper's hunts that found it.
    paper: Option<u64>,
}

impl Target<'_> {
    fn row(&self) -> String {
        format!("fault {}", self.fault.value)
    }
}

/// The hunts of one property.
#[derive(Serialize, Deserialize)]
pub struct Violated {
    hunts: Vec<Hunted>,
    /// By other searches.
    beside: Vec<Hunted>,
}

impl Requirements {
    fn targets(&self) -> Vec<Target<'_>> {
        let mut targets = Vec::new();
        for fault in &self.faults {
            for (place, property) in fault.properties.iter().enumerate() {
                targets.push(Target {
                    fault,
                    property,
                    paper: fault.paper.get(place).copied(),
                });
            }
        }
        targets
    }

    fn runs(&self, setting: &Setting) -> u64 {
        setting.or_quick(1, setting.runs.unwrap_or(self.runs))
    }

    fn seconds(&self, setting: &Setting) -> Option<u64> {
        setting.or_quick(None, Some(self.seconds))
    }

    /// Other searches are not made in a hurry.
    fn beside(&self, setting: &Setting) -> &[Beside] {
        setting.or_quick(&[], &self.beside)
    }
}

impl Kind for Requirements {
    type Row<'a> = Target<'a>;
    type Result = Violated;

    fn rows(&self, setting: &Setting) -> Rows<'_, Self> {
        let (beside, runs) = (self.beside(setting), self.runs(setting));
        let seconds = self.seconds(setting).unwrap_or(0);
        let planned = self.targets().into_iter().map(|target| Planned {
            definition: format!(
                "{} {:?} {beside:?} {} {runs} {seconds}",
                self.parameter, self.limits, self.seed
            ),
            ..Planned::new(target.property, &target.row(), &self.model, target)
        });
        Ok(planned.collect())
    }

    fn measure(&self, target: &Target<'_>, about: About<'_>) -> Result<Violated> {
        let setting = about.setting;
        let at = At {
            path: about.path,
            target,
            seconds: self.seconds(setting),
        };
        let mut hunts = Vec::new();
        for run in (0..self.runs(setting)).take_while(|_| !setting.is_stopped()) {
            let seed = derive_seed(self.seed, run);
            hunts.push(self.hunt(&at, "lurch", &[], &self.limits, seed)?);
        }
        let mut beside = Vec::new();
        for other in self.beside(setting) {
            beside.push(self.hunt(&at, &other.strategy, &other.set, &other.limits, self.seed)?);
        }
        Ok(Violated { hunts, beside })
    }

    fn report(&self, results: Results<'_, Self>, about: About<'_>, report: &mut Report) {
        let setting = about.setting;
        let runs = self.runs(setting);
        let mut heads = vec!["fault".to_owned(), "property".to_owned()];
        heads.extend((1..=runs).map(|run| format!("hunt {run}")));
        heads.extend(["found".to_owned(), "found, paper".to_owned()]);
        let beside = self.beside(setting).iter();
        heads.extend(beside.map(|beside| beside.name.clone()));
        let mut table = Table::new(heads);
        let mut judge = Judge::new(about);
        let (mut all_found, mut all_hunts) = (0, 0);
        for (target, Violated { hunts, beside }) in results {
            let found = hunts.iter().filter(|hunted| hunted.found).count() as u64;
            let mut row = vec![target.fault.value.to_string(), target.property.to_owned()];
            row.extend(hunts.iter().map(shown));
            row.push(format!("{found} of {}", hunts.len()));
            let known = target
                .paper
                .map(|found| format!("{found} of {}", self.paper_runs));
            row.push(known.unwrap_or_default());
            row.extend(beside.iter().map(shown));
            table.row(row);
            all_found += found;
            all_hunts += hunts.len();
            self.judge(&target, found, hunts.len() as u64, &mut judge);
        }
        let quick = setting.quick_note("one hunt of each property, so no result");
        report.setting = format!("; seed {}{quick}", self.seed);
        report.notes = format!("found in {all_found} of {all_hunts} hunts");
        report.sheets.push(Sheet::plain(table));
        report.differences = judge.outside;
    }
}

/// Where and for how long something is hunted.
struct At<'a> {
    path: &'a str,
    target: &'a Target<'a>,
    seconds: Option<u64>,
}

impl Requirements {
    fn judge(&self, target: &Target<'_>, found: u64, hunts: u64, judge: &mut Judge<'_>) {
        let row = target.row();
        let at = Place::new(target.property, &row, "found");
        let paper = Other::paper(self.paper_runs);
        let share = |found: u64| Figure::One(100.0 * found as f64 / self.paper_runs as f64);
        judge.share(at, found, hunts, (target.paper.map(share), paper));
    }

    fn hunt(
        &self,
        at: &At<'_>,
        strategy: &str,
        set: &[String],
        limits: &Limits,
        seed: u64,
    ) -> Result<Hunted> {
        let fault = format!("{}={}", self.parameter, at.target.fault.value);
        let set = set.iter().cloned().chain([fault]).collect();
        let quick = at.seconds.is_none().then_some(QUICK_STATES);
        let task = Task {
            property: Some(STATED.kind(at.target.property).to_string()),
            strategy: strategy.to_owned(),
            seconds: at.seconds,
            max_states: quick.or(limits.max_states),
            ..limits.task(at.path, set, seed)?
        };
        task.in_process()
    }
}

/// Time, memory and the length of the way, or that nothing was found.
fn shown(hunted: &Hunted) -> String {
    let memory = megabytes(hunted.peak_bytes as f64);
    let effort = format!("{:.1} s, {memory} MB", hunted.seconds);
    match (hunted.steps, &hunted.broken) {
        (Some(steps), _) => format!("{effort}, {steps} steps"),
        (None, Some(_)) => format!("too wide, {effort}"),
        (None, None) => format!("no, {effort}"),
    }
}
