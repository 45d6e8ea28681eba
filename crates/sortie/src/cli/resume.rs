//! Hunts that are put down and taken up again: the campaign file in the folder of results.

use super::output::write_file;
use super::{Failure, args};
use clap::ArgMatches;
use serde::{Deserialize, Serialize};
use sortie_model::Model;
use sortie_search::{Keeper, Standing};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// The name of the file.
const FILE: &str = "campaign.json";

/// What is written changes with this number.
const VERSION: u32 = 3;

/// It is written at most so often.
const PAUSE: Duration = Duration::from_secs(1);

/// Options that may be given anew when a hunt is taken up.
const ANEW: [&str; 6] = ["for", "max-states", "rounds", "threads", "memory", "json"];

/// What the file says.
#[derive(Serialize, Deserialize)]
struct Kept {
    version: u32,
    /// The command line, without the program.
    words: Vec<String>,
    /// Where it was typed.
    folder: PathBuf,
    /// The content of the model, so that another one is noticed.
    model: String,
    /// How far the hunt has come; none before its first rounds are over.
    standing: Option<Standing>,
}

/// A hunt to take up.
pub struct TakenUp {
    /// The command line.
    pub words: Vec<String>,
    /// The folder of results.
    pub out: PathBuf,
    model: String,
    standing: Option<Standing>,
}

impl TakenUp {
    /// Reads the file in a folder, and goes to where the hunt began. Options for what a hunt may cost can be given anew.
    pub fn read(folder: &str, matches: &ArgMatches) -> Result<TakenUp, Failure> {
        let path = Path::new(folder).join(FILE);
        let refused =
            |error: &dyn std::fmt::Display| Failure::input(format!("{}: {error}", path.display()));
        let text = std::fs::read_to_string(&path).map_err(|error| refused(&error))?;
        let kept: Kept = serde_json::from_str(&text).map_err(|error| refused(&error))?;
        if kept.version != VERSION {
            let this = format!("this is version {} of the file", kept.version);
            return Err(refused(&format!(
                "{this}, and only version {VERSION} can be read"
            )));
        }
        let out = std::path::absolute(folder).map_err(|error| refused(&error))?;
        std::env::set_current_dir(&kept.folder).map_err(|error| {
            let folder = kept.folder.display();
            refused(&format!(
                "the hunt began in {folder}, which cannot be entered: {error}"
            ))
        })?;
        let mut words = kept.words;
        for option in ANEW {
            if let Ok(Some(mut values)) = matches.try_get_raw(option)
                && matches.value_source(option) == Some(clap::parser::ValueSource::CommandLine)
                && let Some(value) = values.next()
            {
                let name = format!("--{option}");
                words = super::repeat::leaving_out(words.into_iter(), &[&name]);
                words.extend([name, value.to_string_lossy().into_owned()]);
            }
        }
        Ok(TakenUp {
            words,
            out,
            model: kept.model,
            standing: kept.standing,
        })
    }

    /// The command line, understood.
    pub fn matches(&self) -> Result<ArgMatches, Failure> {
        let words = std::iter::once("sortie").chain(self.words.iter().map(String::as_str));
        let matches = args::command().try_get_matches_from(words);
        let mut matches = matches.map_err(|error| Failure::input(error.render()))?;
        match matches.remove_subcommand() {
            Some((name, hunt)) if name == "hunt" => Ok(hunt),
            _ => Err(Failure::input("the campaign file is not of a hunt")),
        }
    }
}

/// Keeps how far a hunt has come in the file.
pub struct CampaignFile {
    path: PathBuf,
    words: Vec<String>,
    folder: PathBuf,
    model: String,
    begin: Option<Standing>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    written: Option<Instant>,
    /// What is not in the file yet.
    waiting: Option<Standing>,
    failed: Option<Failure>,
}

impl CampaignFile {
    /// The file of a hunt that begins or goes on, written at once so that what cannot be written is noticed early.
    pub fn begin(
        out: &Path,
        words: Vec<String>,
        model: &dyn Model,
        taken_up: Option<&TakenUp>,
    ) -> Result<CampaignFile, Failure> {
        let content = model.identity().content.to_string();
        if let Some(before) = taken_up
            && before.model != content
        {
            return Err(Failure::input(
                "the model has changed since the hunt was put down; begin a new one",
            ));
        }
        let begin = taken_up.and_then(|before| before.standing.clone());
        let file = CampaignFile {
            path: out.join(FILE),
            words,
            folder: std::env::current_dir().map_err(Failure::broken)?,
            model: content,
            begin: begin.clone(),
            state: Mutex::default(),
        };
        file.write(begin.as_ref())?;
        Ok(file)
    }

    fn write(&self, standing: Option<&Standing>) -> Result<(), Failure> {
        let kept = Kept {
            version: VERSION,
            words: self.words.clone(),
            folder: self.folder.clone(),
            model: self.model.clone(),
            standing: standing.cloned(),
        };
        let text = serde_json::to_string(&kept).map_err(Failure::broken)?;
        write_file(&self.path, &(text + "\n"))
    }

    /// Writes what is not written yet.
    pub fn finish(&self) -> Result<(), Failure> {
        let mut state = self.state.lock().expect("nobody panics while writing");
        if let Some(failure) = state.failed.take() {
            return Err(failure);
        }
        match state.waiting.take() {
            Some(standing) => self.write(Some(&standing)),
            None => Ok(()),
        }
    }
}

impl Keeper for CampaignFile {
    fn kept(&self) -> Option<Standing> {
        self.begin.clone()
    }

    fn keep(&self, standing: &Standing) {
        let mut state = self.state.lock().expect("nobody panics while writing");
        if state.written.is_some_and(|last| last.elapsed() < PAUSE) {
            state.waiting = Some(standing.clone());
            return;
        }
        state.waiting = None;
        // A hunt is worth more than the way back to its middle; the failure is told at the end.
        if let Err(failure) = self.write(Some(standing)) {
            state.failed.get_or_insert(failure);
        }
        state.written = Some(Instant::now());
    }
}
