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
pub use hunted::Task;
pub use novelty::Novelty;
pub use requirements::Requirements;
pub use scaling::Scaling;

use crate::rows::single_options;
use anyhow::{Error, Result};
use serde::Deserialize;
use sortie_report::units::size;

/// Without SPIN the rest of an experiment is still worth its while.
const NO_SPIN: &str = "\nSPIN is left out: spin or gcc is not installed\n";

/// The limits of hunts.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Limits {
    max_states: Option<u64>,
    /// The memory for visited states.
    memory: Option<String>,
    #[serde(default)]
    options: toml::Table,
}

impl Limits {
    fn bytes(&self) -> Result<Option<u64>> {
        let memory = self.memory.as_deref().map(size);
        memory.transpose().map_err(Error::msg)
    }

    /// A hunt by random paths for what the model itself names.
    fn task(&self, model: &str, set: Vec<String>, seed: u64) -> Result<Task> {
        Ok(Task {
            model: model.to_owned(),
            set,
            property: None,
            strategy: "lurch".into(),
            options: single_options(&self.options).pairs(),
            seconds: None,
            max_states: self.max_states,
            memory: self.bytes()?,
            seed,
        })
    }
}

/// A note for reports where SPIN is wanted and not installed.
fn spin_note() -> &'static str {
    if spin::is_there() { "" } else { NO_SPIN }
}
