//! Expressions, simplified while they are put together, so that what constants decide is not there.

use crate::expression::{Binary, Expression, Unary};
use crate::fold::{self, binary, known};

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

pub(super) fn choice(condition: Expression, then: Expression, otherwise: Expression) -> Expression {
    if then == otherwise && known(&condition).is_none() {
        return then;
    }
    fold::choice(condition, then, otherwise)
}
