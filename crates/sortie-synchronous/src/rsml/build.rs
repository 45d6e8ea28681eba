//! Expressions, simplified while they are put together, so that what constants decide is not there.

use crate::expression::{Binary, Expression, Unary};

pub(super) fn known(expression: &Expression) -> Option<i64> {
    match expression {
        Expression::Constant(value) => Some(*value),
        _ => None,
    }
}

/// How many parts it has.
pub(super) fn size(expression: &Expression) -> usize {
    let parts = expression.parts().into_iter();
    1 + parts.map(size).sum::<usize>()
}

pub(super) fn not(condition: Expression) -> Expression {
    match condition {
        Expression::Constant(value) => Expression::truth(value == 0),
        Expression::Unary(Unary::Not, inside) if is_truth(&inside) => *inside,
        Expression::Binary(Binary::Equal, left, right) => {
            Expression::Binary(Binary::NotEqual, left, right)
        }
        Expression::Binary(Binary::NotEqual, left, right) => {
            Expression::Binary(Binary::Equal, left, right)
        }
        other => Expression::negated(other),
    }
}

/// Whether it is 0 or 1, whatever happens.
fn is_truth(expression: &Expression) -> bool {
    match expression {
        Expression::Constant(value) => *value == 0 || *value == 1,
        Expression::Unary(Unary::Not, _) => true,
        Expression::Binary(operator, ..) => matches!(
            operator,
            Binary::And
                | Binary::Or
                | Binary::Equal
                | Binary::NotEqual
                | Binary::Less
                | Binary::LessEqual
        ),
        _ => false,
    }
}

/// Whether all hold. Long lists become balanced trees, which are not deep; the order of evaluation remains.
pub(super) fn all(parts: impl IntoIterator<Item = Expression>) -> Expression {
    joined(Binary::And, parts, true)
}

/// Whether one holds.
pub(super) fn any(parts: impl IntoIterator<Item = Expression>) -> Expression {
    joined(Binary::Or, parts, false)
}

fn joined(
    operator: Binary,
    parts: impl IntoIterator<Item = Expression>,
    neutral: bool,
) -> Expression {
    let mut open = Vec::new();
    for part in parts {
        match known(&part) {
            Some(value) if (value != 0) == neutral => {}
            Some(_) => return Expression::truth(!neutral),
            None => open.push(part),
        }
    }
    balanced(operator, open).unwrap_or(Expression::truth(neutral))
}

fn balanced(operator: Binary, mut parts: Vec<Expression>) -> Option<Expression> {
    if parts.len() <= 1 {
        return parts.pop();
    }
    let right = parts.split_off(parts.len().div_ceil(2));
    let left = balanced(operator, parts)?;
    Some(Expression::binary(
        operator,
        left,
        balanced(operator, right)?,
    ))
}

pub(super) fn equal(left: Expression, right: Expression) -> Expression {
    if is_simple(&left) && left == right {
        return Expression::truth(true);
    }
    binary(Binary::Equal, left, right)
}

/// Whether comparing it with itself costs nothing and it has a value.
fn is_simple(expression: &Expression) -> bool {
    matches!(expression, Expression::Before(_) | Expression::After(_))
}

/// Two values made into one; what is wrong, as a division by zero, is left to whoever runs it.
pub(super) fn binary(operator: Binary, left: Expression, right: Expression) -> Expression {
    match (known(&left), known(&right)) {
        (Some(a), Some(b)) => match operator.of(a, b) {
            Some(value) => Expression::Constant(value),
            None => Expression::binary(operator, left, right),
        },
        _ => Expression::binary(operator, left, right),
    }
}

pub(super) fn negate(value: Expression) -> Expression {
    match value {
        Expression::Constant(value) => Expression::Constant(value.wrapping_neg()),
        other => Expression::unary(Unary::Negate, other),
    }
}

pub(super) fn choice(condition: Expression, then: Expression, otherwise: Expression) -> Expression {
    match known(&condition) {
        Some(0) => otherwise,
        Some(_) => then,
        None if then == otherwise => then,
        None => Expression::choice(condition, then, otherwise),
    }
}
