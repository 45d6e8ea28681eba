//! The sizes of state spaces, beside what a paper says of them.

use super::figures::{Figure, shown};
use super::{is_selected, locate, missing};
use crate::cli::output::{print, write_file};
use crate::cli::source::{Wanted, open_named};
use crate::cli::{Failure, Outcome, Status, interrupt};
use clap::ArgMatches;
use serde::Deserialize;
use sortie_model::{Budget, Silent};
use sortie_report::table::Table;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// What `--quick` leaves of each state space.
const QUICK_STATES: u64 = 200;

/// State spaces that are explored as a whole.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spaces {
    #[serde(rename = "kind")]
    _kind: String,
    title: String,
    source: String,
    models: Option<String>,
    #[serde(default)]
    remark: String,
    space: Vec<Space>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Space {
    name: String,
    model: String,
    #[serde(default)]
    set: BTreeMap<String, u64>,
    #[serde(default)]
    paper: Sizes,
}

/// What is known about a state space.
#[derive(Clone, Copy, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Sizes {
    states: Option<Figure>,
    levels: Option<Figure>,
    fan_out: Option<Figure>,
}

impl Spaces {
    pub fn run(&self, matches: &ArgMatches, name: &str, out: Option<PathBuf>) -> Outcome {
        let quick = matches.get_flag("quick");
        let named = matches.get_one::<String>("models").map(String::as_str);
        let mut table = Table::new([
            "model",
            "states",
            "states, paper",
            "levels",
            "levels, paper",
            "transitions",
            "fan-out",
            "fan-out, paper",
        ]);
        let budget = Budget {
            max_states: quick.then_some(QUICK_STATES),
            ..Budget::default()
        };
        interrupt::listen(&budget.stop);
        let mut absent = Vec::new();
        for space in &self.space {
            if !is_selected(matches, &space.name) {
                continue;
            }
            match locate(&space.model, named, self.models.as_deref()) {
                Ok(path) => table.row(space.measure(&path, &budget)?),
                Err(path) => absent.push(path),
            }
        }
        let quick = if quick {
            format!("; quick: no more than {QUICK_STATES} states, so no result")
        } else {
            String::new()
        };
        print(&format!(
            "{}\n{}{quick}\n{}\n{}\n{}\n",
            self.title,
            self.source,
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

impl Space {
    fn measure(&self, path: &str, budget: &Budget) -> Result<[String; 8], Failure> {
        let settings = self.set.iter();
        let settings: Vec<String> = settings
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        let opened = open_named(path, None, &settings, &Wanted::default())?;
        let mut transitions = 0u64;
        let explored = sortie_search::explore(&*opened.model, budget, &Silent, |_, _, _| {
            transitions += 1;
        })
        .map_err(Failure::broken)?;
        let fan_out = transitions as f64 / explored.expanded.max(1) as f64;
        Ok([
            self.name.clone(),
            explored.states.to_string(),
            shown(self.paper.states),
            explored.levels.to_string(),
            shown(self.paper.levels),
            transitions.to_string(),
            format!("{fan_out:.2}"),
            shown(self.paper.fan_out),
        ])
    }
}
