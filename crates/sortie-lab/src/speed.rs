//! Speed and memory of exploration and of random walks, on specifications whose speed in another tool is known.

use crate::alone::{Alone, in_process};
use crate::measure::{Speed, Task, timed};
use crate::open_model;
use crate::report::{Report, Sheet};
use crate::study::{About, Kind, Planned, Results, Rows, Setting};
use anyhow::Result;
use serde::{Deserialize, Serialize};
use sortie_open::Wanted;
use sortie_report::table::Table;
use std::collections::BTreeMap;

/// The size of each task with `--quick`.
const QUICK_STATES: u64 = 200;

/// Specifications that are explored, with their speed in another tool.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Speeds {
    /// Steps of random walks.
    walk: u64,
    specification: Vec<Specification>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Specification {
    name: String,
    file: String,
    /// Constants of the model.
    #[serde(default)]
    set: BTreeMap<String, u64>,
    /// mCRL2's states per second.
    reference: Option<f64>,
    /// Whether that counts states that were met, of which few were expanded.
    #[serde(default)]
    reference_discovers: bool,
    max_states: Option<u64>,
    /// Steps of random walks, where not as many as elsewhere.
    walk: Option<u64>,
    /// Whether it is made of components rather than of data.
    #[serde(default, rename = "network")]
    _network: bool,
}

impl Specification {
    fn reference_text(&self) -> String {
        let met = if self.reference_discovers { " met" } else { "" };
        let number = |states: f64| format!("{states:.0}{met}");
        self.reference.map_or(String::new(), number)
    }
}

/// A measurement in a process of its own.
#[derive(Serialize, Deserialize)]
pub struct Measurement {
    path: String,
    settings: Vec<String>,
    task: Task,
}

impl Measurement {
    /// Measures, in the process that was started for it.
    pub fn measure(&self) -> Result<Speed> {
        let (opened, micros) = timed(|| open_model(&self.path, &self.settings, &Wanted::default()));
        Ok(Speed::measure(&*opened?.model, micros, self.task)?)
    }
}

impl Kind for Speeds {
    type Row<'a> = &'a Specification;
    /// Of exploration and of walks.
    type Result = [Speed; 2];

    const APART: bool = true;

    fn rows(&self, setting: &Setting) -> Rows<'_, Self> {
        let planned = self.specification.iter().map(|one| Planned {
            definition: format!(
                "{:?} {:?} {:?} {} {}",
                one.set, one.max_states, one.walk, self.walk, setting.quick
            ),
            ..Planned::new(&one.name, "speed", &one.file, one)
        });
        Ok(planned.collect())
    }

    fn measure(&self, specification: &&Specification, about: About<'_>) -> Result<[Speed; 2]> {
        let limit = |most: u64| about.setting.or_quick(most.min(QUICK_STATES), most);
        let all = specification.max_states.unwrap_or(u64::MAX);
        let steps = specification.walk.unwrap_or(self.walk);
        let set = specification.set.iter();
        let settings: Vec<String> = set.map(|(name, value)| format!("{name}={value}")).collect();
        let measured = |task| {
            in_process(&Alone::Speed(Measurement {
                path: about.path.to_owned(),
                settings: settings.clone(),
                task,
            }))
        };
        Ok([
            measured(Task::Explore(Some(limit(all))))?,
            measured(Task::Walk(limit(steps)))?,
        ])
    }

    fn report(&self, results: Results<'_, Self>, about: About<'_>, report: &mut Report) {
        let heads = "specification | states | transitions | opening, ms | states/s | met/s \
                     | mCRL2, there | transitions/s | steps/s | bytes/state";
        let mut table = Table::new(heads.split(" | "));
        let number = |value: f64| format!("{value:.0}");
        for (specification, [explored, walked]) in results {
            let bytes = explored.bytes_per_state();
            table.row([
                specification.name.clone(),
                explored.states.to_string(),
                explored.transitions.to_string(),
                format!("{:.1}", explored.opening_micros as f64 / 1e3),
                number(explored.states_per_second()),
                number(explored.discovered_per_second()),
                specification.reference_text(),
                number(explored.transitions_per_second()),
                number(walked.states_per_second()),
                bytes.map_or(String::new(), |bytes| format!("{bytes:.1}")),
            ]);
        }
        let note = format!("no more than {QUICK_STATES} states, so no result");
        report.setting = about.setting.quick_note(&note);
        report.sheets.push(Sheet::plain(table));
    }
}
