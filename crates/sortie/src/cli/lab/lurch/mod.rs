//! What hunts by random paths need, beside SPIN where it is installed: the figures of LURCH's paper.

mod board;
mod boards;
mod growth;
mod hunted;
mod novelty;
mod promela;
mod requirements;
mod scaling;
mod spin;

pub use boards::Boards;
pub use growth::Growth;
pub use hunted::measure;
pub use novelty::Novelty;
pub use requirements::Requirements;
pub use scaling::Scaling;

use crate::cli::output::{print, write_file};
use crate::cli::units::size;
use crate::cli::{Failure, Outcome, Status};
use clap::ArgMatches;
use serde::Deserialize;
use sortie_report::chart::{Series, Shape, Vertical, svg};
use sortie_report::table::Table;
use spin::Spin;
use std::path::Path;

/// Without SPIN the rest of an experiment is still worth its while.
const NO_SPIN: &str = "\nSPIN is left out: spin or gcc is not installed\n";

/// What an experiment says of itself.
struct About<'a> {
    name: &'a str,
    title: &'a str,
    source: &'a str,
    /// What `--quick` leaves out; empty without it.
    quick: &'a str,
    /// What is missing.
    notes: String,
    remark: &'a str,
}

/// A picture beside the table.
struct Picture<'a> {
    /// Added to the name of the file.
    name: &'a str,
    axis: &'a str,
    vertical: Vertical<'a>,
    series: Vec<Series>,
}

impl About<'_> {
    /// Prints the table, and writes it and the pictures.
    fn deliver(&self, table: &Table, pictures: &[Picture<'_>], out: Option<&Path>) -> Outcome {
        let About {
            name,
            title,
            source,
            quick,
            notes,
            remark,
        } = self;
        print(&format!(
            "{title}\n{source}{quick}\n{notes}\n{}\n{}\n",
            table.text(),
            remark.trim()
        ))?;
        if let Some(out) = out {
            write_file(&out.join(format!("{name}.csv")), &table.csv())?;
            for picture in pictures {
                let Picture {
                    name: what,
                    axis,
                    vertical,
                    series,
                } = picture;
                let drawn = svg(title, axis, *vertical, Shape::Lines, series);
                write_file(&out.join(format!("{name}{what}.svg")), &drawn)?;
            }
        }
        Ok(Status::Fine)
    }
}

/// The limits of hunts.
#[derive(Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Limits {
    max_states: Option<u64>,
    /// What is remembered of states takes no more than this.
    memory: Option<String>,
    #[serde(default)]
    options: toml::Table,
}

impl Limits {
    fn bytes(&self) -> Result<Option<u64>, Failure> {
        let memory = self.memory.as_deref().map(size);
        memory.transpose().map_err(Failure::input)
    }

    fn options(&self) -> std::collections::BTreeMap<String, String> {
        super::rows::single_options(&self.options)
            .listed()
            .iter()
            .filter_map(|option| option.split_once('='))
            .map(|(name, value)| (name.to_string(), value.to_string()))
            .collect()
    }
}

/// SPIN, if the experiment wants it and it is there; otherwise, what to say.
fn find_spin(wanted: bool) -> Result<(Option<Spin>, &'static str), Failure> {
    if !wanted {
        return Ok((None, ""));
    }
    let spin = Spin::find()?;
    let note = if spin.is_none() { NO_SPIN } else { "" };
    Ok((spin, note))
}

/// Adds a point to the curve with this name.
fn add_point(series: &mut Vec<Series>, name: &str, point: (f64, f64)) {
    match series.iter_mut().find(|series| series.name == name) {
        Some(series) => series.points.push(point),
        None => series.push(Series {
            name: name.to_string(),
            points: vec![point],
        }),
    }
}

/// The folder that the command line names for models.
fn models(matches: &ArgMatches) -> Option<&str> {
    matches.get_one::<String>("models").map(String::as_str)
}
