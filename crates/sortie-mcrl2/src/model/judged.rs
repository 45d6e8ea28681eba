//! Models together with a formula over them: one universe of data, so that what labels carry can be compared with what the formula says.

use crate::check::check_formula;
use crate::check_specification;
use crate::model::processes::read_value;
use crate::model::{Keep, Mcrl2Model, build, configure};
use crate::specification::{Action, Specification};
use sortie_data::{Env, EvalError, Evaluator, Limits, Sort, TermId};
use sortie_formula::tree::Formula;
use sortie_formula::{Context, Equations, FormulaError, Happening, Labels, compile};
use sortie_model::{LabelId, Model, ModelError};
use sortie_network::Processes as _;
use sortie_property::{Condition, actions_of};
use sortie_syntax::Diagnostic;

/// A model or a formula over it was refused.
#[derive(Debug)]
pub enum FormulaFailure {
    /// Something is wrong with the specification.
    Specification(Vec<Diagnostic>),
    /// Something is wrong with the formula.
    Formula(Vec<Diagnostic>),
}

/// Something with a formula over it.
pub struct Judged<T> {
    /// The model, or what labels mean.
    pub subject: T,
    /// The formula as written.
    pub formula: Formula,
    /// The formula, ready to be judged.
    pub equations: Equations,
    /// About the formula.
    pub warnings: Vec<Diagnostic>,
}

/// Opens a specification so that a formula over it can be judged.
pub fn open_with_formula(
    source_name: &str,
    text: &str,
    settings: &[(String, String)],
    keep: &Keep,
    formula: &str,
) -> Result<Judged<Mcrl2Model>, FormulaFailure> {
    let (specification, content) =
        configure(text, settings).map_err(FormulaFailure::Specification)?;
    let checked = check_formula(&specification, formula).map_err(FormulaFailure::Formula)?;
    let extended = checked.extend(specification);
    let next_variable = extended.next_variable;
    let limits = Limits::default();
    let model = build(source_name, text, extended, content, keep, limits)
        .map_err(FormulaFailure::Specification)?;
    let evaluator = &model.network.processes().evaluator;
    let equations = compile(evaluator, &checked.formula, next_variable).map_err(refused)?;
    Ok(Judged {
        subject: model,
        formula: checked.formula,
        equations,
        warnings: checked.warnings,
    })
}

fn refused(error: FormulaError) -> FormulaFailure {
    let span = error.span().unwrap_or_default();
    FormulaFailure::Formula(vec![Diagnostic::error(error.to_string(), span)])
}

impl Mcrl2Model {
    /// What judging a formula of this model needs.
    pub fn context<'a>(&'a self, predicates: &'a [Box<dyn Condition>]) -> Context<'a> {
        let processes = self.network.processes();
        Context {
            evaluator: &processes.evaluator,
            env: processes.globals.clone(),
            labels: self,
            predicates,
        }
    }
}

impl Labels for Mcrl2Model {
    fn text(&self, label: LabelId) -> String {
        self.network.label(label)
    }

    fn actions(&self, label: LabelId) -> Result<Vec<Happening>, ModelError> {
        let Some(actions) = self.network.actions(label) else {
            return Ok(vec![Happening {
                name: self.network.label(label),
                values: Vec::new(),
            }]);
        };
        let lists = self.network.processes().arguments();
        let happening = |(name, arguments): &(_, sortie_network::ArgumentsId)| Happening {
            name: self.network.name(*name).to_owned(),
            values: lists.get(arguments.0).to_vec(),
        };
        Ok(actions.iter().map(happening).collect())
    }
}

/// The labels of a model that knows texts only, read with the declarations of a formula.
pub struct TypedLabels {
    vocabulary: Specification,
    evaluator: Evaluator,
}

/// Reads a formula that stands alone; what it declares gives the labels of another model their types.
pub fn type_labels(formula: &str) -> Result<Judged<TypedLabels>, FormulaFailure> {
    let nothing = check_specification("init delta;").map_err(FormulaFailure::Specification)?;
    let checked = check_formula(&nothing, formula).map_err(FormulaFailure::Formula)?;
    let vocabulary = checked.extend(nothing);
    let fail = |error: EvalError| {
        FormulaFailure::Formula(vec![Diagnostic::error(error.to_string(), 0..formula.len())])
    };
    let evaluator = Evaluator::new(&vocabulary.signature).map_err(fail)?;
    let next_variable = vocabulary.next_variable;
    let equations = compile(&evaluator, &checked.formula, next_variable).map_err(refused)?;
    Ok(Judged {
        subject: TypedLabels {
            vocabulary,
            evaluator,
        },
        formula: checked.formula,
        equations,
        warnings: Vec::new(),
    })
}

impl TypedLabels {
    /// What judging a formula of a model with these labels needs.
    pub fn context<'a>(
        &'a self,
        labels: &'a dyn Labels,
        predicates: &'a [Box<dyn Condition>],
    ) -> Context<'a> {
        Context {
            evaluator: &self.evaluator,
            env: Env::new(),
            labels,
            predicates,
        }
    }

    /// Evaluates the data of the formula.
    pub fn evaluator(&self) -> &Evaluator {
        &self.evaluator
    }

    /// The labels of a model, by their declared types.
    pub fn of<'a>(&'a self, model: &'a dyn Model) -> impl Labels + 'a {
        TextLabels { types: self, model }
    }

    fn actions(&self, text: &str) -> Vec<Happening> {
        if text == "tau" {
            return Vec::new();
        }
        let parts = actions_of(text);
        let typed = parts.iter().map(|(name, arguments)| {
            let values = self.values(name, arguments);
            // An action that is not declared, or not so, is none that the formula can mean.
            let name = if values.is_some() { *name } else { text };
            Happening {
                name: name.to_owned(),
                values: values.unwrap_or_default(),
            }
        });
        typed.collect()
    }

    fn values(&self, name: &str, arguments: &[&str]) -> Option<Vec<TermId>> {
        let fits = |action: &&Action| action.name == name && action.sorts.len() == arguments.len();
        let declared = self.vocabulary.actions.iter().filter(fits);
        declared
            .filter_map(|action| {
                let pairs = arguments.iter().zip(&action.sorts);
                let env = &mut Env::new();
                let value = |(text, sort): (&&str, &Sort)| {
                    read_value(&self.vocabulary, &self.evaluator, env, text, sort).ok()
                };
                pairs.map(value).collect()
            })
            .next()
    }
}

struct TextLabels<'a> {
    types: &'a TypedLabels,
    model: &'a dyn Model,
}

impl Labels for TextLabels<'_> {
    fn text(&self, label: LabelId) -> String {
        self.model.label(label)
    }

    fn actions(&self, label: LabelId) -> Result<Vec<Happening>, ModelError> {
        Ok(self.types.actions(&self.model.label(label)))
    }
}
