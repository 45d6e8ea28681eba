//! Errors of opening models.

use sortie_gallery::GalleryError;
use sortie_syntax::{Diagnostic, Source};

/// Number of columns of messages about texts.
const COLUMNS: usize = 100;

/// A model could not be opened. The message says what is wrong, where, and what to do.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// No language has the name, or the name of the model does not tell its language.
    #[error("{0}")]
    Language(String),
    /// A file cannot be read, or is no text.
    #[error("{0}")]
    File(String),
    /// A setting is malformed.
    #[error("--set {setting} cannot be read; write --set NAME={value}")]
    Setting {
        /// The setting.
        setting: String,
        /// The kind of value that is expected.
        value: &'static str,
    },
    /// Models in the language have no constants.
    #[error("{0}")]
    NoConstants(String),
    /// Conditions on states cannot be written in the language.
    #[error("{0}")]
    NoConditions(String),
    /// The option belongs to other languages.
    #[error("{0}")]
    ForeignOption(String),
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
    /// The errors of a text, with the lines concerned.
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
