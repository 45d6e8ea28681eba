//! From what the user typed to a model: one line per language.

use super::Failure;
use clap::ArgMatches;
use sortie_gallery::GALLERY;
use sortie_lts::Lts;
use sortie_model::{Model, Source};
use sortie_report::table::Table;
use std::io::Read;

/// Messages about models are no wider.
const COLUMNS: usize = 100;

/// Makes a model of a text and the settings given for it.
type Reader = fn(Source<'_>, &[String]) -> Result<Box<dyn Model>, Failure>;

/// A language that models can be written in.
struct Language {
    name: &'static str,
    ending: &'static str,
    read: Reader,
}

static LANGUAGES: &[Language] = &[
    Language {
        name: "mcrl2",
        ending: ".mcrl2",
        read: read_mcrl2,
    },
    Language {
        name: "aut",
        ending: ".aut",
        read: read_aut,
    },
];

/// The model on the command line, with its settings.
pub struct Opened {
    /// The model.
    pub model: Box<dyn Model>,
    /// What was set in it, as `name=value`.
    pub settings: Vec<String>,
}

/// Opens the model that the command line names. Settings on the command line override `defaults`.
pub fn open(matches: &ArgMatches, defaults: &[String]) -> Result<Opened, Failure> {
    let name = matches
        .get_one::<String>("model")
        .expect("the model is required");
    let mut settings: Vec<String> = matches
        .get_many::<String>("set")
        .into_iter()
        .flatten()
        .cloned()
        .collect();
    for default in defaults {
        let key = |setting: &str| setting.split('=').next().map(str::to_string);
        if !settings.iter().any(|given| key(given) == key(default)) {
            settings.push(default.clone());
        }
    }
    settings.sort();
    let language = matches.get_one::<String>("language").map(String::as_str);
    let model = open_named(name, language, &settings)?;
    Ok(Opened { model, settings })
}

/// Opens a model by name: a file, `-`, or `gallery:NAME`.
pub fn open_named(
    name: &str,
    language: Option<&str>,
    settings: &[String],
) -> Result<Box<dyn Model>, Failure> {
    if let Some(entry) = name.strip_prefix("gallery:") {
        let values = settings
            .iter()
            .map(|setting| numeric(setting))
            .collect::<Result<Vec<_>, _>>()?;
        return sortie_gallery::build(entry, &values).map_err(Failure::input);
    }
    let language = find_language(name, language)?;
    let bytes = read_bytes(name)?;
    let text = match std::str::from_utf8(&bytes) {
        Ok(text) => text,
        Err(error) => {
            let line = bytes[..error.valid_up_to()]
                .iter()
                .filter(|&&b| b == b'\n')
                .count()
                + 1;
            return Err(Failure::input(format!(
                "{name}:{line}: this is not text: byte {} is not UTF-8; is it the right file?",
                error.valid_up_to()
            )));
        }
    };
    (language.read)(
        Source {
            name: short_name(name),
            text,
        },
        settings,
    )
}

fn find_language(name: &str, given: Option<&str>) -> Result<&'static Language, Failure> {
    let known = || {
        LANGUAGES
            .iter()
            .map(|l| format!("{} ({})", l.name, l.ending))
            .collect::<Vec<_>>()
            .join(", ")
    };
    if let Some(given) = given {
        let found = LANGUAGES.iter().find(|language| language.name == given);
        return found.ok_or_else(|| {
            Failure::input(format!(
                "there is no language '{given}'; known are {}",
                known()
            ))
        });
    }
    if name.ends_with(".lps") {
        return Err(Failure::input(format!(
            "{name} is a linear process, which only mCRL2 reads; give the .mcrl2 file"
        )));
    }
    LANGUAGES
        .iter()
        .find(|language| name.ends_with(language.ending))
        .ok_or_else(|| {
            let hint = if GALLERY.iter().any(|entry| entry.name == name) {
                format!("; did you mean gallery:{name}?")
            } else {
                format!(
                    "; say it with --language, one of {}, or see 'sortie models'",
                    known()
                )
            };
            Failure::input(format!("the language of '{name}' is not clear{hint}"))
        })
}

fn read_bytes(name: &str) -> Result<Vec<u8>, Failure> {
    let read = if name == "-" {
        let mut bytes = Vec::new();
        std::io::stdin()
            .lock()
            .read_to_end(&mut bytes)
            .map(|_| bytes)
    } else {
        std::fs::read(name)
    };
    read.map_err(|error| Failure::input(format!("{name} cannot be read: {error}")))
}

/// A text that the command line names: a file, or `-`.
pub fn read_text(name: &str) -> Result<String, Failure> {
    String::from_utf8(read_bytes(name)?).map_err(|_| Failure::input(format!("{name} is not text")))
}

/// The file's own name: a witness does not depend on where the file lies.
fn short_name(name: &str) -> &str {
    std::path::Path::new(name)
        .file_name()
        .and_then(|n| n.to_str())
        .unwrap_or(name)
}

fn numeric(setting: &str) -> Result<(String, u64), Failure> {
    let wrong = || {
        Failure::input(format!(
            "--set {setting} cannot be read; write --set NAME=NUMBER"
        ))
    };
    let (name, value) = setting.split_once('=').ok_or_else(wrong)?;
    Ok((
        name.trim().into(),
        value.trim().parse().map_err(|_| wrong())?,
    ))
}

fn read_mcrl2(source: Source<'_>, settings: &[String]) -> Result<Box<dyn Model>, Failure> {
    let split = |setting: &String| {
        let (name, value) = setting.split_once('=').ok_or_else(|| {
            Failure::input(format!(
                "--set {setting} cannot be read; write --set NAME=VALUE"
            ))
        })?;
        Ok((name.trim().to_string(), value.trim().to_string()))
    };
    let settings = settings
        .iter()
        .map(split)
        .collect::<Result<Vec<_>, Failure>>()?;
    match sortie_mcrl2::open(source.name, source.text, &settings) {
        Ok(model) => Ok(Box::new(model)),
        Err(diagnostics) => {
            let shown = diagnostics
                .iter()
                .map(|diagnostic| diagnostic.render(source, COLUMNS));
            Err(Failure::input(shown.collect::<Vec<_>>().join("\n")))
        }
    }
}

fn read_aut(source: Source<'_>, settings: &[String]) -> Result<Box<dyn Model>, Failure> {
    if let Some(setting) = settings.first() {
        return Err(Failure::input(format!(
            "an .aut file has no constants; leave out --set {setting}"
        )));
    }
    match Lts::parse(source) {
        Ok(lts) => Ok(Box::new(lts)),
        Err(diagnostic) => Err(Failure::input(diagnostic.render(source, COLUMNS))),
    }
}

/// The models that come with sortie.
pub fn gallery_table() -> String {
    let mut table = Table::new(["model", "parameters", "what it is"]);
    for entry in GALLERY {
        let parameters: Vec<String> = entry
            .parameters
            .iter()
            .map(|p| format!("{}={}", p.name, p.default))
            .collect();
        table.row([
            format!("gallery:{}", entry.name),
            parameters.join(" "),
            entry.help.to_string(),
        ]);
    }
    table.text()
}
