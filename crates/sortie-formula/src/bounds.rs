//! What values of quantified variables can make a difference.
//!
//! `exists d. <a(d)> f` is about the data of the a-steps at hand, `forall n. val(n < 2) => f` about two numbers; neither asks for a list of all
//! values. A [`Need`] is something that must be so for a formula to possibly have a truth value; a list of them is a disjunction, and
//! leaving a part of one out is always safe.

use crate::tree::{
    ActionCall, ActionFormula, ActionFormulaKind, Formula, FormulaKind, Modality, Regular,
    RegularKind,
};
use sortie_data::{Expr, Variable};

/// Beyond this many alternatives a product is not worked out.
const MOST: usize = 64;

/// What must hold, all of it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Need {
    /// A step with these actions.
    pub calls: Option<Vec<ActionCall>>,
    /// About data.
    pub conditions: Vec<Expr>,
    /// Variables of inner quantifiers that occur in it.
    pub others: Vec<Variable>,
}

/// When the formula may have this truth value.
pub(crate) fn of_state(formula: &Formula, value: bool) -> Vec<Need> {
    match &formula.kind {
        FormulaKind::True => constant(value),
        FormulaKind::False => constant(!value),
        FormulaKind::Value(expression) => condition(expression, value),
        FormulaKind::Not(body) => of_state(body, !value),
        FormulaKind::And(left, right) => {
            joined(value, of_state(left, value), of_state(right, value))
        }
        FormulaKind::Or(left, right) => {
            joined(!value, of_state(left, value), of_state(right, value))
        }
        FormulaKind::Implies(left, right) => {
            joined(!value, of_state(left, !value), of_state(right, value))
        }
        FormulaKind::Exists(variables, body) | FormulaKind::Forall(variables, body)
            if matches!(formula.kind, FormulaKind::Exists(..)) == value =>
        {
            with_others(variables, of_state(body, value))
        }
        FormulaKind::Modal(modality, regular, body) if (*modality == Modality::May) == value => {
            along(regular, of_state(body, value))
        }
        FormulaKind::Modal(..)
        | FormulaKind::Exists(..)
        | FormulaKind::Forall(..)
        | FormulaKind::Predicate(_)
        | FormulaKind::Fixpoint(_)
        | FormulaKind::Variable(..)
        | FormulaKind::Delay(_)
        | FormulaKind::Yaled(_) => constant(true),
    }
}

/// When the set may have the label in it (or not have it).
pub(crate) fn of_action(action: &ActionFormula, value: bool) -> Vec<Need> {
    match &action.kind {
        ActionFormulaKind::True => constant(value),
        ActionFormulaKind::False => constant(!value),
        ActionFormulaKind::Value(expression) => condition(expression, value),
        ActionFormulaKind::MultiAction(calls) if value => vec![Need {
            calls: Some(calls.clone()),
            ..Need::default()
        }],
        ActionFormulaKind::Not(body) => of_action(body, !value),
        ActionFormulaKind::And(left, right) => {
            joined(value, of_action(left, value), of_action(right, value))
        }
        ActionFormulaKind::Or(left, right) => {
            joined(!value, of_action(left, value), of_action(right, value))
        }
        ActionFormulaKind::Implies(left, right) => {
            joined(!value, of_action(left, !value), of_action(right, value))
        }
        ActionFormulaKind::Exists(variables, body) | ActionFormulaKind::Forall(variables, body)
            if matches!(action.kind, ActionFormulaKind::Exists(..)) == value =>
        {
            with_others(variables, of_action(body, value))
        }
        ActionFormulaKind::MultiAction(_)
        | ActionFormulaKind::Pattern(_)
        | ActionFormulaKind::Exists(..)
        | ActionFormulaKind::Forall(..)
        | ActionFormulaKind::At(..) => constant(true),
    }
}

/// After a path in the regular formula, something must hold; here that says which step is first, and what data must satisfy.
fn along(regular: &Regular, after: Vec<Need>) -> Vec<Need> {
    match &regular.kind {
        RegularKind::Action(action) => joined(true, of_action(action, true), elsewhere(after)),
        RegularKind::Alternative(parts) => {
            let needs = parts.iter().flat_map(|part| along(part, after.clone()));
            needs.collect()
        }
        RegularKind::Sequence(parts) => {
            let parts = parts.iter().rev();
            parts.fold(after, |after, part| along(part, after))
        }
        RegularKind::Plus(body) => along(body, elsewhere(after)),
        RegularKind::Star(body) => {
            let mut needs = along(body, elsewhere(after.clone()));
            needs.extend(after);
            needs
        }
    }
}

/// Data is the same in every state, steps are not; and without those steps nothing may bound the variables of quantifiers there.
fn elsewhere(mut needs: Vec<Need>) -> Vec<Need> {
    for need in &mut needs {
        need.calls = None;
        let others = std::mem::take(&mut need.others);
        let is_bound = |v: &Variable| others.contains(v);
        need.conditions
            .retain(|condition| !condition.free_variables().iter().any(is_bound));
    }
    needs
}

fn constant(possible: bool) -> Vec<Need> {
    possible.then(Need::default).into_iter().collect()
}

fn condition(expression: &Expr, value: bool) -> Vec<Need> {
    let condition = match value {
        true => expression.clone(),
        false => Expr::negation(expression.clone()),
    };
    vec![Need {
        conditions: vec![condition],
        ..Need::default()
    }]
}

fn with_others(variables: &[Variable], mut needs: Vec<Need>) -> Vec<Need> {
    for need in &mut needs {
        need.others.extend_from_slice(variables);
    }
    needs
}

/// Both (or one) of them.
fn joined(both: bool, mut left: Vec<Need>, right: Vec<Need>) -> Vec<Need> {
    if !both {
        left.extend(right);
        return left;
    }
    let free = |needs: &[Need]| needs.iter().any(Need::is_free);
    if left.len() * right.len() > MOST {
        return if free(&left) { right } else { left };
    }
    let pair = |one: &Need, other: &Need| Need {
        calls: one.calls.clone().or_else(|| other.calls.clone()),
        conditions: [&one.conditions[..], &other.conditions].concat(),
        others: [&one.others[..], &other.others].concat(),
    };
    left.iter()
        .flat_map(|one| right.iter().map(move |other| pair(one, other)))
        .collect()
}

/// Of the conditions, those that say something about the variables, if only by way of others; and those others. What is said of others alone would only
/// make more solutions of the same values.
pub(crate) fn about(
    variables: &[Variable],
    conditions: Vec<Expr>,
    others: Vec<Variable>,
) -> (Vec<Expr>, Vec<Variable>) {
    let read: Vec<Vec<Variable>> = conditions.iter().map(Expr::free_variables).collect();
    let mut connected: Vec<Variable> = Vec::new();
    loop {
        let is_known = |v: &Variable| variables.contains(v) || connected.contains(v);
        let touched = read.iter().filter(|read| read.iter().any(is_known));
        let new = touched
            .flatten()
            .find(|v| others.contains(v) && !is_known(v));
        match new.cloned() {
            Some(new) => connected.push(new),
            None => break,
        }
    }
    let apart = |v: &Variable| others.contains(v) && !connected.contains(v);
    let conditions = conditions.into_iter().zip(&read);
    let kept = conditions.filter(|(_, read)| !read.iter().any(apart));
    (kept.map(|(condition, _)| condition).collect(), connected)
}

impl Need {
    /// Whether it asks for nothing.
    fn is_free(&self) -> bool {
        self.calls.is_none() && self.conditions.is_empty()
    }
}
