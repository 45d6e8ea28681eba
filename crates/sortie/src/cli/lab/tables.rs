//! The tables of an experiment: one row per instance and search, and which things were found how often.

use super::experiment::{Figures, Row};
use crate::cli::Failure;
use crate::cli::output::write_file;
use sortie_campaign::{Results, mean, proportion};
use sortie_model::Extreme;
use sortie_report::table::Table;
use std::path::Path;

/// Column heads for the terminal, where a group begins with what it is about, and for files, where each stands alone.
const HEADS: [(&str, &str); 19] = [
    ("instance", "instance"),
    ("search", "search"),
    ("runs", "runs"),
    ("states", "states"),
    ("±", "states ±"),
    ("paper", "states, paper"),
    ("re-run", "states, re-run"),
    ("trace", "trace"),
    ("±", "trace ±"),
    ("paper", "trace, paper"),
    ("re-run", "trace, re-run"),
    ("succ. %", "success %"),
    ("95 %", "success %, 95 % interval"),
    ("paper", "success %, paper"),
    ("re-run", "success %, re-run"),
    ("found", "found"),
    ("paper", "found, paper"),
    ("smallest", "smallest"),
    ("largest", "largest"),
];

pub struct Tables {
    /// Whether runs go on after a hit, so that how much they found says something.
    keep_going: bool,
    rows: Vec<Vec<String>>,
    tallies: Vec<Vec<String>>,
}

impl Tables {
    pub fn new(keep_going: bool) -> Self {
        Tables {
            keep_going,
            rows: Vec::new(),
            tallies: Vec::new(),
        }
    }

    pub fn add(&mut self, instance: &str, row: &Row, results: &Results) {
        let mut cells = vec![
            instance.to_string(),
            row.name.clone(),
            results.runs.len().to_string(),
        ];
        if results.found.iter().any(|found| found.record.is_some()) {
            cells.extend(extremes(results));
        } else {
            cells.extend(counts(row, results));
            if self.keep_going {
                cells.extend(found(row, results));
            }
        }
        self.rows.push(cells);
        for ((_, label), count) in &results.tally {
            let share = 100.0 * *count as f64 / results.runs.len().max(1) as f64;
            self.tallies.push(vec![
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
        let mut text = format!(
            "\n{}",
            filled(HEADS.map(|(short, _)| short), &self.rows).text()
        );
        if self.keep_going {
            text.push('\n');
            text.push_str(&self.tally_table().text());
        }
        text
    }

    pub fn write(&self, out: &Path, name: &str) -> Result<(), Failure> {
        let table = filled(HEADS.map(|(_, long)| long), &self.rows);
        write_file(&out.join(format!("{name}.csv")), &table.csv())?;
        if self.keep_going {
            let tallies = self.tally_table().csv();
            write_file(&out.join(format!("{name}-found.csv")), &tallies)?;
        }
        Ok(())
    }

    fn tally_table(&self) -> Table {
        filled(["instance", "search", "found", "runs %"], &self.tallies)
    }
}

fn filled<const N: usize>(heads: [&str; N], rows: &[Vec<String>]) -> Table {
    let mut table = Table::new(heads);
    for row in rows {
        table.row(row.iter().cloned());
    }
    table.without_empty_columns()
}

/// The last two columns.
fn extremes(results: &Results) -> Vec<String> {
    let mut cells = vec![String::new(); HEADS.len() - 5];
    for end in [Extreme::Smallest, Extreme::Largest] {
        let records = results.found.iter().filter_map(|found| found.record);
        let value = records
            .filter(|(extreme, _)| *extreme == end)
            .map(|(_, value)| value.to_string());
        cells.extend(value.take(1));
    }
    cells
}

/// Means over successful runs, and how many those are.
fn counts(row: &Row, results: &Results) -> Vec<String> {
    let successful: Vec<_> = results.runs.iter().filter(|run| run.found > 0).collect();
    let known = |figure: fn(&Figures) -> Option<f64>| {
        [&row.paper, &row.rerun].map(|figures| shown(figure(figures)))
    };
    let mut cells = Vec::new();
    cells.extend(average(
        successful.iter().map(|run| run.counts.expanded).collect(),
    ));
    cells.extend(known(|figures| figures.states));
    cells.extend(average(
        successful.iter().filter_map(|run| run.trace).collect(),
    ));
    cells.extend(known(|figures| figures.trace));
    let share = proportion(successful.len() as u64, results.runs.len() as u64);
    cells.extend(match share {
        Some((share, interval)) => [
            format!("{:.1}", 100.0 * share),
            format!("{:.1}–{:.1}", 100.0 * interval.low, 100.0 * interval.high),
        ],
        None => [String::new(), String::new()],
    });
    cells.extend(known(|figures| figures.success));
    cells
}

/// How many distinct things a run found.
fn found(row: &Row, results: &Results) -> [String; 2] {
    let [found, _] = average(results.runs.iter().map(|run| run.found).collect());
    [found, shown(row.paper.found)]
}

fn shown(figure: Option<f64>) -> String {
    figure.map_or(String::new(), |value| value.to_string())
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
