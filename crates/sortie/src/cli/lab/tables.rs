//! The tables of an experiment: one row per instance and search or check, and which things were found how often.

use super::figures::shown;
use super::measured::Measured;
use super::rows::Row;
use crate::cli::Failure;
use crate::cli::output::write_file;
use sortie_campaign::{Results, mean, proportion};
use sortie_model::Extreme;
use sortie_report::table::Table;
use std::collections::BTreeMap;
use std::path::Path;

/// Column heads for the terminal, where a group begins with what it is about, and for files, where each stands alone.
const HEADS: [(&str, &str); 24] = [
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
    tallies: Vec<[String; 4]>,
}

impl Tables {
    pub fn new(keep_going: bool) -> Self {
        Tables {
            keep_going,
            rows: Vec::new(),
            tallies: Vec::new(),
        }
    }

    pub fn add(&mut self, instance: &str, row: &Row, measured: &Measured) {
        let mut cells = Cells::from([
            ("instance", instance.to_string()),
            ("search", row.name.clone()),
            ("runs", measured.runs.to_string()),
        ]);
        match &measured.hunts {
            Some(results) if results.found.iter().any(|found| found.record.is_some()) => {
                cells.extend(extremes(results));
            }
            Some(results) => {
                cells.extend(counts(row, measured));
                cells.extend(traces(row, results));
                if self.keep_going {
                    cells.extend(found(row, results));
                }
            }
            None if row.is_reference() => cells.extend(reference(row, measured)),
            None => {
                cells.extend(counts(row, measured));
                cells.extend(ratios(row, measured));
            }
        }
        self.rows.push(cells);
        let tally = measured.hunts.iter().flat_map(|results| &results.tally);
        for ((_, label), count) in tally {
            let share = 100.0 * *count as f64 / measured.runs.max(1) as f64;
            self.tallies.push([
                instance.to_string(),
                row.name.clone(),
                label.clone(),
                format!("{share:.1}"),
            ]);
        }
    }

    /// For the terminal; nothing if no row was run.
    pub fn text(&self) -> String {
        if self.rows.is_empty() {
            return String::new();
        }
        let mut text = format!("\n{}", self.table(|(short, _)| short).text());
        if self.keep_going {
            text.push('\n');
            text.push_str(&self.tally_table().text());
        }
        text
    }

    pub fn write(&self, out: &Path, name: &str) -> Result<(), Failure> {
        let table = self.table(|(_, long)| long);
        write_file(&out.join(format!("{name}.csv")), &table.csv())?;
        if self.keep_going {
            let tallies = self.tally_table().csv();
            write_file(&out.join(format!("{name}-found.csv")), &tallies)?;
        }
        Ok(())
    }

    fn table(&self, head: fn((&'static str, &'static str)) -> &'static str) -> Table {
        let mut table = Table::new(HEADS.map(head));
        for cells in &self.rows {
            table.row(HEADS.map(|(_, long)| cells.get(long).cloned().unwrap_or_default()));
        }
        table.without_empty_columns()
    }

    fn tally_table(&self) -> Table {
        let mut table = Table::new(["instance", "search", "found", "runs %"]);
        for cells in &self.tallies {
            table.row(cells.clone());
        }
        table.without_empty_columns()
    }
}

/// The records at both ends.
fn extremes(results: &Results) -> Vec<(&'static str, String)> {
    let mut cells = Vec::new();
    for (head, end) in [
        ("smallest", Extreme::Smallest),
        ("largest", Extreme::Largest),
    ] {
        let records = results.found.iter().filter_map(|found| found.record);
        let mut values = records.filter(|(extreme, _)| *extreme == end);
        cells.extend(values.next().map(|(_, value)| (head, value.to_string())));
    }
    cells
}

/// The mean number of states, and how many runs succeeded.
fn counts(row: &Row, measured: &Measured) -> Vec<(&'static str, String)> {
    let [mean, half] = average(measured.states.clone());
    let per_success = measured.states_per_success();
    let mut cells = vec![
        (
            "states per success",
            per_success.map_or(String::new(), |states| format!("{states:.1}")),
        ),
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
fn traces(row: &Row, results: &Results) -> [(&'static str, String); 4] {
    let successful = results.runs.iter().filter(|run| run.found > 0);
    let [mean, half] = average(successful.filter_map(|run| run.trace).collect());
    [
        ("trace", mean),
        ("trace ±", half),
        ("trace, paper", shown(row.paper.trace)),
        ("trace, re-run", shown(row.rerun.trace)),
    ]
}

/// What bounded model checking needs, if it decided the formula.
fn reference(row: &Row, measured: &Measured) -> [(&'static str, String); 3] {
    let states = measured.states.first().filter(|_| measured.successes > 0);
    [
        ("states", states.map_or("–".into(), u64::to_string)),
        ("states, paper", shown(row.paper.states)),
        ("states, re-run", shown(row.rerun.states)),
    ]
}

/// What checks cost, beside bounded model checking.
fn ratios(row: &Row, measured: &Measured) -> [(&'static str, String); 4] {
    let reference = measured.reference;
    let ratio = measured.ratio();
    [
        (
            "ratio",
            ratio.map_or(String::new(), |ratio| format!("{ratio:.3}")),
        ),
        ("ratio, paper", shown(row.paper.ratio)),
        ("ratio, re-run", shown(row.rerun.ratio)),
        ("BMC", reference.map_or(String::new(), |n| n.to_string())),
    ]
}

/// How many distinct things a run found.
fn found(row: &Row, results: &Results) -> [(&'static str, String); 2] {
    let [found, _] = average(results.runs.iter().map(|run| run.found).collect());
    [("found", found), ("found, paper", shown(row.paper.found))]
}

/// A mean and half of its 95 % confidence interval.
fn average(values: Vec<u64>) -> [String; 2] {
    match mean(values) {
        None => ["–".into(), String::new()],
        Some(mean) => {
            let half = mean
                .interval
                .map(|interval| (interval.high - interval.low) / 2.0);
            [
                format!("{:.1}", mean.mean),
                half.map_or(String::new(), |half| format!("{half:.1}")),
            ]
        }
    }
}
