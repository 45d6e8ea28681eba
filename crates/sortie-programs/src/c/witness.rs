//! A schedule that shows a failure: kept in a file, replayed, told.

use crate::c::places::Places;
use crate::c::{NativeError, Program, ProgramWalk, Told};
use serde::{Deserialize, Serialize};
use sortie_model::{End, Fingerprint, Walk};
use sortie_search::schedulers::{Answer, Replay};
use std::path::Path;

/// What is needed to see a failure again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// The program.
    pub program: Program,
    /// How it failed.
    pub failure: String,
    /// Which run found it, from 0.
    pub run: u64,
    /// The seed of the hunt.
    pub seed: u64,
    /// Words of memory whose accesses are scheduling points.
    pub selected: Vec<u64>,
    /// Who moved, where there was a choice.
    pub answers: Vec<Answer>,
}

/// A recorded failure with what a replay told.
pub struct Witness {
    /// What is needed to see it again.
    pub recorded: Recorded,
    /// What happened.
    pub told: Told,
    /// Where addresses are in the sources.
    pub places: Places,
    /// How the replay differed, if it did.
    pub difference: Option<String>,
}

/// The file's form. Numbers are as people and other tools read them: addresses in hexadecimal, answers as `chosen/alternatives`.
#[derive(Serialize, Deserialize)]
struct File {
    sortie: String,
    program: String,
    arguments: Vec<String>,
    content: String,
    failure: String,
    run: u64,
    seed: u64,
    max_steps: u64,
    points: Vec<String>,
    answers: String,
    schedule: Vec<String>,
}

const FORMAT: &str = "program witness 1";

impl Recorded {
    /// Runs the program along the schedule and writes down what happens.
    pub fn replay(&self) -> Result<Witness, NativeError> {
        let mut walk = ProgramWalk::new(self.program.clone(), &self.selected).telling();
        let mut replay = Replay::new(&self.answers);
        let end = walk.run(&mut replay, u64::MAX);
        let end = end.map_err(|error| NativeError::Escape {
            what: error.message,
        })?;
        let difference = match (replay.divergence(), end) {
            (_, End::Failed(message)) if message == self.failure => None,
            (Some(divergence), End::Failed(message)) => {
                Some(format!("{divergence}; it ended with '{message}'"))
            }
            (Some(divergence), _) => Some(divergence.to_string()),
            (None, End::Failed(message)) => Some(format!("it ended with '{message}'")),
            (None, _) => Some("it ended without a failure".into()),
        };
        let places = match walk.server() {
            Some(server) => Places::new(server.region(), &self.program.path),
            None => Places::default(),
        };
        Ok(Witness {
            recorded: self.clone(),
            told: walk.told().clone(),
            places,
            difference,
        })
    }

    /// Reads a file.
    pub fn read(text: &str) -> Result<(Self, bool), NativeError> {
        let bad = |why: String| NativeError::BadWitness { why };
        let file: File = serde_json::from_str(text).map_err(|error| bad(error.to_string()))?;
        if file.sortie != FORMAT {
            return Err(bad(format!("it says '{}', not '{FORMAT}'", file.sortie)));
        }
        let word = |text: &String| u64::from_str_radix(text.trim_start_matches("0x"), 16);
        let selected = file.points.iter().map(word).collect::<Result<_, _>>();
        let answers = file
            .answers
            .split_whitespace()
            .map(answer)
            .collect::<Option<_>>();
        let program = Program {
            max_steps: file.max_steps,
            ..Program::new(&file.program, &file.arguments)
        };
        let recorded = Recorded {
            program,
            failure: file.failure,
            run: file.run,
            seed: file.seed,
            selected: selected.map_err(|error| bad(format!("a point is no address: {error}")))?,
            answers: answers.ok_or_else(|| bad("an answer is not of the form 1/2".into()))?,
        };
        let unchanged = content(&recorded.program.path) == file.content;
        Ok((recorded, unchanged))
    }
}

fn answer(text: &str) -> Option<Answer> {
    let (chosen, of) = text.split_once('/')?;
    let (chosen, of) = (chosen.parse().ok()?, of.parse().ok()?);
    (chosen < of).then_some(Answer { chosen, of })
}

/// What the program's file contains, in a few digits.
fn content(path: &Path) -> String {
    let bytes = std::fs::read(path).unwrap_or_default();
    let words: Vec<u32> = bytes.iter().copied().map(u32::from).collect();
    Fingerprint::of_words(&words).to_string()
}

impl Witness {
    /// Whether the replay showed the failure; otherwise what happened instead.
    pub fn outcome(&self) -> Result<(), String> {
        self.difference.clone().map_or(Ok(()), Err)
    }

    /// The text of a file from which it can be replayed.
    pub fn write(&self) -> String {
        let recorded = &self.recorded;
        let answers = recorded.answers.iter();
        let answers: Vec<String> = answers.map(|a| format!("{}/{}", a.chosen, a.of)).collect();
        let file = File {
            sortie: FORMAT.into(),
            program: recorded.program.path.display().to_string(),
            arguments: recorded.program.arguments.clone(),
            content: content(&recorded.program.path),
            failure: recorded.failure.clone(),
            run: recorded.run,
            seed: recorded.seed,
            max_steps: recorded.program.max_steps,
            points: recorded
                .selected
                .iter()
                .map(|word| format!("{word:#x}"))
                .collect(),
            answers: answers.join(" "),
            schedule: self.story(usize::MAX).lines().map(str::to_owned).collect(),
        };
        let mut text =
            serde_json::to_string_pretty(&file).expect("texts and numbers can be written");
        text.push('\n');
        text
    }
}
