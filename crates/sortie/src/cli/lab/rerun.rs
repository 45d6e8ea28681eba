//! Runs the rows of an experiment.

use super::experiment::{Experiment, Instance};
use super::measured::Subject;
use super::pictures::Pictures;
use super::ranges::Ranges;
use super::rows::Row;
use super::tables::Tables;
use super::{is_selected, locate, missing};
use crate::cli::hunt::threads;
use crate::cli::output::print;
use crate::cli::{Failure, Outcome, Status, interrupt};
use clap::ArgMatches;
use indicatif::{ProgressBar, ProgressStyle};
use sortie_model::Stop;
use std::path::PathBuf;

/// What `--quick` makes of each row.
const QUICK_RUNS: u64 = 2;
const QUICK_STATES: u64 = 200;

/// How often and how long, as the command line says.
pub struct Extent {
    runs: Option<u64>,
    quick: bool,
    pub threads: usize,
    pub stop: Stop,
}

pub fn run(
    matches: &ArgMatches,
    name: &str,
    experiment: &Experiment,
    out: Option<PathBuf>,
) -> Outcome {
    let extent = Extent {
        runs: matches.get_one::<u64>("runs").copied(),
        quick: matches.get_flag("quick"),
        threads: threads(matches),
        stop: Stop::default(),
    };
    interrupt::listen(&extent.stop);
    let named = matches.get_one::<String>("models").map(String::as_str);
    let mut tables = Tables::new(experiment.keep_going);
    let mut ranges = Ranges::new(&experiment.group);
    let mut pictures = Pictures::default();
    let mut absent = Vec::new();
    let bar = progress();
    'instances: for instance in selected(matches, experiment)? {
        let path = match locate(&instance.model, named, experiment.models.as_deref()) {
            Ok(path) => path,
            Err(path) => {
                if !absent.contains(&path) {
                    absent.push(path);
                }
                continue;
            }
        };
        let subject = Subject::open(experiment, instance, &path, named)?;
        let mut reference = None;
        for row in experiment.rows(instance).map_err(Failure::input)? {
            bar.set_message(format!("{}, {}", instance.name, row.name));
            bar.tick();
            let mut measured = subject.measure(&row, &extent)?;
            if extent.stop.requested().is_some() {
                break 'instances;
            }
            if row.is_reference() {
                reference = measured.states.first().copied();
                reference = reference.filter(|_| measured.successes > 0);
            } else {
                measured.reference = reference;
            }
            tables.add(&instance.name, &row, &measured);
            ranges.add(instance, &row, &measured);
            pictures.add(experiment, instance, &row, &measured);
        }
    }
    bar.finish_and_clear();

    let mut text = format!(
        "{}\n{}; {}\n",
        experiment.title,
        experiment.source,
        extent.text(experiment.seed)
    );
    if extent.stop.requested().is_some() {
        text.push_str("interrupted: what follows is not the whole experiment\n");
    }
    text.push_str(&missing(&absent));
    text.push_str(&tables.text());
    text.push_str(&ranges.text());
    if !experiment.remark.is_empty() {
        text.push_str(&format!("\n{}\n", experiment.remark.trim()));
    }
    if let Some(out) = out {
        tables.write(&out, name)?;
        ranges.write(&out, name)?;
        pictures.write(&out, name, &experiment.title)?;
    }
    print(&text)?;
    Ok(Status::Fine)
}

fn selected<'a>(
    matches: &ArgMatches,
    experiment: &'a Experiment,
) -> Result<Vec<&'a Instance>, Failure> {
    let all = &experiment.instance;
    let chosen = |instance: &&Instance| is_selected(matches, &instance.name);
    let selected: Vec<&Instance> = all.iter().filter(chosen).collect();
    if selected.is_empty() {
        let all: Vec<&str> = all.iter().map(|instance| instance.name.as_str()).collect();
        return Err(Failure::input(format!(
            "--only selects no instance; there are {}",
            all.join(", ")
        )));
    }
    Ok(selected)
}

impl Extent {
    pub fn runs(&self, row: &Row) -> u64 {
        self.runs
            .unwrap_or(if self.quick { QUICK_RUNS } else { row.runs })
    }

    pub fn max_states(&self, row: &Row) -> Option<u64> {
        match (self.quick, row.max_states) {
            (true, limit) => Some(limit.unwrap_or(QUICK_STATES).min(QUICK_STATES)),
            (false, limit) => limit,
        }
    }

    fn text(&self, seed: u64) -> String {
        let quick = format!("quick: no more than {QUICK_STATES} states a run, so no result; ");
        format!("{}seed {seed}", if self.quick { &quick } else { "" })
    }
}

/// Shows on a terminal which row is being run.
fn progress() -> ProgressBar {
    let bar = ProgressBar::new_spinner();
    bar.set_style(
        ProgressStyle::with_template("{spinner} {msg}").expect("the template is well-formed"),
    );
    bar
}
