//! Boolean expressions over the parameters of components.

use crate::check::parse_lexemes;
use crate::model::Mcrl2Model;
use crate::model::keep::Keep;
use crate::model::reference::{self, Reference, Wanted};
use sortie_data::{Code, Sort, TermId};
use sortie_network::ComponentId;
use sortie_property::Evaluation;
use sortie_syntax::Diagnostic;

/// A Boolean expression about states, such as `!(Phil(1).hungry && Phil(2).hungry)`.
///
/// `COMPONENT.PARAMETER` is the value of a parameter, `COMPONENT @ PROCESS` says whether the component is in the text of a process. Everything
/// that the specification declares can be used.
///
/// ```
/// use sortie_mcrl2::{StateExpression, open, open_keeping};
/// use sortie_model::Model;
/// use sortie_property::Evaluation;
/// let text = "act a; proc P(n: Nat) = (n < 3) -> a . P(n + 1); init P(0);";
/// let model = open("p.mcrl2", text, &[]).unwrap();
/// let expression = StateExpression::parse(&model, "P.n < 2").unwrap();
/// // Values stay as long as the expression needs them.
/// let model = open_keeping("p.mcrl2", text, &[], expression.keep()).unwrap();
/// let expression = StateExpression::parse(&model, "P.n < 2").unwrap();
/// let mut state = Vec::new();
/// model.initial(&mut state).unwrap();
/// let values = expression.values(&model, &state).unwrap();
/// assert_eq!(expression.truth(&model, &values), Evaluation::True);
/// ```
pub struct StateExpression {
    code: Code,
    references: Vec<Reference>,
    keep: Keep,
}

/// The values of an expression's references in a state; equal where the expression is the same.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StateValues(Vec<Option<TermId>>);

impl StateExpression {
    /// Parses and checks an expression over the components of a model. It belongs to this model: another one, even of the same text, numbers
    /// its terms otherwise.
    pub fn parse(model: &Mcrl2Model, text: &str) -> Result<StateExpression, Vec<Diagnostic>> {
        let found = reference::find(model, text)?;
        let variables: Vec<_> = found
            .references
            .iter()
            .map(|r| r.variable.clone())
            .collect();
        let specification = &model.specification;
        let expression = parse_lexemes(specification, text, found.lexemes, &Sort::Bool, &variables)
            .map_err(|errors| reference::explain(model, text, errors))?;
        let evaluator = &model.network.processes().evaluator;
        let code = evaluator
            .compile(&expression)
            .map_err(|error| vec![Diagnostic::error(error.to_string(), 0..text.len())])?;
        let mut keep = Keep::default();
        for reference in &found.references {
            reference.keep(model, &mut keep);
        }
        Ok(StateExpression {
            code,
            references: found.references,
            keep,
        })
    }

    /// What a model has to keep so that the expression has a value wherever it can.
    pub fn keep(&self) -> &Keep {
        &self.keep
    }

    /// The values of the references in a state, as far as they exist; none before the random choice of an initial state.
    pub fn values(&self, model: &Mcrl2Model, state: &[u32]) -> Option<StateValues> {
        if model.network.is_start(state) {
            return None;
        }
        let value = |reference: &Reference| reference.value(model, state);
        Some(StateValues(self.references.iter().map(value).collect()))
    }

    /// What the expression is for these values.
    pub fn truth(&self, model: &Mcrl2Model, values: &StateValues) -> Evaluation {
        let sequential = model.network.processes();
        let mut env = sequential.globals.clone();
        for (reference, value) in self.references.iter().zip(&values.0) {
            if let Some(value) = value {
                env.bind(reference.variable.id, *value);
            }
        }
        // A variable without a value stands for itself, so what does not depend on it is still decided.
        let result = sequential.evaluator.eval(&self.code, &mut env);
        match result.as_ref().map(|value| value.as_bool()) {
            Ok(Some(true)) => return Evaluation::True,
            Ok(Some(false)) => return Evaluation::False,
            _ => {}
        }
        let missing: Vec<String> = self
            .references
            .iter()
            .zip(&values.0)
            .filter(|(_, value)| value.is_none())
            .map(|(reference, _)| reference.variable.name.clone())
            .collect();
        if !missing.is_empty() {
            return Evaluation::Missing(missing);
        }
        Evaluation::Undefined(match result {
            Ok(value) => sequential.evaluator.print(value),
            Err(error) => error.to_string(),
        })
    }
}

impl Reference {
    fn value(&self, model: &Mcrl2Model, state: &[u32]) -> Option<TermId> {
        let sequential = model.network.processes();
        let local = model.network.local(state, self.component);
        match &self.wanted {
            Wanted::Value(variables) => {
                let local = sequential.local(local?);
                local.value_of(&sequential.program, variables)
            }
            Wanted::Place(processes) => {
                let top = local.and_then(|local| sequential.local(local).top());
                let owner = top.and_then(|top| sequential.program.at(top).owner);
                let is_there = owner.is_some_and(|owner| processes.contains(&owner));
                Some(TermId::of_bool(is_there))
            }
        }
    }

    fn keep(&self, model: &Mcrl2Model, keep: &mut Keep) {
        let scope = &model.scopes[self.component.0 as usize];
        let name = |process| &model.specification.process(process).name;
        match &self.wanted {
            Wanted::Value(variables) => {
                let declared = scope.variables.values().flatten();
                for declared in declared.filter(|d| variables.contains(&d.variable.id)) {
                    if let Some(process) = declared.parameter_of {
                        keep.add_parameter(name(process), &declared.variable.name);
                    }
                }
            }
            Wanted::Place(processes) => {
                for process in processes {
                    keep.add_process(name(*process));
                }
            }
        }
    }
}

impl Mcrl2Model {
    pub(crate) fn title(&self, component: ComponentId) -> &str {
        &self.network.components()[component.0 as usize]
    }
}
