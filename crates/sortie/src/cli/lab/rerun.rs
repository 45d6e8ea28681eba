//! Searches and checks of instances: the rows of an experiment, and what they say together.

use super::differences::{Judge, Other};
use super::experiment::{Experiment, Instance};
use super::measured::{About, Measured, Subject, measure_apart};
use super::pictures::Pictures;
use super::ranges::Ranges;
use super::report::Report;
use super::rows::Row;
use super::shelf::Shelf;
use super::study::{Planned, Setting, Study, decoded, encoded};
use super::tables::Tables;
use super::{origin_of, skipped};
use crate::cli::Failure;
use serde_json::Value;

/// So often each row is run with `--quick`.
const QUICK_RUNS: u64 = 2;

/// An experiment with the models that are open.
pub struct Rerun {
    experiment: Experiment,
    subjects: Shelf<Subject>,
}

/// A row in its place.
struct Placed<'a> {
    /// The place of the instance in the file.
    place: usize,
    instance: &'a Instance,
    row: Row,
}

impl Rerun {
    pub fn new(experiment: Experiment) -> Rerun {
        Rerun {
            experiment,
            subjects: Shelf::default(),
        }
    }

    fn placed(&self, setting: &Setting) -> Result<Vec<Placed<'_>>, Failure> {
        let all = &self.experiment.instance;
        let selected = all.iter().enumerate();
        let selected = selected.filter(|(_, instance)| setting.selects(&instance.name));
        let mut placed = Vec::new();
        for (place, instance) in selected {
            let rows = self.experiment.rows(instance).map_err(Failure::input)?;
            placed.extend(rows.into_iter().map(|row| Placed {
                place,
                instance,
                row,
            }));
        }
        Ok(placed)
    }

    fn locate(&self, instance: &Instance, setting: &Setting) -> Result<String, String> {
        setting.locate(&instance.model, self.experiment.models.as_deref())
    }
}

impl Study for Rerun {
    fn subjects(&self) -> Vec<String> {
        let all = self.experiment.instance.iter();
        all.map(|instance| instance.name.clone()).collect()
    }

    fn rows(&self, setting: &Setting) -> Result<Vec<Planned>, Failure> {
        let plan = |placed: &Placed<'_>| {
            let Placed { instance, row, .. } = placed;
            Planned {
                subject: instance.name.clone(),
                name: row.name.clone(),
                model: self.locate(instance, setting),
                definition: self.experiment.definition(instance, row, setting),
            }
        };
        Ok(self.placed(setting)?.iter().map(plan).collect())
    }

    fn measure(&self, row: usize, setting: &Setting) -> Result<Value, Failure> {
        let placed = self.placed(setting)?.swap_remove(row);
        let Placed { instance, row, .. } = &placed;
        let path = self.locate(instance, setting).map_err(Failure::input)?;
        let open = || Subject::open(&self.experiment, instance, &path, setting);
        let about = About {
            experiment: &self.experiment,
            instance,
            row,
            setting,
        };
        encoded(&match instance.reopen {
            true => measure_apart(about, open)?,
            false => self.subjects.get(placed.place, open)?.measure(about)?,
        })
    }

    fn report(&self, results: &[Option<Value>], setting: &Setting) -> Result<Report, Failure> {
        let experiment = &self.experiment;
        let mut tables = Tables::new(experiment.keep_going);
        let mut ranges = Ranges::new(&experiment.group);
        let mut pictures = Pictures::default();
        let mut judge = Judge::new(&experiment.why);
        let known = [
            Other {
                name: "paper",
                runs: experiment.paper_runs,
            },
            Other {
                name: "re-run",
                runs: experiment.rerun_runs,
            },
        ];
        let mut models = Vec::new();
        let mut reference = (usize::MAX, None);
        for (placed, result) in self.placed(setting)?.iter().zip(results) {
            let Placed {
                place,
                instance,
                row,
            } = placed;
            let Some(mut measured) = decoded::<Measured>(result)? else {
                continue;
            };
            if row.is_reference() {
                let states = measured.states.first().copied();
                reference = (*place, states.filter(|_| measured.successes > 0));
            } else {
                measured.reference = reference.1.filter(|_| reference.0 == *place);
            }
            tables.add(&instance.name, row, &measured);
            if !setting.quick {
                tables.judge(&instance.name, row, &measured, known, &mut judge);
            }
            ranges.add(instance, row, &measured);
            pictures.add(experiment, instance, row, &measured);
            let origin = origin_of(&instance.model, instance.origin.as_deref());
            if !models.contains(&origin) {
                models.push(origin);
            }
        }
        if !setting.quick {
            ranges.judge(known, &mut judge);
        }
        let quick = match setting.quick {
            true => "; quick: two runs of few states each, so no result",
            false => "",
        };
        let mut sheets = tables.sheets();
        sheets.extend(ranges.sheet());
        Ok(Report {
            title: experiment.title.clone(),
            source: experiment.source.clone(),
            setting: format!("{quick}; seed {}", experiment.seed),
            skipped: skipped(&self.rows(setting)?),
            sheets,
            drawings: pictures.drawings(&experiment.title),
            notes: String::new(),
            remark: experiment.remark.clone(),
            differences: judge.outside,
            models,
        })
    }
}

/// How often a row is run.
pub fn runs_of(row: &Row, setting: &Setting) -> u64 {
    let own = if setting.quick { QUICK_RUNS } else { row.runs };
    setting.runs.unwrap_or(own)
}

/// How many states each of its runs may have.
pub fn max_states_of(row: &Row, setting: &Setting) -> Option<u64> {
    match (setting.quick, row.max_states) {
        (true, limit) => Some(limit.map_or(row.quick_states, |most| most.min(row.quick_states))),
        (false, limit) => limit,
    }
}
