//! Puts expressions together, calculating what is known while reading.

use crate::{Binary, Expression, Unary};

/// The value, if it is known.
pub(crate) fn known(expression: &Expression) -> Option<i64> {
    match expression {
        Expression::Constant(value) => Some(*value),
        _ => None,
    }
}

pub(crate) fn unary(operator: Unary, value: Expression) -> Expression {
    match (operator, value) {
        (_, Expression::Constant(value)) => Expression::Constant(operator.of(value)),
        (Unary::Not, Expression::Unary(Unary::Not, inside)) => *inside,
        (_, value) => Expression::unary(operator, value),
    }
}

pub(crate) fn not(value: Expression) -> Expression {
    unary(Unary::Not, value)
}

/// Two values made into one; neither `And` nor `Or`, for which there are [`all`] and [`any`].
pub(crate) fn binary(operator: Binary, left: Expression, right: Expression) -> Expression {
    if let (Some(left), Some(right)) = (known(&left), known(&right))
        && let Some(value) = operator.of(left, right)
    {
        return Expression::Constant(value);
    }
    Expression::binary(operator, left, right)
}

/// Whether all are true. What is long does not become deep.
pub(crate) fn all(parts: impl IntoIterator<Item = Expression>) -> Expression {
    joined(Binary::And, parts)
}

/// Whether one is true.
pub(crate) fn any(parts: impl IntoIterator<Item = Expression>) -> Expression {
    joined(Binary::Or, parts)
}

/// The sum of all, which are not empty.
pub(crate) fn sum(parts: Vec<Expression>) -> Expression {
    balanced(Binary::Add, parts).unwrap_or(Expression::Constant(0))
}

fn joined(operator: Binary, parts: impl IntoIterator<Item = Expression>) -> Expression {
    let neutral = i64::from(operator == Binary::And);
    let mut open = Vec::new();
    for part in parts {
        match known(&part) {
            Some(value) if value == neutral => {}
            Some(_) => return Expression::Constant(1 - neutral),
            None => open.push(part),
        }
    }
    balanced(operator, open).unwrap_or(Expression::Constant(neutral))
}

/// All of them joined. What is long does not become deep; the order of evaluation remains.
pub(crate) fn balanced(operator: Binary, mut parts: Vec<Expression>) -> Option<Expression> {
    while parts.len() > 1 {
        let mut rest = parts.into_iter();
        let mut joined = Vec::new();
        while let Some(left) = rest.next() {
            joined.push(match rest.next() {
                Some(right) if matches!(operator, Binary::And | Binary::Or) => {
                    Expression::binary(operator, left, right)
                }
                Some(right) => binary(operator, left, right),
                None => left,
            });
        }
        parts = joined;
    }
    parts.pop()
}

pub(crate) fn choice(condition: Expression, then: Expression, otherwise: Expression) -> Expression {
    match known(&condition) {
        Some(0) => otherwise,
        Some(_) => then,
        None => Expression::choice(condition, then, otherwise),
    }
}
