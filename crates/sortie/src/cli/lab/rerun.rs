//! Runs the rows of an experiment.

use super::experiment::{Experiment, Instance, Row};
use super::pictures::Pictures;
use super::tables::Tables;
use super::{is_selected, locate, missing};
use crate::cli::hunt::threads;
use crate::cli::output::print;
use crate::cli::replay::invariant_of;
use crate::cli::source::{Opened, Wanted, open_named};
use crate::cli::{Failure, Outcome, Status, interrupt};
use clap::ArgMatches;
use indicatif::{ProgressBar, ProgressStyle};
use sortie_campaign::{Campaign, Results};
use sortie_model::{Budget, Silent, Stop};
use sortie_property::{Property, from_name};
use sortie_search::strategy;
use std::path::PathBuf;

/// What `--quick` makes of each row.
const QUICK_RUNS: u64 = 2;
const QUICK_STATES: u64 = 200;

/// How often and how long, as the command line says.
struct Extent {
    runs: Option<u64>,
    quick: bool,
    threads: usize,
    stop: Stop,
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
    let mut pictures = Pictures::default();
    let mut absent = Vec::new();
    let selected: Vec<&Instance> = experiment
        .instance
        .iter()
        .filter(|instance| is_selected(matches, &instance.name))
        .collect();
    if selected.is_empty() {
        let all: Vec<&str> = experiment
            .instance
            .iter()
            .map(|i| i.name.as_str())
            .collect();
        return Err(Failure::input(format!(
            "--only selects no instance; there are {}",
            all.join(", ")
        )));
    }
    let bar = progress();
    'instances: for instance in selected {
        let path = match locate(&instance.model, named, experiment.models.as_deref()) {
            Ok(path) => path,
            Err(path) => {
                absent.push(path);
                continue;
            }
        };
        let settings: Vec<String> = instance
            .set
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        let property = experiment.property(instance).map_err(Failure::input)?;
        let opened = open_named(
            &path,
            None,
            &settings,
            &Wanted::invariants(invariant_of(property)),
        )?;
        for row in experiment.rows(instance).map_err(Failure::input)? {
            bar.set_message(format!("{}, {}", instance.name, row.name));
            bar.tick();
            let results = hunt(experiment, &row, &opened, property, &extent)?;
            if extent.stop.requested().is_some() {
                break 'instances;
            }
            tables.add(&instance.name, &row, &results);
            pictures.add(instance, &row, &results.runs);
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
    if !experiment.remark.is_empty() {
        text.push_str(&format!("\n{}\n", experiment.remark.trim()));
    }
    if let Some(out) = out {
        tables.write(&out, name)?;
        pictures.write(&out, name, &experiment.title)?;
    }
    print(&text)?;
    Ok(Status::Fine)
}

impl Extent {
    fn runs(&self, row: &Row) -> u64 {
        self.runs
            .unwrap_or(if self.quick { QUICK_RUNS } else { row.runs })
    }

    fn max_states(&self, row: &Row) -> Option<u64> {
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

fn hunt(
    experiment: &Experiment,
    row: &Row,
    opened: &Opened,
    property: &str,
    extent: &Extent,
) -> Result<Results, Failure> {
    let named: [Box<dyn Property>; 1];
    let properties = if opened.invariants.is_empty() {
        named = [from_name(property).map_err(Failure::input)?];
        &named[..]
    } else {
        &opened.invariants[..]
    };
    let chosen = strategy(&row.strategy).map_err(Failure::input)?;
    let campaign = Campaign {
        model: &*opened.model,
        properties,
        strategy: chosen,
        options: row.options(),
        settings: opened.settings.clone(),
        budget: Budget {
            max_states: extent.max_states(row),
            stop: extent.stop.clone(),
            ..Budget::default()
        },
        time: None,
        seed: experiment.seed,
        runs: if chosen.random { extent.runs(row) } else { 1 },
        threads: extent.threads,
        keep_going: experiment.keep_going,
        paper_counts: true,
        shorten: false,
        observer: &Silent,
    };
    campaign.run().map_err(Failure::broken)
}
