//! Puts expressions together, calculating what is known while reading.

use crate::{Binary, Expression, Unary};

/// The value, if it is known.
pub(super) fn known(expression: &Expression) -> Option<i64> {
    match expression {
        Expression::Constant(value) => Some(*value),
        _ => None,
    }
}

pub(super) fn unary(operator: Unary, value: Expression) -> Expression {
    match (operator, value) {
        (_, Expression::Constant(value)) => Expression::Constant(operator.of(value)),
        (Unary::Not, Expression::Unary(Unary::Not, inside)) => *inside,
        (_, value) => Expression::unary(operator, value),
    }
}

pub(super) fn not(value: Expression) -> Expression {
    unary(Unary::Not, value)
}

/// Two values made into one; neither `And` nor `Or`, for which there are [`all`] and [`some`].
pub(super) fn binary(operator: Binary, left: Expression, right: Expression) -> Expression {
    if let (Some(left), Some(right)) = (known(&left), known(&right))
        && let Some(value) = operator.of(left, right)
    {
        return Expression::Constant(value);
    }
    Expression::binary(operator, left, right)
}

/// Whether all are true. What is long does not become deep.
pub(super) fn all(parts: Vec<Expression>) -> Expression {
    joined(Binary::And, parts, 1)
}

/// Whether one is true.
pub(super) fn some(parts: Vec<Expression>) -> Expression {
    joined(Binary::Or, parts, 0)
}

/// The sum of all, which are not empty.
pub(super) fn sum(parts: Vec<Expression>) -> Expression {
    balanced(Binary::Add, parts).unwrap_or(Expression::Constant(0))
}

fn joined(operator: Binary, parts: Vec<Expression>, neutral: i64) -> Expression {
    let decided = |part: &Expression| known(part).is_some_and(|value| value != neutral);
    if parts.iter().any(decided) {
        return Expression::Constant(1 - neutral);
    }
    let parts: Vec<Expression> = parts
        .into_iter()
        .filter(|part| known(part).is_none())
        .collect();
    balanced(operator, parts).unwrap_or(Expression::Constant(neutral))
}

/// All of them joined, in no special order. What is long does not become deep.
pub(super) fn balanced(operator: Binary, mut parts: Vec<Expression>) -> Option<Expression> {
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

pub(super) fn choice(condition: Expression, then: Expression, otherwise: Expression) -> Expression {
    match known(&condition) {
        Some(0) => otherwise,
        Some(_) => then,
        None => Expression::choice(condition, then, otherwise),
    }
}
