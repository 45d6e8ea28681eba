//! Expressions about states, ready to be evaluated many times.

use crate::compile::{self, Code, Register, Registers};
use crate::expression::Expression;
use crate::run::Run;
use crate::synchronous::Synchronous;
use crate::system::{System, VariableId};
use sortie_model::ModelError;
use std::collections::HashSet;

/// An expression about a state.
#[derive(Debug)]
pub struct Predicate {
    code: Code,
    result: Register,
    registers: Registers,
    /// The variables it reads.
    reads: Vec<VariableId>,
}

impl Predicate {
    pub(crate) fn new(model: &Synchronous, expression: &Expression) -> Self {
        let mut registers = model.registers.clone();
        let (code, result) = compile::expression(&mut registers, expression, None, 0);
        let reads = read_before(&model.system, [expression]);
        Predicate {
            code,
            result,
            registers,
            reads: reads.into_iter().collect(),
        }
    }

    /// An evaluator of this predicate, which is one of the model's.
    pub fn evaluator<'a>(&'a self, model: &'a Synchronous) -> Evaluator<'a> {
        let mut run = Run::new(model);
        run.registers.clone_from(&self.registers.initial);
        Evaluator {
            predicate: self,
            run,
        }
    }
}

/// Evaluates a predicate on one thread.
pub struct Evaluator<'a> {
    predicate: &'a Predicate,
    run: Run<'a>,
}

impl Evaluator<'_> {
    /// Whether it is true in a state; nothing where the system has not begun.
    pub fn holds(&mut self, state: &[u32]) -> Result<Option<bool>, ModelError> {
        let layout = &self.run.model.layout;
        if !layout.has_begun(state) {
            return Ok(None);
        }
        for variable in &self.predicate.reads {
            self.run.registers[variable.0 as usize] = layout.value(state, variable.0);
        }
        self.run.forget(0);
        self.run.compute(&self.predicate.code)?;
        let result = self.run.registers[self.predicate.result as usize];
        Ok(Some(result != 0))
    }
}

/// The variables whose values before the step these expressions read, directly or through definitions.
pub(crate) fn read_before<'a>(
    system: &'a System,
    expressions: impl IntoIterator<Item = &'a Expression>,
) -> HashSet<VariableId> {
    let mut reads = HashSet::new();
    let mut seen = HashSet::new();
    let mut left: Vec<&Expression> = expressions.into_iter().collect();
    while let Some(expression) = left.pop() {
        match expression {
            Expression::Before(variable) => {
                reads.insert(*variable);
            }
            Expression::Definition(number) if seen.insert(*number) => {
                left.push(&system.definitions[number.0 as usize].value);
            }
            other => left.extend(other.parts()),
        }
    }
    reads
}
