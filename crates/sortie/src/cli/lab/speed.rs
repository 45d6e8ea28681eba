//! `sortie lab speed`: how fast specifications are explored. The only experiment that tells times.

use super::{is_selected, locate, missing};
use crate::cli::lab::open_model;
use crate::cli::output::{print, write_file};
use crate::cli::{Failure, Outcome, Status};
use clap::ArgMatches;
use serde::Deserialize;
use sortie_hunt::{Speed, Task, timed};
use sortie_open::Wanted;
use sortie_report::table::Table;
use std::path::PathBuf;
use std::process::Command;

/// What `--quick` leaves of each task.
const QUICK_STATES: u64 = 200;

/// What is explored, and what is known about its speed elsewhere.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Speeds {
    #[serde(rename = "kind")]
    _kind: String,
    title: String,
    source: String,
    models: String,
    /// Steps of random walks.
    walk: u64,
    remark: String,
    specification: Vec<Specification>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Specification {
    name: String,
    file: String,
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

impl Speeds {
    pub fn run(&self, matches: &ArgMatches, name: &str, out: Option<PathBuf>) -> Outcome {
        let quick = matches.get_flag("quick");
        let named = matches.get_one::<String>("models").map(String::as_str);
        let mut table = Table::new([
            "specification",
            "states",
            "transitions",
            "opening, ms",
            "states/s",
            "met/s",
            "mCRL2, there",
            "transitions/s",
            "steps/s",
            "bytes/state",
        ]);
        let mut absent = Vec::new();
        for specification in &self.specification {
            if !is_selected(matches, &specification.name) {
                continue;
            }
            let path = match locate(&specification.file, named, Some(&self.models)) {
                Ok(path) => path,
                Err(path) => {
                    absent.push(path);
                    continue;
                }
            };
            let limit = |most: u64| if quick { most.min(QUICK_STATES) } else { most };
            let all = specification.max_states.unwrap_or(u64::MAX);
            let explored = in_process("explore", limit(all), &path)?;
            let walked = in_process(
                "walk",
                limit(specification.walk.unwrap_or(self.walk)),
                &path,
            )?;
            let number = |value: f64| format!("{value:.0}");
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
                explored
                    .bytes_per_state()
                    .map_or(String::new(), |bytes| format!("{bytes:.1}")),
            ]);
        }
        let quick = format!("; quick: no more than {QUICK_STATES} states, so no result");
        print(&format!(
            "{}\n{}{}\n{}\n{}\n{}\n",
            self.title,
            self.source,
            if matches.get_flag("quick") {
                &quick
            } else {
                ""
            },
            missing(&absent),
            table.text(),
            self.remark.trim()
        ))?;
        if let Some(out) = out {
            write_file(&out.join(format!("{name}.csv")), &table.csv())?;
        }
        Ok(Status::Fine)
    }
}

/// Runs this program again for one measurement.
fn in_process(task: &str, limit: u64, path: &str) -> Result<Speed, Failure> {
    let program = std::env::current_exe().map_err(Failure::broken)?;
    let output = Command::new(program)
        .args(["lab", path, "--measure", task, "--runs", &limit.to_string()])
        .output()
        .map_err(Failure::broken)?;
    let text = String::from_utf8_lossy(&output.stdout);
    Speed::read(&text).ok_or_else(|| {
        Failure::input(format!(
            "{path}: {text}{}",
            String::from_utf8_lossy(&output.stderr)
        ))
    })
}

/// One measurement, in the process that was started for it: the model's file in place of an experiment's name, states or
/// steps in place of runs.
pub fn measure(task: &str, matches: &ArgMatches) -> Outcome {
    let path = matches
        .get_one::<String>("name")
        .expect("there is a default");
    let limit = matches.get_one::<u64>("runs").copied();
    let task = match task {
        "explore" => Task::Explore(limit),
        _ => Task::Walk(limit.unwrap_or(1)),
    };
    let (opened, micros) = timed(|| open_model(path, &[], &Wanted::default()));
    let speed = Speed::measure(&*opened?.model, micros, task).map_err(Failure::broken)?;
    print(&format!("{speed}\n"))?;
    Ok(Status::Fine)
}
