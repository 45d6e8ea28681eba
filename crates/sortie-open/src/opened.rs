//! Models that are open, and what they are opened for.

use crate::own::Suggested;
use crate::{ModelText, OpenError, OwnProperties, Settings};
use sortie_formula::temporal::Ltl;
use sortie_formula::{Context, Equations};
use sortie_machines::Machines;
use sortie_mcrl2::{FormulaFailure, Mcrl2Model, TypedLabels};
use sortie_model::Model;
use sortie_property::{Condition, Pattern, Property, PropertyKind};
use sortie_synchronous::Synchronous;
use sortie_syntax::{Diagnostic, Source};
use std::sync::Arc;

/// The conditions and formulas that are compiled with a model when it is opened.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// Properties made of conditions in the words of the model.
    pub properties: Vec<PropertyKind>,
    /// Expressions whose truth in a state is asked for.
    pub predicates: Vec<String>,
    /// A formula over the data of the model: the name of its file, and its text.
    pub formula: Option<(String, String)>,
}

impl Wanted {
    /// Everything that properties of these kinds need.
    pub fn properties(kinds: impl IntoIterator<Item = PropertyKind>) -> Wanted {
        let kinds = kinds.into_iter();
        Wanted {
            properties: kinds.filter(|k| k.row.of_condition.is_some()).collect(),
            ..Wanted::default()
        }
    }

    /// Predicates alone.
    pub fn predicates(predicates: Vec<String>) -> Wanted {
        Wanted {
            predicates,
            ..Wanted::default()
        }
    }

    /// All conditions as a language reads them, those of properties first.
    pub(crate) fn conditions<E>(
        &self,
        read: impl Fn(&str) -> Result<E, Vec<Diagnostic>>,
    ) -> Result<Vec<E>, OpenError> {
        let flag = |kind: &PropertyKind| kind.row.flag.map_or("", |flag| flag.name);
        let properties = self.properties.iter();
        let properties = properties.map(|kind| (format!("--{}", flag(kind)), &kind.data));
        let predicates = self.predicates.iter().map(|text| ("{}".to_owned(), text));
        let condition = |(name, text): (String, &String)| {
            let wrong = |errors: Vec<_>| OpenError::of_text(Source { name: &name, text }, &errors);
            read(text).map_err(wrong)
        };
        properties.chain(predicates).map(condition).collect()
    }
}

/// What a model is made of.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// The text.
    pub source: Source<'a>,
    /// Constants and options, which have been checked against the table of languages.
    pub settings: &'a Settings,
    /// What is compiled with it.
    pub wanted: &'a Wanted,
}

impl Request<'_> {
    /// The errors of the text.
    pub(crate) fn refused(&self, errors: Vec<Diagnostic>) -> OpenError {
        OpenError::of_text(self.source, &errors)
    }

    /// The model, with a formula that declares itself which data labels carry.
    pub(crate) fn opened(&self, model: Arc<dyn Model>) -> Result<Opened, OpenError> {
        let nothing = ("formula".to_owned(), "true".to_owned());
        let (name, text) = self.wanted.formula.as_ref().unwrap_or(&nothing);
        let nowhere = Source { name: "", text: "" };
        let judged = sortie_mcrl2::type_labels(text)
            .map_err(|failure| refused(nowhere, Source { name, text }, failure))?;
        let formula = self.wanted.formula.as_ref();
        Ok(Opened {
            formula: formula.map(|_| judged.equations),
            labels: Some(judged.subject),
            ..Opened::plain(model, self.settings)
        })
    }
}

/// A model with what belongs to it.
pub struct Opened {
    /// The model.
    pub model: Arc<dyn Model>,
    /// The properties asked for: those made of conditions first, then those that options of the language ask for.
    pub asked: Vec<Box<dyn Property>>,
    /// The predicates asked for; a language puts the conditions of properties before them.
    pub predicates: Vec<Box<dyn Condition>>,
    /// The formula asked for, ready to be judged.
    pub formula: Option<Equations>,
    /// The types of labels, for models that do not have any themselves.
    pub labels: Option<TypedLabels>,
    /// The specification behind the model.
    pub specification: Option<Arc<Mcrl2Model>>,
    /// The machines behind the model.
    pub machines: Option<Arc<Machines>>,
    /// The synchronous system behind the model.
    pub synchronous: Option<Arc<Synchronous>>,
    /// The properties that the model itself states.
    pub own: Option<OwnProperties>,
    /// The settings, with those that the invariants and predicates need.
    pub settings: Settings,
    /// Warnings about the model or the formula, as shown to users.
    pub warnings: Vec<String>,
    /// The text that was read.
    pub text: ModelText,
}

impl Opened {
    /// A model of which nothing more is known.
    pub(crate) fn plain(model: Arc<dyn Model>, settings: &Settings) -> Opened {
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
        if let Some(own) = self.own.as_ref().and_then(|own| own.of_kind(kind)) {
            return Ok(own);
        }
        let known = kind.property();
        known.map_err(|error| OpenError::Unfit(error.to_string()))
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
    /// last of the model's predicates, so that it is asked once.
    pub fn fair_paths(&mut self) -> (bool, Vec<String>) {
        let Some(own) = &mut self.own else {
            return (false, Vec::new());
        };
        let (texts, predicates): (Vec<_>, Vec<_>) = own.fairness.drain(..).unzip();
        self.predicates.extend(predicates);
        (own.begins_by_choice, texts)
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
        if let Some(specification) = &self.specification {
            return judge(specification.context(&self.predicates));
        }
        let types = self.labels.as_ref();
        let types = types.expect("other models have typed labels");
        judge(types.context(&types.of(&*self.model), &self.predicates))
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
