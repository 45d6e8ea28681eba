//! Larger and larger instances of one model: is the fault found, and what does that take?

use super::hunted::{Hunted, Task, megabytes};
use super::promela::{Order, philosophers, queens};
use super::spin::{Effort, Spin};
use super::{About, Limits, Picture, add_point, find_spin, models};
use crate::cli::lab::{locate, missing};
use crate::cli::{Failure, Outcome};
use clap::ArgMatches;
use serde::Deserialize;
use sortie_campaign::mean;
use sortie_model::derive_seed;
use sortie_report::chart::{Series, Vertical};
use sortie_report::table::Table;
use std::path::PathBuf;

/// With `--quick` there are so many sizes, one hunt of each, and SPIN gets the first with so many megabytes.
const QUICK_SIZES: usize = 2;
const QUICK_MEMORY: u64 = 8;

/// One model in several sizes.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scaling {
    #[serde(rename = "kind")]
    _kind: String,
    title: String,
    source: String,
    #[serde(default)]
    remark: String,
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

/// The same for SPIN.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BesideSpin {
    name: String,
    promela: Promela,
    /// Megabytes.
    memory: u64,
    /// Not for larger sizes.
    up_to: u64,
}

#[derive(Clone, Copy, Deserialize)]
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

impl Scaling {
    pub fn run(&self, matches: &ArgMatches, name: &str, out: Option<PathBuf>) -> Outcome {
        let quick = matches.get_flag("quick");
        let runs = matches.get_one::<u64>("runs").copied();
        let runs = if quick { 1 } else { runs.unwrap_or(self.runs) };
        let (spin, note) = find_spin(!self.spin.is_empty())?;
        let mut notes = note.to_string();
        let mut heads: Vec<String> = ["size", "hunts", "found", "states", "steps", "MB"]
            .map(String::from)
            .into();
        for side in self.spin.iter().filter(|_| spin.is_some()) {
            heads.extend(["found", "states", "MB"].map(|head| format!("{}: {head}", side.name)));
        }
        let mut table = Table::new(heads);
        let mut series = Vec::new();
        match locate(&self.model, models(matches), None) {
            Err(path) => notes.push_str(&missing(&[path])),
            Ok(path) => {
                let sizes = if quick { QUICK_SIZES } else { usize::MAX };
                for (place, &size) in self.sizes.iter().take(sizes).enumerate() {
                    let mut row = self.hunt(&path, size, runs, &mut series)?;
                    if let Some(spin) = spin.as_ref().filter(|_| !quick || place == 0) {
                        for side in &self.spin {
                            row.extend(side.verify(spin, size, quick, &mut series)?);
                        }
                    }
                    table.row(row);
                }
            }
        }
        let about = About {
            name,
            title: &self.title,
            source: &self.source,
            quick: if quick {
                "; quick: few sizes, one hunt of each, so no result"
            } else {
                ""
            },
            notes,
            remark: &self.remark,
        };
        let picture = Picture {
            name: "",
            axis: &self.parameter,
            vertical: Vertical::Logarithmic("memory, MB"),
            series,
        };
        about.deliver(&table, &[picture], out.as_deref())
    }

    /// Several hunts of one size: how many found something, mean states and steps of those, and the greatest memory of all.
    fn hunt(
        &self,
        path: &str,
        size: u64,
        runs: u64,
        series: &mut Vec<Series>,
    ) -> Result<Vec<String>, Failure> {
        let mut hunted = Vec::new();
        for run in 0..runs {
            let task = Task {
                model: path.to_string(),
                set: vec![format!("{}={size}", self.parameter)],
                property: self.property.clone(),
                strategy: "lurch".into(),
                options: self.limits.options(),
                seconds: None,
                max_states: self.limits.max_states,
                memory: self.limits.bytes()?,
                seed: derive_seed(self.seed, run),
            };
            hunted.push(task.in_process()?);
        }
        let found: Vec<&Hunted> = hunted.iter().filter(|hunt| hunt.found).collect();
        let shown = |values: &mut dyn Iterator<Item = u64>| {
            mean(values).map_or(String::new(), |mean| format!("{:.0}", mean.mean))
        };
        let peak = hunted.iter().map(|hunt| hunt.peak_bytes).max();
        let peak = peak.unwrap_or(0) as f64;
        add_point(series, "sortie", (size as f64, peak / f64::from(1 << 20)));
        Ok(vec![
            size.to_string(),
            runs.to_string(),
            found.len().to_string(),
            shown(&mut found.iter().map(|hunt| hunt.states)),
            shown(&mut found.iter().filter_map(|hunt| hunt.steps)),
            megabytes(peak),
        ])
    }
}

impl BesideSpin {
    fn verify(
        &self,
        spin: &Spin,
        size: u64,
        quick: bool,
        series: &mut Vec<Series>,
    ) -> Result<[String; 3], Failure> {
        if size > self.up_to {
            return Ok([const { String::new() }; 3]);
        }
        let effort = Effort {
            megabytes: if quick { QUICK_MEMORY } else { self.memory },
            depth: 10_000,
            bits: None,
            all: false,
        };
        let verified = spin.verify(&self.promela.text(size), &effort)?;
        add_point(series, &self.name, (size as f64, verified.megabytes));
        let found = if verified.found { "yes" } else { "no" };
        Ok([
            found.into(),
            verified.states.to_string(),
            format!("{:.1}", verified.megabytes),
        ])
    }
}
