//! From what the user typed to a model: one line per language.

use super::output::complain;
use super::own::OwnProperties;
use super::state_invariant::{StateFact, StateInvariant};
use super::{Failure, machines, synchronous};
use clap::ArgMatches;
use serde::{Deserialize, Serialize};
use sortie_formula::temporal::Ltl;
use sortie_formula::{Context, Equations, StatePredicate};
use sortie_gallery::GALLERY;
use sortie_lts::Lts;
use sortie_mcrl2::{FormulaFailure, Keep, Mcrl2Model, StateExpression, TypedLabels};
use sortie_model::Model;
use sortie_property::Property;
use sortie_report::table::Table;
use sortie_syntax::{Diagnostic, Source};
use std::collections::BTreeMap;
use std::io::Read;
use std::sync::Arc;

/// Messages about models are no wider.
pub const COLUMNS: usize = 100;

/// Makes a model of a text, the settings given for it and what is wanted of it.
type Reader = fn(Source<'_>, &[String], &Wanted) -> Result<Opened, Failure>;

/// What a model is opened for.
#[derive(Default)]
pub struct Wanted {
    /// Expressions that are to hold in every state.
    pub invariants: Vec<String>,
    /// Expressions whose truth in a state is asked for.
    pub predicates: Vec<String>,
    /// A formula over its data: the name of its file, and its text.
    pub formula: Option<(String, String)>,
}

impl Wanted {
    /// Only invariants.
    pub fn invariants(invariants: Vec<String>) -> Wanted {
        Wanted {
            invariants,
            ..Wanted::default()
        }
    }
}

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
        name: "machines",
        ending: ".machines",
        read: machines::read_machines,
    },
    Language {
        name: "lurch",
        ending: ".lurch",
        read: machines::read_lurch,
    },
    Language {
        name: "smv",
        ending: ".smv",
        read: synchronous::read_smv,
    },
    Language {
        name: "rsml",
        ending: ".rsml",
        read: synchronous::read_rsml,
    },
    Language {
        name: "aut",
        ending: ".aut",
        read: read_aut,
    },
];

/// The setting that says which parameters of a specification are kept; no constant can be called so.
const KEEP: &str = "keep-data";

/// That setting, if all are kept.
pub const KEEP_ALL: &str = "keep-data=all";

/// A model with what goes with it.
pub struct Opened {
    /// The model.
    pub model: Arc<dyn Model>,
    /// The invariants asked for.
    pub invariants: Vec<Box<dyn Property>>,
    /// The predicates asked for.
    pub predicates: Vec<Box<dyn StatePredicate>>,
    /// The formula asked for, ready to be judged.
    pub formula: Option<Equations>,
    /// What labels mean to a formula, for models that do not say.
    pub labels: Option<TypedLabels>,
    /// The specification behind the model.
    pub specification: Option<Arc<Mcrl2Model>>,
    /// The machines behind the model.
    pub machines: Option<Arc<machines::Named>>,
    /// The synchronous system behind the model.
    pub synchronous: Option<Arc<synchronous::Stated>>,
    /// What the model itself says should hold.
    pub own: Option<Arc<dyn OwnProperties>>,
    /// What was set in it, as `name=value`, and what the invariants need.
    pub settings: Vec<String>,
}

impl Opened {
    /// A model of which nothing more is known.
    pub fn plain(model: Arc<dyn Model>, settings: &[String]) -> Opened {
        Opened {
            model,
            invariants: Vec::new(),
            predicates: Vec::new(),
            formula: None,
            labels: None,
            specification: None,
            machines: None,
            synchronous: None,
            own: None,
            settings: settings.to_vec(),
        }
    }

    /// Whether formulas are about where the first step leads, and the predicates that hold again and again on paths that count. These become the last
    /// of the model's predicates.
    pub fn paths_that_count(&mut self) -> (bool, Vec<String>) {
        let Some(own) = &self.own else {
            return (false, Vec::new());
        };
        let (texts, predicates): (Vec<String>, Vec<_>) = own.fairness().into_iter().unzip();
        self.predicates.extend(predicates);
        (own.begins_by_choice(), texts)
    }

    /// A formula about the first states of the model and about its fair paths.
    pub fn about_its_beginning(&mut self, formula: Ltl) -> Ltl {
        let (begins_by_choice, fair) = self.paths_that_count();
        let formula = formula.on_fair_paths(&fair);
        match begins_by_choice {
            true => formula.after_a_step(),
            false => formula,
        }
    }

    /// Calls `judge` with what judging formulas of this model needs.
    pub fn in_context<T>(&self, judge: impl FnOnce(Context<'_>) -> T) -> T {
        match (&self.specification, &self.labels) {
            (Some(specification), _) => judge(specification.context(&self.predicates)),
            (None, types) => {
                let types = types.as_ref().expect("other models have typed labels");
                judge(types.context(&types.of(&*self.model), &self.predicates))
            }
        }
    }

    /// With a formula that says itself what labels mean.
    pub fn with_own_types(mut self, wanted: &Wanted) -> Result<Opened, Failure> {
        let nothing = ("formula".to_owned(), "true".to_owned());
        let (name, text) = wanted.formula.as_ref().unwrap_or(&nothing);
        let judged = sortie_mcrl2::type_labels(text).map_err(|failure| {
            refused(
                Source { name: "", text: "" },
                Source { name, text },
                failure,
            )
        })?;
        self.formula = wanted.formula.as_ref().map(|_| judged.equations);
        self.labels = Some(judged.subject);
        Ok(self)
    }
}

/// Says what is wrong with a specification or a formula over it.
fn refused(specification: Source<'_>, formula: Source<'_>, failure: FormulaFailure) -> Failure {
    match failure {
        FormulaFailure::Specification(errors) => rendered(specification, &errors),
        FormulaFailure::Formula(errors) => rendered(formula, &errors),
    }
}

/// Opens the model that the command line names. Settings on the command line override `defaults`.
pub fn open(matches: &ArgMatches, defaults: &[String], wanted: &Wanted) -> Result<Opened, Failure> {
    let name = matches
        .get_one::<String>("model")
        .expect("the model is required");
    let language = matches.get_one::<String>("language").map(String::as_str);
    open_named(name, language, &settings(matches, defaults), wanted)
}

/// What the command line sets in the model, and `defaults` that it does not override.
pub fn settings(matches: &ArgMatches, defaults: &[String]) -> Vec<String> {
    let mut settings: Vec<String> = matches
        .get_many::<String>("set")
        .into_iter()
        .flatten()
        .cloned()
        .collect();
    if let Ok(Some(true)) = matches.try_get_one::<bool>(KEEP) {
        settings.push(KEEP_ALL.to_string());
    }
    settings.extend(machines::given(matches));
    for default in defaults {
        let key = |setting: &str| setting.split('=').next().map(str::to_string);
        if !settings.iter().any(|given| key(given) == key(default)) {
            settings.push(default.clone());
        }
    }
    settings.sort();
    settings
}

/// Opens a model by name: a file, `-`, or `gallery:NAME`.
pub fn open_named(
    name: &str,
    language: Option<&str>,
    settings: &[String],
    wanted: &Wanted,
) -> Result<Opened, Failure> {
    Written::read(name, language)?.open(settings, wanted)
}

/// A model as it is written, wherever it came from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Written {
    /// The file's own name, or `gallery:NAME`.
    pub name: String,
    /// None for models of the gallery.
    text: Option<(String, String)>,
}

impl Written {
    /// Reads a model by name: a file, `-`, or `gallery:NAME`.
    pub fn read(name: &str, language: Option<&str>) -> Result<Written, Failure> {
        if name.starts_with("gallery:") {
            return Ok(Written {
                name: name.into(),
                text: None,
            });
        }
        let language = find_language(name, language)?.name.to_owned();
        Ok(Written {
            text: Some((language, model_text(name)?)),
            name: short_name(name).into(),
        })
    }

    /// The same with other pieces of text, each of which must be there.
    pub fn replaced(mut self, pieces: &BTreeMap<String, String>) -> Result<Written, Failure> {
        for (from, to) in pieces {
            let text = self.text.as_mut().map(|(_, text)| text);
            let Some(text) = text.filter(|text| text.contains(from)) else {
                return Err(Failure::input(format!(
                    "{}: there is no '{from}' to be replaced",
                    self.name
                )));
            };
            *text = text.replace(from, to);
        }
        Ok(self)
    }

    /// Its language and its text, unless it comes from the gallery.
    pub fn text(&self) -> Option<(&str, &str)> {
        let (language, text) = self.text.as_ref()?;
        Some((language, text))
    }

    /// Makes a model of it.
    pub fn open(&self, settings: &[String], wanted: &Wanted) -> Result<Opened, Failure> {
        match &self.text {
            None => open_entry(&self.name, settings, wanted),
            Some((language, text)) => {
                let source = Source {
                    name: &self.name,
                    text,
                };
                (find_language(&self.name, Some(language))?.read)(source, settings, wanted)
            }
        }
    }
}

/// Opens a model of the gallery.
fn open_entry(name: &str, settings: &[String], wanted: &Wanted) -> Result<Opened, Failure> {
    only_mcrl2(name, settings, wanted)?;
    let entry = name.strip_prefix("gallery:").unwrap_or(name);
    let values = settings
        .iter()
        .map(|setting| numeric(setting))
        .collect::<Result<Vec<_>, _>>()?;
    let model = sortie_gallery::build(entry, &values).map_err(Failure::input)?;
    Opened::plain(model.into(), settings).with_own_types(wanted)
}

/// The text of a model's file.
fn model_text(name: &str) -> Result<String, Failure> {
    String::from_utf8(read_bytes(name)?).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let before = &error.as_bytes()[..valid];
        let line = before.iter().filter(|&&b| b == b'\n').count() + 1;
        Failure::input(format!(
            "{name}:{line}: this is not text: byte {valid} is not UTF-8; is it the right file?"
        ))
    })
}

/// Refuses what only a specification has.
fn only_mcrl2(name: &str, settings: &[String], wanted: &Wanted) -> Result<(), Failure> {
    let expressions = wanted.invariants.iter().chain(&wanted.predicates);
    if let Some(expression) = expressions.into_iter().next() {
        return Err(Failure::input(format!(
            "the condition '{expression}' cannot be checked on {name}: an expression over parameters of components needs an mCRL2 specification"
        )));
    }
    if settings.iter().any(|setting| machines::is_setting(setting)) {
        return Err(not_machines(name));
    }
    if settings.iter().any(|setting| keep_of(setting).is_some()) {
        return Err(Failure::input(format!(
            "--keep-data is about parameters of an mCRL2 specification; {name} has none"
        )));
    }
    Ok(())
}

fn not_machines(name: &str) -> Failure {
    Failure::input(format!(
        "{name} has no machines; leave out --sync, --async, --max-fanout, --no-progress and --acceptance"
    ))
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

fn read_mcrl2(source: Source<'_>, settings: &[String], wanted: &Wanted) -> Result<Opened, Failure> {
    if settings.iter().any(|setting| machines::is_setting(setting)) {
        return Err(not_machines(source.name));
    }
    let data = settings.iter().filter(|setting| keep_of(setting).is_none());
    let constants = parameters(&data.cloned().collect::<Vec<_>>())?;
    let given = settings.iter().find_map(|setting| keep_of(setting));
    let mut keep: Keep = given
        .map_or(Ok(Keep::default()), str::parse)
        .map_err(Failure::input)?;
    let open = |keep: &Keep| {
        let Source { name, text } = source;
        let Some((formula_name, formula)) = &wanted.formula else {
            let model = sortie_mcrl2::open_keeping(name, text, &constants, keep);
            return model
                .map(|model| (model, None))
                .map_err(|errors| rendered(source, &errors));
        };
        let written = Source {
            name: formula_name,
            text: formula,
        };
        let judged = sortie_mcrl2::open_with_formula(name, text, &constants, keep, formula)
            .map_err(|failure| refused(source, written, failure))?;
        for warning in &judged.warnings {
            complain(format_args!(
                "{}",
                warning.render(written, COLUMNS).trim_end()
            ));
        }
        Ok((judged.subject, Some(judged.equations)))
    };
    let parse = |model: &Mcrl2Model, name: &str, text: &String| {
        let typed = Source { name, text };
        StateExpression::parse(model, text).map_err(|errors| rendered(typed, &errors))
    };
    let (mut model, mut formula) = open(&keep)?;
    let kept = keep.clone();
    for text in &wanted.invariants {
        keep.extend(parse(&model, INVARIANT, text)?.keep());
    }
    for text in &wanted.predicates {
        keep.extend(parse(&model, PREDICATE, text)?.keep());
    }
    if keep != kept {
        (model, formula) = open(&keep)?;
    }
    let mut settings = settings.to_vec();
    settings.retain(|setting| keep_of(setting).is_none());
    if !keep.is_empty() {
        settings.push(format!("{KEEP}={keep}"));
        settings.sort();
    }
    let model = Arc::new(model);
    let invariant = |text: &String| -> Result<Box<dyn Property>, Failure> {
        let expression = parse(&model, INVARIANT, text)?;
        Ok(Box::new(StateInvariant::new(
            model.clone(),
            text,
            expression,
        )))
    };
    let predicate = |text: &String| -> Result<Box<dyn StatePredicate>, Failure> {
        let expression = parse(&model, PREDICATE, text)?;
        Ok(Box::new(StateFact::new(model.clone(), expression)))
    };
    let invariants = wanted.invariants.iter().map(invariant);
    let predicates = wanted.predicates.iter().map(predicate);
    Ok(Opened {
        invariants: invariants.collect::<Result<_, _>>()?,
        predicates: predicates.collect::<Result<_, _>>()?,
        formula,
        labels: None,
        specification: Some(model.clone()),
        machines: None,
        synchronous: None,
        own: None,
        settings,
        model,
    })
}

/// Settings as names and values.
pub fn parameters(settings: &[String]) -> Result<Vec<(String, String)>, Failure> {
    let split = |setting: &String| {
        let (name, value) = setting.split_once('=').ok_or_else(|| {
            Failure::input(format!(
                "--set {setting} cannot be read; write --set NAME=VALUE"
            ))
        })?;
        Ok((name.trim().to_owned(), value.trim().to_owned()))
    };
    settings.iter().map(split).collect()
}

/// Tells what is odd about a text.
pub fn warn(source: Source<'_>, warnings: &[Diagnostic]) {
    for warning in warnings {
        complain(format_args!(
            "{}",
            warning.render(source, COLUMNS).trim_end()
        ));
    }
}

/// What messages about expressions call their source.
const INVARIANT: &str = "--invariant";
const PREDICATE: &str = "{}";

/// Says what is wrong with a text.
pub fn rendered(source: Source<'_>, errors: &[Diagnostic]) -> Failure {
    let shown = errors.iter().map(|error| error.render(source, COLUMNS));
    Failure::input(shown.collect::<Vec<_>>().join("\n"))
}

fn read_aut(source: Source<'_>, settings: &[String], wanted: &Wanted) -> Result<Opened, Failure> {
    only_mcrl2(source.name, settings, wanted)?;
    if let Some(setting) = settings.first() {
        return Err(Failure::input(format!(
            "an .aut file has no constants; leave out --set {setting}"
        )));
    }
    match Lts::parse(source) {
        Ok(lts) => Opened::plain(Arc::new(lts), &[]).with_own_types(wanted),
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
