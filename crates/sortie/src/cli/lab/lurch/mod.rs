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

use super::report::{Drawing, Quantity, Report, Sheet};
use crate::cli::Failure;
use crate::cli::units::size;
use serde::Deserialize;
use sortie_report::chart::{Series, Shape};
use sortie_report::table::Table;
use spin::Spin;

/// Without SPIN the rest of an experiment is still worth its while.
const NO_SPIN: &str = "\nSPIN is left out: spin or gcc is not installed\n";

/// What an experiment says of itself.
struct About<'a> {
    title: &'a str,
    source: &'a str,
    /// None where nothing is drawn.
    seed: Option<u64>,
    /// What `--quick` leaves out; empty without it.
    quick: &'a str,
    /// What is missing.
    skipped: String,
    notes: String,
    remark: &'a str,
    model: &'a str,
}

impl About<'_> {
    /// The report with its table and its pictures.
    fn report(&self, table: Table, drawings: Vec<Drawing>) -> Report {
        Report {
            title: self.title.into(),
            source: self.source.into(),
            setting: self
                .seed
                .map_or(String::new(), |seed| format!("; seed {seed}"))
                + self.quick,
            skipped: self.skipped.clone(),
            sheets: vec![Sheet::plain(table)],
            drawings,
            notes: self.notes.clone(),
            remark: self.remark.into(),
            models: vec![super::origin_of(self.model, None)],
            ..Report::default()
        }
    }

    /// A picture with lines.
    fn drawing(
        &self,
        ending: &str,
        axis: &str,
        quantity: Quantity,
        series: Vec<Series>,
    ) -> Drawing {
        Drawing {
            ending: ending.into(),
            title: self.title.into(),
            axis: axis.into(),
            quantity,
            shape: Shape::Lines,
            series,
            points: None,
        }
    }
}

/// The limits of hunts.
#[derive(Clone, Debug, Default, Deserialize)]
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
