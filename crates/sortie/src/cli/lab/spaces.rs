//! The sizes of state spaces, beside what a paper says of them.

use super::differences::{Judge, Other, Place, Why};
use super::figures::{Figure, shown};
use super::report::{Report, Sheet};
use super::study::{Planned, Setting, Study, decoded, encoded};
use super::{origin_of, skipped};
use crate::cli::Failure;
use crate::cli::lab::open_model;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sortie_model::{Budget, Silent};
use sortie_open::Wanted;
use sortie_report::table::Table;
use std::collections::BTreeMap;

/// What `--quick` leaves of each state space.
const QUICK_STATES: u64 = 200;

/// State spaces that are explored as a whole.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spaces {
    #[serde(rename = "kind")]
    _kind: String,
    #[serde(default, rename = "publication")]
    _publication: Option<String>,
    title: String,
    source: String,
    models: Option<String>,
    #[serde(default)]
    remark: String,
    #[serde(default)]
    why: Vec<Why>,
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

/// What was counted.
#[derive(Serialize, Deserialize)]
struct Counted {
    states: u64,
    levels: u64,
    transitions: u64,
    fan_out: f64,
}

const HEADS: [&str; 8] = [
    "model",
    "states",
    "states, paper",
    "levels",
    "levels, paper",
    "transitions",
    "fan-out",
    "fan-out, paper",
];

impl Spaces {
    fn selected(&self, setting: &Setting) -> Vec<&Space> {
        let all = self.space.iter();
        all.filter(|space| setting.selects(&space.name)).collect()
    }
}

impl Study for Spaces {
    fn subjects(&self) -> Vec<String> {
        self.space.iter().map(|space| space.name.clone()).collect()
    }

    fn rows(&self, setting: &Setting) -> Result<Vec<Planned>, Failure> {
        let plan = |space: &&Space| Planned {
            subject: space.name.clone(),
            name: "states".into(),
            model: setting.locate(&space.model, self.models.as_deref()),
            definition: format!("{:?} {:?}", space.set, budget(setting).max_states),
        };
        Ok(self.selected(setting).iter().map(plan).collect())
    }

    fn measure(&self, row: usize, setting: &Setting) -> Result<Value, Failure> {
        let space = self.selected(setting)[row];
        let path = setting.locate(&space.model, self.models.as_deref());
        encoded(&space.count(&path.map_err(Failure::input)?, &budget(setting))?)
    }

    fn report(&self, results: &[Option<Value>], setting: &Setting) -> Result<Report, Failure> {
        let mut table = Table::new(HEADS);
        let mut judge = Judge::new(&self.why);
        let mut models = Vec::new();
        for (space, result) in self.selected(setting).into_iter().zip(results) {
            let Some(counted) = decoded::<Counted>(result)? else {
                continue;
            };
            table.row(space.row(&counted));
            if !setting.quick {
                space.judge(&counted, &mut judge);
            }
            models.push(origin_of(&space.model, None));
        }
        let quick = match setting.quick {
            true => format!("; quick: no more than {QUICK_STATES} states, so no result"),
            false => String::new(),
        };
        models.dedup();
        Ok(Report {
            title: self.title.clone(),
            source: self.source.clone(),
            setting: quick,
            skipped: skipped(&self.rows(setting)?),
            sheets: vec![Sheet::plain(table)],
            remark: self.remark.clone(),
            differences: judge.outside,
            models,
            ..Report::default()
        })
    }
}

fn budget(setting: &Setting) -> Budget {
    Budget {
        max_states: setting.quick.then_some(QUICK_STATES),
        stop: setting.stop.clone(),
        ..Budget::default()
    }
}

impl Space {
    fn count(&self, path: &str, budget: &Budget) -> Result<Counted, Failure> {
        let settings = self.set.iter();
        let settings: Vec<String> = settings
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        let opened = open_model(path, &settings, &Wanted::default())?;
        let mut transitions = 0u64;
        let explored = sortie_search::explore(&*opened.model, budget, &Silent, |_, _, _| {
            transitions += 1;
        })
        .map_err(Failure::broken)?;
        Ok(Counted {
            states: explored.states,
            levels: explored.levels,
            transitions,
            fan_out: transitions as f64 / explored.expanded.max(1) as f64,
        })
    }

    fn row(&self, counted: &Counted) -> [String; 8] {
        [
            self.name.clone(),
            counted.states.to_string(),
            shown(self.paper.states),
            counted.levels.to_string(),
            shown(self.paper.levels),
            counted.transitions.to_string(),
            format!("{:.2}", counted.fan_out),
            shown(self.paper.fan_out),
        ]
    }

    fn judge(&self, counted: &Counted, judge: &mut Judge<'_>) {
        let paper = Other {
            name: "paper",
            runs: 1,
        };
        for (figure, ours, digits, known) in [
            ("states", counted.states as f64, 0, self.paper.states),
            ("levels", counted.levels as f64, 0, self.paper.levels),
            ("fan-out", counted.fan_out, 2, self.paper.fan_out),
        ] {
            let at = Place {
                subject: &self.name,
                row: "states",
                figure,
            };
            judge.exact(at, ours, digits, known, paper);
        }
    }
}
