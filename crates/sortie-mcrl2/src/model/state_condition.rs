//! Expressions over the parameters of components as conditions of invariants and formulas.

use crate::model::{Mcrl2Model, StateExpression};
use sortie_model::ModelError;
use sortie_property::{Condition, Evaluation, Evaluator};
use std::collections::HashMap;
use std::sync::Arc;

/// The largest number of values that an evaluator remembers, so that memory stays bounded.
const REMEMBERED: usize = 1 << 20;

/// An expression together with the model that it was parsed for.
pub struct StateCondition {
    model: Arc<Mcrl2Model>,
    expression: StateExpression,
}

impl StateCondition {
    /// The expression must have been parsed for this model.
    pub fn new(model: Arc<Mcrl2Model>, expression: StateExpression) -> Self {
        StateCondition { model, expression }
    }
}

impl Condition for StateCondition {
    fn evaluate(&self, state: &[u32]) -> Result<Evaluation, ModelError> {
        let values = self.expression.values(&self.model, state);
        let truth = |values| self.expression.truth(&self.model, &values);
        Ok(values.map_or(Evaluation::NotBegun, truth))
    }

    fn evaluator(&self) -> Option<Evaluator<'_>> {
        let mut known = HashMap::new();
        Some(Box::new(move |state| {
            let Some(values) = self.expression.values(&self.model, state) else {
                return Ok(Evaluation::NotBegun);
            };
            if let Some(known) = known.get(&values) {
                return Ok(Evaluation::clone(known));
            }
            let truth = self.expression.truth(&self.model, &values);
            if known.len() < REMEMBERED {
                known.insert(values, truth.clone());
            }
            Ok(truth)
        }))
    }
}
