//! Quantifiers are moved inwards, to where their variables occur: what bounds them stands there.
//!
//! `exists n. <true*> <a(n)> f` asks for a number in the initial state, where nothing suggests one; `<true*> (exists n. <a(n)> f)` says the same, and looks at
//! the data of the a-steps at hand. `exists` passes `||` and `<R>`, `forall` passes `&&` and `[R]`, and both pass what does not mention their variables.

use crate::tree::{
    ActionFormula, ActionFormulaKind, Formula, FormulaKind, Modality, Regular, RegularKind,
};
use sortie_data::{Expr, Variable};

/// The quantified formula, further inside where that is possible.
pub(crate) fn narrowed(exists: bool, variables: &[Variable], body: &Formula) -> Formula {
    let used = variables.iter().filter(|v| in_state(body, v));
    let used: Vec<Variable> = used.cloned().collect();
    if used.is_empty() {
        return body.clone();
    }
    let inner = |formula: &Formula| Box::new(narrowed(exists, &used, formula));
    let none_in = |formula: &Formula| !used.iter().any(|v| in_state(formula, v));
    let kind = match &body.kind {
        FormulaKind::Not(part) => FormulaKind::Not(Box::new(narrowed(!exists, &used, part))),
        FormulaKind::Or(left, right) if exists || none_in(left) || none_in(right) => {
            FormulaKind::Or(inner(left), inner(right))
        }
        FormulaKind::And(left, right) if !exists || none_in(left) || none_in(right) => {
            FormulaKind::And(inner(left), inner(right))
        }
        FormulaKind::Implies(left, right) if exists || none_in(left) || none_in(right) => {
            let left = Box::new(narrowed(!exists, &used, left));
            FormulaKind::Implies(left, inner(right))
        }
        FormulaKind::Modal(modality, regular, after) if (*modality == Modality::May) == exists => {
            return past(exists, &used, *modality, regular, after, body);
        }
        FormulaKind::Exists(others, inside) | FormulaKind::Forall(others, inside) => {
            if matches!(body.kind, FormulaKind::Exists(..)) == exists {
                return narrowed(exists, &[&used, &others[..]].concat(), inside);
            }
            let inside = narrowed(!exists, others, inside);
            match inside.kind {
                FormulaKind::Exists(..) | FormulaKind::Forall(..) => {
                    quantified(exists, &used, inside)
                }
                _ => return narrowed(exists, &used, &inside),
            }
        }
        _ => quantified(exists, &used, body.clone()),
    };
    Formula {
        kind,
        span: body.span,
    }
}

/// Variables that the regular formula does not mention move behind it; of a sequence, behind its beginning.
fn past(
    exists: bool,
    variables: &[Variable],
    modality: Modality,
    regular: &Regular,
    after: &Formula,
    whole: &Formula,
) -> Formula {
    let span = whole.span;
    if let RegularKind::Sequence(parts) = &regular.kind
        && let Some((first, rest)) = parts.split_first().filter(|(_, rest)| !rest.is_empty())
    {
        let rest = Regular {
            kind: RegularKind::Sequence(rest.to_vec()),
            span: regular.span,
        };
        let kind = FormulaKind::Modal(modality, rest, Box::new(after.clone()));
        let after = Formula { kind, span };
        return past(exists, variables, modality, first, &after, whole);
    }
    let variables = variables.iter().cloned();
    let (stay, go): (Vec<Variable>, Vec<Variable>) =
        variables.partition(|variable| in_regular(regular, variable));
    let after = narrowed(exists, &go, after);
    let kind = FormulaKind::Modal(modality, regular.clone(), Box::new(after));
    let inside = Formula { kind, span };
    if stay.is_empty() {
        return inside;
    }
    Formula {
        kind: quantified(exists, &stay, inside),
        span,
    }
}

fn quantified(exists: bool, variables: &[Variable], body: Formula) -> FormulaKind {
    if exists {
        FormulaKind::Exists(variables.to_vec(), Box::new(body))
    } else {
        FormulaKind::Forall(variables.to_vec(), Box::new(body))
    }
}

/// Whether the variable occurs; numbers are unique, so every occurrence is free.
fn in_state(formula: &Formula, variable: &Variable) -> bool {
    let within = |formula: &Formula| in_state(formula, variable);
    match &formula.kind {
        FormulaKind::True | FormulaKind::False | FormulaKind::Predicate(_) => false,
        FormulaKind::Value(expression) => in_data(expression, variable),
        FormulaKind::Not(body) | FormulaKind::Forall(_, body) | FormulaKind::Exists(_, body) => {
            within(body)
        }
        FormulaKind::And(left, right)
        | FormulaKind::Or(left, right)
        | FormulaKind::Implies(left, right) => within(left) || within(right),
        FormulaKind::Modal(_, regular, body) => in_regular(regular, variable) || within(body),
        FormulaKind::Fixpoint(fixpoint) => {
            let mut values = fixpoint.parameters.iter();
            values.any(|(_, value)| in_data(value, variable)) || within(&fixpoint.body)
        }
        FormulaKind::Variable(_, arguments) => arguments.iter().any(|a| in_data(a, variable)),
        FormulaKind::Delay(time) | FormulaKind::Yaled(time) => {
            time.as_ref().is_some_and(|time| in_data(time, variable))
        }
    }
}

fn in_regular(regular: &Regular, variable: &Variable) -> bool {
    match &regular.kind {
        RegularKind::Action(action) => in_action(action, variable),
        RegularKind::Alternative(parts) | RegularKind::Sequence(parts) => {
            parts.iter().any(|part| in_regular(part, variable))
        }
        RegularKind::Star(body) | RegularKind::Plus(body) => in_regular(body, variable),
    }
}

fn in_action(action: &ActionFormula, variable: &Variable) -> bool {
    let within = |action: &ActionFormula| in_action(action, variable);
    match &action.kind {
        ActionFormulaKind::True | ActionFormulaKind::False | ActionFormulaKind::Pattern(_) => false,
        ActionFormulaKind::Value(expression) => in_data(expression, variable),
        ActionFormulaKind::MultiAction(calls) => {
            let mut arguments = calls.iter().flat_map(|call| &call.arguments);
            arguments.any(|argument| in_data(argument, variable))
        }
        ActionFormulaKind::Not(body) => within(body),
        ActionFormulaKind::And(left, right)
        | ActionFormulaKind::Or(left, right)
        | ActionFormulaKind::Implies(left, right) => within(left) || within(right),
        ActionFormulaKind::Forall(_, body) | ActionFormulaKind::Exists(_, body) => within(body),
        ActionFormulaKind::At(body, time) => within(body) || in_data(time, variable),
    }
}

fn in_data(expression: &Expr, variable: &Variable) -> bool {
    let free = expression.free_variables();
    free.iter().any(|free| free.id == variable.id)
}
