//! Expressions about values before the step, made into the same about values after it.

use super::Lowerer;
use crate::{Definition, DefinitionId, Expression};
use std::collections::BTreeSet;

impl Lowerer<'_> {
    /// The same expression about values after the step. It was made about a state.
    pub(in crate::smv) fn moved(&mut self, code: Expression) -> Expression {
        self.move_definitions(&code);
        self.replaced(code)
    }

    /// Makes the definitions that an expression needs. Those that others use have smaller numbers, so that chains of them, however long, are followed by
    /// a loop.
    fn move_definitions(&mut self, code: &Expression) {
        let mut missing = BTreeSet::new();
        let mut waiting = Vec::new();
        self.unmoved(code, &mut missing, &mut waiting);
        while let Some(id) = waiting.pop() {
            let value = &self.made.definitions[id.0 as usize].value;
            self.unmoved(value, &mut missing, &mut waiting);
        }
        for id in missing {
            let Definition { name, value, span } = self.made.definitions[id.0 as usize].clone();
            let value = self.replaced(value);
            let definition = Definition { name, value, span };
            let moved = self.add(definition, true);
            self.made.after.insert(id, moved);
        }
    }

    /// Collects definitions that have not been moved yet.
    fn unmoved(
        &self,
        code: &Expression,
        missing: &mut BTreeSet<DefinitionId>,
        waiting: &mut Vec<DefinitionId>,
    ) {
        if let Expression::Definition(id) = code
            && !self.made.after.contains_key(id)
            && missing.insert(*id)
        {
            waiting.push(*id);
        }
        for part in code.parts() {
            self.unmoved(part, missing, waiting);
        }
    }

    fn replaced(&self, code: Expression) -> Expression {
        let deeper = |part: Box<Expression>| Box::new(self.replaced(*part));
        match code {
            Expression::Before(variable) => Expression::After(variable),
            Expression::Definition(id) => {
                Expression::Definition(self.made.after.get(&id).copied().unwrap_or(id))
            }
            Expression::Unary(operator, value) => Expression::Unary(operator, deeper(value)),
            Expression::Binary(operator, left, right) => {
                Expression::Binary(operator, deeper(left), deeper(right))
            }
            Expression::If(condition, then, otherwise) => {
                Expression::If(deeper(condition), deeper(then), deeper(otherwise))
            }
            Expression::Any(parts) => {
                Expression::Any(parts.into_iter().map(|part| self.replaced(part)).collect())
            }
            Expression::Between(low, high) => Expression::Between(deeper(low), deeper(high)),
            Expression::Constant(_) | Expression::After(_) | Expression::Fail(_) => code,
        }
    }
}
