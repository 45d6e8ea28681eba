//! Larger and larger instances of one model: is the fault found, and what does that take?

use super::hunted::{Hunted, Task, megabytes};
use super::promela::{Order, philosophers, queens};
use super::spin::{Effort, Spin, Verified};
use super::{About, Limits, find_spin};
use crate::cli::Failure;
use crate::cli::lab::report::{Quantity, Report, add_point};
use crate::cli::lab::skipped;
use crate::cli::lab::study::{Planned, Setting, Study, decoded, encoded};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sortie_hunt::mean;
use sortie_model::derive_seed;
use sortie_report::table::Table;

/// With `--quick` there is one hunt of each size, and SPIN gets the first with so many megabytes.
const QUICK_MEMORY: u64 = 8;

/// One model in several sizes.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scaling {
    #[serde(rename = "kind")]
    _kind: String,
    #[serde(default, rename = "publication")]
    _publication: Option<String>,
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
struct Scaled {
    hunted: Vec<Hunted>,
    verified: Vec<Option<Verified>>,
}

impl Scaling {
    fn selected(&self, setting: &Setting) -> Vec<u64> {
        let all = self.sizes.iter().copied();
        all.filter(|size| setting.selects(&size.to_string()))
            .collect()
    }

    fn runs(&self, setting: &Setting) -> u64 {
        match setting.quick {
            true => 1,
            false => setting.runs.unwrap_or(self.runs),
        }
    }

    fn hunt(&self, path: &str, size: u64, run: u64) -> Result<Hunted, Failure> {
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
        task.in_process()
    }
}

impl Study for Scaling {
    fn subjects(&self) -> Vec<String> {
        self.sizes.iter().map(u64::to_string).collect()
    }

    fn rows(&self, setting: &Setting) -> Result<Vec<Planned>, Failure> {
        let (_, note) = find_spin(!self.spin.is_empty())?;
        let plan = |size: &u64| Planned {
            subject: size.to_string(),
            name: "lurch".into(),
            model: setting.locate(&self.model, None),
            definition: format!(
                "{} {:?} {:?} {:?} {} {} {} {note}",
                self.parameter,
                self.property,
                self.limits,
                self.spin,
                self.seed,
                self.runs(setting),
                setting.quick
            ),
        };
        Ok(self.selected(setting).iter().map(plan).collect())
    }

    fn measure(&self, row: usize, setting: &Setting) -> Result<Value, Failure> {
        let size = self.selected(setting)[row];
        let path = setting.locate(&self.model, None).map_err(Failure::input)?;
        let mut hunted = Vec::new();
        for run in 0..self.runs(setting) {
            if setting.is_stopped() {
                break;
            }
            hunted.push(self.hunt(&path, size, run)?);
        }
        let (spin, _) = find_spin(!self.spin.is_empty())?;
        let spin = spin.as_ref().filter(|_| !setting.quick || row == 0);
        let verify = |side: &BesideSpin| side.verify(spin, size, setting.quick);
        let verified: Result<_, Failure> = self.spin.iter().map(verify).collect();
        encoded(&Scaled {
            hunted,
            verified: verified?,
        })
    }

    fn report(&self, results: &[Option<Value>], setting: &Setting) -> Result<Report, Failure> {
        let (spin, note) = find_spin(!self.spin.is_empty())?;
        let mut heads: Vec<String> = ["size", "hunts", "found", "states", "steps", "MB"]
            .map(String::from)
            .into();
        for side in self.spin.iter().filter(|_| spin.is_some()) {
            heads.extend(["found", "states", "MB"].map(|head| format!("{}: {head}", side.name)));
        }
        let mut table = Table::new(heads);
        let mut series = Vec::new();
        for (size, result) in self.selected(setting).into_iter().zip(results) {
            let Some(scaled) = decoded::<Scaled>(result)? else {
                continue;
            };
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
                if spin.is_some() {
                    row.extend(told(verified.as_ref()));
                }
            }
            table.row(row);
        }
        let about = About {
            title: &self.title,
            source: &self.source,
            seed: Some(self.seed),
            quick: match setting.quick {
                true => "; quick: one hunt of each size, so no result",
                false => "",
            },
            skipped: skipped(&self.rows(setting)?),
            notes: note.into(),
            remark: &self.remark,
            model: &self.model,
        };
        let quantity = Quantity::Logarithmic("memory, MB");
        let drawing = about.drawing("", &self.parameter, quantity, series);
        Ok(about.report(table, vec![drawing]))
    }
}

impl Scaled {
    /// How many hunts found something, mean states and steps of those, and the greatest memory of all.
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

/// What SPIN says, as cells.
fn told(verified: Option<&Verified>) -> [String; 3] {
    let Some(verified) = verified else {
        return [const { String::new() }; 3];
    };
    [
        if verified.found { "yes" } else { "no" }.into(),
        verified.states.to_string(),
        format!("{:.1}", verified.megabytes),
    ]
}

impl BesideSpin {
    fn verify(
        &self,
        spin: Option<&Spin>,
        size: u64,
        quick: bool,
    ) -> Result<Option<Verified>, Failure> {
        let Some(spin) = spin.filter(|_| size <= self.up_to) else {
            return Ok(None);
        };
        let effort = Effort {
            megabytes: if quick { QUICK_MEMORY } else { self.memory },
            depth: 10_000,
            bits: None,
            all: false,
        };
        spin.verify(&self.promela.text(size), &effort).map(Some)
    }
}
