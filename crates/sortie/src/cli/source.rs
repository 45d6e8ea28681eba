//! From what the user typed to a model: one line per language.

use super::Failure;
use super::state_invariant::StateInvariant;
use clap::ArgMatches;
use sortie_gallery::GALLERY;
use sortie_lts::Lts;
use sortie_mcrl2::{Keep, Mcrl2Model, StateExpression};
use sortie_model::{Diagnostic, Model, Source};
use sortie_property::Property;
use sortie_report::table::Table;
use std::io::Read;
use std::sync::Arc;

/// Messages about models are no wider.
const COLUMNS: usize = 100;

/// Makes a model of a text, the settings given for it and the invariants to be checked on it.
type Reader = fn(Source<'_>, &[String], &[String]) -> Result<Opened, Failure>;

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

/// The setting that says which parameters of a specification are kept; no constant can be called so.
const KEEP: &str = "keep-data";

/// A model with what goes with it.
pub struct Opened {
    /// The model.
    pub model: Arc<dyn Model>,
    /// The invariants asked for.
    pub invariants: Vec<Box<dyn Property>>,
    /// The specification behind the model.
    pub specification: Option<Arc<Mcrl2Model>>,
    /// What was set in it, as `name=value`, and what the invariants need.
    pub settings: Vec<String>,
}

/// Opens the model that the command line names. Settings on the command line override `defaults`; `invariants` are expressions over its states.
pub fn open(
    matches: &ArgMatches,
    defaults: &[String],
    invariants: &[String],
) -> Result<Opened, Failure> {
    let name = matches
        .get_one::<String>("model")
        .expect("the model is required");
    let mut settings: Vec<String> = matches
        .get_many::<String>("set")
        .into_iter()
        .flatten()
        .cloned()
        .collect();
    if let Ok(Some(true)) = matches.try_get_one::<bool>(KEEP) {
        settings.push(format!("{KEEP}=all"));
    }
    for default in defaults {
        let key = |setting: &str| setting.split('=').next().map(str::to_string);
        if !settings.iter().any(|given| key(given) == key(default)) {
            settings.push(default.clone());
        }
    }
    settings.sort();
    let language = matches.get_one::<String>("language").map(String::as_str);
    open_named(name, language, &settings, invariants)
}

/// Opens a model by name: a file, `-`, or `gallery:NAME`.
pub fn open_named(
    name: &str,
    language: Option<&str>,
    settings: &[String],
    invariants: &[String],
) -> Result<Opened, Failure> {
    if let Some(entry) = name.strip_prefix("gallery:") {
        only_mcrl2(name, settings, invariants)?;
        let values = settings
            .iter()
            .map(|setting| numeric(setting))
            .collect::<Result<Vec<_>, _>>()?;
        let model = sortie_gallery::build(entry, &values).map_err(Failure::input)?;
        return Ok(Opened {
            model: model.into(),
            invariants: Vec::new(),
            specification: None,
            settings: settings.to_vec(),
        });
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
        invariants,
    )
}

/// Refuses what only a specification has.
fn only_mcrl2(name: &str, settings: &[String], invariants: &[String]) -> Result<(), Failure> {
    if let Some(invariant) = invariants.first() {
        return Err(Failure::input(format!(
            "the invariant '{invariant}' cannot be checked on {name}: an expression over parameters of components needs an mCRL2 specification"
        )));
    }
    if settings.iter().any(|setting| keep_of(setting).is_some()) {
        return Err(Failure::input(format!(
            "--keep-data is about parameters of an mCRL2 specification; {name} has none"
        )));
    }
    Ok(())
}

/// The value of the setting that is no constant.
fn keep_of(setting: &str) -> Option<&str> {
    let (name, value) = setting.split_once('=')?;
    (name.trim() == KEEP).then_some(value)
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

fn read_mcrl2(
    source: Source<'_>,
    settings: &[String],
    invariants: &[String],
) -> Result<Opened, Failure> {
    let split = |setting: &String| {
        let (name, value) = setting.split_once('=').ok_or_else(|| {
            Failure::input(format!(
                "--set {setting} cannot be read; write --set NAME=VALUE"
            ))
        })?;
        Ok((name.trim().to_string(), value.trim().to_string()))
    };
    let constants = settings
        .iter()
        .filter(|setting| keep_of(setting).is_none())
        .map(split)
        .collect::<Result<Vec<_>, Failure>>()?;
    let given = settings.iter().find_map(|setting| keep_of(setting));
    let mut keep: Keep = given
        .map_or(Ok(Keep::default()), str::parse)
        .map_err(Failure::input)?;
    let open = |keep: &Keep| {
        let model = sortie_mcrl2::open_keeping(source.name, source.text, &constants, keep);
        model.map_err(|errors| rendered(source, &errors))
    };
    let parse = |model: &Mcrl2Model, text: &String| {
        let typed = Source {
            name: "--invariant",
            text,
        };
        StateExpression::parse(model, text).map_err(|errors| rendered(typed, &errors))
    };
    let mut model = open(&keep)?;
    if !invariants.is_empty() {
        let kept = keep.clone();
        for text in invariants {
            keep.extend(parse(&model, text)?.keep());
        }
        if keep != kept {
            model = open(&keep)?;
        }
    }
    let mut settings = settings.to_vec();
    settings.retain(|setting| keep_of(setting).is_none());
    if !keep.is_empty() {
        settings.push(format!("{KEEP}={keep}"));
        settings.sort();
    }
    let model = Arc::new(model);
    let invariant = |text: &String| -> Result<Box<dyn Property>, Failure> {
        let expression = parse(&model, text)?;
        Ok(Box::new(StateInvariant::new(
            model.clone(),
            text,
            expression,
        )))
    };
    Ok(Opened {
        invariants: invariants.iter().map(invariant).collect::<Result<_, _>>()?,
        specification: Some(model.clone()),
        settings,
        model,
    })
}

fn rendered(source: Source<'_>, errors: &[Diagnostic]) -> Failure {
    let shown = errors.iter().map(|error| error.render(source, COLUMNS));
    Failure::input(shown.collect::<Vec<_>>().join("\n"))
}

fn read_aut(
    source: Source<'_>,
    settings: &[String],
    invariants: &[String],
) -> Result<Opened, Failure> {
    only_mcrl2(source.name, settings, invariants)?;
    if let Some(setting) = settings.first() {
        return Err(Failure::input(format!(
            "an .aut file has no constants; leave out --set {setting}"
        )));
    }
    match Lts::parse(source) {
        Ok(lts) => Ok(Opened {
            model: Arc::new(lts),
            invariants: Vec::new(),
            specification: None,
            settings: Vec::new(),
        }),
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
