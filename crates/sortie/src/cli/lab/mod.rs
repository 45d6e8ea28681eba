//! `sortie lab`: published experiments, re-run. An experiment is one small file under `lab/`.

use super::hunt::threads;
use super::output::{print, write_file};
use super::replay::invariant_of;
use super::source::{Opened, open_named};
use super::{Failure, Outcome, Status};
use clap::ArgMatches;
use serde::Deserialize;
use sortie_campaign::{Campaign, Results, curves, mean, proportion};
use sortie_model::{Budget, Extreme, Silent};
use sortie_property::from_name;
use sortie_report::chart::{Series, csv, svg};
use sortie_report::table::Table;
use sortie_search::{Options, strategy};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The experiments that come with the program: name and text.
static EXPERIMENTS: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/experiments.rs"));

/// One experiment.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Experiment {
    title: String,
    source: String,
    property: String,
    runs: u64,
    #[serde(default = "first_seed")]
    seed: u64,
    #[serde(default)]
    keep_going: bool,
    #[serde(default)]
    max_states: Option<u64>,
    /// What the paper says in words, and what to make of differences.
    #[serde(default)]
    remark: String,
    row: Vec<Row>,
}

/// One row of the table.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    /// The instance's name in the paper; rows of one instance share a picture.
    instance: String,
    model: String,
    #[serde(default)]
    set: BTreeMap<String, u64>,
    strategy: String,
    #[serde(default)]
    options: BTreeMap<String, toml::Value>,
    #[serde(default)]
    max_states: Option<u64>,
    #[serde(default)]
    paper: Paper,
}

/// What the paper's table has in this row.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct Paper {
    states: Option<f64>,
    trace: Option<f64>,
    success: Option<f64>,
    /// Mean number of distinct things found.
    found: Option<f64>,
}

fn first_seed() -> u64 {
    1
}

pub fn run(matches: &ArgMatches) -> Outcome {
    let name = matches
        .get_one::<String>("name")
        .expect("the name is required");
    if name == "list" {
        print(&list()?)?;
        return Ok(Status::Fine);
    }
    let (name, experiment) = find(name)?;
    let runs = matches
        .get_one::<u64>("runs")
        .copied()
        .unwrap_or(experiment.runs);
    let out = matches.get_one::<String>("out").map(PathBuf::from);
    if let Some(out) = &out {
        std::fs::create_dir_all(out).map_err(|error| {
            Failure::broken(format!("{} cannot be made: {error}", out.display()))
        })?;
    }
    let mut table = Table::new([
        "instance", "strategy", "states", "paper", "trace", "paper", "succ. %", "95 %", "paper",
        "found", "paper", "smallest", "largest",
    ]);
    let mut tallies = Table::new(["instance", "strategy", "found", "runs %"]);
    let mut pictures: BTreeMap<String, Vec<[Series; 2]>> = BTreeMap::new();
    for row in &experiment.row {
        let results = hunt(&experiment, row, runs, threads(matches))?;
        table.row(cells(row, &results));
        for ((_, label), count) in &results.tally {
            let share = 100.0 * *count as f64 / results.runs.len().max(1) as f64;
            tallies.row([
                row.instance.clone(),
                row_name(row),
                label.clone(),
                format!("{share:.1}"),
            ]);
        }
        let series = curves(&results.runs).map(|curve| Series {
            name: row_name(row),
            points: curve
                .points
                .iter()
                .map(|&(value, share)| (value as f64, share))
                .collect(),
        });
        pictures
            .entry(row.instance.clone())
            .or_default()
            .push(series);
    }
    let table = table.without_empty_columns();
    let mut text = format!(
        "{}\n{}; {runs} runs, seed {}\n\n",
        experiment.title, experiment.source, experiment.seed
    );
    text.push_str(&table.text());
    if experiment.keep_going {
        text.push('\n');
        text.push_str(&tallies.text());
    }
    if !experiment.remark.is_empty() {
        text.push_str(&format!("\n{}\n", experiment.remark.trim()));
    }
    if let Some(out) = out {
        write_file(&out.join(format!("{name}.csv")), &table.csv())?;
        if experiment.keep_going {
            write_file(&out.join(format!("{name}-found.csv")), &tallies.csv())?;
        }
        draw(&out, &name, &experiment, pictures)?;
    }
    print(&text)?;
    Ok(Status::Fine)
}

fn list() -> Result<String, Failure> {
    let mut table = Table::new(["experiment", "title", "source"]);
    for (name, text) in EXPERIMENTS {
        let experiment = parse(name, text)?;
        table.row([name.to_string(), experiment.title, experiment.source]);
    }
    Ok(table.text())
}

fn find(name: &str) -> Result<(String, Experiment), Failure> {
    if let Some((name, text)) = EXPERIMENTS.iter().find(|(known, _)| *known == name) {
        return Ok((name.to_string(), parse(name, text)?));
    }
    let path = Path::new(name);
    if path
        .extension()
        .is_some_and(|extension| extension == "toml")
    {
        let text = std::fs::read_to_string(path)
            .map_err(|error| Failure::input(format!("{name} cannot be read: {error}")))?;
        let stem = path
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        return Ok((stem, parse(name, &text)?));
    }
    let known: Vec<&str> = EXPERIMENTS.iter().map(|(name, _)| *name).collect();
    Err(Failure::input(format!(
        "there is no experiment '{name}'; choose one of {}, or give a .toml file",
        known.join(", ")
    )))
}

fn parse(name: &str, text: &str) -> Result<Experiment, Failure> {
    toml::from_str(text).map_err(|error| Failure::input(format!("{name}: {error}")))
}

fn hunt(experiment: &Experiment, row: &Row, runs: u64, threads: usize) -> Result<Results, Failure> {
    let settings: Vec<String> = row
        .set
        .iter()
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    let invariant = invariant_of(&experiment.property);
    let Opened {
        model,
        invariants: mut properties,
        settings,
        ..
    } = open_named(&row.model, None, &settings, &invariant)?;
    if properties.is_empty() {
        properties.push(from_name(&experiment.property).map_err(Failure::input)?);
    }
    let chosen = strategy(&row.strategy).map_err(Failure::input)?;
    let campaign = Campaign {
        model: &*model,
        properties: &properties,
        strategy: chosen,
        options: options(row),
        settings,
        budget: Budget {
            max_states: row.max_states.or(experiment.max_states),
            ..Budget::default()
        },
        time: None,
        seed: experiment.seed,
        runs: if chosen.random { runs } else { 1 },
        threads,
        keep_going: experiment.keep_going,
        paper_counts: true,
        shorten: false,
        observer: &Silent,
    };
    campaign.run().map_err(Failure::broken)
}

fn options(row: &Row) -> Options {
    let plain = |value: &toml::Value| {
        value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_string)
    };
    row.options
        .iter()
        .fold(Options::default(), |options, (name, value)| {
            options.with(name, plain(value))
        })
}

fn row_name(row: &Row) -> String {
    let options: Vec<String> = options(row).listed();
    let limit = row.max_states.map(|max| format!("max-states={max}"));
    let parts: Vec<String> = [row.strategy.clone()]
        .into_iter()
        .chain(options)
        .chain(limit)
        .collect();
    parts.join(" ")
}

fn cells(row: &Row, results: &Results) -> Vec<String> {
    let paper = |value: Option<f64>| value.map_or(String::new(), |v| v.to_string());
    let mut cells = vec![row.instance.clone(), row_name(row)];
    if results.found.iter().any(|found| found.record.is_some()) {
        cells.extend(std::iter::repeat_n(String::new(), 9));
        for end in [Extreme::Smallest, Extreme::Largest] {
            let records = results.found.iter().filter_map(|found| found.record);
            let value = records
                .filter(|(extreme, _)| *extreme == end)
                .map(|(_, value)| value.to_string());
            cells.extend(value.take(1));
        }
        return cells;
    }
    let successful: Vec<_> = results.runs.iter().filter(|run| run.found > 0).collect();
    let average =
        |values: Vec<u64>| mean(values).map_or("–".into(), |m| format!("{:.1}", m.mean));
    let (share, interval) = proportion(successful.len() as u64, results.runs.len() as u64)
        .map_or((0.0, String::new()), |(share, i)| {
            (share, format!("{:.1}–{:.1}", 100.0 * i.low, 100.0 * i.high))
        });
    cells.extend([
        average(successful.iter().map(|run| run.counts.expanded).collect()),
        paper(row.paper.states),
        average(successful.iter().filter_map(|run| run.trace).collect()),
        paper(row.paper.trace),
        format!("{:.1}", 100.0 * share),
        interval,
        paper(row.paper.success),
        average(results.runs.iter().map(|run| run.found).collect()),
        paper(row.paper.found),
    ]);
    cells
}

fn draw(
    out: &Path,
    name: &str,
    experiment: &Experiment,
    pictures: BTreeMap<String, Vec<[Series; 2]>>,
) -> Result<(), Failure> {
    for (instance, rows) in pictures {
        let (states, traces): (Vec<Series>, Vec<Series>) =
            rows.into_iter().map(|[a, b]| (a, b)).unzip();
        for (axis, series) in [("states", states), ("trace", traces)] {
            let file =
                |ending: &str| out.join(format!("{name}-{}-by-{axis}.{ending}", words(&instance)));
            write_file(&file("csv"), &csv(axis, &series))?;
            write_file(
                &file("svg"),
                &svg(
                    &format!("{}: {instance}", experiment.title),
                    axis,
                    "share of runs",
                    &series,
                ),
            )?;
        }
    }
    Ok(())
}

/// Letters and digits that every file system takes.
fn words(text: &str) -> String {
    let parts: Vec<&str> = text
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|w| !w.is_empty())
        .collect();
    parts.join("-")
}
