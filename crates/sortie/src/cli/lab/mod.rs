//! `sortie lab`: published experiments, re-run. An experiment is one small file under `lab/`.

mod chases;
mod differences;
mod division;
mod evolution;
mod experiment;
mod figures;
mod ledger;
mod lurch;
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
mod workshop;

use super::output::print;
use super::source::told;
use super::{Failure, Outcome, Status};
use chases::Chases;
use clap::ArgMatches;
use evolution::Evolution;
use experiment::Experiment;
use portfolio::Portfolio;
use programs::Programs;
use rerun::Rerun;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use sortie_open::{Opened, Settings, Wanted, open_with};
use sortie_report::table::Table;
use spaces::Spaces;
use speed::Speeds;
use std::path::{Path, PathBuf};
use study::{Planned, Study};
use swarms::Swarms;

/// The experiments that come with the program: name and text.
static EXPERIMENTS: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/experiments.rs"));

pub fn run(matches: &ArgMatches) -> Outcome {
    let name = matches
        .get_one::<String>("name")
        .expect("there is a default");
    if let Some(task) = matches.get_one::<String>("measure") {
        return match task.as_str() {
            "hunt" => lurch::measure(name),
            task => speed::measure(task, matches),
        };
    }
    if name == "list" {
        print(&list()?)?;
        return Ok(Status::Fine);
    }
    let out = matches.get_one::<String>("out").map(PathBuf::from);
    if let Some(out) = &out {
        std::fs::create_dir_all(out).map_err(|error| {
            Failure::broken(format!("{} cannot be made: {error}", out.display()))
        })?;
    }
    if name == "all" {
        let mut chosen = Vec::new();
        for (name, text) in EXPERIMENTS {
            if parse::<Head>(name, text)?.publication.is_some() {
                chosen.push((name.to_string(), text.to_string()));
            }
        }
        return session::run(matches, &chosen, out.as_deref(), true);
    }
    let (name, text) = find(name)?;
    // These measure times or compile programs, one after another.
    match parse::<Head>(&name, &text)?.kind.as_str() {
        "speed" => parse::<Speeds>(&name, &text)?.run(matches, &name, out),
        "programs" => parse::<Programs>(&name, &text)?.run(matches, &name, out),
        _ => session::run(matches, &[(name, text)], out.as_deref(), false),
    }
}

/// Opens a model with settings that are written as texts.
fn open_model(name: &str, settings: &[String], wanted: &Wanted) -> Result<Opened, Failure> {
    let settings = Settings::parse(settings)?;
    Ok(told(open_with(name, None, &settings, wanted)?))
}

/// What all experiments have.
#[derive(Deserialize)]
struct Head {
    /// What is done: searches and checks, the sizes of state spaces, measurements of speed, swarms, programs, the fitness of generations, or random
    /// paths of machines.
    #[serde(default = "search")]
    kind: String,
    /// The paper it belongs to.
    publication: Option<String>,
    title: String,
    source: String,
}

fn search() -> String {
    "search".into()
}

/// The experiment of some kind, ready to be run.
fn study(name: &str, text: &str) -> Result<Box<dyn Study>, Failure> {
    let head = parse::<Head>(name, text)?;
    Ok(match head.kind.as_str() {
        "search" => Box::new(Rerun::new(Experiment::parse(name, text)?)),
        "spaces" => Box::new(parse::<Spaces>(name, text)?),
        "swarms" => Box::new(parse::<Swarms>(name, text)?),
        "evolution" => Box::new(parse::<Evolution>(name, text)?),
        "portfolio" => Box::new(parse::<Portfolio>(name, text)?),
        "chases" => Box::new(parse::<Chases>(name, text)?),
        "growth" => Box::new(parse::<lurch::Growth>(name, text)?),
        "novelty" => Box::new(parse::<lurch::Novelty>(name, text)?),
        "scaling" => Box::new(parse::<lurch::Scaling>(name, text)?),
        "boards" => Box::new(parse::<lurch::Boards>(name, text)?),
        "requirements" => Box::new(parse::<lurch::Requirements>(name, text)?),
        other => {
            return Err(Failure::input(format!(
                "{name}: there is no kind of experiment '{other}'; leave it out, or write spaces, portfolio, speed, swarms, chases, programs, evolution, growth, novelty, scaling, boards or requirements"
            )));
        }
    })
}

fn list() -> Result<String, Failure> {
    let mut table = Table::new(["experiment", "title", "source"]);
    for (name, text) in EXPERIMENTS {
        let head = parse::<Head>(name, text)?;
        table.row([name.to_string(), head.title, head.source]);
    }
    Ok(table.text())
}

/// An experiment of some kind, from its text.
fn parse<T: DeserializeOwned>(file: &str, text: &str) -> Result<T, Failure> {
    toml::from_str(text).map_err(|error| Failure::input(format!("{file}: {error}")))
}

/// The name of an experiment and its text.
fn find(name: &str) -> Result<(String, String), Failure> {
    if let Some((name, text)) = EXPERIMENTS.iter().find(|(known, _)| *known == name) {
        return Ok((name.to_string(), text.to_string()));
    }
    let path = Path::new(name);
    if path
        .extension()
        .is_some_and(|extension| extension == "toml")
    {
        let text = std::fs::read_to_string(path)
            .map_err(|error| Failure::input(format!("{name} cannot be read: {error}")))?;
        let stem = path.file_stem().unwrap_or_default();
        return Ok((stem.to_string_lossy().into_owned(), text));
    }
    let known: Vec<&str> = EXPERIMENTS.iter().map(|(name, _)| *name).collect();
    Err(Failure::input(format!(
        "there is no experiment '{name}'; choose all or one of {}, or give a .toml file",
        known.join(", ")
    )))
}

/// Where a model is: `gallery:NAME`, or a file, in the folder that the command line or else the experiment names, or as seen
/// from the current folder. Otherwise the path that was looked for first.
fn locate(model: &str, named: Option<&str>, folder: Option<&str>) -> Result<String, String> {
    if model.starts_with("gallery:") {
        return Ok(model.to_string());
    }
    let inside = Path::new(named.or(folder).unwrap_or(".")).join(model);
    let found = [inside.as_path(), Path::new(model)]
        .into_iter()
        .find(|path| path.is_file());
    let shown = |path: &Path| path.display().to_string();
    found.map(shown).ok_or_else(|| shown(&inside))
}

/// Whether the command line selects the instance with this name.
fn is_selected(matches: &ArgMatches, name: &str) -> bool {
    let mut wanted = matches
        .get_many::<String>("only")
        .into_iter()
        .flatten()
        .peekable();
    wanted.peek().is_none() || wanted.any(|part| name.contains(part))
}

/// A model's name and where it comes from: from this workspace, or from the authors of the paper.
fn origin_of(model: &str, origin: Option<&str>) -> (String, String) {
    let is_ours = model.starts_with("gallery:") || model.starts_with("models/");
    let usual = if is_ours { "ours" } else { "the paper's own" };
    let name = model.rsplit('/').next().unwrap_or(model);
    (name.to_string(), origin.unwrap_or(usual).to_string())
}

/// What to say of models that were not found.
fn missing(paths: &[String]) -> String {
    if paths.is_empty() {
        return String::new();
    }
    format!(
        "\nskipped, because these files are not there; say with --models which folder has them:\n  {}\n",
        paths.join("\n  ")
    )
}

/// What to say of rows whose models were not found.
fn skipped(rows: &[Planned]) -> String {
    let mut absent: Vec<String> = Vec::new();
    for path in rows.iter().filter_map(|row| row.model.as_ref().err()) {
        if !absent.contains(path) {
            absent.push(path.clone());
        }
    }
    missing(&absent)
}
