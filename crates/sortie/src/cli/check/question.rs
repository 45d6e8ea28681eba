//! What is asked of which model.

use crate::cli::Failure;
use crate::cli::source::{Opened, Wanted, open, read_text};
use clap::ArgMatches;
use sortie_mcrl2::{Mcrl2Model, TypedLabels};
use sortie_model::Model;
use sortie_property::formula::{Context, Equations, Requirement, StatePredicate, Stated};
use std::sync::Arc;

/// A formula over a model.
pub struct Question {
    /// The model.
    pub model: Arc<dyn Model>,
    specification: Option<Arc<Mcrl2Model>>,
    labels: Option<TypedLabels>,
    predicates: Vec<Box<dyn StatePredicate>>,
    equations: Equations,
    /// What the formula is called.
    pub name: String,
    /// The formula as written.
    pub text: String,
}

impl Question {
    /// Opens model and formula.
    pub fn ask(matches: &ArgMatches) -> Result<Question, Failure> {
        let (name, text) = formula_text(matches)?;
        let wanted = Wanted {
            formula: Some((name.clone(), text.clone())),
            ..Wanted::default()
        };
        let Opened {
            model,
            specification,
            labels,
            predicates,
            formula,
            ..
        } = open(matches, &[], &wanted)?;
        Ok(Question {
            model,
            specification,
            labels,
            predicates,
            equations: formula.expect("a formula was asked for"),
            name,
            text,
        })
    }

    /// Calls `ask` with what is required of the model.
    pub fn with_requirement<T>(&self, ask: impl FnOnce(&dyn Requirement) -> T) -> T {
        let stated = |context: Context<'_>| {
            ask(&Stated {
                equations: &self.equations,
                context,
            })
        };
        match (&self.specification, &self.labels) {
            (Some(model), _) => stated(model.context(&self.predicates)),
            (None, Some(types)) => {
                let labels = types.of(&*self.model);
                stated(types.context(&labels, &self.predicates))
            }
            (None, None) => unreachable!("a model without a specification has typed labels"),
        }
    }
}

/// The formula that the command line names, and what to call it.
fn formula_text(matches: &ArgMatches) -> Result<(String, String), Failure> {
    let given = |name: &str| matches.try_get_one::<String>(name).ok().flatten();
    if let Some(text) = given("mu") {
        return Ok(("--mu".into(), text.clone()));
    }
    let file = given("formula").expect("the command line requires a formula");
    Ok((file.clone(), read_text(file)?))
}
