//! Errors of opening models.

use sortie_gallery::GalleryError;
use sortie_syntax::{Diagnostic, Source};

/// Number of columns of messages about texts.
const COLUMNS: usize = 100;

/// A model could not be opened. The message says what is wrong, where, and what to do.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// No language has the name.
    #[error("there is no language '{given}'; known are {known}")]
    NoSuchLanguage {
        /// The name.
        given: String,
        /// The languages that there are.
        known: String,
    },
    /// The ending of the name belongs to no language.
    #[error("the language of '{name}' is not clear; {advice}")]
    UnclearLanguage {
        /// The name of the model.
        name: String,
        /// What to do.
        advice: String,
    },
    /// The file is in a format of another tool.
    #[error("{name} is {reason}")]
    Foreign {
        /// The name of the model.
        name: String,
        /// What the file is, and what to give instead.
        reason: &'static str,
    },
    /// The file cannot be read.
    #[error("{name} cannot be read: {error}")]
    Unreadable {
        /// The name of the file.
        name: String,
        /// Why.
        error: std::io::Error,
    },
    /// The file is no text.
    #[error("{name}:{line}: this is not text: byte {byte} is not UTF-8; is it the right file?")]
    NotText {
        /// The name of the file.
        name: String,
        /// The line of the first byte that is wrong.
        line: usize,
        /// The place of that byte.
        byte: usize,
    },
    /// A setting is malformed.
    #[error("--set {0} cannot be read; write --set NAME=VALUE")]
    Setting(String),
    /// A setting of a built-in model is no number.
    #[error("--set {0} cannot be read; write --set NAME=NUMBER")]
    NotANumber(String),
    /// Models in the language have no constants.
    #[error("{name} has no constants ({language}); leave out --set {constant}=...")]
    NoConstants {
        /// The name of the model.
        name: String,
        /// Its language.
        language: &'static str,
        /// The constant that was set.
        constant: String,
    },
    /// Conditions on states cannot be written in the language.
    #[error(
        "the condition '{condition}' cannot be checked on {name}: states of {language} models have no variables that an expression could name"
    )]
    NoConditions {
        /// The name of the model.
        name: String,
        /// Its language.
        language: &'static str,
        /// The condition.
        condition: String,
    },
    /// The option belongs to other languages.
    #[error(
        "--{option} belongs to models in {owners}; {name} is read as {language}, leave the option out"
    )]
    ForeignOption {
        /// The option.
        option: String,
        /// The languages that have it.
        owners: String,
        /// The name of the model.
        name: String,
        /// The language of the model.
        language: &'static str,
    },
    /// An option has a value that it cannot take.
    #[error("--{option} cannot be '{value}': {expected}")]
    BadOption {
        /// The option.
        option: String,
        /// Its value.
        value: String,
        /// What it could be.
        expected: String,
    },
    /// A text is wrong; the message shows where.
    #[error("{0}")]
    Text(String),
    /// A built-in model was refused.
    #[error(transparent)]
    Gallery(#[from] GalleryError),
    /// The model has no property with the name.
    #[error("{0}")]
    NoSuchProperty(String),
    /// Something else about the model does not fit what is asked of it.
    #[error("{0}")]
    Unfit(String),
}

impl OpenError {
    /// What is wrong with a text, with the lines concerned.
    pub fn of_text(source: Source<'_>, errors: &[Diagnostic]) -> OpenError {
        OpenError::Text(rendered(source, errors).join("\n"))
    }
}

/// Messages about a text as they are shown.
pub(crate) fn rendered(source: Source<'_>, messages: &[Diagnostic]) -> Vec<String> {
    let shown = messages
        .iter()
        .map(|message| message.render(source, COLUMNS));
    shown.collect()
}
