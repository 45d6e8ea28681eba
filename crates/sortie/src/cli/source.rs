//! From the command line to an open model.

use super::Failure;
use super::args::{flag, optional, word};
use super::hunt::given;
use super::interrupt;
use super::output::complain;
use clap::ArgMatches;
use sortie_open::{LANGUAGES, OpenError, Opened, Settings, Wanted, open_with, read_text};
use sortie_report::table::Table;
use sortie_search::OptionKind;
use sortie_witness::Witness;

impl From<OpenError> for Failure {
    fn from(error: OpenError) -> Failure {
        Failure::input(error)
    }
}

/// Opens the model that the command line names, and tells its warnings. Settings on the command line replace those of `defaults`.
pub fn open(matches: &ArgMatches, defaults: &[String], wanted: &Wanted) -> Result<Opened, Failure> {
    let name = word(matches, "model");
    let language = optional(matches, "language").map(String::as_str);
    let settings = settings(matches)?.over(&Settings::parse(defaults)?);
    let opened = interrupt::opening(|| open_with(name, language, &settings, wanted))?;
    Ok(told(opened))
}

/// Reads a witness file.
pub fn read_witness(name: &str) -> Result<Witness, Failure> {
    let witness = sortie_witness::read(&read_text(name)?);
    witness.map_err(|error| Failure::input(format!("{name}: {error}")))
}

/// Tells the warnings about a model.
pub fn told(opened: Opened) -> Opened {
    for warning in &opened.warnings {
        complain(format_args!("{}", warning.trim_end()));
    }
    opened
}

/// The constants and options of languages on the command line.
pub fn settings(matches: &ArgMatches) -> Result<Settings, Failure> {
    let mut settings = Settings::parse(given(matches, "set"))?;
    for option in LANGUAGES.iter().flat_map(|language| language.options) {
        let name = option.spec.name;
        if option.spec.kind == OptionKind::Switch {
            if flag(matches, name) {
                settings.set_option(name, true);
            }
        } else if let Some(value) = optional(matches, name) {
            settings.set_option(name, value);
        }
    }
    Ok(settings)
}

/// The languages, and the models that come with sortie.
pub fn models_table() -> String {
    let mut languages = Table::new(["language", "files", "what it is"]);
    let mut models = Table::new(["model", "parameters", "what it is"]);
    for language in LANGUAGES {
        for model in language.built_in {
            let name = format!("{}:{}", language.name, model.name);
            let parameters = model.parameters.iter();
            let parameters = parameters.map(|p| format!("{}={}", p.name, p.default));
            let parameters = parameters.collect::<Vec<_>>().join(" ");
            models.row([name, parameters, model.help.to_owned()]);
        }
        let files = match language.endings {
            [] => format!("{}:MODEL", language.name),
            endings => endings.join(", "),
        };
        languages.row([language.name.to_owned(), files, language.help.to_owned()]);
    }
    format!("{}\n{}", models.text(), languages.text())
}
