//! Opens models: one table of languages, from which everything else that knows languages is made.
//!
//! [`LANGUAGES`] has one row for each language: its name, the endings of its files, its options as a table, and the function that turns a text into
//! an [`Opened`] model. Help texts, completions, the list of languages in the book and the tests over all languages come from that table, so a new
//! language is a crate that reads it and a row here.
//!
//! ```
//! use sortie_open::{ModelText, Settings, Wanted};
//!
//! let text = ModelText::new("lamp", "mcrl2", "act on, off; proc P = on.off.P; init P;")?;
//! let opened = text.open(&Settings::default(), &Wanted::default())?;
//! assert_eq!(opened.model.identity().name, "lamp");
//!
//! let wrong = ModelText::new("lamp", "mcrl2", "init P;")?;
//! let error = wrong.open(&Settings::default(), &Wanted::default()).err().unwrap();
//! assert!(error.to_string().contains("lamp:1:6"));
//! # Ok::<(), sortie_open::OpenError>(())
//! ```

#![forbid(unsafe_code)]

mod aut;
mod error;
mod gallery;
mod language;
mod machines;
mod mcrl2;
mod opened;
mod own;
mod settings;
mod suggested;
mod synchronous;
mod text;

pub use error::OpenError;
pub use language::{LANGUAGES, Language, LanguageOption, option};
pub use opened::{Opened, Request, Wanted};
pub use own::{OwnFormula, OwnProperties, Suggested, named, no_such_property};
pub use settings::Settings;
pub use suggested::{pick, short};
pub use text::{ModelText, read_text};

/// Opens a model by name: a file, `-` for standard input, or `gallery:NAME`.
pub fn open(name: &str) -> Result<Opened, OpenError> {
    open_with(name, None, &Settings::default(), &Wanted::default())
}

/// Opens a model by name with settings, for what is wanted of it. The language is told by the name if it is not given.
pub fn open_with(
    name: &str,
    language: Option<&str>,
    settings: &Settings,
    wanted: &Wanted,
) -> Result<Opened, OpenError> {
    ModelText::read(name, language)?.open(settings, wanted)
}
