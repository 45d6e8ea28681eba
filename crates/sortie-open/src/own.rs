//! Properties that the text of a model itself states.

use crate::OpenError;
use sortie_property::{Condition, Property, PropertyKind};
use sortie_syntax::did_you_mean;

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

/// The properties that are looked for where the user names none.
#[derive(Default)]
pub struct Suggested {
    /// The properties.
    pub properties: Vec<Box<dyn Property>>,
    /// Properties that only other searches or commands look for, with what to type, as shown to users.
    pub passed_over: Vec<String>,
}

/// Properties that a model names.
pub trait OwnProperties: Send + Sync {
    /// Properties to look for where the user names none.
    fn wanted(&self) -> Suggested;

    /// The property of this kind, if the model states it.
    fn of_kind(&self, kind: &PropertyKind) -> Option<Box<dyn Property>>;

    /// The names of all that can be looked for by name.
    fn names(&self) -> Vec<String>;

    /// Everything that the model states, as formulas, if it states them so.
    fn formulas(&self) -> Vec<OwnFormula> {
        Vec::new()
    }

    /// The predicates each of which holds again and again on fair paths, with their texts.
    fn fairness(&self) -> Vec<(String, Box<dyn Condition>)> {
        Vec::new()
    }

    /// Whether the initial state only stands for the choice among several first states.
    fn begins_by_choice(&self) -> bool {
        false
    }

    /// Flaws of the text that are seen without looking at any state, as shown to users.
    fn flaws(&self) -> Vec<String> {
        Vec::new()
    }
}

/// The properties with these names.
pub fn named(
    own: Option<&dyn OwnProperties>,
    names: &[String],
) -> Result<Vec<Box<dyn Property>>, OpenError> {
    let property = |name: &String| {
        let found = own.and_then(|own| own.of_kind(&PropertyKind::Stated(name.clone())));
        found.ok_or_else(|| no_such_property(own, name))
    };
    names.iter().map(property).collect()
}

/// The error that the model has no property with a name, with what it has.
pub fn no_such_property(own: Option<&dyn OwnProperties>, name: &str) -> OpenError {
    let known = own.map(|own| own.names()).unwrap_or_default();
    let formulas = own.map(|own| own.formulas()).unwrap_or_default();
    OpenError::NoSuchProperty(if formulas.iter().any(|formula| formula.name == name) {
        format!(
            "property '{name}' is about paths: use sortie check --property '{name}', or hunt its formula with --strategy lurch --ltl"
        )
    } else {
        let hint = match did_you_mean(name, known.iter().map(String::as_str)) {
            Some(hint) => format!("; {hint}"),
            None if known.is_empty() => "; it states none".to_owned(),
            None => format!("; it has {}", known.join(", ")),
        };
        format!("the model has no property '{name}'{hint}")
    })
}
