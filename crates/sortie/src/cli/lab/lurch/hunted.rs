//! One hunt by random paths in a process of its own, so that its memory can be told.

use crate::cli::output::print;
use crate::cli::source::{Wanted, open_named};
use crate::cli::{Failure, Outcome, Status};
use serde::{Deserialize, Serialize};
use sortie_campaign::{Campaign, peak_bytes};
use sortie_model::{Budget, Silent};
use sortie_property::{Property, from_name};
use sortie_search::{Options, strategy};
use std::collections::BTreeMap;
use std::process::Command;

/// What is hunted, and within which limits.
#[derive(Clone, Serialize, Deserialize)]
pub struct Task {
    pub model: String,
    pub set: Vec<String>,
    /// Without one, what the model itself names.
    pub property: Option<String>,
    pub options: BTreeMap<String, String>,
    pub max_states: Option<u64>,
    /// Bytes.
    pub memory: Option<u64>,
    pub seed: u64,
}

/// What came out.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Hunted {
    pub found: bool,
    /// States met.
    pub states: u64,
    /// Steps to what was found.
    pub steps: Option<u64>,
    /// The largest resident set.
    pub peak_bytes: u64,
}

impl Task {
    /// Runs this program again for the hunt.
    pub fn in_process(&self) -> Result<Hunted, Failure> {
        let program = std::env::current_exe().map_err(Failure::broken)?;
        let task = serde_json::to_string(self).map_err(Failure::broken)?;
        let output = Command::new(program)
            .args(["lab", &task, "--measure", "hunt"])
            .output()
            .map_err(Failure::broken)?;
        serde_json::from_slice(&output.stdout).map_err(|_| {
            let said = String::from_utf8_lossy(&output.stderr);
            Failure::input(format!("{}: {said}", self.model))
        })
    }

    fn hunt(&self) -> Result<Hunted, Failure> {
        let opened = open_named(&self.model, None, &self.set, &Wanted::default())?;
        let properties: Vec<Box<dyn Property>> = match (&self.property, &opened.machines) {
            (Some(name), _) => vec![from_name(name).map_err(Failure::input)?],
            (None, Some(machines)) => {
                let faults = machines.faults().into_iter();
                faults.chain(machines.wanted()).collect()
            }
            (None, None) => return Err(Failure::input("say what is looked for in this model")),
        };
        let options = self.options.iter();
        let options = options.fold(Options::default(), |all, (name, value)| {
            all.with(name, value)
        });
        let campaign = Campaign {
            model: &*opened.model,
            properties: &properties,
            strategy: strategy("lurch").map_err(Failure::broken)?,
            options,
            settings: opened.settings.clone(),
            budget: Budget {
                max_states: self.max_states,
                memory: self.memory,
                ..Budget::default()
            },
            time: None,
            seed: self.seed,
            runs: 1,
            threads: 1,
            keep_going: false,
            paper_counts: false,
            shorten: false,
            fitness: None,
            observer: &Silent,
        };
        let results = campaign.run().map_err(Failure::input)?;
        let run = results.runs.first().expect("there is one run");
        Ok(Hunted {
            found: run.found > 0,
            states: run.counts.visited,
            steps: run.trace,
            peak_bytes: peak_bytes(),
        })
    }
}

/// The hunt, in the process that was started for it.
pub fn measure(task: &str) -> Outcome {
    let task: Task = serde_json::from_str(task).map_err(Failure::input)?;
    let answer = serde_json::to_string(&task.hunt()?).map_err(Failure::broken)?;
    print(&format!("{answer}\n"))?;
    Ok(Status::Fine)
}

/// Bytes as megabytes.
pub fn megabytes(bytes: f64) -> String {
    format!("{:.1}", bytes / f64::from(1 << 20))
}
