//! Places in the text of a specification, for messages at run time.

use sortie_model::ModelError;
use sortie_syntax::Span;

/// Finds lines and columns.
#[derive(Clone, Debug)]
pub(crate) struct Places {
    name: String,
    text: String,
}

impl Places {
    pub(crate) fn new(name: &str, text: &str) -> Places {
        Places {
            name: name.to_owned(),
            text: text.to_owned(),
        }
    }

    /// Line and column, counted from one.
    pub(crate) fn line_and_column(&self, offset: usize) -> (usize, usize) {
        let before = self.text.get(..offset).unwrap_or(&self.text);
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        (
            before.bytes().filter(|b| *b == b'\n').count() + 1,
            before[start..].chars().count() + 1,
        )
    }

    /// An error at a place.
    pub(crate) fn error(&self, span: impl Into<Span>, what: impl std::fmt::Display) -> ModelError {
        let (line, column) = self.line_and_column(span.into().start);
        ModelError::new(format!("{}:{line}:{column}: {what}", self.name))
    }
}
