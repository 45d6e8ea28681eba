//! Equations: typed, and dropped with a warning where they could never be used for rewriting.

use crate::ast::{EquationSection, EquationTree};
use crate::check::checker::Checker;
use crate::check::occurrences::variables_of;
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
        let mut common = left.sorts.iter().filter(|sort| right.sorts.contains(sort));
        let sort = match (common.next(), common.next()) {
            (Some(sort), None) if left.sorts.len() > 1 => sort.clone(),
            _ => self.only_sort(&left),
        };
        self.in_pattern = true;
        let lhs = self.check(left, &sort);
        self.in_pattern = false;
        let rhs = self.check(right, &sort);
        if self.errors.len() > errors {
            return None;
        }
        if let Expr::Variable(variable) = &lhs {
            let message = "this equation is ignored: its left-hand side is a variable";
            let label = format!("`{}` stands for anything", variable.name);
            self.warnings
                .push(Diagnostic::warning(message, tree.span).label(label));
            return None;
        }
        let in_lhs = variables_of(&lhs);
        let sides = condition.iter().chain([&rhs]);
        let elsewhere: HashSet<u32> = sides.flat_map(variables_of).collect();
        let is_unbound = |v: &&Variable| elsewhere.contains(&v.id) && !in_lhs.contains(&v.id);
        if let Some(Variable { name, .. }) = variables.iter().find(is_unbound) {
            let message =
                format!("this equation is ignored: `{name}` does not occur in its left-hand side");
            let label = "cannot be used for rewriting";
            self.warnings
                .push(Diagnostic::warning(message, tree.span).label(label));
            return None;
        }
        let own = variables.iter().filter(|v| in_lhs.contains(&v.id));
        let variables = own.cloned().collect();
        Some(Equation {
            variables,
            condition,
            lhs,
            rhs,
            span: tree.span,
        })
    }
}
