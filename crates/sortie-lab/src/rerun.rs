//! Searches and checks of instances: the rows of an experiment, and what they say together.

use crate::differences::{Judge, Other};
use crate::experiment::{Instance, Rerun};
use crate::measured::{Measured, Task};
use crate::pictures::Pictures;
use crate::ranges::Ranges;
use crate::report::Report;
use crate::rows::Row;
use crate::study::{About, Kind, Planned, Results, Rows, Setting};
use crate::tables::Tables;
use anyhow::{Error, Result};

/// With `--quick`, the number of runs of each row.
const QUICK_RUNS: u64 = 2;

/// A row in its place.
pub struct Placed<'a> {
    /// The place of the instance in the file.
    place: usize,
    instance: &'a Instance,
    row: Row,
}

impl Kind for Rerun {
    type Row<'a> = Placed<'a>;
    type Result = Measured;

    fn check(&self) -> Result<(), String> {
        Rerun::check(self)
    }

    fn rows(&self, setting: &Setting) -> Rows<'_, Self> {
        let mut rows = Vec::new();
        for (place, instance) in self.instance.iter().enumerate() {
            for row in self.rows(instance).map_err(Error::msg)? {
                let name = row.name.clone();
                let definition = self.definition(instance, &row, setting);
                let placed = Placed {
                    place,
                    instance,
                    row,
                };
                rows.push(Planned {
                    origin: instance.origin.clone(),
                    definition,
                    ..Planned::new(&instance.name, &name, &instance.model, placed)
                });
            }
        }
        Ok(rows)
    }

    fn measure(&self, placed: &Placed<'_>, about: About<'_>) -> Result<Measured> {
        let task = Task {
            experiment: self,
            instance: placed.instance,
            row: &placed.row,
            about,
        };
        task.measure()
    }

    fn report(&self, results: Results<'_, Self>, about: About<'_>, report: &mut Report) {
        let mut tables = Tables::new(self.keep_going);
        let mut ranges = Ranges::new(&self.group);
        let mut pictures = Pictures::default();
        let mut judge = Judge::new(about);
        let known = [Other::paper(self.paper_runs), Other::rerun(self.rerun_runs)];
        let mut reference = (usize::MAX, None);
        for (placed, mut measured) in results {
            let Placed {
                place,
                instance,
                row,
            } = &placed;
            if row.is_reference() {
                let states = measured.states.first().copied();
                reference = (*place, states.filter(|_| measured.successes > 0));
            } else {
                measured.reference = reference.1.filter(|_| reference.0 == *place);
            }
            tables.add(&instance.name, row, &measured);
            tables.judge(&instance.name, row, &measured, known, &mut judge);
            ranges.add(instance, row, &measured);
            pictures.add(self, instance, row, &measured);
        }
        ranges.judge(known, &mut judge);
        let quick = about
            .setting
            .quick_note("two runs of few states each, so no result");
        report.setting = format!("{quick}; seed {}", self.seed);
        report.sheets = tables.sheets();
        report.sheets.extend(ranges.sheet());
        report.drawings = pictures.drawings(&about.head.title);
        report.differences = judge.outside;
    }
}

/// The number of runs of a row.
pub fn runs_of(row: &Row, setting: &Setting) -> u64 {
    let runs = setting.or_quick(QUICK_RUNS, row.runs);
    setting.runs.unwrap_or(runs)
}

/// The number of states that each of its runs may have.
pub fn max_states_of(row: &Row, setting: &Setting) -> Option<u64> {
    match setting.quick {
        true => Some(
            row.max_states
                .map_or(row.quick_states, |most| most.min(row.quick_states)),
        ),
        false => row.max_states,
    }
}
