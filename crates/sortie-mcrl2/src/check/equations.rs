//! Equations: typed, and dropped with a warning where they could never be used for rewriting.

use crate::ast::{EquationSection, EquationTree};
use crate::check::checker::Checker;
use crate::check::occurrences::variables_of;
use crate::check::sort_algebra::UNKNOWN;
use sortie_data::{Equation, Expr, Sort, Variable};
use sortie_syntax::Diagnostic;
use std::collections::HashSet;

impl Checker {
    /// Types the equations of all sections.
    pub fn declare_equations(&mut self, sections: &[EquationSection]) {
        for section in sections {
            let variables = self.declare_variables(&section.variables);
            for equation in &section.equations {
                let typed =
                    self.within(&variables, |checker| checker.equation(equation, &variables));
                self.signature.equations.extend(typed);
            }
        }
    }

    fn equation(&mut self, tree: &EquationTree, variables: &[Variable]) -> Option<Equation> {
        self.next_declaration();
        let errors = self.errors.len();
        let condition = tree
            .condition
            .as_ref()
            .map(|condition| self.elaborate(condition, &Sort::Bool));
        let left = self.infer(&tree.lhs);
        let right = self.infer(&tree.rhs);
        // A function overloaded on its result is settled by the other side.
        let sort = match left.sorts.as_slice() {
            [] => UNKNOWN,
            [sort] => sort.clone(),
            sorts => {
                let common: Vec<&Sort> = sorts
                    .iter()
                    .filter(|sort| right.sorts.contains(sort))
                    .collect();
                match common.as_slice() {
                    [sort] => (*sort).clone(),
                    _ => {
                        self.ambiguous(sorts, left.span);
                        UNKNOWN
                    }
                }
            }
        };
        self.in_pattern = true;
        let lhs = self.check(left, &sort);
        self.in_pattern = false;
        let rhs = self.check(right, &sort);
        if self.errors.len() > errors {
            return None;
        }
        if let Expr::Variable(variable) = &lhs {
            self.warnings.push(
                Diagnostic::warning(
                    "this equation is ignored: its left-hand side is a variable",
                    tree.span,
                )
                .label(format!("`{}` stands for anything", variable.name)),
            );
            return None;
        }
        let in_lhs = variables_of(&lhs);
        let elsewhere = [condition.as_ref(), Some(&rhs)]
            .into_iter()
            .flatten()
            .flat_map(variables_of);
        let own: HashSet<u32> = variables.iter().map(|variable| variable.id).collect();
        let unbound = elsewhere
            .filter(|id| own.contains(id) && !in_lhs.contains(id))
            .min();
        if let Some(unbound) =
            unbound.and_then(|id| variables.iter().find(|variable| variable.id == id))
        {
            self.warnings.push(
                Diagnostic::warning(
                    format!(
                        "this equation is ignored: `{}` does not occur in its left-hand side",
                        unbound.name
                    ),
                    tree.span,
                )
                .label("cannot be used for rewriting"),
            );
            return None;
        }
        let variables = variables
            .iter()
            .filter(|variable| in_lhs.contains(&variable.id))
            .cloned()
            .collect();
        Some(Equation {
            variables,
            condition,
            lhs,
            rhs,
            span: tree.span,
        })
    }
}
