//! Texts of models, wherever they come from.

use crate::{Language, OpenError, Opened, Settings, Wanted};
use serde::{Deserialize, Serialize};
use sortie_syntax::Source;
use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

/// A model as it is written. It can be sent to another process.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelText {
    /// The file's own name, or `LANGUAGE:MODEL` for a built-in model.
    pub name: String,
    /// The name of the language.
    pub language: String,
    /// The text; for a built-in model, its name.
    pub text: String,
}

impl ModelText {
    /// A text in a language.
    pub fn new(name: &str, language: &str, text: &str) -> Result<ModelText, OpenError> {
        Ok(ModelText {
            name: name.into(),
            language: Language::named(language)?.name.into(),
            text: text.into(),
        })
    }

    /// Reads a model by name: a file, `-` for standard input, or the name of a built-in model. The language is told by the name if it is not given.
    pub fn read(name: &str, language: Option<&str>) -> Result<ModelText, OpenError> {
        let language = match language {
            Some(language) => Language::named(language)?,
            None => Language::of(name)?,
        };
        if !language.built_in.is_empty() {
            let entry = name.split_once(':').map_or(name, |(_, entry)| entry);
            let name = format!("{}:{entry}", language.name);
            return ModelText::new(&name, language.name, entry);
        }
        // A witness does not depend on where the file lies.
        let own = Path::new(name).file_name().and_then(|name| name.to_str());
        ModelText::new(own.unwrap_or(name), language.name, &read_text(name)?)
    }

    /// The text with pieces replaced, each of which must occur.
    pub fn replaced(mut self, pieces: &BTreeMap<String, String>) -> Result<ModelText, OpenError> {
        for (from, to) in pieces {
            if !self.text.contains(from) {
                let name = &self.name;
                let message = format!("{name}: there is no '{from}' to be replaced");
                return Err(OpenError::Unfit(message));
            }
            self.text = self.text.replace(from, to);
        }
        Ok(self)
    }

    /// Makes a model of it.
    pub fn open(&self, settings: &Settings, wanted: &Wanted) -> Result<Opened, OpenError> {
        let mut opened = Language::named(&self.language)?.open(self, settings, wanted)?;
        opened.text = self.clone();
        Ok(opened)
    }

    /// The text and its name, for messages.
    pub fn source(&self) -> Source<'_> {
        Source {
            name: &self.name,
            text: &self.text,
        }
    }
}

/// The text of a file, or of standard input if the name is `-`.
pub fn read_text(name: &str) -> Result<String, OpenError> {
    let mut bytes = Vec::new();
    let read = match name {
        "-" => std::io::stdin().lock().read_to_end(&mut bytes).map(drop),
        name => std::fs::read(name).map(|read| bytes = read),
    };
    read.map_err(|error| OpenError::Unfit(format!("{name} cannot be read: {error}")))?;
    String::from_utf8(bytes).map_err(|error| {
        let byte = error.utf8_error().valid_up_to();
        let before = &error.as_bytes()[..byte];
        let line = before.iter().filter(|&&byte| byte == b'\n').count() + 1;
        OpenError::Unfit(format!(
            "{name}:{line}: this is not text: byte {byte} is not UTF-8; is it the right file?"
        ))
    })
}
