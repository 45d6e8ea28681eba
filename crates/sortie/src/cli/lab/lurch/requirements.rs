//! A model with faults put into it, each of which violates some of its requirements: which violations are found, and what does that take?

use super::hunted::{Hunted, Task, megabytes};
use super::{About, Limits, models};
use crate::cli::lab::{locate, missing};
use crate::cli::own::PREFIX;
use crate::cli::{Failure, Outcome};
use clap::ArgMatches;
use serde::Deserialize;
use sortie_model::derive_seed;
use sortie_report::table::Table;
use std::path::PathBuf;

/// With `--quick` there is one hunt of the first property of each fault, with so many seconds, and no other search.
const QUICK_SECONDS: u64 = 5;

/// Faults of a model.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Requirements {
    #[serde(rename = "kind")]
    _kind: String,
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
}

/// A fault and what it violates.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Fault {
    value: u64,
    properties: Vec<String>,
}

/// Another search.
#[derive(Deserialize)]
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
    path: &'a str,
    fault: &'a Fault,
    property: &'a str,
    seconds: u64,
}

impl Requirements {
    pub fn run(&self, matches: &ArgMatches, name: &str, out: Option<PathBuf>) -> Outcome {
        let quick = matches.get_flag("quick");
        let runs = matches.get_one::<u64>("runs").copied();
        let runs = if quick { 1 } else { runs.unwrap_or(self.runs) };
        let beside = if quick { &[][..] } else { &self.beside[..] };
        let mut heads = vec!["fault".to_owned(), "property".to_owned()];
        heads.extend((1..=runs).map(|run| format!("hunt {run}")));
        heads.push("found".to_owned());
        heads.extend(beside.iter().map(|beside| beside.name.clone()));
        let mut table = Table::new(heads);
        let mut notes = String::new();
        let (mut found, mut hunts) = (0, 0);
        match locate(&self.model, models(matches), None) {
            Err(path) => notes.push_str(&missing(&[path])),
            Ok(path) => {
                for fault in &self.faults {
                    let all = if quick { 1 } else { fault.properties.len() };
                    for property in &fault.properties[..all] {
                        let target = Target {
                            path: &path,
                            fault,
                            property,
                            seconds: if quick { QUICK_SECONDS } else { self.seconds },
                        };
                        let (row, hits) = self.row(&target, runs, beside)?;
                        table.row(row);
                        found += hits;
                        hunts += runs;
                    }
                }
            }
        }
        notes.push_str(&format!("\nfound in {found} of {hunts} hunts\n"));
        let about = About {
            name,
            title: &self.title,
            source: &self.source,
            quick: if quick {
                "; quick: one hunt of each fault, so no result"
            } else {
                ""
            },
            notes,
            remark: &self.remark,
        };
        about.deliver(&table, &[], out.as_deref())
    }

    /// The hunts of one property, and how many found it.
    fn row(
        &self,
        target: &Target<'_>,
        runs: u64,
        beside: &[Beside],
    ) -> Result<(Vec<String>, u64), Failure> {
        let mut row = vec![target.fault.value.to_string(), target.property.to_owned()];
        let mut found = 0;
        for run in 0..runs {
            let seed = derive_seed(self.seed, run);
            let hunted = self.hunt(target, "lurch", &[], &self.limits, seed)?;
            found += u64::from(hunted.found);
            row.push(shown(&hunted));
        }
        row.push(format!("{found} of {runs}"));
        for other in beside {
            let hunted = self.hunt(
                target,
                &other.strategy,
                &other.set,
                &other.limits,
                self.seed,
            )?;
            row.push(shown(&hunted));
        }
        Ok((row, found))
    }

    fn hunt(
        &self,
        target: &Target<'_>,
        strategy: &str,
        set: &[String],
        limits: &Limits,
        seed: u64,
    ) -> Result<Hunted, Failure> {
        let fault = format!("{}={}", self.parameter, target.fault.value);
        let task = Task {
            model: target.path.to_owned(),
            set: set.iter().cloned().chain([fault]).collect(),
            property: Some(format!("{PREFIX}{}", target.property)),
            strategy: strategy.to_owned(),
            options: limits.options(),
            seconds: Some(target.seconds),
            max_states: limits.max_states,
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
