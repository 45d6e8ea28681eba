//! The lab: published experiments, re-run. An experiment is one small file under `lab/`.

#![forbid(unsafe_code)]

mod alone;
mod arguments;
mod chases;
mod differences;
mod division;
mod evolution;
mod experiment;
mod figures;
mod ledger;
mod lurch;
pub mod measure;
mod measured;
mod papers;
mod pictures;
mod portfolio;
mod programs;
mod queue;
mod ranges;
mod report;
mod rerun;
mod rows;
mod session;
mod shelf;
mod spaces;
mod speed;
mod study;
mod swarms;
mod tables;

use anyhow::{Result, anyhow, bail};
use chases::Chases;
use clap::ArgMatches;
use evolution::Evolution;
use experiment::Rerun;
use portfolio::Portfolio;
use programs::Programs;
use shelf::Recipe;
use sortie_hunt::{Campaign, CampaignError, HuntSettings, Limits, Results, Target};
use sortie_model::{Budget, Observer, Stop, StopReason};
use sortie_open::{Opened, Wanted};
use sortie_property::Property;
use sortie_report::files::print;
use sortie_report::table::Table;
use sortie_search::Options;
use spaces::Spaces;
use speed::Speeds;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use study::{Experiment, Kind, Study, head};
use swarms::Swarms;

/// The experiments that come with the program: name and text.
static EXPERIMENTS: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/experiments.rs"));

/// The outcome of a run of the lab.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Status {
    /// Everything that was asked for was done.
    Fine,
    /// Rows are missing.
    Incomplete,
}

/// Carries out the command line of this process.
pub fn run() -> ExitCode {
    let matches = arguments::command().get_matches();
    match carried_out(&matches) {
        Ok(Status::Fine) => ExitCode::SUCCESS,
        Ok(Status::Incomplete) => ExitCode::from(4),
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

fn carried_out(matches: &ArgMatches) -> Result<Status> {
    let name = matches
        .get_one::<String>("name")
        .expect("there is a default");
    if matches.get_flag("measure") {
        return alone::carry_out(name);
    }
    if name == "list" {
        print(&list()?)?;
        return Ok(Status::Fine);
    }
    let out = matches.get_one::<String>("out").map(PathBuf::from);
    if let Some(out) = &out {
        std::fs::create_dir_all(out)
            .map_err(|error| anyhow!("{} cannot be made: {error}", out.display()))?;
    }
    if name == "all" {
        let mut chosen = Vec::new();
        for (name, text) in EXPERIMENTS {
            if head(name, text)?.publication.is_some() {
                chosen.push((name.to_string(), text.to_string()));
            }
        }
        return session::run(matches, &chosen, out.as_deref(), true);
    }
    session::run(matches, &[find(name)?], out.as_deref(), false)
}

/// Tells the warnings about a model.
fn told(opened: Opened) -> Opened {
    for warning in &opened.warnings {
        eprintln!("{}", warning.trim_end());
    }
    opened
}

/// Lets signals end what is run: the first asks for a report, the second ends at once.
fn listen(stop: &Stop) {
    let stop = stop.clone();
    let handler = move || {
        if stop.requested() == Some(StopReason::Interrupt) {
            std::process::exit(130);
        }
        stop.request(StopReason::Interrupt);
    };
    // Without a handler a signal ends the program, which is what it would have done anyway.
    let _ = ctrlc::set_handler(handler);
}

/// Opens a model with settings that are written as texts.
fn open_model(path: &str, settings: &[String], wanted: &Wanted) -> Result<Opened> {
    let recipe = Recipe {
        path,
        settings: settings.to_vec(),
        wanted: wanted.clone(),
        ..Recipe::default()
    };
    recipe.open()
}

/// The settings of one hunt by one thread that shortens nothing; callers change what is different.
fn hunting(strategy: &str, options: Options) -> HuntSettings {
    HuntSettings {
        threads: 1,
        shorten: false,
        ..HuntSettings::with_strategy(strategy, options)
    }
}

/// Hunts in a model.
fn hunt(
    (opened, properties): (&Opened, &[Box<dyn Property>]),
    settings: &HuntSettings,
    budget: Budget,
    observer: &dyn Observer,
) -> Result<Results, CampaignError> {
    let limits = Limits::of(budget).with_clock(settings.time);
    let campaign = Campaign {
        limits: Some(&limits),
        observer,
        ..Campaign::new(Target::Model(&*opened.model, properties), settings)
    };
    campaign.run()
}

/// Constants of a model as the command line would set them; the later table wins.
fn settings(tables: &[&toml::Table]) -> Vec<String> {
    let all = tables.iter().flat_map(|table| table.iter());
    let merged: BTreeMap<&String, &toml::Value> = all.collect();
    let texts = merged.iter().map(|(name, value)| format!("{name}={value}"));
    texts.collect()
}

/// Reads an experiment of some kind.
type Parse = fn(&str, &str) -> Result<Box<dyn Study>>;

fn parse<K: Kind + 'static>(name: &str, text: &str) -> Result<Box<dyn Study>> {
    Ok(Box::new(Experiment::<K>::parse(name, text)?))
}

/// The kinds of experiments.
const KINDS: [(&str, Parse); 13] = [
    ("search", parse::<Rerun>),
    ("spaces", parse::<Spaces>),
    ("portfolio", parse::<Portfolio>),
    ("speed", parse::<Speeds>),
    ("swarms", parse::<Swarms>),
    ("chases", parse::<Chases>),
    ("programs", parse::<Programs>),
    ("evolution", parse::<Evolution>),
    ("growth", parse::<lurch::Growth>),
    ("novelty", parse::<lurch::Novelty>),
    ("scaling", parse::<lurch::Scaling>),
    ("boards", parse::<lurch::Boards>),
    ("requirements", parse::<lurch::Requirements>),
];

/// The experiment of some kind, ready to be run.
fn study(name: &str, text: &str) -> Result<Box<dyn Study>> {
    let kind = head(name, text)?.kind;
    let Some((_, parse)) = KINDS.iter().find(|(known, _)| *known == kind) else {
        let known = KINDS.map(|(known, _)| known).join(", ");
        bail!("{name}: there is no kind of experiment '{kind}'; write one of {known}");
    };
    parse(name, text)
}

fn list() -> Result<String> {
    let mut table = Table::new(["experiment", "title", "source"]);
    for (name, text) in EXPERIMENTS {
        let head = head(name, text)?;
        table.row([name.to_string(), head.title, head.source]);
    }
    Ok(table.text())
}

/// The name of an experiment and its text.
fn find(name: &str) -> Result<(String, String)> {
    if let Some((name, text)) = EXPERIMENTS.iter().find(|(known, _)| *known == name) {
        return Ok((name.to_string(), text.to_string()));
    }
    let path = Path::new(name);
    if path.extension().is_some_and(|ending| ending == "toml") {
        let text = std::fs::read_to_string(path)
            .map_err(|error| anyhow!("{name} cannot be read: {error}"))?;
        let stem = path.file_stem().unwrap_or_default();
        return Ok((stem.to_string_lossy().into_owned(), text));
    }
    let known: Vec<&str> = EXPERIMENTS.iter().map(|(name, _)| *name).collect();
    let known = known.join(", ");
    bail!("there is no experiment '{name}'; choose all or one of {known}, or give a .toml file")
}

/// A model's name and where it comes from: from this workspace, or from the authors of the paper.
fn origin_of(model: &str, origin: Option<&str>) -> (String, String) {
    let is_ours = model.starts_with("gallery:") || model.starts_with("models/");
    let usual = if is_ours { "ours" } else { "the paper's own" };
    let name = model.rsplit('/').next().unwrap_or(model);
    (name.to_string(), origin.unwrap_or(usual).to_string())
}

/// A note on models that were not found.
fn missing(paths: &[String]) -> String {
    if paths.is_empty() {
        return String::new();
    }
    format!(
        "\nskipped, because these files are not there; say with --models which folder has them:\n  {}\n",
        paths.join("\n  ")
    )
}
