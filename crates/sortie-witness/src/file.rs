//! Witness files: JSON, one object, readable and stable.

use crate::{Witness, WitnessStep};
use serde::{Deserialize, Serialize};
use sortie_model::{Fingerprint, Identity};

const FORMAT: &str = "sortie-witness";
const VERSION: u32 = 1;

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
    #[error("this witness file has version {0}; this program reads version {VERSION}")]
    Version(u32),
    /// A fingerprint is not 32 hexadecimal digits.
    #[error("'{0}' is not a fingerprint; it must have 32 hexadecimal digits")]
    Fingerprint(String),
}

#[derive(Serialize, Deserialize)]
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
    start: String,
    steps: Vec<FileStep>,
}

#[derive(Serialize, Deserialize)]
struct FileStep {
    label: String,
    state: String,
}

/// The text of a witness file.
pub fn write(witness: &Witness) -> String {
    let file = File {
        format: FORMAT.into(),
        version: VERSION,
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
        start: witness.start.to_string(),
        steps: witness
            .steps
            .iter()
            .map(|step| FileStep {
                label: step.label.clone(),
                state: step.state.to_string(),
            })
            .collect(),
    };
    let mut text =
        serde_json::to_string_pretty(&file).expect("texts and numbers can be written as JSON");
    text.push('\n');
    text
}

/// Reads the text of a witness file.
pub fn read(text: &str) -> Result<Witness, WitnessError> {
    let file: File = serde_json::from_str(text)?;
    if file.format != FORMAT {
        return Err(WitnessError::Format(file.format));
    }
    if file.version != VERSION {
        return Err(WitnessError::Version(file.version));
    }
    let print = |text: String| Fingerprint::parse(&text).ok_or(WitnessError::Fingerprint(text));
    let step = |step: FileStep| {
        Ok(WitnessStep {
            label: step.label,
            state: print(step.state)?,
        })
    };
    Ok(Witness {
        model: Identity::new(file.model, print(file.content)?),
        settings: file.settings,
        property: file.property,
        strategy: file.strategy,
        options: file.options,
        seed: file.seed,
        raw_length: file.raw_length,
        value: file.value,
        cycle: file.cycle,
        start: print(file.start)?,
        steps: file
            .steps
            .into_iter()
            .map(step)
            .collect::<Result<_, WitnessError>>()?,
    })
}
