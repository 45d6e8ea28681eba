//! The table of languages.

use crate::{
    ModelText, OpenError, Opened, Request, Settings, Wanted, aut, gallery, machines, mcrl2,
    synchronous,
};
use sortie_gallery::Entry;
use sortie_search::{OptionKind, OptionSpec};
use sortie_syntax::did_you_mean;

/// A language that models are written in.
pub struct Language {
    /// The name, for `--language` and for the prefix of built-in models.
    pub name: &'static str,
    /// The endings of file names, with the dot.
    pub endings: &'static [&'static str],
    /// A description in one line.
    pub help: &'static str,
    /// The page of the book.
    pub page: &'static str,
    /// The text that begins a comment up to the end of the line; empty if there is none.
    pub comment: &'static str,
    /// Names of internal steps and of what makes steps internal. A model without any of them has no divergence to look for.
    pub internal: &'static [&'static str],
    /// Whether models have constants that can be set.
    pub constants: bool,
    /// Whether conditions on states can be written in the words of the model.
    pub conditions: bool,
    /// The options.
    pub options: &'static [LanguageOption],
    /// The models that come with the language, if it consists of them: these are named `LANGUAGE:MODEL`, and the model's name is their text.
    pub built_in: &'static [Entry],
    /// A small model.
    pub example: &'static str,
    /// Makes a model of a text.
    pub open: fn(Request<'_>) -> Result<Opened, OpenError>,
}

/// An option of a language.
#[derive(Clone, Copy, Debug)]
pub struct LanguageOption {
    /// Name, values, default and help.
    pub spec: OptionSpec,
    /// The value where only the name is written, for an option that can stand alone.
    pub alone: Option<&'static str>,
    /// Options that it replaces, so that they cannot be given together.
    pub instead_of: &'static [&'static str],
    /// Whether only hunts offer it: because it asks for a property, or because steps are left out, which other commands do not report.
    pub only_in_hunts: bool,
}

impl LanguageOption {
    /// An option without a default and without anything special.
    pub const fn new(name: &'static str, kind: OptionKind, help: &'static str) -> Self {
        LanguageOption {
            spec: OptionSpec {
                name,
                help,
                kind,
                default: "",
            },
            alone: None,
            instead_of: &[],
            only_in_hunts: false,
        }
    }

    /// An option that is given or not.
    pub const fn switch(name: &'static str, help: &'static str) -> Self {
        LanguageOption::new(name, OptionKind::Switch, help)
    }

    /// A number that is at least 1.
    pub const fn number(name: &'static str, help: &'static str) -> Self {
        LanguageOption::new(name, OptionKind::Number(1, u64::MAX), help)
    }

    /// The option with a default.
    pub const fn or(mut self, default: &'static str) -> Self {
        self.spec.default = default;
        self
    }

    /// The option for hunts only.
    pub const fn only_in_hunts(mut self) -> Self {
        self.only_in_hunts = true;
        self
    }
}

/// All languages. A new one is a crate that reads it and a row here.
pub static LANGUAGES: &[Language] = &[
    mcrl2::LANGUAGE,
    machines::LANGUAGE,
    machines::LURCH,
    synchronous::SMV,
    synchronous::RSML,
    aut::LANGUAGE,
    gallery::LANGUAGE,
];

/// Formats of other tools that are no languages here: their endings, what they are, and what to give instead.
const FOREIGN: &[(&str, &str)] = &[(
    ".lps",
    "a linear process, which only mCRL2 reads; give the .mcrl2 file",
)];

/// The languages that have an option, with the option of the first.
pub fn option(name: &str) -> (Vec<&'static Language>, Option<&'static LanguageOption>) {
    let of = |language: &'static Language| language.options.iter().find(|o| o.spec.name == name);
    let owners = LANGUAGES.iter().filter(|l| of(l).is_some()).collect();
    (owners, LANGUAGES.iter().find_map(of))
}

impl Language {
    /// The language with this name.
    pub fn named(name: &str) -> Result<&'static Language, OpenError> {
        let found = LANGUAGES.iter().find(|language| language.name == name);
        let wrong = || format!("there is no language '{name}'; known are {}", known());
        found.ok_or_else(|| OpenError::Unfit(wrong()))
    }

    /// The language of a model with this name.
    pub fn of(model: &str) -> Result<&'static Language, OpenError> {
        if let Some((prefix, _)) = model.split_once(':') {
            let mut built_in = LANGUAGES.iter().filter(|l| !l.built_in.is_empty());
            if let Some(language) = built_in.find(|language| language.name == prefix) {
                return Ok(language);
            }
        }
        if let Some((_, reason)) = FOREIGN.iter().find(|(ending, _)| model.ends_with(ending)) {
            return Err(OpenError::Unfit(format!("{model} is {reason}")));
        }
        let reads = |language: &&Language| language.endings.iter().any(|e| model.ends_with(e));
        let wrong = || format!("the language of '{model}' is not clear; {}", advice(model));
        let found = LANGUAGES.iter().find(reads);
        found.ok_or_else(|| OpenError::Unfit(wrong()))
    }

    /// Opens a text after checking that the settings belong to the language.
    pub(crate) fn open(
        &self,
        text: &ModelText,
        settings: &Settings,
        wanted: &Wanted,
    ) -> Result<Opened, OpenError> {
        self.check(&text.name, settings, wanted)?;
        let mut opened = (self.open)(Request {
            source: text.source(),
            settings,
            wanted,
        })?;
        let predicates = opened.predicates.split_off(wanted.properties.len());
        let conditions = std::mem::replace(&mut opened.predicates, predicates);
        let properties = wanted.properties.iter().zip(conditions);
        let made = properties
            .filter_map(|(kind, made_of)| Some(kind.row.of_condition?(kind.clone(), made_of)));
        opened.asked.splice(0..0, made);
        Ok(opened)
    }

    fn check(&self, model: &str, settings: &Settings, wanted: &Wanted) -> Result<(), OpenError> {
        let language = self.name;
        for (given, value) in &settings.options {
            let own = self.options.iter().find(|own| own.spec.name == given);
            let own = own.ok_or_else(|| self.foreign_option(model, given))?;
            let accepted = own.spec.accepts(value);
            accepted.map_err(|expected| {
                OpenError::Unfit(format!("--{given} cannot be '{value}': {expected}"))
            })?;
            if let Some(other) = own.instead_of.iter().find(|other| settings.has(other)) {
                return Err(OpenError::Unfit(format!(
                    "--{given} and --{other} exclude each other; give one of them"
                )));
            }
        }
        let properties = wanted.properties.iter().map(|kind| &kind.data);
        let mut conditions = properties.chain(&wanted.predicates);
        match (conditions.next(), settings.constants.first()) {
            (Some(condition), _) if !self.conditions => Err(OpenError::NoConditions(format!(
                "the condition '{condition}' cannot be checked on {model}: states of {language} models have no variables that an expression could name"
            ))),
            (_, Some((constant, _))) if !self.constants => Err(OpenError::NoConstants(format!(
                "{model} has no constants ({language}); leave out --set {constant}=..."
            ))),
            _ => Ok(()),
        }
    }

    fn foreign_option(&self, model: &str, given: &str) -> OpenError {
        let (owners, _) = option(given);
        let owners: Vec<&str> = owners.into_iter().map(|language| language.name).collect();
        if owners.is_empty() {
            let known = LANGUAGES.iter().flat_map(|language| language.options);
            let hint = did_you_mean(given, known.map(|option| option.spec.name));
            let hint = hint.map_or(String::new(), |hint| format!("; {hint}"));
            return OpenError::Unfit(format!("no language has an option --{given}{hint}"));
        }
        OpenError::ForeignOption(format!(
            "--{given} belongs to models in {}; {model} is read as {}, leave the option out",
            owners.join(", "),
            self.name
        ))
    }
}

/// The languages with their endings.
fn known() -> String {
    let shown = LANGUAGES.iter().map(|language| match language.endings {
        [] => language.name.to_owned(),
        endings => format!("{} ({})", language.name, endings.join(", ")),
    });
    shown.collect::<Vec<_>>().join(", ")
}

/// Advice about a model whose language is not clear.
fn advice(model: &str) -> String {
    let is_named = |entry: &Entry| entry.name == model;
    let mut languages = LANGUAGES.iter();
    match languages.find(|language| language.built_in.iter().any(is_named)) {
        Some(language) => format!("did you mean {}:{model}?", language.name),
        None => format!(
            "say it with --language, one of {}, or see 'sortie models'",
            known()
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sortie_property::INVARIANT;
    use std::collections::BTreeSet;

    fn open_example(
        language: &Language,
        settings: &Settings,
        wanted: &Wanted,
    ) -> Result<Opened, OpenError> {
        ModelText::new("example", language.name, language.example)?.open(settings, wanted)
    }

    #[test]
    fn names_endings_and_options_are_told_apart() {
        let mut seen = BTreeSet::new();
        for language in LANGUAGES {
            assert!(seen.insert(language.name), "{}", language.name);
            for ending in language.endings {
                assert!(ending.starts_with('.') && seen.insert(ending), "{ending}");
            }
            let ways = language.endings.len() + language.built_in.len();
            assert!(ways > 0, "{} cannot be named", language.name);
            for option in language.options {
                // The same option of several languages is one option on the command line.
                let (_, first) = super::option(option.spec.name);
                let first = first.expect("the option is in the table");
                assert_eq!(option.spec.kind, first.spec.kind);
                assert_eq!(option.spec.help, first.spec.help);
                assert_eq!(option.only_in_hunts, first.only_in_hunts);
            }
        }
    }

    #[test]
    fn every_example_opens_and_has_a_first_step() {
        for language in LANGUAGES {
            let opened = open_example(language, &Settings::default(), &Wanted::default());
            let opened = opened.unwrap_or_else(|error| panic!("{}: {error}", language.name));
            let (model, mut state) = (&opened.model, Vec::new());
            model.initial(&mut state).expect("a first state");
            let mut steps = sortie_model::Steps::new(model.width());
            model.expand(&state, &mut steps).expect("a first step");
            assert!(!steps.is_empty(), "{}", language.name);
            assert!(opened.warnings.is_empty(), "{:?}", opened.warnings);
        }
    }

    #[test]
    fn an_option_of_another_language_is_one_error_everywhere() {
        for language in LANGUAGES {
            let is_own = |name: &str| language.options.iter().any(|own| own.spec.name == name);
            let names = LANGUAGES.iter().flat_map(|other| other.options);
            let names = names.map(|other| other.spec.name);
            for foreign in names.filter(|name| !is_own(name)) {
                let mut settings = Settings::default();
                settings.set_option(foreign, "1");
                let opened = open_example(language, &settings, &Wanted::default());
                let error = opened.err().expect("another language has the option");
                assert!(matches!(error, OpenError::ForeignOption(_)), "{error}");
            }
        }
    }

    #[test]
    fn what_a_language_does_not_have_is_refused() {
        for language in LANGUAGES {
            let condition = Wanted::properties([INVARIANT.kind("no such")]);
            let error = open_example(language, &Settings::default(), &condition).err();
            let error = error.expect("the condition means nothing");
            let refused = matches!(error, OpenError::NoConditions(_));
            assert_eq!(refused, !language.conditions, "{error}");
            let mut constant = Settings::default();
            constant.set_constant("no_such", "1");
            let error = open_example(language, &constant, &Wanted::default()).err();
            let error = error.expect("there is no such constant");
            let refused = matches!(error, OpenError::NoConstants(_));
            assert_eq!(refused, !language.constants, "{error}");
        }
    }
}
