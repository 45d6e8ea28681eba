//! Models that are open, and what they are opened for.

use crate::own::Suggested;
use crate::{ModelText, OpenError, OwnProperties, Settings, machines, synchronous};
use sortie_formula::temporal::Ltl;
use sortie_formula::{Context, Equations};
use sortie_mcrl2::{FormulaFailure, Mcrl2Model, TypedLabels};
use sortie_model::Model;
use sortie_property::{Condition, Pattern, Property, PropertyKind};
use sortie_syntax::Source;
use std::sync::Arc;

/// The conditions and formulas that are compiled with a model when it is opened.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// Expressions that are to hold in every state.
    pub invariants: Vec<String>,
    /// Expressions whose truth in a state is asked for.
    pub predicates: Vec<String>,
    /// A formula over the data of the model: the name of its file, and its text.
    pub formula: Option<(String, String)>,
}

impl Wanted {
    /// Invariants alone.
    pub fn invariants(invariants: Vec<String>) -> Wanted {
        Wanted {
            invariants,
            ..Wanted::default()
        }
    }

    /// Everything that a property of this kind needs.
    pub fn property(kind: &PropertyKind) -> Wanted {
        match kind {
            PropertyKind::Invariant(expression) => Wanted::invariants(vec![expression.clone()]),
            _ => Wanted::default(),
        }
    }

    /// Predicates alone.
    pub fn predicates(predicates: Vec<String>) -> Wanted {
        Wanted {
            predicates,
            ..Wanted::default()
        }
    }
}

/// A model with what belongs to it.
pub struct Opened {
    /// The model.
    pub model: Arc<dyn Model>,
    /// The properties asked for: invariants first, then those that options of the language ask for.
    pub asked: Vec<Box<dyn Property>>,
    /// The predicates asked for.
    pub predicates: Vec<Box<dyn Condition>>,
    /// The formula asked for, ready to be judged.
    pub formula: Option<Equations>,
    /// The types of labels, for models that do not have any themselves.
    pub labels: Option<TypedLabels>,
    /// The specification behind the model.
    pub specification: Option<Arc<Mcrl2Model>>,
    /// The machines behind the model.
    pub machines: Option<Arc<machines::Named>>,
    /// The synchronous system behind the model.
    pub synchronous: Option<Arc<synchronous::Stated>>,
    /// The properties that the model itself states.
    pub own: Option<Arc<dyn OwnProperties>>,
    /// The settings, with those that the invariants and predicates need.
    pub settings: Settings,
    /// Warnings about the model or the formula, as shown to users.
    pub warnings: Vec<String>,
    /// The text that was read.
    pub text: ModelText,
}

impl Opened {
    /// A model of which nothing more is known.
    pub fn plain(model: Arc<dyn Model>, settings: &Settings) -> Opened {
        Opened {
            model,
            asked: Vec::new(),
            predicates: Vec::new(),
            formula: None,
            labels: None,
            specification: None,
            machines: None,
            synchronous: None,
            own: None,
            settings: settings.clone(),
            warnings: Vec::new(),
            text: ModelText::default(),
        }
    }

    /// The model with a formula that declares itself which data labels carry.
    pub fn with_own_types(mut self, wanted: &Wanted) -> Result<Opened, OpenError> {
        let nothing = ("formula".to_owned(), "true".to_owned());
        let (name, text) = wanted.formula.as_ref().unwrap_or(&nothing);
        let nowhere = Source { name: "", text: "" };
        let judged = sortie_mcrl2::type_labels(text)
            .map_err(|failure| refused(nowhere, Source { name, text }, failure))?;
        self.formula = wanted.formula.as_ref().map(|_| judged.equations);
        self.labels = Some(judged.subject);
        Ok(self)
    }

    /// Properties to look for where the user names none: those that the model states, or else those that its text suggests.
    pub fn suggested(&self) -> Suggested {
        match &self.own {
            Some(own) => own.wanted(),
            None => crate::suggested::of_text(&self.text),
        }
    }

    /// The property of this kind: one that was asked for, one that the model states, or one that every model has.
    pub fn property(&mut self, kind: &PropertyKind) -> Result<Box<dyn Property>, OpenError> {
        if let Some(place) = self.asked.iter().position(|asked| asked.kind() == *kind) {
            return Ok(self.asked.swap_remove(place));
        }
        let own = self.own.as_ref().and_then(|own| own.of_kind(kind));
        own.map_or_else(
            || {
                let known = kind.property();
                known.map_err(|error| OpenError::NoSuchProperty(error.to_string()))
            },
            Ok,
        )
    }

    /// The actions that the model declares, with the number of their arguments; none where nothing is declared.
    pub fn actions(&self) -> Option<Vec<(&str, usize)>> {
        let actions = self.specification.as_ref()?.specification().actions.iter();
        let declared = actions.map(|action| (action.name.as_str(), action.sorts.len()));
        Some(declared.collect())
    }

    /// Warnings about patterns that match no action which the model declares: a mistyped name would change what a formula says.
    pub fn warnings_about(&self, patterns: &[&Pattern]) -> Vec<String> {
        let Some(mut declared) = self.actions() else {
            return Vec::new();
        };
        declared.extend([("tau", 0), ("Terminate", 0)]);
        let warning = |pattern: &&Pattern| {
            let name = pattern.without_action(&declared)?;
            Some(format!(
                "warning: <{}> matches nothing: the specification has no action '{name}' with such arguments",
                pattern.text()
            ))
        };
        patterns.iter().filter_map(warning).collect()
    }

    /// Whether formulas are about the states after the first step, and the predicates that hold again and again on fair paths. These become the
    /// last of the model's predicates.
    pub fn fair_paths(&mut self) -> (bool, Vec<String>) {
        let Some(own) = &self.own else {
            return (false, Vec::new());
        };
        let (texts, predicates): (Vec<String>, Vec<_>) = own.fairness().into_iter().unzip();
        self.predicates.extend(predicates);
        (own.begins_by_choice(), texts)
    }

    /// A formula about the first states of the model and about its fair paths.
    pub fn from_the_beginning(&mut self, formula: Ltl) -> Ltl {
        let (begins_by_choice, fair) = self.fair_paths();
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
}

/// The errors of a specification or of a formula over it.
pub(crate) fn refused(
    specification: Source<'_>,
    formula: Source<'_>,
    failure: FormulaFailure,
) -> OpenError {
    match failure {
        FormulaFailure::Specification(errors) => OpenError::of_text(specification, &errors),
        FormulaFailure::Formula(errors) => OpenError::of_text(formula, &errors),
    }
}
