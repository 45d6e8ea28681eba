//! The sizes of state spaces, beside what a paper says of them.

use crate::differences::{Judge, Other, Place};
use crate::figures::{Figure, shown};
use crate::report::{Report, Sheet};
use crate::settings;
use crate::study::{About, Kind, Planned, Results, Rows, Setting};
use anyhow::Result;
use serde::{Deserialize, Serialize};
use sortie_model::{Budget, Silent};
use sortie_report::table::Table;

/// The size of each state space with `--quick`.
const QUICK_STATES: u64 = 200;

/// State spaces that are explored as a whole.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spaces {
    space: Vec<Space>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Space {
    name: String,
    model: String,
    #[serde(default)]
    set: toml::Table,
    #[serde(default)]
    paper: Sizes,
}

/// The known sizes of a state space.
#[derive(Clone, Copy, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Sizes {
    states: Option<Figure>,
    levels: Option<Figure>,
    fan_out: Option<Figure>,
}

/// The sizes of a state space.
#[derive(Serialize, Deserialize)]
pub struct Counted {
    states: u64,
    levels: u64,
    transitions: u64,
    fan_out: f64,
}

impl Kind for Spaces {
    type Row<'a> = &'a Space;
    type Result = Counted;

    fn rows(&self, setting: &Setting) -> Rows<'_, Self> {
        let planned = self.space.iter().map(|space| Planned {
            definition: format!("{:?} {}", space.set, setting.quick),
            ..Planned::new(&space.name, "states", &space.model, space)
        });
        Ok(planned.collect())
    }

    fn measure(&self, space: &&Space, about: About<'_>) -> Result<Counted> {
        let quick = about.setting.quick.then_some(QUICK_STATES);
        space.count(about, &about.setting.budget(quick))
    }

    fn report(&self, results: Results<'_, Self>, about: About<'_>, report: &mut Report) {
        let heads = "model | states | states, paper | levels | levels, paper \
                     | transitions | fan-out | fan-out, paper";
        let mut table = Table::new(heads.split(" | "));
        let mut judge = Judge::new(about);
        for (space, counted) in results {
            table.row(space.row(&counted, &mut judge));
        }
        let note = format!("no more than {QUICK_STATES} states, so no result");
        report.setting = about.setting.quick_note(&note);
        report.sheets.push(Sheet::plain(table));
        report.differences = judge.outside;
    }
}

impl Space {
    fn count(&self, about: About<'_>, budget: &Budget) -> Result<Counted> {
        let opened = about.open(settings(&[&self.set]))?;
        let mut transitions = 0u64;
        let explored = sortie_search::explore(&*opened.model, budget, &Silent, |_, _, _| {
            transitions += 1;
        })?;
        Ok(Counted {
            states: explored.states,
            levels: explored.levels,
            transitions,
            fan_out: transitions as f64 / explored.expanded.max(1) as f64,
        })
    }

    /// The cells, which are compared with the paper's.
    fn row(&self, counted: &Counted, judge: &mut Judge<'_>) -> Vec<String> {
        let mut cells = vec![self.name.clone()];
        let transitions = counted.transitions as f64;
        for (figure, ours, digits, known) in [
            ("states", counted.states as f64, 0, Some(self.paper.states)),
            ("levels", counted.levels as f64, 0, Some(self.paper.levels)),
            ("transitions", transitions, 0, None),
            ("fan-out", counted.fan_out, 2, Some(self.paper.fan_out)),
        ] {
            cells.push(format!("{ours:.digits$}"));
            if let Some(known) = known {
                cells.push(shown(known));
                let at = Place::new(&self.name, "states", figure);
                judge.exact(at, ours, digits, (known, Other::paper(1)));
            }
        }
        cells
    }
}
