//! Errors of opening models.

use sortie_gallery::GalleryError;
use sortie_syntax::{Diagnostic, Source};

/// Number of columns of messages about texts.
const COLUMNS: usize = 100;

/// A model could not be opened. The message says what is wrong, where, and what to do.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// A setting is malformed; the second text is the kind of value that is expected.
    #[error("--set {0} cannot be read; write --set NAME={1}")]
    Setting(String, &'static str),
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
    /// Something else does not fit: there is no such language, file or property, or the model is not what is asked for.
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
    let messages = messages.iter();
    messages.map(|it| it.render(source, COLUMNS)).collect()
}
