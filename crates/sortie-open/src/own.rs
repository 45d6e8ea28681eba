//! Properties that the text of a model itself states.

use crate::OpenError;
use sortie_property::{Condition, Deadlock, FAULT, Invariant, Property, PropertyKind, STATED};
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

/// What a model itself states.
#[derive(Default)]
pub struct OwnProperties {
    /// What can be looked for.
    pub(crate) properties: Vec<OwnProperty>,
    /// Whether deadlocks are looked for where the user names nothing; they are anyway where there is nothing else.
    pub(crate) deadlocks: bool,
    /// Properties that only other searches or commands look for, with what to type, as shown to users.
    pub(crate) passed_over: Vec<String>,
    /// Everything that the model states, as formulas, if it states them so.
    pub formulas: Vec<OwnFormula>,
    /// The predicates each of which holds again and again on fair paths, with their texts.
    pub(crate) fairness: Vec<(String, Box<dyn Condition>)>,
    /// Whether the initial state only stands for the choice among several first states.
    pub(crate) begins_by_choice: bool,
    /// Looks for flaws of the text.
    pub(crate) look_for_flaws: Option<Box<dyn Fn() -> Vec<String> + Send + Sync>>,
}

/// A property of states that a model states.
pub(crate) struct OwnProperty {
    kind: PropertyKind,
    /// Whether it is looked for where the user names nothing.
    is_suggested: bool,
    /// Makes the property. It counts states that it cannot judge, so each hunt has its own.
    make: Box<dyn Fn() -> Box<dyn Property> + Send + Sync>,
}

impl OwnProperty {
    /// The property that a condition holds in every state.
    pub fn new<C: Condition + 'static>(
        kind: PropertyKind,
        is_suggested: bool,
        condition: impl Fn() -> C + Send + Sync + 'static,
    ) -> Self {
        let own = kind.clone();
        OwnProperty {
            kind,
            is_suggested,
            make: Box::new(move || Box::new(Invariant::of_kind(own.clone(), condition()))),
        }
    }
}

impl OwnProperties {
    /// Properties to look for where the user names none.
    pub fn wanted(&self) -> Suggested {
        let mut properties = self.those(|property| property.is_suggested);
        if self.deadlocks || properties.is_empty() {
            properties.push(Box::new(Deadlock));
        }
        Suggested {
            properties,
            passed_over: self.passed_over.clone(),
        }
    }

    /// One property for each fault state.
    pub fn faults(&self) -> Vec<Box<dyn Property>> {
        self.those(|property| property.kind.row == FAULT)
    }

    /// The property of this kind, if the model states it.
    pub fn of_kind(&self, kind: &PropertyKind) -> Option<Box<dyn Property>> {
        let mut found = self.those(|property| property.kind == *kind).into_iter();
        found.next()
    }

    fn those(&self, which: impl Fn(&&OwnProperty) -> bool) -> Vec<Box<dyn Property>> {
        let properties = self.properties.iter().filter(which);
        properties.map(|property| (property.make)()).collect()
    }

    /// Flaws of the text that are seen without looking at any state, as shown to users.
    pub fn flaws(&self) -> Vec<String> {
        let look = self.look_for_flaws.as_ref();
        look.map_or(Vec::new(), |look| look())
    }
}

/// The properties with these names.
pub fn named(
    own: Option<&OwnProperties>,
    names: &[String],
) -> Result<Vec<Box<dyn Property>>, OpenError> {
    let property = |name: &String| {
        let found = own.and_then(|own| own.of_kind(&STATED.kind(name)));
        found.ok_or_else(|| no_such_property(own, name))
    };
    names.iter().map(property).collect()
}

/// The error that the model has no property with a name, with what it has.
pub fn no_such_property(own: Option<&OwnProperties>, name: &str) -> OpenError {
    let properties = own.iter().flat_map(|own| &own.properties);
    let known: Vec<&str> = properties.filter_map(|p| p.kind.data_of(STATED)).collect();
    let mut formulas = own.iter().flat_map(|own| &own.formulas);
    OpenError::Unfit(if formulas.any(|formula| formula.name == name) {
        format!(
            "property '{name}' is about paths: use sortie check --property '{name}', or hunt its formula with --strategy lurch --ltl"
        )
    } else {
        let hint = match did_you_mean(name, known.iter().copied()) {
            Some(hint) => format!("; {hint}"),
            None if known.is_empty() => "; it states none".to_owned(),
            None => format!("; it has {}", known.join(", ")),
        };
        format!("the model has no property '{name}'{hint}")
    })
}
