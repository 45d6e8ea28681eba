//! One hunt in a process of its own, so that its memory can be told.

use crate::alone::{Alone, in_process};
use crate::measure::{peak_bytes, timed};
use crate::{hunt, hunting, open_model};
use anyhow::{Result, bail};
use serde::{Deserialize, Serialize};
use sortie_hunt::{CampaignError, HuntSettings};
use sortie_model::{Budget, Silent};
use sortie_open::Wanted;
use sortie_property::{Property, PropertyKind};
use sortie_search::{Options, SearchError};
use std::time::Duration;

/// A hunt with its limits.
#[derive(Clone, Serialize, Deserialize)]
pub struct Task {
    pub model: String,
    pub set: Vec<String>,
    /// Without one, what the model itself names.
    pub property: Option<String>,
    /// The strategy, and its options.
    pub strategy: String,
    pub options: Vec<(String, String)>,
    pub seconds: Option<u64>,
    pub max_states: Option<u64>,
    /// Bytes.
    pub memory: Option<u64>,
    pub seed: u64,
}

/// The result of a hunt.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Hunted {
    pub found: bool,
    /// States met.
    pub states: u64,
    /// Steps to what was found.
    pub steps: Option<u64>,
    /// Of processor time, with the shortening of what was found.
    pub seconds: f64,
    /// The largest resident set.
    pub peak_bytes: u64,
    /// Why the search could not go on, if so.
    pub broken: Option<String>,
}

impl Task {
    /// Runs this program again for the hunt.
    pub fn in_process(self) -> Result<Hunted> {
        in_process(&Alone::Hunt(self))
    }

    /// Hunts in this process.
    pub fn hunt(&self) -> Result<Hunted> {
        let mut opened = open_model(&self.model, &self.set, &Wanted::default())?;
        let properties: Vec<Box<dyn Property>> = match (&self.property, &opened.own) {
            (Some(name), _) => vec![opened.property(&PropertyKind::parse(name))?],
            (None, Some(own)) => {
                let faults = own.faults().into_iter();
                faults.chain(own.wanted().properties).collect()
            }
            (None, None) => bail!("say what is looked for in this model"),
        };
        let mut options = Options::default();
        for (name, value) in &self.options {
            options.set(name, value);
        }
        let budget = Budget {
            max_states: self.max_states,
            memory: self.memory,
            ..Budget::default()
        };
        let settings = HuntSettings {
            seed: self.seed,
            time: self.seconds.map(Duration::from_secs),
            ..hunting(&self.strategy, options)
        };
        let hunt = || hunt((&opened, &properties), &settings, budget, &Silent);
        let (results, micros) = timed(hunt);
        let seconds = micros as f64 / 1e6;
        let results = match results {
            Ok(results) => results,
            Err(CampaignError::Search(SearchError::Model(error))) if error.fanout => {
                return Ok(Hunted {
                    found: false,
                    states: 0,
                    steps: None,
                    seconds,
                    peak_bytes: peak_bytes(),
                    broken: Some(error.to_string()),
                });
            }
            Err(error) => return Err(error.into()),
        };
        let run = results.runs.first().expect("there is one run");
        Ok(Hunted {
            found: run.found > 0,
            states: run.counts.visited,
            steps: run.trace,
            seconds,
            peak_bytes: peak_bytes(),
            broken: None,
        })
    }
}

/// Bytes as megabytes.
pub fn megabytes(bytes: f64) -> String {
    format!("{:.1}", bytes / f64::from(1 << 20))
}
