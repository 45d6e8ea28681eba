//! Constants and options that a model is opened with.

use crate::{OpenError, option};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Constants of a model, by name, and options of its language.
///
/// As texts, in witness files and reports, a constant is `NAME=VALUE` and an option is written as on the command line.
///
/// ```
/// use sortie_open::Settings;
///
/// let settings = Settings::parse(["N=3", "--sync", "--max-fanout=100"])?;
/// assert_eq!(settings.constants, [("N".to_owned(), "3".to_owned())]);
/// assert!(settings.has("sync"));
/// assert_eq!(settings.listed(), ["--max-fanout=100", "--sync", "N=3"]);
/// # Ok::<(), sortie_open::OpenError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<String>", into = "Vec<String>")]
pub struct Settings {
    /// The constants, in the order of their names.
    pub constants: Vec<(String, String)>,
    /// The options; the value of a switch is `true`.
    pub options: BTreeMap<String, String>,
}

/// Options as earlier versions wrote them into witness files: a constant that no model can have, its value if that decides, and the option.
const FORMER: &[(&str, Option<&str>, &str)] = &[
    ("keep-data", None, "keep-data"),
    ("max-fanout", None, "max-fanout"),
    ("sample-successors", None, "sample"),
    ("machine-timing", Some("sync"), "sync"),
    ("machine-timing", Some("async"), "async"),
    ("never-machines", Some("yes"), "acceptance"),
    ("never-machines", Some("if-they-can"), "no-progress"),
];

impl Settings {
    /// Reads settings that are written as texts.
    pub fn parse<T: AsRef<str>>(texts: impl IntoIterator<Item = T>) -> Result<Settings, OpenError> {
        let mut settings = Settings::default();
        for text in texts {
            let text = text.as_ref();
            if let Some(option) = text.strip_prefix("--") {
                let (name, value) = option.split_once('=').unwrap_or((option, "true"));
                settings.set_option(name, value);
                continue;
            }
            let Some((name, value)) = text.split_once('=') else {
                return Err(OpenError::Setting(text.to_owned(), "VALUE"));
            };
            let (name, value) = (name.trim(), value.trim());
            let mut former = FORMER.iter().filter(|former| former.0 == name);
            match former.find(|former| former.1.is_none_or(|decides| decides == value)) {
                Some((_, Some(_), option)) => settings.set_option(option, "true"),
                Some((_, None, option)) => settings.set_option(option, value),
                None => settings.set_constant(name, value),
            }
        }
        Ok(settings)
    }

    /// Sets a constant. The last value counts.
    pub fn set_constant(&mut self, name: &str, value: impl ToString) {
        let value = value.to_string();
        let constants = &mut self.constants;
        match constants.binary_search_by(|(known, _)| known.as_str().cmp(name)) {
            Ok(place) => constants[place].1 = value,
            Err(place) => constants.insert(place, (name.to_owned(), value)),
        }
    }

    /// Sets an option; the value of a switch is `true`.
    pub fn set_option(&mut self, name: &str, value: impl ToString) {
        self.options.insert(name.to_owned(), value.to_string());
    }

    /// Whether an option is given.
    pub fn has(&self, option: &str) -> bool {
        self.options.contains_key(option)
    }

    /// The value of an option that is a number.
    pub fn number(&self, option: &str) -> Option<usize> {
        self.options.get(option)?.parse().ok()
    }

    /// These settings, and those of `others` that they do not replace.
    pub fn over(mut self, others: &Settings) -> Settings {
        for (name, value) in &others.constants {
            if !self.constants.iter().any(|(known, _)| known == name) {
                self.set_constant(name, value);
            }
        }
        for (name, value) in &others.options {
            let (_, known) = option(name);
            let replaced = known.is_some_and(|known| known.instead_of.iter().any(|o| self.has(o)));
            if !replaced && !self.has(name) {
                self.set_option(name, value);
            }
        }
        self
    }

    /// All settings as texts, in order.
    pub fn listed(&self) -> Vec<String> {
        let option = |(name, value): (&String, &String)| match value.as_str() {
            "true" => format!("--{name}"),
            value => format!("--{name}={value}"),
        };
        let options = self.options.iter().map(option);
        let constants = self.constants.iter();
        let constants = constants.map(|(name, value)| format!("{name}={value}"));
        options.chain(constants).collect()
    }
}

impl TryFrom<Vec<String>> for Settings {
    type Error = OpenError;

    fn try_from(texts: Vec<String>) -> Result<Settings, OpenError> {
        Settings::parse(texts)
    }
}

impl From<Settings> for Vec<String> {
    fn from(settings: Settings) -> Vec<String> {
        settings.listed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_of_earlier_witness_files_are_understood() {
        for (former, option) in [
            ("keep-data=S.n,R", "--keep-data=S.n,R"),
            ("machine-timing=sync", "--sync"),
            ("machine-timing=async", "--async"),
            ("never-machines=yes", "--acceptance"),
            ("never-machines=if-they-can", "--no-progress"),
            ("max-fanout=7", "--max-fanout=7"),
            ("sample-successors=7", "--sample=7"),
            ("N=7", "N=7"),
        ] {
            let settings = Settings::parse([former]).expect("settings");
            assert_eq!(settings.listed(), [option]);
            assert_eq!(Settings::parse([option]).expect("settings"), settings);
        }
        assert!(Settings::parse(["N"]).is_err());
    }

    #[test]
    fn what_is_given_replaces_what_is_recorded() {
        let given = Settings::parse(["N=1", "--async"]).expect("settings");
        let recorded = Settings::parse(["N=2", "M=2", "--sync", "--max-fanout=9"]);
        let both = given.over(&recorded.expect("settings"));
        assert_eq!(both.listed(), ["--async", "--max-fanout=9", "M=2", "N=1"]);
    }
}
