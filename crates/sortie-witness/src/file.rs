//! Witness files: JSON, one object, readable and stable, the same for models and programs.
//!
//! Version 1 is a witness of a model. Version 2 has a section about the program, and neither states nor steps. Before version 2, programs had files of
//! another form, which can still be read.

use crate::answers::{answer_words, answers_of};
use crate::{Schedule, Witness, WitnessStep};
use serde::{Deserialize, Serialize};
use sortie_model::{Fingerprint, Identity};

const FORMAT: &str = "sortie-witness";
const VERSION: u32 = 2;

/// What files of programs say in their first line that were written before version 2.
const OLD_PROGRAM: &str = "program witness 1";

/// A witness file could not be read.
#[derive(Debug, thiserror::Error)]
pub enum WitnessError {
    /// Not JSON, or not of the right shape.
    #[error("this is not a witness file: {0}")]
    Shape(#[from] serde_json::Error),
    /// JSON of another kind.
    #[error("this is not a witness file: its format is '{0}', not '{FORMAT}'")]
    Format(String),
    /// Written by a later version.
    #[error(
        "this witness file has version {0}; this program reads versions up to {VERSION}: replay it with the version of sortie that wrote it"
    )]
    Version(u32),
    /// A fingerprint is not 32 hexadecimal digits.
    #[error("'{0}' is not a fingerprint; it must have 32 hexadecimal digits")]
    Fingerprint(String),
    /// A scheduling point is no address.
    #[error("'{0}' is not a scheduling point; it must be a hexadecimal number such as 0x4010")]
    Point(String),
    /// An answer is malformed.
    #[error("'{0}' is not an answer; it must be of the form 1/2 or 1/2*3")]
    Answer(String),
    /// A model's witness without states.
    #[error("this witness file has neither the states of a model nor the schedule of a program")]
    Incomplete,
}

#[derive(Default, Serialize, Deserialize)]
struct File {
    format: String,
    version: u32,
    model: String,
    content: String,
    #[serde(default)]
    settings: Vec<String>,
    property: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    value: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cycle: Option<usize>,
    strategy: String,
    options: Vec<String>,
    seed: u64,
    raw_length: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    start: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    steps: Vec<FileStep>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    program: Option<FileProgram>,
}

#[derive(Serialize, Deserialize)]
struct FileStep {
    label: String,
    state: String,
}

/// The section about a program. Addresses are in hexadecimal.
#[derive(Serialize, Deserialize)]
struct FileProgram {
    arguments: Vec<String>,
    run: u64,
    #[serde(alias = "max_steps")]
    depth: u64,
    points: Vec<String>,
    answers: String,
    schedule: Vec<String>,
}

/// The file of a program as it was before version 2.
#[derive(Deserialize)]
struct OldProgram {
    sortie: String,
    program: String,
    content: String,
    failure: String,
    seed: u64,
    #[serde(flatten)]
    schedule: FileProgram,
}

impl From<OldProgram> for File {
    fn from(old: OldProgram) -> Self {
        File {
            format: FORMAT.into(),
            version: VERSION,
            model: old.program,
            content: old.content,
            property: old.failure,
            seed: old.seed,
            raw_length: old.schedule.answers.split_whitespace().count() as u64,
            program: Some(old.schedule),
            ..File::default()
        }
    }
}

/// The text of a witness file.
pub fn write(witness: &Witness) -> String {
    let program = witness.schedule.as_ref().map(|schedule| FileProgram {
        arguments: schedule.arguments.clone(),
        run: schedule.run,
        depth: schedule.depth,
        points: schedule.points.iter().map(|w| format!("{w:#x}")).collect(),
        answers: answer_words(&schedule.answers).join(" "),
        schedule: schedule.story.clone(),
    });
    let step = |step: &WitnessStep| FileStep {
        label: step.label.clone(),
        state: step.state.to_string(),
    };
    let file = File {
        format: FORMAT.into(),
        // Earlier versions of sortie read witnesses of models.
        version: if program.is_some() { VERSION } else { 1 },
        model: witness.model.name.clone(),
        content: witness.model.content.to_string(),
        settings: witness.settings.clone(),
        property: witness.property.clone(),
        value: witness.value,
        cycle: witness.cycle,
        strategy: witness.strategy.clone(),
        options: witness.options.clone(),
        seed: witness.seed,
        raw_length: witness.raw_length,
        start: program.is_none().then(|| witness.start.to_string()),
        steps: witness.steps.iter().map(step).collect(),
        program,
    };
    let text = serde_json::to_string_pretty(&file);
    text.expect("texts and numbers can be written as JSON") + "\n"
}

/// Reads the text of a witness file.
pub fn read(text: &str) -> Result<Witness, WitnessError> {
    let json: serde_json::Value = serde_json::from_str(text)?;
    let file: File = match json.get("sortie") {
        None => serde_json::from_value(json)?,
        Some(_) => match serde_json::from_value::<OldProgram>(json)? {
            old if old.sortie == OLD_PROGRAM => old.into(),
            other => return Err(WitnessError::Format(other.sortie)),
        },
    };
    if file.format != FORMAT {
        return Err(WitnessError::Format(file.format));
    }
    if !(1..=VERSION).contains(&file.version) {
        return Err(WitnessError::Version(file.version));
    }
    let print = |text: String| Fingerprint::parse(&text).ok_or(WitnessError::Fingerprint(text));
    let model = Identity::new(file.model, print(file.content)?);
    let step = |step: FileStep| -> Result<WitnessStep, WitnessError> {
        Ok(WitnessStep {
            label: step.label,
            state: print(step.state)?,
        })
    };
    let witness = match (file.program, file.start) {
        (Some(program), _) => Witness::of_run(model, file.property, schedule(program)?),
        (None, None) => return Err(WitnessError::Incomplete),
        (None, Some(start)) => Witness {
            start: print(start)?,
            steps: file.steps.into_iter().map(step).collect::<Result<_, _>>()?,
            schedule: None,
            ..Witness::of_run(model, file.property, Schedule::default())
        },
    };
    Ok(Witness {
        settings: file.settings,
        strategy: file.strategy,
        options: file.options,
        seed: file.seed,
        raw_length: file.raw_length,
        value: file.value,
        cycle: file.cycle,
        ..witness
    })
}

fn schedule(file: FileProgram) -> Result<Schedule, WitnessError> {
    let point = |text: &String| {
        u64::from_str_radix(text.trim_start_matches("0x"), 16)
            .map_err(|_| WitnessError::Point(text.clone()))
    };
    let mut answers = Vec::new();
    for word in file.answers.split_whitespace() {
        answers.extend(answers_of(word).ok_or_else(|| WitnessError::Answer(word.into()))?);
    }
    Ok(Schedule {
        arguments: file.arguments,
        run: file.run,
        depth: file.depth,
        points: file.points.iter().map(point).collect::<Result<_, _>>()?,
        answers,
        story: file.schedule,
    })
}
