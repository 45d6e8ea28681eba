//! The tables of an experiment: one row per instance and search or check, and which things were found how often.

use crate::differences::{Judge, Other, Place};
use crate::figures::shown;
use crate::measured::{Hunts, Measured};
use crate::report::Sheet;
use crate::rows::Row;
use sortie_hunt::{mean, proportion};
use sortie_report::table::Table;
use std::collections::BTreeMap;

/// Column heads for the terminal, where a group begins with what it is about, and for files, where each stands alone.
const HEADS: [(&str, &str); 26] = [
    ("instance", "instance"),
    ("search", "search"),
    ("runs", "runs"),
    ("states", "states"),
    ("±", "states ±"),
    ("paper", "states, paper"),
    ("re-run", "states, re-run"),
    ("ratio", "ratio"),
    ("paper", "ratio, paper"),
    ("re-run", "ratio, re-run"),
    ("BMC", "BMC"),
    ("trace", "trace"),
    ("±", "trace ±"),
    ("paper", "trace, paper"),
    ("re-run", "trace, re-run"),
    ("from", "shortened from"),
    ("shortened", "shortened"),
    ("succ. %", "success %"),
    ("95 %", "success %, 95 % interval"),
    ("paper", "success %, paper"),
    ("re-run", "success %, re-run"),
    ("st./succ.", "states per success"),
    ("found", "found"),
    ("paper", "found, paper"),
    ("smallest", "smallest"),
    ("largest", "largest"),
];

/// The cells of a row by the heads that stand alone; the others are empty.
type Cells = BTreeMap<&'static str, String>;

pub struct Tables {
    /// Whether runs go on after a hit, so that how much they found says something.
    keep_going: bool,
    rows: Vec<Cells>,
    tallies: Table,
}

impl Tables {
    pub fn new(keep_going: bool) -> Self {
        Tables {
            keep_going,
            rows: Vec::new(),
            tallies: Table::new(["instance", "search", "found", "runs %"]),
        }
    }

    pub fn add(&mut self, instance: &str, row: &Row, measured: &Measured) {
        let mut cells = Cells::from([
            ("instance", instance.to_string()),
            ("search", row.name.clone()),
            ("runs", measured.runs.to_string()),
        ]);
        match &measured.hunts {
            Some(Hunts {
                extremes: Some([smallest, largest]),
                ..
            }) => {
                let ends = [("smallest", smallest), ("largest", largest)];
                cells.extend(ends.map(|(head, end)| (head, end.clone().unwrap_or_default())));
            }
            Some(hunts) => {
                cells.extend(counts(row, measured));
                cells.extend(traces(row, hunts));
                if self.keep_going {
                    cells.extend(found(row, hunts));
                }
            }
            None if row.is_reference() => cells.extend(reference(row, measured)),
            None => {
                cells.extend(counts(row, measured));
                cells.extend(ratios(row, measured));
            }
        }
        self.rows.push(cells);
        let tally = measured.hunts.iter().flat_map(|hunts| &hunts.tally);
        for (label, count) in tally {
            let share = 100.0 * *count as f64 / measured.runs.max(1) as f64;
            self.tallies.row([
                instance.to_string(),
                row.name.clone(),
                label.clone(),
                format!("{share:.1}"),
            ]);
        }
    }

    /// Compares a row with what is known of it.
    pub fn judge(
        &self,
        instance: &str,
        row: &Row,
        measured: &Measured,
        known: [Other; 2],
        judge: &mut Judge<'_>,
    ) {
        let at = |figure| Place::new(instance, &row.name, figure);
        for (other, figures) in known.into_iter().zip([row.paper, row.rerun]) {
            if row.is_reference() {
                if let Some(&states) = measured.states.first() {
                    judge.exact(at("states"), states as f64, 0, (figures.states, other));
                }
                continue;
            }
            // Means of hunts are over those that succeeded, there as here.
            let share = figures.success.map_or(100.0, |success| success.ends().1);
            let over_successes = Other {
                runs: (other.runs as f64 * share / 100.0).round() as u64,
                ..other
            };
            let is_hunted = measured.hunts.is_some();
            let over = if is_hunted { over_successes } else { other };
            judge.mean(at("states"), &measured.states, 1.0, (figures.states, over));
            if let Some(reference) = measured.reference {
                let unit = reference as f64;
                judge.mean(at("ratio"), &measured.states, unit, (figures.ratio, over));
            }
            let (successes, runs) = (measured.successes, measured.runs);
            judge.share(at("success %"), successes, runs, (figures.success, other));
            if let Some(hunts) = &measured.hunts {
                judge.mean(at("trace"), &hunts.traces, 1.0, (figures.trace, over));
                judge.mean(at("found"), &hunts.found, 1.0, (figures.found, other));
            }
        }
        judge.settle(instance, &row.name);
    }

    /// The tables.
    pub fn sheets(&self) -> Vec<Sheet> {
        let row = |cells: &Cells| {
            let cell = |(_, long)| cells.get(long).cloned().unwrap_or_default();
            HEADS.map(cell).to_vec()
        };
        let rows: Vec<Vec<String>> = self.rows.iter().map(row).collect();
        let mut sheets = vec![Sheet::with_heads(&HEADS, &rows).without_empty_columns()];
        if self.keep_going {
            sheets.push(Sheet {
                ending: "-found".into(),
                ..Sheet::plain(self.tallies.clone().without_empty_columns())
            });
        }
        sheets
    }
}

/// The mean number of states, and how many runs succeeded.
fn counts(row: &Row, measured: &Measured) -> Vec<(&'static str, String)> {
    let [mean, half] = average(measured.states.clone());
    let per_success = measured
        .states_per_success()
        .map(|states| format!("{states:.1}"));
    let per_success = per_success.unwrap_or_default();
    let mut cells = vec![
        ("states per success", per_success),
        ("states", mean),
        ("states ±", half),
        ("states, paper", shown(row.paper.states)),
        ("states, re-run", shown(row.rerun.states)),
        ("success %, paper", shown(row.paper.success)),
        ("success %, re-run", shown(row.rerun.success)),
    ];
    if let Some((share, interval)) = proportion(measured.successes, measured.runs) {
        let between = format!("{:.1}–{:.1}", 100.0 * interval.low, 100.0 * interval.high);
        cells.push(("success %", format!("{:.1}", 100.0 * share)));
        cells.push(("success %, 95 % interval", between));
    }
    cells
}

/// The mean length of the traces of successful hunts.
fn traces(row: &Row, hunts: &Hunts) -> [(&'static str, String); 6] {
    let [mean, half] = average(hunts.traces.clone());
    let few = |lengths: &[u64]| match lengths {
        [] => String::new(),
        some => average(some.to_vec())[0].clone(),
    };
    [
        ("trace", mean),
        ("trace ±", half),
        ("trace, paper", shown(row.paper.trace)),
        ("trace, re-run", shown(row.rerun.trace)),
        ("shortened from", few(&hunts.unshortened)),
        ("shortened", few(&hunts.shortened)),
    ]
}

/// The states that bounded model checking needs, if it decided the formula.
fn reference(row: &Row, measured: &Measured) -> [(&'static str, String); 3] {
    let states = measured.states.first().filter(|_| measured.successes > 0);
    [
        ("states", states.map_or("–".into(), u64::to_string)),
        ("states, paper", shown(row.paper.states)),
        ("states, re-run", shown(row.rerun.states)),
    ]
}

/// The costs of checks, in units of bounded model checking.
fn ratios(row: &Row, measured: &Measured) -> [(&'static str, String); 4] {
    let reference = measured.reference;
    let ratio = measured.ratio().map(|ratio| format!("{ratio:.3}"));
    [
        ("ratio", ratio.unwrap_or_default()),
        ("ratio, paper", shown(row.paper.ratio)),
        ("ratio, re-run", shown(row.rerun.ratio)),
        ("BMC", reference.map_or(String::new(), |n| n.to_string())),
    ]
}

/// The mean number of distinct violations of a run.
fn found(row: &Row, hunts: &Hunts) -> [(&'static str, String); 2] {
    let [found, _] = average(hunts.found.clone());
    [("found", found), ("found, paper", shown(row.paper.found))]
}

/// A mean and half of its 95 % confidence interval.
fn average(values: Vec<u64>) -> [String; 2] {
    let Some(mean) = mean(values) else {
        return ["–".into(), String::new()];
    };
    let half = mean
        .interval
        .map(|interval| (interval.high - interval.low) / 2.0);
    let half = half.map_or(String::new(), |half| format!("{half:.1}"));
    [format!("{:.1}", mean.mean), half]
}
