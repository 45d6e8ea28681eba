//! What the text of a model itself says should hold.

use super::Failure;
use super::source::{COLUMNS, read_text};
use clap::ArgMatches;
use sortie_formula::StatePredicate;
use sortie_property::Property;
use sortie_syntax::{Diagnostic, Source, did_you_mean};

/// What the names of such properties begin with.
pub const PREFIX: &str = "property ";

/// A formula that a model states.
#[derive(Clone, Debug)]
pub struct OwnFormula {
    /// Its name in the model.
    pub name: String,
    /// Whether it is about branching time; otherwise it is about paths.
    pub branching: bool,
    /// The formula; predicates in braces are in the model's own words.
    pub text: String,
    /// Whether it is about all paths, fair or not.
    pub everywhere: bool,
}

/// Properties that a model names.
pub trait OwnProperties: Send + Sync {
    /// What is looked for where the user does not say.
    fn wanted(&self) -> Vec<Box<dyn Property>>;

    /// The property with this name, as witness files carry it.
    fn by_name(&self, name: &str) -> Option<Box<dyn Property>>;

    /// The names of all that can be looked for by name.
    fn names(&self) -> Vec<String>;

    /// All that the model says should hold, as formulas, if it states them so.
    fn formulas(&self) -> Vec<OwnFormula> {
        Vec::new()
    }

    /// Only paths count on which each of these holds again and again.
    fn fairness(&self) -> Vec<(String, Box<dyn StatePredicate>)> {
        Vec::new()
    }

    /// Whether the initial state only stands for the choice among several first states.
    fn begins_by_choice(&self) -> bool {
        false
    }

    /// What can be seen in the text to be wrong without looking at any state.
    fn flaws(&self) -> Vec<Diagnostic> {
        Vec::new()
    }
}

/// The flaws of a model's text, each shown with its place.
pub fn shown_flaws(matches: &ArgMatches, own: &dyn OwnProperties) -> Result<Vec<String>, Failure> {
    let flaws = own.flaws();
    if flaws.is_empty() {
        return Ok(Vec::new());
    }
    let name = matches.get_one::<String>("model").expect("it is required");
    let text = read_text(name)?;
    let source = Source { name, text: &text };
    let shown = flaws.iter().map(|flaw| flaw.render(source, COLUMNS));
    Ok(shown.collect())
}

/// The properties with these names.
pub fn named(
    own: Option<&dyn OwnProperties>,
    names: &[String],
) -> Result<Vec<Box<dyn Property>>, Failure> {
    let property = |name: &String| {
        let found = own.and_then(|own| own.by_name(&format!("{PREFIX}{name}")));
        found.ok_or_else(|| unknown(own, name))
    };
    names.iter().map(property).collect()
}

/// There is no such property.
pub fn unknown(own: Option<&dyn OwnProperties>, name: &str) -> Failure {
    let known = own.map(|own| own.names()).unwrap_or_default();
    let formulas = own.map(|own| own.formulas()).unwrap_or_default();
    if formulas.iter().any(|formula| formula.name == name) {
        return Failure::input(format!(
            "property '{name}' is about paths: use sortie check --property '{name}', or hunt its formula with --strategy lurch --ltl"
        ));
    }
    let hint = match did_you_mean(name, known.iter().map(String::as_str)) {
        Some(hint) => format!("; {hint}"),
        None if known.is_empty() => "; it states none".to_owned(),
        None => format!("; it has {}", known.join(", ")),
    };
    Failure::input(format!("the model has no property '{name}'{hint}"))
}
