//! What all experiments have in common: rows that are measured apart, in any order, and a report on all of them.

use super::report::Report;
use crate::cli::Failure;
use crate::cli::hunt::{given, threads};
use clap::ArgMatches;
use serde::de::DeserializeOwned;
use serde_json::Value;
use sortie_model::Stop;
use std::path::Path;

/// An experiment, ready to be run.
pub trait Study: Sync {
    /// The names of its instances, cases or sizes, which can be selected.
    fn subjects(&self) -> Vec<String>;

    /// Its rows, in the order of its tables.
    fn rows(&self, setting: &Setting) -> Result<Vec<Planned>, Failure>;

    /// Runs the row at this place.
    fn measure(&self, row: usize, setting: &Setting) -> Result<Value, Failure>;

    /// Says what came out; rows that were not run are empty.
    fn report(&self, results: &[Option<Value>], setting: &Setting) -> Result<Report, Failure>;
}

/// What the command line says about how experiments are run.
#[derive(Clone)]
pub struct Setting {
    pub runs: Option<u64>,
    pub quick: bool,
    /// The folder with model files.
    pub models: Option<String>,
    /// Parts of the names of instances that are wanted; all if there are none.
    pub only: Vec<String>,
    pub threads: usize,
    pub stop: Stop,
}

impl Setting {
    pub fn new(matches: &ArgMatches) -> Setting {
        Setting {
            runs: matches.get_one::<u64>("runs").copied(),
            quick: matches.get_flag("quick"),
            models: matches.get_one::<String>("models").cloned(),
            only: given(matches, "only"),
            threads: threads(matches),
            stop: Stop::default(),
        }
    }

    /// Whether the command line selects the instance with this name.
    pub fn selects(&self, name: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|part| name.contains(part))
    }

    /// Where a model is: `gallery:NAME`, or a file, in the folder that the command line or else the experiment names, or as seen
    /// from the current folder. Otherwise the path that was looked for first.
    pub fn locate(&self, model: &str, folder: Option<&str>) -> Result<String, String> {
        super::locate(model, self.models.as_deref(), folder)
    }

    /// The command that runs an experiment like this.
    pub fn command(&self, name: &str) -> String {
        let quick = if self.quick { " --quick" } else { "" };
        let runs = self
            .runs
            .map_or(String::new(), |runs| format!(" --runs {runs}"));
        format!("sortie lab {name}{quick}{runs}")
    }

    /// Whether somebody wants it to end.
    pub fn is_stopped(&self) -> bool {
        self.stop.requested().is_some()
    }
}

/// A row before it is run.
pub struct Planned {
    /// The instance, case or size.
    pub subject: String,
    /// What it goes through.
    pub name: String,
    /// The model: where it is, or where it was looked for in vain.
    pub model: Result<String, String>,
    /// Everything else that decides what comes out; what stands in the ledger is used again only for the same text.
    pub definition: String,
}

impl Planned {
    /// A fingerprint of all that decides what comes out, the text of the model included.
    pub fn fingerprint(&self, experiment: &str) -> u64 {
        let mut hash = Fnv::default();
        for part in [
            env!("CARGO_PKG_VERSION"),
            experiment,
            &self.subject,
            &self.name,
            &self.definition,
        ] {
            hash.add(part.as_bytes());
        }
        if let Ok(model) = &self.model {
            match std::fs::read(Path::new(model)) {
                Ok(text) => hash.add(&text),
                // Models of the gallery are part of the program.
                Err(_) => hash.add(model.as_bytes()),
            }
        }
        hash.value
    }
}

/// The hash of Fowler, Noll and Vo, of texts one after another.
struct Fnv {
    value: u64,
}

impl Default for Fnv {
    fn default() -> Self {
        Fnv {
            value: 0xcbf2_9ce4_8422_2325,
        }
    }
}

impl Fnv {
    fn add(&mut self, bytes: &[u8]) {
        let length = (bytes.len() as u64).to_le_bytes();
        for byte in length.iter().chain(bytes) {
            self.value = (self.value ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
        }
    }
}

/// A result for the ledger.
pub fn encoded(result: &impl serde::Serialize) -> Result<Value, Failure> {
    serde_json::to_value(result).map_err(Failure::broken)
}

/// A result from the ledger; none for a row that was not run.
pub fn decoded<T: DeserializeOwned>(result: &Option<Value>) -> Result<Option<T>, Failure> {
    let Some(value) = result else {
        return Ok(None);
    };
    T::deserialize(value).map(Some).map_err(Failure::broken)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fingerprint_tells_texts_and_their_borders_apart() {
        let row = |subject: &str, name: &str| Planned {
            subject: subject.into(),
            name: name.into(),
            model: Ok("gallery:scc".into()),
            definition: "runs 5".into(),
        };
        let first = row("ab", "c").fingerprint("scc");
        assert_eq!(first, row("ab", "c").fingerprint("scc"));
        assert_ne!(first, row("a", "bc").fingerprint("scc"));
        assert_ne!(first, row("ab", "c").fingerprint("diamond"));
    }
}
