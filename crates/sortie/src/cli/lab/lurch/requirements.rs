//! A model with faults put into it, each of which violates some of its requirements: which violations are found, and what does that take?

use super::hunted::{Hunted, Task, megabytes};
use super::{About, Limits};
use crate::cli::Failure;
use crate::cli::lab::differences::{Judge, Other, Place, Why};
use crate::cli::lab::figures::Figure;
use crate::cli::lab::report::Report;
use crate::cli::lab::skipped;
use crate::cli::lab::study::{Planned, Setting, Study, decoded, encoded};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sortie_model::derive_seed;
use sortie_property::PropertyKind;
use sortie_report::table::Table;

/// With `--quick` there is one hunt of each property, of so many states instead of seconds, and no other search.
const QUICK_STATES: u64 = 10_000;

/// Faults of a model.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Requirements {
    #[serde(rename = "kind")]
    _kind: String,
    #[serde(default, rename = "publication")]
    _publication: Option<String>,
    title: String,
    source: String,
    #[serde(default)]
    remark: String,
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
    /// How many hunts the paper's figures are over.
    paper_runs: u64,
    #[serde(default)]
    why: Vec<Why>,
}

/// A fault and what it violates.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Fault {
    value: u64,
    properties: Vec<String>,
    /// How many of the paper's hunts found each of them.
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

/// What is hunted.
struct Target<'a> {
    fault: &'a Fault,
    property: &'a str,
    /// How many of the paper's hunts found it.
    paper: Option<u64>,
}

/// The hunts of one property.
#[derive(Serialize, Deserialize)]
struct Violated {
    hunts: Vec<Hunted>,
    /// By other searches.
    beside: Vec<Hunted>,
}

impl Requirements {
    fn selected(&self, setting: &Setting) -> Vec<Target<'_>> {
        let all = self.targets().into_iter();
        all.filter(|target| setting.selects(target.property))
            .collect()
    }

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
        match setting.quick {
            true => 1,
            false => setting.runs.unwrap_or(self.runs),
        }
    }

    fn seconds(&self, setting: &Setting) -> Option<u64> {
        match setting.quick {
            true => None,
            false => Some(self.seconds),
        }
    }

    /// Other searches are not made in a hurry.
    fn beside(&self, setting: &Setting) -> &[Beside] {
        match setting.quick {
            true => &[],
            false => &self.beside,
        }
    }
}

impl Study for Requirements {
    fn subjects(&self) -> Vec<String> {
        let all = self.targets().into_iter();
        all.map(|target| target.property.to_string()).collect()
    }

    fn rows(&self, setting: &Setting) -> Result<Vec<Planned>, Failure> {
        let plan = |target: Target<'_>| Planned {
            subject: target.property.to_string(),
            name: format!("fault {}", target.fault.value),
            model: setting.locate(&self.model, None),
            definition: format!(
                "{} {:?} {:?} {} {} {}",
                self.parameter,
                self.limits,
                self.beside(setting),
                self.seed,
                self.runs(setting),
                self.seconds(setting).unwrap_or(0)
            ),
        };
        Ok(self.selected(setting).into_iter().map(plan).collect())
    }

    fn measure(&self, row: usize, setting: &Setting) -> Result<Value, Failure> {
        let target = &self.selected(setting)[row];
        let path = setting.locate(&self.model, None).map_err(Failure::input)?;
        let at = At {
            path: &path,
            target,
            seconds: self.seconds(setting),
        };
        let mut hunts = Vec::new();
        for run in 0..self.runs(setting) {
            if setting.is_stopped() {
                break;
            }
            let seed = derive_seed(self.seed, run);
            hunts.push(self.hunt(&at, "lurch", &[], &self.limits, seed)?);
        }
        let mut beside = Vec::new();
        for other in self.beside(setting) {
            beside.push(self.hunt(&at, &other.strategy, &other.set, &other.limits, self.seed)?);
        }
        encoded(&Violated { hunts, beside })
    }

    fn report(&self, results: &[Option<Value>], setting: &Setting) -> Result<Report, Failure> {
        let runs = self.runs(setting);
        let mut heads = vec!["fault".to_owned(), "property".to_owned()];
        heads.extend((1..=runs).map(|run| format!("hunt {run}")));
        heads.extend(["found".to_owned(), "found, paper".to_owned()]);
        let beside = self.beside(setting).iter();
        heads.extend(beside.map(|beside| beside.name.clone()));
        let mut table = Table::new(heads);
        let mut judge = Judge::new(&self.why);
        let (mut all_found, mut all_hunts) = (0, 0);
        for (target, result) in self.selected(setting).into_iter().zip(results) {
            let Some(Violated { hunts, beside }) = decoded(result)? else {
                continue;
            };
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
            if !setting.quick {
                self.judge(&target, found, hunts.len() as u64, &mut judge);
            }
        }
        let about = About {
            title: &self.title,
            source: &self.source,
            seed: Some(self.seed),
            quick: match setting.quick {
                true => "; quick: one hunt of each property, so no result",
                false => "",
            },
            skipped: skipped(&self.rows(setting)?),
            notes: format!("found in {all_found} of {all_hunts} hunts"),
            remark: &self.remark,
            model: &self.model,
        };
        let mut report = about.report(table, Vec::new());
        report.differences = judge.outside;
        Ok(report)
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
        let at = Place {
            subject: target.property,
            row: &format!("fault {}", target.fault.value),
            figure: "found",
        };
        let paper = Other {
            name: "paper",
            runs: self.paper_runs,
        };
        let share = |found: u64| Figure::One(100.0 * found as f64 / self.paper_runs as f64);
        judge.share(at, found, hunts, target.paper.map(share), paper);
    }

    fn hunt(
        &self,
        at: &At<'_>,
        strategy: &str,
        set: &[String],
        limits: &Limits,
        seed: u64,
    ) -> Result<Hunted, Failure> {
        let fault = format!("{}={}", self.parameter, at.target.fault.value);
        let task = Task {
            model: at.path.to_owned(),
            set: set.iter().cloned().chain([fault]).collect(),
            property: Some(PropertyKind::Stated(at.target.property.into()).to_string()),
            strategy: strategy.to_owned(),
            options: limits.options(),
            seconds: at.seconds,
            max_states: match at.seconds {
                Some(_) => limits.max_states,
                None => Some(QUICK_STATES),
            },
            memory: limits.bytes()?,
            seed,
        };
        task.in_process()
    }
}

/// Time, memory and the length of the way, or that nothing was found.
fn shown(hunted: &Hunted) -> String {
    let effort = format!(
        "{:.1} s, {} MB",
        hunted.seconds,
        megabytes(hunted.peak_bytes as f64)
    );
    match (hunted.steps, &hunted.broken) {
        (Some(steps), _) => format!("{effort}, {steps} steps"),
        (None, Some(_)) => format!("too wide, {effort}"),
        (None, None) => format!("no, {effort}"),
    }
}
